import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { webhooks } from '../db/tables.ts'
import type { AccountLimits } from '../env.ts'
import { tellOne } from './outbox.ts'
import { charge, orLimitReached } from './usage.ts'
import type { StoredWebhook } from './webhooks.ts'

/**
 * Stores a ping to a subscription, unless that is gone or has another URL than it was read with: what it is called with is
 * for its URL only.
 *
 * @param origin Of the service as the caller sees it
 * @returns The id of the delivery, or `changed`
 * @throws ProblemError 403 if the account has no room for the delivery
 */
export async function insertPing(
  db: Database,
  { id, userId, url }: Pick<StoredWebhook, 'id' | 'userId' | 'url'>,
  body: string,
  origin: string,
  limits: AccountLimits,
  now: Date,
): Promise<number | 'changed'> {
  const isThere = sql`exists (select 1 from ${webhooks} where ${and(eq(webhooks.id, id), eq(webhooks.url, url))})`
  const receiver = { userId, webhookId: id, url, origin }
  const batch = db.batch([
    ...tellOne(db, { type: 'ping', planetId: null, body }, receiver, now, isThere),
    charge(db, userId, { deliveries: 1 }, limits, sql`where ${isThere}`),
  ])
  const [, [told]] = await orLimitReached(db, userId, limits, batch)
  return told?.delivery ?? 'changed'
}
