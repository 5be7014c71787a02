import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { webhooks } from '../../db/tables.ts'
import type { AccountLimits } from '../../env.ts'
import { awaitWithinLimits, charge } from '../usage.ts'
import type { StoredWebhook } from '../webhooks.ts'
import { type EventDraft, insertEventFor, type Receiver } from './outbox.ts'

/**
 * Stores an event and its delivery to one receiver.
 *
 * @returns The id of the delivery
 * @throws ProblemError 403 if the account has no room for the delivery
 */
export async function insertEventAndDelivery(
  db: Database,
  event: EventDraft,
  receiver: Receiver,
  limits: AccountLimits,
  now: Date,
): Promise<number> {
  const delivery = await insertDeliveryIf(sql`true`, db, event, receiver, limits, now)
  if (delivery === undefined) throw new Error('the database returned no id for a delivery that it stored')
  return delivery
}

/**
 * Stores a ping to a subscription, unless the subscription was deleted or its URL has changed since it was read. The
 * credentials of a subscription are only for its current URL, so they must not be sent to an earlier URL.
 *
 * @param webhook The subscription as it was read
 * @returns The id of the delivery; `changed` if nothing was stored
 * @throws ProblemError 403 if the account has no room for the delivery
 */
export async function insertPing(
  db: Database,
  { id, userId, url, origin, host }: StoredWebhook,
  body: string,
  limits: AccountLimits,
  now: Date,
): Promise<number | 'changed'> {
  const isUnchanged = sql`exists (select 1 from ${webhooks} where ${and(eq(webhooks.id, id), eq(webhooks.url, url))})`
  const receiver = { userId, webhookId: id, url, origin, host }
  const event = { type: 'ping', planetId: null, body, liveId: null } as const
  return (await insertDeliveryIf(isUnchanged, db, event, receiver, limits, now)) ?? 'changed'
}

/**
 * Stores an event and its delivery, and charges the account for the delivery, if a condition is true.
 *
 * @returns The id of the delivery; undefined if the condition is false
 */
async function insertDeliveryIf(
  condition: SQL,
  db: Database,
  event: EventDraft,
  receiver: Receiver,
  limits: AccountLimits,
  now: Date,
): Promise<number | undefined> {
  const { userId } = receiver
  const batch = db.batch([
    ...insertEventFor(db, event, receiver, now, condition),
    charge(db, userId, { deliveries: 1 }, limits, { where: condition }),
  ])
  const [, [inserted]] = await awaitWithinLimits(db, userId, limits, batch)
  return inserted?.delivery
}
