import { and, isNotNull, lt, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { CredentialEnded } from '../db/guarded-session.ts'
import { images } from '../db/tables.ts'
import type { AccountLimits } from '../env.ts'
import { rootCause } from '../lib/root-cause.ts'
import { type KeepReply, keepNothing } from './kept-replies.ts'
import type { LoggedChange } from './logged-planets.ts'
import { type ImageTarget, type MissedWrite, requireImageRoom, setPlanetImage } from './planets.ts'
import { awaitWithinLimits, isRefusedForRoom } from './usage.ts'

interface NewImage {
  key: string
  mimeType: string
  bytes: Uint8Array<ArrayBuffer>
}

/**
 * Age at which the sweep removes an orphan (an image that no planet shows). A younger orphan may belong to an upload
 * that is still under way.
 */
const ORPHAN_GRACE_MS = 60 * 60 * 1000
const REMOVALS_PER_SWEEP = 100

/**
 * Stores an upload and makes a planet show it. The row of the upload is written first, and marked as an orphan. So if a
 * later step fails, the sweep removes the row and the object. There is never an object without a row.
 *
 * @returns `shownKey`: the key of the upload that the planet showed before; null if it showed none. `gone` if the
 * planet was deleted, `changed` if it does not have the expected version: in these two cases the new upload stays an
 * orphan
 * @throws ProblemError 403 if a limit of the account is reached. The limits are checked before the object is stored,
 * and again when the planet is written. If the second check fails, the object is removed, and the sweep removes its row
 * @throws CredentialEnded if the credential ended during the request. The object and its row are then removed in the
 * same way
 */
export async function attachImage(
  db: Database,
  bucket: R2Bucket,
  planet: ImageTarget,
  image: NewImage,
  logged: LoggedChange,
  limits: AccountLimits,
  now: Date,
  keep: KeepReply = keepNothing,
): Promise<{ shownKey: string | null } | MissedWrite> {
  const { key, mimeType, bytes } = image
  const fileSize = bytes.byteLength
  const url = logged.imageUrlPrefix + key
  const batch = db.batch([
    // Any version of the planet is enough here. `setPlanetImage` requires the expected version.
    requireImageRoom(db, { ...planet, expected: undefined }, fileSize, limits),
    db.insert(images).values({ key, mimeType, fileSize, uploadedAt: now, orphanedAt: now, url }),
  ])
  await awaitWithinLimits(db, planet.creatorId, limits, batch)
  await bucket.put(key, bytes, { httpMetadata: { contentType: mimeType } })
  try {
    const shown = { url, fileSize, mimeType, uploadedAt: now.toISOString() }
    return await setPlanetImage(db, planet, { key, fileSize }, { ...logged, image: shown }, limits, now, keep)
  } catch (error) {
    // These errors roll back the whole write, so the planet does not show the object. After any other error, the planet
    // may show the object, so the object stays.
    const isRolledBack = isRefusedForRoom(error) || rootCause(error) instanceof CredentialEnded
    if (isRolledBack) await removeObject(bucket, key)
    throw error
  }
}

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
export async function removeOrphans(db: Database, bucket: R2Bucket, now: Date): Promise<number> {
  const isOldEnough = lt(images.orphanedAt, new Date(now.getTime() - ORPHAN_GRACE_MS))
  const rows = await db
    .select({ key: images.key })
    .from(images)
    .where(and(isNotNull(images.orphanedAt), isOldEnough))
    .limit(REMOVALS_PER_SWEEP)
  const keys = rows.map(({ key }) => key)
  await deleteImages(db, bucket, keys)
  return keys.length
}

/**
 * Removes objects and rows of images that no planet shows any more. A failure is only logged, because the rows stay and
 * the sweep tries again.
 *
 * @param keys At most 1,000, the maximum that R2 deletes in one call
 */
export async function removeImages(db: Database, bucket: R2Bucket, keys: readonly string[]): Promise<void> {
  try {
    await deleteImages(db, bucket, keys)
  } catch (error) {
    console.warn(JSON.stringify({ event: 'image-removal-failed', images: keys.length, error: String(error) }))
  }
}

/** Objects are deleted before their rows, so that there is never an object without a row. */
async function deleteImages(db: Database, bucket: R2Bucket, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await bucket.delete([...keys])
  await db.delete(images).where(sql`${images.key} in (select value from json_each(${JSON.stringify(keys)}))`)
}
