import { and, asc, count, eq, ne, notExists, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { cutPage } from '../db/pages.ts'
import { webhooks } from '../db/tables.ts'
import { type CallTarget, canonicalUrl } from '../domain/target-host.ts'
import { type KeepReply, keepNothing } from './kept-replies.ts'

export type StoredWebhook = typeof webhooks.$inferSelect

/** The columns of a subscription whose last attempt did not fail. */
export const NO_FAILURES = { failures: 0, failingSince: null }

type WebhookDraft = Pick<StoredWebhook, 'userId' | 'events' | 'secret' | 'authScheme' | 'auth'> & CallTarget
/** The columns that a change sets. With a new URL, the change also sets `origin` and `host`. */
export type WebhookChange = Partial<Omit<WebhookDraft, 'userId' | 'secret'> & Pick<StoredWebhook, 'status'>>

/** Why a subscription is not stored: its owner already has one for this URL, or has the maximum number. */
export type WebhookRefusal = 'duplicate' | 'too-many'

/**
 * Stores a new subscription, unless its owner already has one for the same URL, or has the maximum number. One round
 * trip.
 *
 * @param keep Keeps the reply, with the id of the subscription
 */
export async function insertWebhook(
  db: Database,
  draft: WebhookDraft,
  webhooksMax: number,
  now: Date,
  keep: KeepReply = keepNothing,
): Promise<StoredWebhook | WebhookRefusal> {
  const time = now.getTime()
  const { userId, url, events, origin, host, secret, authScheme, auth } = draft
  const urlKey = canonicalUrl(url)
  const ownedCount = db.select({ count: count() }).from(webhooks).where(eq(webhooks.userId, userId))
  // Only the new subscription has this secret, because it is random.
  const isNew = and(eq(webhooks.userId, userId), eq(webhooks.secret, secret))
  const newIds = sql`(select json_array(${webhooks.id}) from ${webhooks} where ${isNew})`
  // The subscription is inserted, and removed again if there are too many. All this is one transaction, so concurrent
  // requests cannot exceed the limit.
  const [[webhook], removed] = await db.batch([
    db
      .insert(webhooks)
      .select(sql`
        select null as id, ${userId}, ${url}, ${JSON.stringify(events)}, 'active' as status, ${origin}, ${secret}, ${authScheme}, ${auth},
          ${time} as created_at, ${time} as active_since, 0 as failures, null as failing_since, ${urlKey}, ${host}
        where ${notExists(selectOtherWebhook(db, userId, urlKey))}`)
      .returning(),
    db
      .delete(webhooks)
      .where(and(isNew, sql`${ownedCount} > ${webhooksMax}`))
      .returning({ id: webhooks.id }),
    ...keep(db, newIds),
  ])
  if (removed.length > 0) return 'too-many'
  return webhook ?? 'duplicate'
}

/**
 * The query for a user's subscription to a canonical URL, other than the subscription `id`.
 */
function selectOtherWebhook(db: Database, userId: number, url: string, id?: number) {
  return db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(
      and(
        eq(webhooks.userId, userId),
        eq(webhooks.canonicalUrl, url),
        id === undefined ? undefined : ne(webhooks.id, id),
      ),
    )
}

/** A page of the list of a user's subscriptions in the order of their ids, and the total number. One round trip. */
export async function listWebhooks(
  db: Database,
  userId: number,
  page: { limit: number; offset: number },
): Promise<{ rows: StoredWebhook[]; total: number }> {
  const isOfUser = eq(webhooks.userId, userId)
  const [[counted], rows] = await db.batch([
    db.select({ total: count() }).from(webhooks).where(isOfUser),
    db.select().from(webhooks).where(isOfUser).orderBy(asc(webhooks.id)).limit(page.limit).offset(page.offset),
  ])
  return { rows: cutPage(rows), total: counted?.total ?? 0 }
}

/** A user's subscription by its id. */
export async function findWebhook(db: Database, userId: number, id: number): Promise<StoredWebhook | undefined> {
  const [webhook] = await db.select().from(webhooks).where(isOwnWebhook(userId, id))
  return webhook
}

/**
 * Changes a subscription. A change that sets it active also resets its failures. If it was not active before, it gets
 * no events from before this time (`activeSince`). If its owner has another subscription to the new URL, nothing is
 * changed. One round trip.
 *
 * @param before The subscription as it was read
 * @param requiresSameTarget Whether the change only applies if the URL and the credentials are still as they were read
 * @returns The updated subscription; `duplicate` if its owner has another one for the new URL; undefined if it does not
 * exist, or the change does not apply to it
 */
export async function updateWebhook(
  db: Database,
  { userId, id, url, auth }: StoredWebhook,
  change: WebhookChange,
  requiresSameTarget: boolean,
  now: Date,
): Promise<StoredWebhook | 'duplicate' | undefined> {
  const activeSince = sql`iif(${webhooks.status} = 'active', ${webhooks.activeSince}, ${now.getTime()})`
  const activation = change.status === 'active' ? { ...NO_FAILURES, activeSince } : {}
  const newUrl = change.url === undefined ? undefined : canonicalUrl(change.url)
  const canonicalUrlColumn = newUrl === undefined ? {} : { canonicalUrl: newUrl }
  const update = db.update(webhooks).set({ ...change, ...activation, ...canonicalUrlColumn })
  const hasSameTarget = requiresSameTarget ? sql`(${webhooks.url}, ${webhooks.auth}) is (${url}, ${auth})` : undefined
  if (newUrl === undefined) {
    const [updated] = await update.where(and(isOwnWebhook(userId, id), hasSameTarget)).returning()
    return updated
  }
  const isOnlyOneForUrl = notExists(selectOtherWebhook(db, userId, newUrl, id))
  const [[webhook], [other]] = await db.batch([
    update.where(and(isOwnWebhook(userId, id), hasSameTarget, isOnlyOneForUrl)).returning(),
    selectOtherWebhook(db, userId, newUrl, id),
  ])
  return webhook ?? (other && 'duplicate')
}

/** Deletes a user's subscription. @returns Whether it existed */
export async function deleteWebhook(db: Database, userId: number, id: number): Promise<boolean> {
  const deleted = await db.delete(webhooks).where(isOwnWebhook(userId, id)).returning({ id: webhooks.id })
  return deleted.length > 0
}

function isOwnWebhook(userId: number, id: number) {
  return and(eq(webhooks.id, id), eq(webhooks.userId, userId))
}
