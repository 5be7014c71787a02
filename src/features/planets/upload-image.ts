import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { imageUrl } from '../../domain/image-url.ts'
import { ProblemError } from '../../domain/problems.ts'
import { upload } from '../../http/body/upload.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { newUuid } from '../../lib/ids.ts'
import { PlanetPath } from '../../schemas/fields.ts'
import { ImageUploadedMessage } from '../../schemas/image.ts'
import { attachImage, removeObject } from '../../stores/images.ts'
import { selectPlanet } from '../../stores/stored-planet.ts'
import { requireCreator } from './access.ts'
import { loggedChange } from './happenings.ts'
import { sniffImage } from './sniff-image.ts'
import { isMissedWrite, requireExpectedVersion, requireWritten } from './versions.ts'

const IMAGE_MAX_BYTES = 5 * 1024 * 1024

export const uploadImage = defineRoute({
  method: 'post',
  path: '/planets/{planetId}/image',
  operationId: 'uploadImage',
  tag: 'Planets',
  summary: 'Upload an image to a planet',
  description:
    'Accepts a PNG, JPEG, GIF, WebP or AVIF image of at most 5 MiB. The service detects the type from the content. The image replaces the image of the planet, and the previous uploaded image is deleted.',
  creates: true,
  security: ALL_SCHEMES,
  scope: 'write:planets',
  params: PlanetPath,
  body: upload({ part: 'image', maxBytes: IMAGE_MAX_BYTES }),
  prefetch: (db, { planetId }) => selectPlanet(db, planetId),
  responses: { 200: { description: 'The image is stored, and the planet refers to it', schema: ImageUploadedMessage } },
  problems: ['invalid-image', 'forbidden', 'account-limit-reached', 'precondition-failed'],
  async handle({ body: bytes, caller, prefetched }, context) {
    const { services, session, imageBaseUrl, now } = context
    // Every route refuses an invalid body before it looks at the planet.
    const kind = sniffImage(bytes)
    if (!kind) {
      throw new ProblemError(
        'invalid-image',
        'The content of the file is not a supported image. Supported types: PNG, JPEG, GIF, WebP and AVIF.',
      )
    }
    const planet = requireCreator(prefetched, caller)
    const { mimeType } = kind
    const key = `${newUuid('image')}.${kind.extension}`
    const expected = requireExpectedVersion(context, planet)
    const imageTarget = { id: planet.id, creatorId: planet.creator.id, expected }
    const { bucket, config } = services
    const image = { key, mimeType, bytes }
    const logged = loggedChange(caller, context)
    const answer = reply(200, {
      message: 'Image uploaded successfully',
      imageUrl: imageUrl(imageBaseUrl, key),
      uploadedAt: now.toISOString(),
      fileSize: bytes.byteLength,
      mimeType,
    })
    const keepReply = await context.prepareReply(() => answer)
    const outcome = await attachImage(
      session.db,
      bucket,
      imageTarget,
      image,
      logged,
      config.accountLimits,
      now,
      keepReply,
    )
    // If the planet was not written, no planet refers to the new file. If it was written, no planet refers to the
    // previous file.
    if (isMissedWrite(outcome)) await removeObject(bucket, key)
    const { shownKey } = requireWritten(outcome)
    await removeObject(bucket, shownKey)
    return answer
  },
})
