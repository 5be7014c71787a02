import { ensureSecret, openSecrets, PURPOSES, type Secrets } from '../../auth/signing-secrets.ts'
import type { Database } from '../../db/client.ts'
import type { EventName } from '../../schemas/events.ts'
import { ReceiverAuth } from '../../schemas/receiver-auth.ts'
import type { Services } from '../../services.ts'
import type { ClaimedDelivery } from '../../stores/callbacks/claims.ts'

/** A delivery as an attempt needs it, its secrets opened. */
export interface Job {
  messageId: string
  event: EventName
  url: string
  /** Origin of the service as the one saw it who gave the URL. */
  origin: string
  body: string
  secrets: Secrets
  /** How the receiver wants to be called; undefined where it does not mind. */
  auth: ReceiverAuth | undefined
}

/** Makes a job of a delivery that was claimed. */
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

async function secretsOf(
  db: Database,
  { userId, webhook, signingSecret }: ClaimedDelivery,
  { vault, now }: Services,
): Promise<Secrets> {
  if (webhook) return [await vault.open(webhook.secret, PURPOSES.webhook(userId))]
  return await openSecrets(signingSecret ?? (await ensureSecret(db, vault, userId, now())), vault, now())
}

async function authOf({ userId, webhook }: ClaimedDelivery, { vault }: Services): Promise<ReceiverAuth | undefined> {
  if (!webhook?.auth) return undefined
  return ReceiverAuth.parse(JSON.parse(await vault.open(webhook.auth, PURPOSES.webhookAuth(userId))))
}
