import type { Charge } from '../../changes/change.ts'
import { imageUrl } from '../../domain/image-url.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { newUuid } from '../../lib/ids.ts'
import { type NewImage, removeImages } from '../../stores/images.ts'
import type { WritablePlanet } from '../../stores/stored-planet.ts'
import { dropOrphan, storeOrphan } from './store-image.ts'

/**
 * The copy of an upload for a new planet. It is stored once, also if the write of the planet loses races and is
 * repeated.
 */
export class CopiedUpload {
  readonly #context: RequestContext
  #copy: { sourceKey: string; image: NewImage } | undefined

  constructor(context: RequestContext) {
    this.#context = context
  }

  /**
   * The copy of the upload that a planet shows now, as an orphan. That of an earlier upload is removed.
   *
   * @param charge What the account must have room for besides the image
   * @param replaces The key of the image that it replaces; null if there is none
   * @returns Null if the planet has no upload. Also if its object is gone, because then either the planet has changed,
   * and the write loses a race, or the object was lost
   * @throws ProblemError 403 if the account has no room
   */
  async of({ imageKey }: WritablePlanet, charge: Charge, replaces: string | null): Promise<NewImage | null> {
    if (this.#copy?.sourceKey === imageKey) return this.#copy.image
    const { session, services } = this.#context
    if (this.#copy) await removeImages(session, services.bucket, [this.#copy.image.key])
    this.#copy = undefined
    const image = imageKey === null ? null : await readUpload(imageKey, this.#context)
    if (imageKey === null || !image) return null
    await storeOrphan(image, { ...charge, image: { bytes: image.bytes.byteLength, replaces } }, this.#context)
    this.#copy = { sourceKey: imageKey, image }
    return image
  }

  /** Writes the planet that shows the copy. If it fails, nothing is left. */
  async useIn<Outcome>(write: () => Promise<Outcome>): Promise<Outcome> {
    try {
      return await write()
    } catch (error) {
      if (this.#copy) await dropOrphan(this.#copy.image, error, this.#context)
      throw error
    }
  }
}

/** An upload with a key of its own. Null if the object is gone. */
async function readUpload(key: string, { services, imageBaseUrl }: RequestContext): Promise<NewImage | null> {
  const object = await services.bucket.get(key)
  if (!object) return null
  const copyKey = newUuid('image') + key.slice(key.lastIndexOf('.'))
  return {
    key: copyKey,
    mimeType: object.httpMetadata?.contentType ?? '',
    bytes: new Uint8Array(await object.arrayBuffer()),
    url: imageUrl(imageBaseUrl, copyKey),
  }
}
