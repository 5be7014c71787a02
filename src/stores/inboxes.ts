import { and, asc, count, eq, gt, inArray, lt, lte, sql } from 'drizzle-orm'
import { build, type Database, type Session, write } from '../db/port.ts'
import { inboxes, inboxRequests } from '../db/tables.ts'
import type { RecordedRequest } from '../schemas/inbox.ts'
import { INBOXES, makeRoom } from './anonymous-rows.ts'
import { cutPage } from './cut-page.ts'

export type StoredInbox = typeof inboxes.$inferSelect

/** Number of requests that an inbox keeps. Older requests are deleted. */
const REQUESTS_MAX = 100

/** Precision of `lastUsedAt`. If it were exact, every read would cause a write. */
const USE_PRECISION_MS = 60_000

/** Other inboxes may be removed to make room, see stores/anonymous-rows.ts. One round trip. */
export async function insertInbox(session: Session, inbox: StoredInbox): Promise<void> {
  await write(session, [build.insert(inboxes).values(inbox), ...makeRoom(INBOXES, inbox)])
}

/** Whether `touchInbox` would write anything, because no use within the last minute is recorded. */
export function needsTouch({ lastUsedAt }: Pick<StoredInbox, 'lastUsedAt'>, now: Date): boolean {
  return now.getTime() - lastUsedAt.getTime() >= USE_PRECISION_MS
}

/** The statement that records the use of an inbox, at most once a minute. */
export function touchInbox(id: string, now: Date) {
  const minuteAgo = new Date(now.getTime() - USE_PRECISION_MS)
  return build
    .update(inboxes)
    .set({ lastUsedAt: now })
    .where(and(eq(inboxes.id, id), lte(inboxes.lastUsedAt, minuteAgo)))
}

/** The query for an inbox that has not expired: a list with one item or none. */
export function selectInbox(id: string, now: Date) {
  return build
    .select()
    .from(inboxes)
    .where(and(eq(inboxes.id, id), gt(inboxes.expiresAt, now)))
    .limit(1)
}

/** Changes the response of an inbox. @returns The inbox; undefined if it does not exist or has expired */
export async function updateInbox(
  session: Session,
  id: string,
  response: Pick<StoredInbox, 'status' | 'body'>,
  now: Date,
): Promise<StoredInbox | undefined> {
  const [[inbox]] = await write(session, [
    build
      .update(inboxes)
      .set({ ...response, lastUsedAt: now })
      .where(and(eq(inboxes.id, id), gt(inboxes.expiresAt, now)))
      .returning(),
  ])
  return inbox
}

/**
 * Stores a request, and deletes the oldest requests of the inbox if it has more than REQUESTS_MAX. One round trip.
 *
 * @returns Whether the inbox still exists
 */
export async function insertInboxRequest(
  session: Session,
  inboxId: string,
  request: RecordedRequest,
  now: Date,
): Promise<boolean> {
  const isOfInbox = eq(inboxRequests.inboxId, inboxId)
  const oldestKept = build
    .select({ id: inboxRequests.id })
    .from(inboxRequests)
    .where(isOfInbox)
    .orderBy(sql`${inboxRequests.id} desc`)
    .limit(1)
    // The newest request has the offset 0.
    .offset(REQUESTS_MAX - 1)
  const [insertedRequests] = await write(session, [
    build
      .insert(inboxRequests)
      .select(sql`
        select null as id, ${inboxes.id}, ${now.getTime()}, ${JSON.stringify(request)} from ${inboxes}
        where ${inboxes.id} = ${inboxId} and ${inboxes.expiresAt} > ${now.getTime()}`)
      .returning({ id: inboxRequests.id }),
    build.delete(inboxRequests).where(and(isOfInbox, lt(inboxRequests.id, sql`(${oldestKept})`))),
    touchInbox(inboxId, now),
  ])
  return insertedRequests.length > 0
}

/**
 * Reads an inbox, a page of the list of its requests, and their total number. One round trip.
 *
 * @returns `inbox` is undefined if it does not exist or has expired
 */
export async function readInbox(db: Database, id: string, page: { limit: number; offset: number }, now: Date) {
  const isOfInbox = eq(inboxRequests.inboxId, id)
  const [[inbox], [counted], rows] = await db.batch([
    selectInbox(id, now),
    build.select({ total: count() }).from(inboxRequests).where(isOfInbox),
    build
      .select()
      .from(inboxRequests)
      .where(isOfInbox)
      .orderBy(asc(inboxRequests.id))
      .limit(page.limit)
      .offset(page.offset),
  ])
  return { inbox, rows: cutPage(rows), total: counted?.total ?? 0 }
}

/** Deletes an inbox with its requests. @returns Whether it existed and had not expired */
export async function deleteInbox(session: Session, id: string, now: Date): Promise<boolean> {
  const isUnexpired = and(eq(inboxes.id, id), gt(inboxes.expiresAt, now))
  const [deleted] = await write(session, [build.delete(inboxes).where(isUnexpired).returning({ id: inboxes.id })])
  return deleted.length > 0
}

/** Number of inboxes removed in one sweep, each with at most REQUESTS_MAX requests. */
const REMOVALS_PER_SWEEP = 20

/** Removes expired inboxes with their requests. */
export async function removeExpiredInboxes(session: Session, now: Date): Promise<void> {
  const hasExpired = lt(inboxes.expiresAt, now)
  const expired = build.select({ id: inboxes.id }).from(inboxes).where(hasExpired).limit(REMOVALS_PER_SWEEP)
  await write(session, [build.delete(inboxes).where(inArray(inboxes.id, expired))])
}
