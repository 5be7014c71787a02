import { and, asc, count, eq, exists, ne, notExists, sql } from 'drizzle-orm'
import type { Requirement } from '../changes/change.ts'
import { LostRace } from '../changes/requirements.ts'
import { build, type Database, type Session, write } from '../db/port.ts'
import { webhooks } from '../db/tables.ts'
import { type CallTarget, canonicalUrl } from '../domain/target-host.ts'
import type { PageQuery } from '../schemas/page.ts'
import { type ListPage, readPage } from './cut-page.ts'

export type StoredWebhook = typeof webhooks.$inferSelect

/** The columns of a subscription whose last attempt did not fail. */
export const NO_FAILURES = { failures: 0, failingSince: null }

type WebhookDraft = Pick<StoredWebhook, 'userId' | 'events' | 'secret' | 'publicKey' | 'authScheme' | 'auth'> &
  CallTarget
/** The columns that a change sets. With a new URL, the change also sets `origin` and `host`. */
export type WebhookChange = Partial<
  Omit<WebhookDraft, 'userId' | 'secret' | 'publicKey'> & Pick<StoredWebhook, 'status'>
>

/** Why a subscription is not stored: its owner already has one for this URL, or has the maximum number. */
export type WebhookRefusal = 'duplicate' | 'too-many'

export type NewWebhook = WebhookDraft & Pick<StoredWebhook, 'id' | 'status' | 'createdAt'>

/**
 * The statement that stores a new subscription.
 *
 * @returns It, and what it requires: its owner has no other one for the same URL, and less than the maximum number
 */
export function insertWebhook(webhook: NewWebhook, webhooksMax: number, explain: (refusal: WebhookRefusal) => Error) {
  const { userId, url, createdAt } = webhook
  const canonical = canonicalUrl(url)
  const owned = build.select({ count: count() }).from(webhooks).where(eq(webhooks.userId, userId))
  const requires: Requirement[] = [
    { holds: notExists(selectOtherWebhook(userId, canonical)), otherwise: explain('duplicate') },
    { holds: sql`${owned} < ${webhooksMax}`, otherwise: explain('too-many') },
  ]
  const columns = { ...webhook, activeSince: createdAt, canonicalUrl: canonical }
  return { requires, statements: [build.insert(webhooks).values(columns)] }
}

/** A user's subscription to a canonical URL, other than the subscription `id`. */
function selectOtherWebhook(userId: number, url: string, id?: number) {
  return build
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

/**
 * What a call to a subscription requires: its URL is as it was read. The credentials of a subscription are only for its
 * current URL, so they must not be sent to an earlier one.
 */
export function sameUrl({ id, url }: Pick<StoredWebhook, 'id' | 'url'>): Requirement {
  const query = build
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(and(eq(webhooks.id, id), eq(webhooks.url, url)))
  return { holds: exists(query), otherwise: new LostRace() }
}

/** A page of the list of a user's subscriptions in the order of their ids, and the total number. One round trip. */
export async function listWebhooks(
  db: Database,
  userId: number,
  { limit, offset }: PageQuery,
): Promise<ListPage<StoredWebhook>> {
  const where = eq(webhooks.userId, userId)
  const query = build.select().from(webhooks).where(where).orderBy(asc(webhooks.id)).limit(limit).offset(offset)
  return await readPage(db, webhooks, where, query)
}

/** The query for a subscription of any user: a list with one item or none. */
export function selectWebhook(id: number) {
  return build.select().from(webhooks).where(eq(webhooks.id, id))
}

export async function findWebhook(db: Database, userId: number, id: number): Promise<StoredWebhook | undefined> {
  const [webhook] = await db.read(build.select().from(webhooks).where(isOwnWebhook(userId, id)))
  return webhook
}

/**
 * Changes a subscription. A change that sets it active also resets its failures. If it was not active before, it gets
 * no events from before this time (`activeSince`). If its owner has another subscription to the new URL, nothing is
 * changed. One round trip.
 *
 * @param requiresSameTarget Whether the change only applies if the URL and the credentials are still as they were read
 * @returns The updated subscription; `duplicate` if its owner has another one for the new URL; undefined if it does not
 * exist, or the change does not apply to it
 */
export async function updateWebhook(
  session: Session,
  { userId, id, url, auth }: StoredWebhook,
  change: WebhookChange,
  requiresSameTarget: boolean,
  now: Date,
): Promise<StoredWebhook | 'duplicate' | undefined> {
  const activeSince = sql`iif(${webhooks.status} = 'active', ${webhooks.activeSince}, ${now.getTime()})`
  const activation = change.status === 'active' ? { ...NO_FAILURES, activeSince } : {}
  const newUrl = change.url === undefined ? undefined : canonicalUrl(change.url)
  const canonicalUrlColumn = newUrl === undefined ? {} : { canonicalUrl: newUrl }
  const update = build.update(webhooks).set({ ...change, ...activation, ...canonicalUrlColumn })
  const hasSameTarget = requiresSameTarget ? sql`(${webhooks.url}, ${webhooks.auth}) is (${url}, ${auth})` : undefined
  if (newUrl === undefined) {
    const [[updated]] = await write(session, [update.where(and(isOwnWebhook(userId, id), hasSameTarget)).returning()])
    return updated
  }
  const isOnlyOneForUrl = notExists(selectOtherWebhook(userId, newUrl, id))
  const [[webhook], [other]] = await write(session, [
    update.where(and(isOwnWebhook(userId, id), hasSameTarget, isOnlyOneForUrl)).returning(),
    selectOtherWebhook(userId, newUrl, id),
  ])
  return webhook ?? (other && 'duplicate')
}

/** @returns Whether it existed */
export async function deleteWebhook(session: Session, userId: number, id: number): Promise<boolean> {
  const [deleted] = await write(session, [
    build.delete(webhooks).where(isOwnWebhook(userId, id)).returning({ id: webhooks.id }),
  ])
  return deleted.length > 0
}

function isOwnWebhook(userId: number, id: number) {
  return and(eq(webhooks.id, id), eq(webhooks.userId, userId))
}
