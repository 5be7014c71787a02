import { and, asc, count, eq, ne, notExists, or, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { cutPage } from '../db/pages.ts'
import { webhooks } from '../db/tables.ts'
import { canonicalUrl, targetHostOf } from '../domain/target-host.ts'

export type StoredWebhook = typeof webhooks.$inferSelect

/** Of a subscription whose last attempt did not fail. */
export const FAULTLESS = { failures: 0, failingSince: null }

type WebhookDraft = Pick<StoredWebhook, 'userId' | 'url' | 'events' | 'origin' | 'secret' | 'authScheme' | 'auth'>
export type WebhookChange = Partial<Omit<WebhookDraft, 'userId' | 'secret'> & Pick<StoredWebhook, 'status'>>

/** Why a subscription is not stored: its owner has one to this URL, or as many as there may be. */
export type WebhookRefusal = 'duplicate' | 'too-many'

/**
 * Stores a new subscription, unless its owner has one to the same URL, or as many as there may be. One round trip.
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
  // In one transaction: of several at the same moment none slips past the limit.
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

/** What is stored of a URL besides itself: the form in which equal ones are equal, and the host that its calls count to. */
function addressOf(
  url: string,
  origin: string,
): Pick<StoredWebhook, 'canonicalUrl' | 'host'> & { canonicalUrl: string } {
  return { canonicalUrl: canonicalUrl(url), host: targetHostOf(url, origin) }
}

/** A user's subscription to a URL. Of one from before there were canonical URLs, the URL as it was sent counts, until the sweep fills that in. */
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
  return { rows: cutPage(rows), total: counted?.total ?? 0 }
}

export async function findWebhook(db: Database, userId: number, id: number): Promise<StoredWebhook | undefined> {
  const [webhook] = await db.select().from(webhooks).where(isOf(userId, id))
  return webhook
}

/**
 * Changes a subscription. One that is made active has no failures behind it, and is so from now on, unless it was before.
 * None moves to the URL of another one of its owner. One round trip.
 *
 * @param before The subscription as it was read
 * @param requiresTarget Whether the change is only for the URL and the credentials that it had then
 * @returns The subscription as it now is; undefined if there is none, or none for which the change is
 */
export async function updateWebhook(
  db: Database,
  { userId, id, url, auth }: StoredWebhook,
  change: WebhookChange,
  requiresTarget: boolean,
  now: Date,
): Promise<StoredWebhook | 'duplicate' | undefined> {
  const activeSince = sql`iif(${webhooks.status} = 'active', ${webhooks.activeSince}, ${now.getTime()})`
  const resumed = change.status === 'active' && { ...FAULTLESS, activeSince }
  const moved = change.url !== undefined && change.origin !== undefined && addressOf(change.url, change.origin)
  const update = db.update(webhooks).set({ ...change, ...resumed, ...(moved && moved) })
  const isJudged = requiresTarget ? sql`(${webhooks.url}, ${webhooks.auth}) is (${url}, ${auth})` : undefined
  if (!moved) return (await update.where(and(isOf(userId, id), isJudged)).returning())[0]
  // Two of an older version that have the same URL can each keep it.
  const stays = sql`coalesce(${webhooks.canonicalUrl}, ${webhooks.url}) = ${moved.canonicalUrl}`
  const isAlone = notExists(selectOther(db, userId, moved.canonicalUrl, id))
  const [[webhook], [other]] = await db.batch([
    update.where(and(isOf(userId, id), isJudged, or(stays, isAlone))).returning(),
    selectOther(db, userId, moved.canonicalUrl, id),
  ])
  return webhook ?? (other && 'duplicate')
}

/** @returns Whether there was one */
export async function deleteWebhook(db: Database, userId: number, id: number): Promise<boolean> {
  const deleted = await db.delete(webhooks).where(isOf(userId, id)).returning({ id: webhooks.id })
  return deleted.length > 0
}

function isOf(userId: number, id: number) {
  return and(eq(webhooks.id, id), eq(webhooks.userId, userId))
}
