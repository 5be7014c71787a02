import * as z from 'zod'
import { doc } from '#doc'
import { DateTime, Id } from '../fields.ts'
import { Problem } from '../problem.ts'
import { EventMetadata } from './parts.ts'

// The messages that are not events: the first frame of a subscription, and the request for a planet with its replies.

/** The first frame of a socket that receives events. */
export const SubscriptionAcknowledged = z
  .object({
    subscriptionId: z.string().meta({ description: doc('The id of the subscription') }),
    status: z.enum(['subscribed', 'rejected']).meta({
      description: doc(
        'Always `subscribed`. If a subscription is refused, there is no socket: the response to the upgrade is a problem document.',
      ),
    }),
    timestamp: DateTime,
    gap: z
      .boolean()
      .meta({
        description: doc(
          'True if the log no longer has the event of `lastEventId`. Some events may be missing. All events that are still in the log follow.',
        ),
      })
      .optional(),
    metadata: EventMetadata.optional(),
  })
  .meta({ id: 'SubscriptionAcknowledgedEvent', description: doc('The subscription has begun') })

/** The message that a client sends to get a planet. */
export const GetPlanetRequest = z
  .object({
    requestId: z
      .string()
      .meta({ description: doc('Any text. If the reply is a problem document, the reply contains this text.') }),
    planetId: Id.meta({
      description: doc('The ID of the planet. It can differ from the ID in the address of the socket.'),
    }),
  })
  .meta({ id: 'GetPlanetRequestEvent', description: doc('Which planet to send') })

/**
 * The reply if the request is not valid (400), if too many requests are waiting (429), or if the requested planet does
 * not exist (404) or cannot be read at the moment (503). The members about limits are omitted, because a request for a
 * planet stores nothing.
 */
export const LiveProblem = Problem.omit({ limit: true, used: true, allowed: true })
  .extend({
    requestId: GetPlanetRequest.shape.requestId
      .meta({ description: doc('The `requestId` of the request. Absent if the request could not be read.') })
      .optional(),
    retryAfter: z
      .int()
      .min(1)
      .meta({ description: doc('With the status 429: after how many seconds to try again'), examples: [1] })
      .optional(),
  })
  .meta({ id: 'LiveProblem', description: doc('What went wrong (RFC 9457)') })

export type SubscriptionAcknowledged = z.infer<typeof SubscriptionAcknowledged>
export type GetPlanetRequest = z.infer<typeof GetPlanetRequest>
export type LiveProblem = z.infer<typeof LiveProblem>
