import { doc } from '#doc'
import type { Caller } from '../../auth/scheme.ts'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { commit } from '../../changes/commit.ts'
import { imageUrl } from '../../domain/image-url.ts'
import { ProblemError } from '../../domain/problems.ts'
import { upload } from '../../http/body/upload.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { newUuid } from '../../lib/ids.ts'
import { sniffImage } from '../../lib/sniff-image.ts'
import { PlanetPath } from '../../schemas/fields.ts'
import { ImageUploadedMessage } from '../../schemas/image.ts'
import { type NewImage, removeObject } from '../../stores/images.ts'
import { unchanged, updatePlanetOnly } from '../../stores/planets.ts'
import { selectPlanet, type WritablePlanet } from '../../stores/stored-planet.ts'
import { requireCreator } from './access.ts'
import { planetUpdated } from './happenings.ts'
import { storeImageFor } from './store-image.ts'
import { requireExpectedVersion, timeAfter } from './versions.ts'
import { writePlanet } from './write-planet.ts'

const IMAGE_MAX_BYTES = 5 * 1024 * 1024

export const uploadImage = defineRoute({
  method: 'post',
  path: '/planets/{planetId}/image',
  operationId: 'uploadImage',
  tag: 'Planets',
  summary: 'Upload an image to a planet',
  description: doc(
    'Accepts a PNG, JPEG, GIF, WebP or AVIF image of at most 5 MiB. The service detects the type from the content. The image replaces the image of the planet, and the previous uploaded image is deleted.',
  ),
  keepsReply: true,
  security: ALL_SCHEMES,
  scope: 'write:planets',
  params: PlanetPath,
  body: upload({ part: 'image', maxBytes: IMAGE_MAX_BYTES }),
  prefetch: ({ planetId }) => selectPlanet(planetId),
  responses: {
    200: { description: doc('The image is stored, and the planet refers to it'), schema: ImageUploadedMessage },
  },
  problems: ['invalid-image', 'forbidden', 'account-limit-reached', 'conflict', 'precondition-failed'],
  async handle({ body: bytes, caller, prefetched }, context) {
    // Every route refuses an invalid body before it looks at the planet.
    const kind = sniffImage(bytes)
    if (!kind) {
      throw new ProblemError(
        'invalid-image',
        'The content of the file is not a supported image. Supported types: PNG, JPEG, GIF, WebP and AVIF.',
      )
    }
    const key = `${newUuid('image')}.${kind.extension}`
    const image = { key, mimeType: kind.mimeType, bytes, url: imageUrl(context.imageBaseUrl, key) }
    return await storeImage(image, requireCreator(prefetched, caller), caller, context)
  },
})

/**
 * @param read The planet as it was before the body arrived
 * @throws ProblemError 403 if the account has no room; 404 if the planet was deleted since it was read; 409 if the
 * planet kept changing; 412 if the condition names another version
 */
async function storeImage(image: NewImage, read: WritablePlanet, caller: Caller, context: RequestContext) {
  const { services, now } = context
  const { key, mimeType, bytes, url } = image
  const isConditional = requireExpectedVersion(context, read)
  const facts = { fileSize: bytes.byteLength, mimeType, uploadedAt: now.toISOString() }
  const answer = reply(200, { message: 'Image uploaded successfully', imageUrl: url, ...facts })
  const chargeFor = ({ imageKey }: WritablePlanet) => ({
    userId: caller.id,
    image: { bytes: bytes.byteLength, replaces: imageKey },
    // The planet charges the account, by a trigger.
    isOnlyChecked: true,
  })
  const write = async (current: WritablePlanet) => {
    const planet = { ...current, version: current.version + 1, lastUpdated: timeAfter(current, now), imageKey: key }
    await commit(context, {
      requires: [unchanged(current)],
      statements: [updatePlanetOnly(planet)],
      charge: chargeFor(current),
      happened: planetUpdated(current, planet, context, { url, ...facts }),
      reply: answer,
    })
    return current.imageKey
  }
  const replacedKey = await storeImageFor(image, chargeFor(read), context, () =>
    writePlanet(read, { isConditional, caller, context }, write),
  )
  await removeObject(services.bucket, replacedKey)
  return answer
}
