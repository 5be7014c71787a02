import { and, inArray, isNotNull, lt } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { images } from '../db/tables.ts'
import { type Missed, setPlanetImage } from './planets.ts'

export interface NewImage {
  key: string
  mimeType: string
  bytes: Uint8Array<ArrayBuffer>
}

/** An upload that failed half way is an orphan; this long it may still be under way. */
const ORPHAN_GRACE_MS = 60 * 60 * 1000
const REMOVALS_PER_SWEEP = 100

/**
 * Stores an upload and lets a planet show it. The row comes first and says that nothing shows the object yet, so
 * whatever breaks in between leaves an orphan that the sweep removes, never an object without a row.
 *
 * @param planet The planet, and the version that has to be found; undefined for any
 * @returns The key of the upload that the planet showed before
 */
export async function attachImage(
  db: Database,
  bucket: R2Bucket,
  planet: { id: number; expected: number | undefined },
  image: NewImage,
  now: Date,
): Promise<{ shownKey: string | null } | Missed> {
  const { key, mimeType, bytes } = image
  await db.insert(images).values({ key, mimeType, fileSize: bytes.byteLength, uploadedAt: now, orphanedAt: now })
  await bucket.put(key, bytes, { httpMetadata: { contentType: mimeType } })
  return setPlanetImage(db, planet.id, key, planet.expected, now)
}

/**
 * Removes what a planet no longer shows. Its row stays for the sweep, which tries again: a failure here loses nothing.
 */
export async function removeObject(bucket: R2Bucket, key: string | null): Promise<void> {
  if (key === null) return
  try {
    await bucket.delete(key)
  } catch (error) {
    console.warn(JSON.stringify({ event: 'image-removal-failed', key, error: String(error) }))
  }
}

/** Removes orphaned objects and their rows, a bounded number at a time. @returns How many there were. */
export async function removeOrphans(db: Database, bucket: R2Bucket, now: Date): Promise<number> {
  const due = lt(images.orphanedAt, new Date(now.getTime() - ORPHAN_GRACE_MS))
  const rows = await db
    .select({ key: images.key })
    .from(images)
    .where(and(isNotNull(images.orphanedAt), due))
    .limit(REMOVALS_PER_SWEEP)
  const keys = rows.map(({ key }) => key)
  if (keys.length === 0) return 0
  await bucket.delete(keys)
  await db.delete(images).where(inArray(images.key, keys))
  return keys.length
}
