import type { Charge } from '../../changes/change.ts'
import { commit, isRolledBack } from '../../changes/commit.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { insertImage, type NewImage, removeImages } from '../../stores/images.ts'

/**
 * Stores an upload, and then writes the planet that shows it. If a later step fails, nothing is left.
 *
 * @param charge What the account must have room for before anything is stored
 * @param write Writes the planet
 */
export async function storeImageFor<Outcome>(
  image: NewImage,
  charge: Charge,
  context: RequestContext,
  write: () => Promise<Outcome>,
): Promise<Outcome> {
  await storeOrphan(image, charge, context)
  try {
    return await write()
  } catch (error) {
    await dropOrphan(image, error, context)
    throw error
  }
}

/**
 * Stores an upload that no planet shows yet. Its row is written first, marked as an orphan. So there is never an object
 * without a row, and if nothing follows, the sweep removes both.
 *
 * @param charge What the account must have room for before anything is stored
 */
export async function storeOrphan(image: NewImage, charge: Charge, context: RequestContext): Promise<void> {
  const { key, mimeType, bytes } = image
  await commit(context, { statements: [insertImage(image, context.now)], charge: { ...charge, isOnlyChecked: true } })
  await context.services.bucket.put(key, bytes, { httpMetadata: { contentType: mimeType } })
}

/** Removes a stored upload after an error, unless a planet may show it nevertheless. */
export async function dropOrphan({ key }: NewImage, error: unknown, context: RequestContext): Promise<void> {
  if (isRolledBack(error)) await removeImages(context.session, context.services.bucket, [key])
}
