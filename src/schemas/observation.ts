import * as z from 'zod'
import { doc } from '#doc'
import { MIME_TYPES } from '../lib/sniff-image.ts'
import { DateTime, PlanetPath, text } from './fields.ts'
import { pageOf } from './page.ts'

// Batches of observations: metadata and images, which are examined and not kept.

export const IMAGES_MAX = 50
const OBSERVER_MAX = 200

const EXAMPLE_ID = '8f47c132-9d1f-4f83-b5a4-91db5ee757ab'

const observer = text(1, OBSERVER_MAX).meta({
  description: doc('Who captured the observations'),
  examples: ['Galileo Observatory'],
})
const observedAt = DateTime.meta({
  description: doc('When the observations were captured'),
  examples: ['2024-01-15T14:30:00Z'],
})

export const ObservationBatchMeta = z
  .strictObject({
    observer,
    observedAt: observedAt.optional(),
    count: z
      .int()
      .min(0)
      .meta({
        description: doc('Number of image parts that follow this metadata part. Another number of images is refused'),
        examples: [2],
      })
      .optional(),
  })
  .meta({
    id: 'ObservationBatchMeta',
    description: doc('Metadata describing a batch of uploaded observations'),
    // Without `count`, because the API reference sends this as a batch without images.
    examples: [{ observer: 'Galileo Observatory', observedAt: '2024-01-15T14:30:00Z' }],
  })

/** The parts of a batch, by their positions. */
export const ObservationParts = z.tuple(
  [ObservationBatchMeta],
  z.string().meta({ format: 'binary', description: doc('A captured image, one per remaining part') }),
)

const accepted = z.int().meta({ description: doc('Number of observation parts accepted'), examples: [2] })
const batchId = z.uuid().meta({ description: doc('The id of the batch'), examples: [EXAMPLE_ID] })

export const ObservationReceipt = z.object({ accepted, batchId }).meta({
  id: 'ObservationReceipt',
  description: doc('A batch that was accepted. The work on it goes on after this response.'),
  xml: { name: 'observationReceipt' },
  examples: [{ accepted: 2, batchId: EXAMPLE_ID }],
})

const type = z.string().meta({ examples: ['image/png'] })

const Observation = z
  .object({
    position: z
      .int()
      .min(1)
      .meta({ description: doc('The position of the image in the batch'), examples: [1] }),
    declaredType: type.meta({ description: doc('The media type that its part has declared') }),
    mediaType: z
      .enum(MIME_TYPES)
      .meta({
        id: 'ObservedImageFormat',
        description: doc('What the image is by its content. Absent if it is no supported image.'),
        examples: ['image/png'],
      })
      .optional(),
    fileSize: z.int().meta({ description: doc('Size of the image in bytes'), examples: [1_048_576] }),
    sha256: z.string().meta({
      description: doc('SHA-256 of the image, in hexadecimal digits'),
      pattern: '^[0-9a-f]{64}$',
      examples: ['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    }),
    fault: z
      .string()
      .meta({
        description: doc('What is wrong with the image. Absent if it is what its part has declared.'),
        examples: ['The content is image/png, and not image/jpeg as declared.'],
      })
      .optional(),
  })
  .meta({ id: 'Observation', description: doc('What was found out about an image') })

const EXAMPLE = {
  batchId: EXAMPLE_ID,
  planetId: 1,
  observer: 'Galileo Observatory',
  observedAt: '2024-01-15T14:30:00Z',
  status: 'completed',
  accepted: 1,
  observations: [
    {
      position: 1,
      declaredType: 'image/png',
      mediaType: 'image/png',
      fileSize: 1_048_576,
      sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    },
  ],
  createdAt: '2026-01-15T14:30:00.000Z',
  completedAt: '2026-01-15T14:30:00.250Z',
} as const

export const ObservationBatch = z
  .object({
    batchId,
    planetId: z
      .int()
      .min(1)
      .meta({ description: doc('The planet that was observed'), examples: [1] }),
    observer,
    observedAt: observedAt.optional(),
    status: z.enum(['accepted', 'processing', 'completed']).meta({
      id: 'ObservationBatchStatus',
      description: doc(
        '`accepted`: the batch is stored and waits. `processing`: the work has begun. `completed`: `observations` has all images.',
      ),
      examples: ['completed'],
    }),
    accepted,
    observations: z.array(Observation).meta({
      description: doc('The images in their order. Empty until `status` is `completed`, when all are there.'),
    }),
    createdAt: DateTime.meta({ description: doc('When the batch was accepted') }),
    completedAt: DateTime.meta({
      description: doc('When the batch was completed. It is kept for 24 hours after that. Absent until then.'),
    }).optional(),
  })
  .meta({
    id: 'ObservationBatch',
    description: doc('A batch of observations, and what was found out about its images'),
    xml: { name: 'observationBatch' },
    examples: [EXAMPLE],
  })

export const ObservationBatchPage = pageOf(ObservationBatch).meta({
  id: 'ObservationBatchPage',
  description: doc('A page of your batches of observations of a planet, oldest first'),
  xml: { name: 'observationBatches' },
  examples: [{ data: [EXAMPLE], meta: { limit: 10, offset: 0, total: 1, next: null } }],
})

export const ObservationBatchPath = PlanetPath.extend({ batchId })

/** What is known about an image that has passed by. */
export type MeasuredImage = Omit<Observation, 'position' | 'fault'>

export type Observation = z.infer<typeof Observation>
export type ObservationBatch = z.infer<typeof ObservationBatch>
export type ObservationBatchMeta = z.infer<typeof ObservationBatchMeta>
