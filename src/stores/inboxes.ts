import { and, asc, count, eq, gt, inArray, lt, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { inboxes, inboxRequests } from '../db/tables.ts'
import type { RecordedRequest } from '../schemas/inbox.ts'

export type StoredInbox = typeof inboxes.$inferSelect

/** Requests that an inbox keeps: the newest. */
const REQUESTS_MAX = 100

/** Inboxes that there are at a time: what strangers can fill has a bound. */
const INBOXES_MAX = 500

/** @returns Whether there was room for it */
export async function insertInbox(db: Database, inbox: StoredInbox): Promise<boolean> {
  const others = db.select({ others: count() }).from(inboxes)
  const [, removed] = await db.batch([
    db.insert(inboxes).values(inbox),
    db
      .delete(inboxes)
      .where(and(eq(inboxes.id, inbox.id), sql`${others} > ${INBOXES_MAX}`))
      .returning({ id: inboxes.id }),
  ])
  return removed.length === 0
}

/** The query for an inbox that has not expired: a list of one, or of none. */
export function selectInbox(db: Database, id: string, now: Date) {
  return db
    .select()
    .from(inboxes)
    .where(and(eq(inboxes.id, id), gt(inboxes.expiresAt, now)))
    .limit(1)
}

/** Lets an inbox answer otherwise from now on. @returns The inbox; undefined where there is none */
export async function updateInbox(
  db: Database,
  id: string,
  answer: Pick<StoredInbox, 'status' | 'body'>,
  now: Date,
): Promise<StoredInbox | undefined> {
  const [inbox] = await db
    .update(inboxes)
    .set(answer)
    .where(and(eq(inboxes.id, id), gt(inboxes.expiresAt, now)))
    .returning()
  return inbox
}

/** Keeps a request, and of all that came only the newest. One round trip. */
export async function insertInboxRequest(
  db: Database,
  inboxId: string,
  request: RecordedRequest,
  now: Date,
): Promise<void> {
  const own = eq(inboxRequests.inboxId, inboxId)
  const oldestKept = db
    .select({ id: inboxRequests.id })
    .from(inboxRequests)
    .where(own)
    .orderBy(sql`${inboxRequests.id} desc`)
    .limit(1)
    .offset(REQUESTS_MAX - 1)
  await db.batch([
    db.insert(inboxRequests).values({ inboxId, receivedAt: now, request }),
    db.delete(inboxRequests).where(and(own, lt(inboxRequests.id, sql`(${oldestKept})`))),
  ])
}

/** An inbox, a page of what came, and how many there are. One round trip. */
export async function readInbox(db: Database, id: string, page: { limit: number; offset: number }, now: Date) {
  const own = eq(inboxRequests.inboxId, id)
  const [[inbox], [counted], rows] = await db.batch([
    selectInbox(db, id, now),
    db.select({ total: count() }).from(inboxRequests).where(own),
    db.select().from(inboxRequests).where(own).orderBy(asc(inboxRequests.id)).limit(page.limit).offset(page.offset),
  ])
  return { inbox, rows, total: counted?.total ?? 0 }
}

/** @returns Whether there was one */
export async function deleteInbox(db: Database, id: string, now: Date): Promise<boolean> {
  const isAlive = and(eq(inboxes.id, id), gt(inboxes.expiresAt, now))
  const deleted = await db.delete(inboxes).where(isAlive).returning({ id: inboxes.id })
  return deleted.length > 0
}

/** In one sweep, with at most a hundred requests each. */
const REMOVALS_PER_SWEEP = 20

/** Forgets inboxes that have expired, with all that came. */
export async function removeExpiredInboxes(db: Database, now: Date): Promise<void> {
  const isOver = lt(inboxes.expiresAt, now)
  const expired = db.select({ id: inboxes.id }).from(inboxes).where(isOver).limit(REMOVALS_PER_SWEEP)
  await db.delete(inboxes).where(inArray(inboxes.id, expired))
}
