import { doc } from '#doc'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { commit } from '../../changes/commit.ts'
import { EXAMPLE_ORIGIN } from '../../domain/example-origin.ts'
import { type Fault, ProblemError, planetNotFound } from '../../domain/problems.ts'
import { mixed } from '../../http/body/mixed.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { openAtLatestState } from '../../http/pipeline/lost-races.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { readWorkPreferences } from '../../http/preferences.ts'
import { newUuid } from '../../lib/ids.ts'
import { membersOf } from '../../lib/objects.ts'
import { MIME_TYPES } from '../../lib/sniff-image.ts'
import { PlanetPath } from '../../schemas/fields.ts'
import {
  IMAGES_MAX,
  ObservationBatch,
  ObservationBatchMeta,
  ObservationParts,
  ObservationReceipt,
} from '../../schemas/observation.ts'
import { type BatchKey, findBatch, insertBatch, type StoredBatch, UNFINISHED_MAX } from '../../stores/observations.ts'
import { existing } from '../../stores/planets.ts'
import { presentBatch, RETRY_AFTER } from './representation.ts'
import { beginWork } from './work.ts'

const MEBIBYTE = 1024 * 1024
const IMAGE_MAX_BYTES = 5 * MEBIBYTE
const IMAGES_MAX_BYTES = 25 * MEBIBYTE

/** The waits between two looks at a batch, in milliseconds: the first one, and the longest one. */
const FIRST_PAUSE_MS = 100
const PAUSE_MAX_MS = 1000

export const uploadObservations = defineRoute({
  method: 'post',
  path: '/planets/{planetId}/observations',
  operationId: 'uploadObservations',
  tag: 'Planets',
  labels: ['Planets', 'Beta'],
  summary: 'Upload a batch of observations',
  description: doc(
    `Takes metadata and up to ${IMAGES_MAX} images (at most 5 MiB each, and 25 MiB together) of any planet, which it does not change. The images are examined and not kept. The work goes on after the response: \`Location\` says what became of it. With \`Prefer: wait=5\`, the service waits up to 5 seconds (10 at most) for the end of the work, and then returns the batch. You can have ${UNFINISHED_MAX} unfinished batches. The newest 100 are kept, each for 24 hours after it was completed.`,
  ),
  since: '2.0.0',
  isOnlyIn32: true,
  keepsReply: true,
  security: ALL_SCHEMES,
  scope: 'write:planets',
  params: PlanetPath,
  body: mixed({
    document: ObservationBatchMeta,
    parts: ObservationParts,
    imageTypes: MIME_TYPES,
    imagesMax: IMAGES_MAX,
    imageMaxBytes: IMAGE_MAX_BYTES,
    imagesMaxBytes: IMAGES_MAX_BYTES,
    inspect: findCountFault,
  }),
  responses: {
    200: { description: doc('The batch, which was completed within the time to wait'), schema: ObservationBatch },
    202: {
      description: doc('Observations accepted for processing'),
      schema: ObservationReceipt,
      headers: ['Location', 'Retry-After'],
      exampleHeaders: {
        Location: `${EXAMPLE_ORIGIN}/planets/1/observations/8f47c132-9d1f-4f83-b5a4-91db5ee757ab`,
        ...RETRY_AFTER,
      },
      links: {
        GetObservationBatch: {
          operationId: 'getObservationBatch',
          description: doc('The batch of this response'),
          parameters: { planetId: '$request.path.planetId', batchId: '$response.body#/batchId' },
        },
      },
    },
  },
  async handle({ params: { planetId }, body: { document, images }, caller }, context) {
    const { services, baseUrl, headers, now } = context
    const batch = {
      id: newUuid('observations'),
      userId: caller.id,
      planetId,
      observer: document.observer,
      observedAt: document.observedAt ?? null,
      accepted: images.length,
      images: [...images],
      createdAt: now,
    }
    const { requires, statements } = insertBatch(batch, tooManyUnfinished())
    const receipt = { accepted: batch.accepted, batchId: batch.id }
    const location = `${baseUrl}/planets/${planetId}/observations/${batch.id}`
    const answer = reply(202, receipt, { Location: location, ...RETRY_AFTER })
    await commit(context, {
      requires: [existing({ id: planetId }, planetNotFound()), ...requires],
      statements,
      reply: answer,
    })
    beginWork(batch.id, services)
    const preferences = readWorkPreferences(headers)
    const key = { userId: caller.id, planetId, batchId: batch.id }
    const completed = await waitForEnd(key, preferences.waitSeconds * 1000, context)
    if (completed) return reply(200, presentBatch(completed), preferences.headers)
    return { ...answer, headers: { ...answer.headers, ...preferences.headers } }
  },
})

function findCountFault(sent: unknown, imageCount: number | undefined): Fault[] {
  const { count } = membersOf(sent)
  // Any other value is refused by the schema.
  const isCount = Number.isInteger(count) && Number(count) >= 0
  if (!isCount || imageCount === undefined || count === imageCount) return []
  return [{ pointer: '/count', detail: `must be the number of images, which is ${imageCount}` }]
}

/**
 * Never throws, because the batch is accepted already.
 *
 * @returns Undefined if the batch is not completed after this time, was deleted meanwhile, or cannot be read
 */
async function waitForEnd(key: BatchKey, maxMs: number, context: RequestContext): Promise<StoredBatch | undefined> {
  const { services } = context
  for (let left = maxMs, pause = FIRST_PAUSE_MS; left > 0; left -= pause, pause = Math.min(pause * 2, PAUSE_MAX_MS)) {
    await services.wait(Math.min(pause, left))
    const batch = await findBatch(openAtLatestState(context), key, services.now()).catch(() => undefined)
    if (batch?.completedAt) return batch
    if (!batch) return undefined
  }
  return undefined
}

function tooManyUnfinished(): ProblemError {
  const detail = `You have ${UNFINISHED_MAX} unfinished batches of observations, which is the limit. Try again when one of them is completed.`
  return new ProblemError('too-many-requests', detail, { headers: RETRY_AFTER })
}
