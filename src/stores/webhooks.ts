import { and, asc, count, eq, ne, notExists, or, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { cutPage } from '../db/pages.ts'
import { webhooks } from '../db/tables.ts'
import { canonicalUrl, targetHostOf } from '../domain/target-host.ts'

export type StoredWebhook = typeof webhooks.$inferSelect

/** The columns of a subscription whose last attempt did not fail. */
export const NO_FAILURES = { failures: 0, failingSince: null }

type WebhookDraft = Pick<StoredWebhook, 'userId' | 'url' | 'events' | 'origin' | 'secret' | 'authScheme' | 'auth'>
export type WebhookChange = Partial<Omit<WebhookDraft, 'userId' | 'secret'> & Pick<StoredWebhook, 'status'>>

/** Why a subscription is not stored: its owner already has one for this URL, or has the maximum number. */
export type WebhookRefusal = 'duplicate' | 'too-many'

/**
 * Stores a new subscription, unless its owner already has one for the same
 * URL, or has the maximum number. One round trip.
 */
export async function insertWebhook(
  db: Database,
  draft: WebhookDraft,
  webhooksMax: number,
  now: Date,
): Promise<StoredWebhook | WebhookRefusal> {
  const time = now.getTime()
  const { userId, url, events, origin, secret, authScheme, auth } = draft
  const { canonicalUrl, host } = addressOf(url, origin)
  const owned = db.select({ owned: count() }).from(webhooks).where(eq(webhooks.userId, userId))
  const newest = sql`(select max(${webhooks.id}) from ${webhooks})`
  // In one transaction, so that concurrent requests cannot exceed the limit.
  const [[webhook], removed] = await db.batch([
    db
      .insert(webhooks)
      .select(sql`
        select null, ${userId}, ${url}, ${JSON.stringify(events)}, 'active', ${origin}, ${secret}, ${authScheme}, ${auth},
          ${time}, ${time}, 0, null, ${canonicalUrl}, ${host}
        where ${notExists(selectOther(db, userId, canonicalUrl))}`)
      .returning(),
    db
      .delete(webhooks)
      .where(and(eq(webhooks.id, newest), eq(webhooks.userId, userId), sql`${owned} > ${webhooksMax}`))
      .returning({ id: webhooks.id }),
  ])
  if (removed.length > 0) return 'too-many'
  return webhook ?? 'duplicate'
}

/**
 * The columns that are derived from a URL: its canonical form, in which equal URLs are
 * equal, and the host that its calls are counted for.
 */
function addressOf(
  url: string,
  origin: string,
): Pick<StoredWebhook, 'canonicalUrl' | 'host'> & { canonicalUrl: string } {
  return { canonicalUrl: canonicalUrl(url), host: targetHostOf(url, origin) }
}

/**
 * The query for a user's subscription to a canonical URL, other than `id`. Subscriptions from an older version have no
 * canonical URL until the sweep adds it; until then, their URL as it was sent is compared.
 */
function selectOther(db: Database, userId: number, url: string, id?: number) {
  return db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(
      and(
        eq(webhooks.userId, userId),
        sql`coalesce(${webhooks.canonicalUrl}, ${webhooks.url}) = ${url}`,
        id === undefined ? undefined : ne(webhooks.id, id),
      ),
    )
}

/** A page of a user's subscriptions in the order of their ids, and the total number. One round trip. */
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
  return { rows: cutPage(rows), total: counted?.total ?? 0 }
}

/** A user's subscription by its id. */
export async function findWebhook(db: Database, userId: number, id: number): Promise<StoredWebhook | undefined> {
  const [webhook] = await db.select().from(webhooks).where(isOf(userId, id))
  return webhook
}

/**
 * Changes a subscription. If the change activates it, its failures are reset, and unless it was active before, it is
 * active from now on. The change fails if its owner has another subscription to the new URL. One round trip.
 *
 * @param before The subscription as it was read
 * @param requiresTarget Whether the change only applies if the URL and the credentials are still the same
 * @returns The updated subscription; undefined if it does not exist, or the change does not apply to it
 */
export async function updateWebhook(
  db: Database,
  { userId, id, url, auth }: StoredWebhook,
  change: WebhookChange,
  requiresTarget: boolean,
  now: Date,
): Promise<StoredWebhook | 'duplicate' | undefined> {
  const activeSince = sql`iif(${webhooks.status} = 'active', ${webhooks.activeSince}, ${now.getTime()})`
  const resumed = change.status === 'active' && { ...NO_FAILURES, activeSince }
  const moved = change.url !== undefined && change.origin !== undefined && addressOf(change.url, change.origin)
  const update = db.update(webhooks).set({ ...change, ...resumed, ...moved })
  const isJudged = requiresTarget ? sql`(${webhooks.url}, ${webhooks.auth}) is (${url}, ${auth})` : undefined
  if (!moved) return (await update.where(and(isOf(userId, id), isJudged)).returning())[0]
  // Two subscriptions from an older version that have the same URL can both keep it.
  const stays = sql`coalesce(${webhooks.canonicalUrl}, ${webhooks.url}) = ${moved.canonicalUrl}`
  const isAlone = notExists(selectOther(db, userId, moved.canonicalUrl, id))
  const [[webhook], [other]] = await db.batch([
    update.where(and(isOf(userId, id), isJudged, or(stays, isAlone))).returning(),
    selectOther(db, userId, moved.canonicalUrl, id),
  ])
  return webhook ?? (other && 'duplicate')
}

/** Deletes a user's subscription. @returns Whether it existed */
export async function deleteWebhook(db: Database, userId: number, id: number): Promise<boolean> {
  const deleted = await db.delete(webhooks).where(isOf(userId, id)).returning({ id: webhooks.id })
  return deleted.length > 0
}

function isOf(userId: number, id: number) {
  return and(eq(webhooks.id, id), eq(webhooks.userId, userId))
}
