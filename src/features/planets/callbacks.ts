import type { Caller } from '../../auth/scheme.ts'
import type { Call } from '../../changes/change.ts'
import { commit } from '../../changes/commit.ts'
import { isRefusedForRoom } from '../../changes/usage.ts'
import type { Fault, RefusedBody } from '../../domain/problems.ts'
import { callTargetOf } from '../../domain/target-host.ts'
import { findTargetFaults } from '../../http/body/callback-urls.ts'
import { limitFaults } from '../../http/body/input-safety.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { membersOf } from '../../lib/objects.ts'
import { type CallbackName, writeEvent } from '../../schemas/events.ts'
import { HttpUrl } from '../../schemas/fields.ts'

/**
 * The call about a planet to its `successCallbackUrl`; undefined if it has none.
 *
 * @param owner The user who owns the delivery
 */
export async function callTo(
  type: CallbackName,
  { successCallbackUrl }: { successCallbackUrl?: string | undefined },
  owner: { id: number },
  { services, baseUrl }: RequestContext,
): Promise<Call | undefined> {
  if (successCallbackUrl === undefined) return undefined
  const target = await callTargetOf(successCallbackUrl, baseUrl, services)
  return { type, receiver: { userId: owner.id, webhookId: null, ...target } }
}

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
  const { services, baseUrl } = context
  const url = HttpUrl.safeParse(membersOf(sentPlanet).failureCallbackUrl).data
  if (url === undefined) return
  // The pointer is empty, because only the number of these faults matters.
  const urlFaults = findTargetFaults({ '': url }, context)
  if (urlFaults.length > 0) return
  const body = writeEvent('planetCreationFailed', { ...membersOf(sentPlanet), errors: limitFaults(faults) })
  const receiver = { userId: caller.id, webhookId: null, ...(await callTargetOf(url, baseUrl, services)) }
  try {
    await commit(context, {
      statements: [],
      calls: { type: 'planetCreationFailed', receiver, body },
    })
  } catch (error) {
    // The caller must get the faults of the planet, not an error about the limit of deliveries.
    if (!isRefusedForRoom(error)) throw error
  }
}
