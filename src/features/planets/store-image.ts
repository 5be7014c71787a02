import type { Charge } from '../../changes/change.ts'
import { commit, isRolledBack } from '../../changes/commit.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { insertImage, type NewImage, removeImages } from '../../stores/images.ts'

/**
 * Stores an upload, and then writes the planet that shows it. The row of the upload is written first, marked as an
 * orphan. So there is never an object without a row, and if a later step fails, the sweep removes both.
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
  const { bucket } = context.services
  const { key, mimeType, bytes } = image
  await commit(context, { statements: [insertImage(image, context.now)], charge: { ...charge, isOnlyChecked: true } })
  await bucket.put(key, bytes, { httpMetadata: { contentType: mimeType } })
  try {
    return await write()
  } catch (error) {
    // Otherwise the planet may show the object.
    if (isRolledBack(error)) await removeImages(context.session, bucket, [key])
    throw error
  }
}
