import { PURPOSES } from '../../auth/purposes.ts'
import { ensureSecret, openSecrets, type Secrets } from '../../auth/signing-secrets.ts'
import type { Session } from '../../db/port.ts'
import type { Defect } from '../../domain/receiver-tests.ts'
import type { Trace } from '../../lib/trace-context.ts'
import type { EventName } from '../../schemas/events.ts'
import { ReceiverAuth } from '../../schemas/receiver-auth.ts'
import type { Services } from '../../services.ts'
import type { LeasedDelivery } from '../../stores/callbacks/leases.ts'

/** A delivery with everything that an attempt needs. Its secrets are decrypted. */
export interface Job {
  messageId: string
  event: EventName
  /** The id of the live event; null if the event is not in the log of live events. */
  liveId: string | null
  url: string
  /** The base URL of the service in the request that registered this URL. */
  origin: string
  body: string
  secrets: Secrets
  /** The credentials for the receiver; undefined if it requires none. */
  auth: ReceiverAuth | undefined
  /** What is unusual about the call; undefined if it is no test. */
  test: TestOfJob | undefined
  /** The trace of the request that caused the event; undefined if there is none, or if the event is not in the log. */
  trace: Trace | undefined
}

export interface TestOfJob {
  defect: Defect
  /** When the first of two calls was signed; null if this is the first one. */
  firstCallAt: Date | null
}

/** Creates the job of a leased delivery, with its secrets decrypted. @throws CannotOpen */
export async function openJob(session: Session, delivery: LeasedDelivery, services: Services): Promise<Job> {
  const { messageId, url, origin, event, payload } = delivery
  return {
    messageId,
    event,
    liveId: payload.liveId,
    url,
    origin,
    body: payload.body,
    secrets: await secretsOf(session, delivery, services),
    auth: await authOf(delivery, services),
    test: delivery.test ?? undefined,
    trace: traceOf(delivery),
  }
}

/**
 * The trace of a delivery. Its `tracestate` comes from the systems of the caller who caused the event, so it is removed
 * if the delivery belongs to another user.
 */
function traceOf({ userId, payload }: LeasedDelivery): Trace | undefined {
  // This origin is the request that caused the event, not a base URL.
  const [trace, callerId] = payload.origin ?? [null, null]
  if (!trace) return undefined
  const { state: _state, ...traceWithoutState } = trace
  return callerId === userId ? trace : traceWithoutState
}

/** The keys that sign the call: that of the subscription or, for a callback of a planet, the secrets of the user. */
async function secretsOf(
  session: Session,
  { userId, webhook, signingSecret }: LeasedDelivery,
  { vault, now }: Services,
): Promise<Secrets> {
  if (webhook) return [await vault.open(webhook.secret, PURPOSES.webhook(userId))]
  return await openSecrets(signingSecret ?? (await ensureSecret(session, vault, userId, now())), vault, now())
}

async function authOf({ userId, webhook }: LeasedDelivery, { vault }: Services): Promise<ReceiverAuth | undefined> {
  if (!webhook?.auth) return undefined
  return ReceiverAuth.parse(JSON.parse(await vault.open(webhook.auth, PURPOSES.webhookAuth(userId))))
}
