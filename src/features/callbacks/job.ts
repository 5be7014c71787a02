import { ensureSecret, openSecrets, PURPOSES, type Secrets } from '../../auth/signing-secrets.ts'
import type { Database } from '../../db/client.ts'
import type { EventName } from '../../schemas/events.ts'
import { ReceiverAuth } from '../../schemas/receiver-auth.ts'
import type { Services } from '../../services.ts'
import type { ClaimedDelivery } from '../../stores/callbacks/claims.ts'

/** A delivery with everything that an attempt needs. Its secrets are decrypted. */
export interface Job {
  messageId: string
  event: EventName
  url: string
  /** The service's origin in the request that registered this URL. */
  origin: string
  body: string
  secrets: Secrets
  /** The credentials for the receiver; undefined if it requires none. */
  auth: ReceiverAuth | undefined
}

/** Creates the job of a claimed delivery, with its secrets decrypted. @throws CannotOpen */
export async function openJob(db: Database, delivery: ClaimedDelivery, services: Services): Promise<Job> {
  const { messageId, url, origin, event, payload } = delivery
  return {
    messageId,
    event,
    url,
    origin,
    body: payload.body,
    secrets: await secretsOf(db, delivery, services),
    auth: await authOf(delivery, services),
  }
}

/** The secrets that sign the call: that of the subscription or, for a planet's own callback, those of the user. */
async function secretsOf(
  db: Database,
  { userId, webhook, signingSecret }: ClaimedDelivery,
  { vault, now }: Services,
): Promise<Secrets> {
  if (webhook) return [await vault.open(webhook.secret, PURPOSES.webhook(userId))]
  return await openSecrets(signingSecret ?? (await ensureSecret(db, vault, userId, now())), vault, now())
}

/** The credentials that the subscription sets for its receiver. */
async function authOf({ userId, webhook }: ClaimedDelivery, { vault }: Services): Promise<ReceiverAuth | undefined> {
  if (!webhook?.auth) return undefined
  return ReceiverAuth.parse(JSON.parse(await vault.open(webhook.auth, PURPOSES.webhookAuth(userId))))
}
