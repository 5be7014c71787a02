import * as z from 'zod'
import { doc } from '#doc'
import { CallbackEvent } from './events.ts'
import { DateTime, Id, idParameter, Uri } from './fields.ts'
import { PageQuery, pageOf } from './page.ts'
import { DefectName, Expected, ReceiverVerdict, TestReason } from './receiver-test.ts'

/**
 * `pending`: waits for its next attempt, or for its turn in the queue of its host. `delivered`: the receiver accepted
 * it. `failed`: no attempts are left. `cancelled`: the receiver or the subscriber does not want the delivery any more.
 */
const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const

const status = z.enum(DELIVERY_STATUSES).meta({
  id: 'DeliveryStatus',
  description: doc(
    '`pending`: waits for its next attempt, or for its turn if its host has reached its limit of calls. `delivered`: the receiver accepted it. `failed`: no attempts are left. `cancelled`: a 204 of the receiver stopped it, or its subscription was stopped.',
  ),
  examples: ['delivered'],
})
const planetId = Id.meta({
  description: doc('The planet that the delivery is about. Absent if it is about no planet.'),
})

/** Only tests of a receiver have it. */
export const DeliveryTest = z
  .object({
    defect: DefectName,
    expected: Expected,
    verdict: ReceiverVerdict.nullable().meta({
      description: doc('Null until the last call was answered'),
      examples: ['wrong'],
    }),
    reason: TestReason,
  })
  .meta({ id: 'DeliveryTest', description: doc('What a test of a receiver has found out') })

const EXAMPLE = {
  id: 1,
  messageId: 'msg_planetCreated_5f1d7a3c9b0e4f628d1c7b5a3e9f0d24',
  event: 'planetCreated',
  eventId: '019bc2b8-5a40-7000-a3f1-5c000000152b',
  status: 'delivered',
  planetId: 5403,
  url: 'https://receiver.example/webhook',
  createdAt: '2026-01-15T14:30:00.000Z',
  endedAt: '2026-01-15T14:30:00.250Z',
  attempts: 1,
}

const ATTEMPT = {
  startedAt: '2026-01-15T14:30:00.100Z',
  durationMs: 150,
  status: 200,
  response: 'Thank you',
}

/** A test before its call. */
export const EXAMPLE_TEST = {
  id: EXAMPLE.id,
  messageId: 'msg_newPlanet_8c2e6b4d0a1f4e739e2d8c6b4f0a1e35',
  event: 'newPlanet',
  status: 'pending',
  webhookId: 1,
  url: EXAMPLE.url,
  createdAt: EXAMPLE.createdAt,
  nextAttemptAt: EXAMPLE.createdAt,
  test: { defect: 'body-changed', expected: 'refuse', verdict: null, reason: null },
  body: '{"id":5403,"name":"Arrakis","changed":true}',
  attempts: [],
} satisfies z.input<typeof DeliveryDetail>

/** A call to a receiver, as the list of deliveries shows it. */
export const Delivery = z
  .object({
    id: Id,
    messageId: z.string().meta({
      description: doc(
        'The header `webhook-id`, the same on every attempt. A receiver can use it to detect duplicates.',
      ),
      examples: [EXAMPLE.messageId],
    }),
    event: CallbackEvent,
    eventId: z
      .uuid()
      .meta({
        description: doc(
          'The id of the event that the call reports. It is the same on every transport, and the header `x-galaxy-event-id` contains it. Absent for a ping and for a planet that was rejected.',
        ),
        examples: [EXAMPLE.eventId],
      })
      .optional(),
    status,
    planetId: planetId.optional(),
    webhookId: Id.meta({
      description: doc('The subscription that the delivery belongs to. Absent if it is a callback of a planet.'),
    }).optional(),
    url: Uri.meta({ examples: [EXAMPLE.url] }),
    createdAt: DateTime,
    nextAttemptAt: DateTime.meta({
      description: doc(
        'When the next attempt is due. Absent if there is no further attempt, or while the delivery waits for its turn.',
      ),
    }).optional(),
    waitingSince: DateTime.meta({
      description: doc(
        'When the delivery started to wait for its turn. Present only while its host, or the host of its token endpoint, has reached its limit of calls.',
      ),
    }).optional(),
    endedAt: DateTime.meta({
      description: doc('When `status` became `delivered`, `failed` or `cancelled`'),
    }).optional(),
    attempts: z.int().meta({ description: doc('The number of attempts'), examples: [1] }),
    test: DeliveryTest.meta({
      description: doc('What the test has found out. Absent if the delivery is no test of its receiver.'),
    }).optional(),
  })
  .meta({ id: 'Delivery', description: doc('A call to a receiver'), xml: { name: 'delivery' }, examples: [EXAMPLE] })

const Attempt = z
  .object({
    startedAt: DateTime,
    durationMs: z.int().meta({
      description: doc('Milliseconds until the response was read, or until the attempt failed without a response'),
      examples: [150],
    }),
    status: z
      .int()
      .meta({ description: doc('The status of the response. Absent if there was no response.'), examples: [200] })
      .optional(),
    error: z
      .string()
      .meta({
        description: doc('Why the attempt failed. Absent if it succeeded.'),
        examples: ['no complete response within 10 seconds'],
      })
      .optional(),
    response: z
      .string()
      .meta({ description: doc('The first 4 KiB of the response'), examples: [ATTEMPT.response] })
      .optional(),
  })
  .meta({ id: 'Attempt', description: doc('One call and its result') })

/** A call to a receiver, with its body and its newest attempts. */
export const DeliveryDetail = Delivery.extend({
  body: z
    .string()
    .meta({ description: doc('The exact body that is sent'), examples: ['{"id":5403,"name":"Arrakis"}'] }),
  attempts: z.array(Attempt).meta({ description: doc('The newest 100 attempts at most, oldest first') }),
}).meta({
  id: 'DeliveryDetail',
  description: doc('A call to a receiver, with its attempts'),
  xml: { name: 'delivery' },
  examples: [{ ...EXAMPLE, body: '{"id":5403,"name":"Arrakis"}', attempts: [ATTEMPT] }],
})

export const DeliveryPage = pageOf(Delivery).meta({
  id: 'DeliveryPage',
  description: doc('A page of calls to receivers in order of id'),
  xml: { name: 'deliveries' },
  examples: [{ data: [EXAMPLE], meta: { limit: 10, offset: 0, total: 1, next: null } }],
})

export const DeliveryQuery = PageQuery.extend({
  planetId: idParameter(doc('Only deliveries about this planet')).optional(),
  event: CallbackEvent.meta({
    description: doc('Only deliveries of this event'),
    examples: ['planetCreated'],
  }).optional(),
  status: status.meta({ description: doc('Only deliveries with this status'), examples: ['pending'] }).optional(),
})

export const DeliveryPath = z.object({ deliveryId: idParameter(doc('The id of the delivery')) })

export type Delivery = z.infer<typeof Delivery>
export type DeliveryDetail = z.infer<typeof DeliveryDetail>
export type DeliveryTest = z.infer<typeof DeliveryTest>
export type DeliveryQuery = z.infer<typeof DeliveryQuery>
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]
