import { and, isNotNull, lt, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { CredentialEnded } from '../db/guarded-session.ts'
import { images } from '../db/tables.ts'
import { ProblemError } from '../domain/problems.ts'
import type { AccountLimits } from '../env.ts'
import { rootCause } from '../lib/root-cause.ts'
import { type Illustrated, type Missed, requireImageRoom, setPlanetImage } from './planets.ts'
import { orLimitReached } from './usage.ts'

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
 * @returns The key of the upload that the planet showed before, null if it showed none; `gone` or `changed` if the planet is
 * not there any more, or not as expected: then the upload is an orphan
 * @throws ProblemError 403 if the account has no room for it. That is checked before the object is stored, and again when the
 * planet is written: then the object is removed, and the sweep removes its row
 */
export async function attachImage(
  db: Database,
  bucket: R2Bucket,
  planet: Illustrated,
  image: NewImage,
  limits: AccountLimits,
  now: Date,
): Promise<{ shownKey: string | null } | Missed> {
  const { key, mimeType, bytes } = image
  const fileSize = bytes.byteLength
  const batch = db.batch([
    requireImageRoom(db, { ...planet, expected: undefined }, fileSize, limits),
    db.insert(images).values({ key, mimeType, fileSize, uploadedAt: now, orphanedAt: now }),
  ])
  await orLimitReached(db, planet.creatorId, limits, batch)
  await bucket.put(key, bytes, { httpMetadata: { contentType: mimeType } })
  try {
    return await setPlanetImage(db, planet, { key, fileSize }, limits, now)
  } catch (error) {
    // These undo the whole write, so the planet does not show the object. After any other failure it might.
    if (error instanceof ProblemError || rootCause(error) instanceof CredentialEnded) await removeObject(bucket, key)
    throw error
  }
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
  await deleteImages(db, bucket, keys)
  return keys.length
}

/**
 * Removes images that no planet shows any more, objects and rows. If that fails, the rows stay for the sweep, which tries
 * again.
 *
 * @param keys At most 1,000
 */
export async function removeImages(db: Database, bucket: R2Bucket, keys: readonly string[]): Promise<void> {
  try {
    await deleteImages(db, bucket, keys)
  } catch (error) {
    console.warn(JSON.stringify({ event: 'image-removal-failed', images: keys.length, error: String(error) }))
  }
}

async function deleteImages(db: Database, bucket: R2Bucket, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await bucket.delete([...keys])
  await db.delete(images).where(sql`${images.key} in (select value from json_each(${JSON.stringify(keys)}))`)
}
