import { and, asc, count, eq, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { webhooks } from '../db/tables.ts'

export type StoredWebhook = typeof webhooks.$inferSelect

/** Of a subscription whose last attempt did not fail. */
export const FAULTLESS = { failures: 0, failingSince: null }

type WebhookDraft = Pick<StoredWebhook, 'userId' | 'url' | 'events' | 'origin' | 'secret' | 'authScheme' | 'auth'>
export type WebhookChange = Partial<Omit<WebhookDraft, 'userId' | 'secret'> & Pick<StoredWebhook, 'status'>>

/**
 * Stores a new subscription, unless its owner has as many as there may be. One round trip.
 *
 * @returns The subscription, or undefined where there are too many
 */
export async function insertWebhook(
  db: Database,
  draft: WebhookDraft,
  webhooksMax: number,
  now: Date,
): Promise<StoredWebhook | undefined> {
  const owned = db.select({ owned: count() }).from(webhooks).where(eq(webhooks.userId, draft.userId))
  const newest = sql`(select max(${webhooks.id}) from ${webhooks})`
  // In one transaction: of several at the same moment none slips past the limit.
  const [[webhook], removed] = await db.batch([
    db
      .insert(webhooks)
      .values({ ...draft, status: 'active', createdAt: now, activeSince: now })
      .returning(),
    db
      .delete(webhooks)
      .where(and(eq(webhooks.id, newest), sql`${owned} > ${webhooksMax}`))
      .returning({ id: webhooks.id }),
  ])
  return removed.length > 0 ? undefined : webhook
}

/** A page of a user's subscriptions in the order of their ids, and how many there are. One round trip. */
export async function listWebhooks(
  db: Database,
  userId: number,
  page: { limit: number; offset: number },
): Promise<{ rows: StoredWebhook[]; total: number }> {
  const own = eq(webhooks.userId, userId)
  const [[counted], rows] = await db.batch([
    db.select({ total: count() }).from(webhooks).where(own),
    db.select().from(webhooks).where(own).orderBy(asc(webhooks.id)).limit(page.limit).offset(page.offset),
  ])
  return { rows, total: counted?.total ?? 0 }
}

export async function findWebhook(db: Database, userId: number, id: number): Promise<StoredWebhook | undefined> {
  const [webhook] = await db.select().from(webhooks).where(isOf(userId, id))
  return webhook
}

/**
 * Changes a subscription. One that is made active has no failures behind it, and is so from now on, unless it was before.
 *
 * @returns The subscription as it now is; undefined where there is none
 */
export async function updateWebhook(
  db: Database,
  userId: number,
  id: number,
  change: WebhookChange,
  now: Date,
): Promise<StoredWebhook | undefined> {
  const activeSince = sql`iif(${webhooks.status} = 'active', ${webhooks.activeSince}, ${now.getTime()})`
  const resumed = change.status === 'active' && { ...FAULTLESS, activeSince }
  const [webhook] = await db
    .update(webhooks)
    .set({ ...change, ...resumed })
    .where(isOf(userId, id))
    .returning()
  return webhook
}

/** @returns Whether there was one */
export async function deleteWebhook(db: Database, userId: number, id: number): Promise<boolean> {
  const deleted = await db.delete(webhooks).where(isOf(userId, id)).returning({ id: webhooks.id })
  return deleted.length > 0
}

function isOf(userId: number, id: number) {
  return and(eq(webhooks.id, id), eq(webhooks.userId, userId))
}
