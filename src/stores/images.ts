import { and, eq, isNotNull, lt, sql } from 'drizzle-orm'
import { build, type Session, write } from '../db/port.ts'
import { images } from '../db/tables.ts'

export interface NewImage {
  key: string
  mimeType: string
  bytes: Uint8Array<ArrayBuffer>
  /** As its planet shows it. */
  url: string
}

/** The statement that stores the row of an upload, as an orphan (an image that no planet shows). */
export function insertImage({ key, mimeType, bytes, url }: NewImage, now: Date) {
  return build
    .insert(images)
    .values({ key, mimeType, fileSize: bytes.byteLength, uploadedAt: now, orphanedAt: now, url })
}

/** The statement for an image that a new planet shows. If an older planet shows it, a trigger does this. */
export function showImage(key: string) {
  return build.update(images).set({ orphanedAt: null }).where(eq(images.key, key))
}

/** A younger orphan may belong to an upload that is still under way. */
const ORPHAN_GRACE_MS = 60 * 60 * 1000
const REMOVALS_PER_SWEEP = 100

/**
 * Removes an object that no planet shows any more. A failure is only logged, because the row stays and the sweep tries
 * again.
 *
 * @param key Null if there is no object to remove
 */
export async function removeObject(bucket: R2Bucket, key: string | null): Promise<void> {
  if (key === null) return
  try {
    await bucket.delete(key)
  } catch (error) {
    console.warn(JSON.stringify({ event: 'image-removal-failed', key, error: String(error) }))
  }
}

/** Removes orphaned objects and their rows, at most REMOVALS_PER_SWEEP. @returns How many were removed */
export async function removeOrphans(session: Session, bucket: R2Bucket, now: Date): Promise<number> {
  const isOldEnough = lt(images.orphanedAt, new Date(now.getTime() - ORPHAN_GRACE_MS))
  const rows = await session.db.read(
    build
      .select({ key: images.key })
      .from(images)
      .where(and(isNotNull(images.orphanedAt), isOldEnough))
      .limit(REMOVALS_PER_SWEEP),
  )
  const keys = rows.map(({ key }) => key)
  await deleteImages(session, bucket, keys)
  return keys.length
}

/**
 * Like `removeObject`, with the rows of the images.
 *
 * @param keys At most 1,000, the maximum that R2 deletes in one call
 */
export async function removeImages(session: Session, bucket: R2Bucket, keys: readonly string[]): Promise<void> {
  try {
    await deleteImages(session, bucket, keys)
  } catch (error) {
    console.warn(JSON.stringify({ event: 'image-removal-failed', images: keys.length, error: String(error) }))
  }
}

/** Objects are deleted before their rows, so that there is never an object without a row. */
async function deleteImages(session: Session, bucket: R2Bucket, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await bucket.delete([...keys])
  await write(session, [
    build.delete(images).where(sql`${images.key} in (select value from json_each(${JSON.stringify(keys)}))`),
  ])
}
