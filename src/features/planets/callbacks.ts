import type { Caller } from '../../auth/scheme.ts'
import type { Fault, RefusedBody } from '../../domain/problems.ts'
import { callTargetOf } from '../../domain/target-host.ts'
import { findTargetFaults } from '../../http/body/callback-urls.ts'
import { limitFaults } from '../../http/body/input-safety.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { membersOf } from '../../lib/objects.ts'
import { writeEvent } from '../../schemas/events.ts'
import { HttpUrl } from '../../schemas/fields.ts'
import { insertEventAndDelivery } from '../../stores/callbacks/new-deliveries.ts'
import type { Receiver } from '../../stores/callbacks/outbox.ts'
import { isRefusedForRoom } from '../../stores/usage.ts'
import { enqueue } from '../callbacks/enqueue.ts'

/**
 * The receiver of a planet's events; undefined if the planet has no `successCallbackUrl`. The first parameter is the
 * planet, the second the user who owns the deliveries.
 */
export async function receiverOf(
  { successCallbackUrl }: { successCallbackUrl?: string | undefined },
  { id }: { id: number },
  { services, baseUrl }: RequestContext,
): Promise<Receiver | undefined> {
  if (successCallbackUrl === undefined) return undefined
  return { userId: id, webhookId: null, ...(await callTargetOf(successCallbackUrl, baseUrl, services)) }
}

/** The faults of the callback URLs of a planet. */
export function findCallbackFaults(sentPlanet: unknown, context: RequestContext): Fault[] {
  const { successCallbackUrl, failureCallbackUrl } = membersOf(sentPlanet)
  return findTargetFaults(
    { '/successCallbackUrl': successCallbackUrl, '/failureCallbackUrl': failureCallbackUrl },
    context,
  )
}

/**
 * Reports a rejected planet to its `failureCallbackUrl`. The report contains the planet as it was sent, and its faults.
 * Does nothing if the planet has no such URL, if the URL itself is faulty, or if the caller or the universe has no room
 * for another delivery.
 */
export async function reportRejection(
  { sentBody: sentPlanet, faults }: RefusedBody,
  caller: Caller,
  context: RequestContext,
): Promise<void> {
  const { services, session, baseUrl, now } = context
  const url = HttpUrl.safeParse(membersOf(sentPlanet).failureCallbackUrl).data
  if (url === undefined) return
  // The pointer is empty, because only the number of these faults matters.
  const urlFaults = findTargetFaults({ '': url }, context)
  if (urlFaults.length > 0) return
  const body = writeEvent('planetCreationFailed', { ...membersOf(sentPlanet), errors: limitFaults(faults) })
  const event = { type: 'planetCreationFailed', planetId: null, body, liveId: null } as const
  const receiver = { userId: caller.id, webhookId: null, ...(await callTargetOf(url, baseUrl, services)) }
  try {
    const deliveryId = await insertEventAndDelivery(session.db, event, receiver, services.config.accountLimits, now)
    enqueue(services, [{ delivery: deliveryId }])
  } catch (error) {
    // The caller must get the faults of the planet, not an error about the limit of deliveries.
    if (!isRefusedForRoom(error)) throw error
  }
}
