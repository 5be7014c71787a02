import { and, asc, count, desc, eq, inArray, isNotNull, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { attempts, deliveries, events, refusedCallbacks, webhooks } from '../db/tables.ts'
import type { DeliveryQuery, DeliveryStatus } from '../schemas/delivery.ts'
import { type EventDraft, type Receiver, tellOne } from './outbox.ts'

/** A delivery as the list has it. */
export type StoredDelivery = Awaited<ReturnType<typeof listDeliveries>>['rows'][number]

/** A delivery that was claimed, with everything that an attempt takes. */
export type ClaimedDelivery = NonNullable<Awaited<ReturnType<typeof claimDelivery>>>

const ATTEMPTS_SHOWN = 100

/** Stores an event and the delivery of it to one receiver. @returns The id of the delivery */
export async function insertDelivery(db: Database, event: EventDraft, receiver: Receiver, now: Date): Promise<number> {
  const [, [told]] = await db.batch([...tellOne(db, event, receiver, now)])
  if (!told) throw new Error('the database returned no id for a delivery that it stored')
  return told.delivery
}

/**
 * Takes a delivery that is due, so that nobody else attempts it while the lease lasts: of many who want it at the same
 * moment one gets it. One round trip.
 *
 * @returns Undefined where it is not to be had
 */
export async function claimDelivery(db: Database, id: number, now: Date, leaseMs: number) {
  const [claimed, [delivery]] = await db.batch([
    db
      .update(deliveries)
      .set({ leasedUntil: new Date(now.getTime() + leaseMs) })
      .where(and(eq(deliveries.id, id), isDue(now)))
      .returning({ id: deliveries.id }),
    db.query.deliveries.findMany({
      where: eq(deliveries.id, id),
      limit: 1,
      with: { event: true, owner: { columns: { suspendedAt: true } }, signingSecret: true, webhook: true },
    }),
  ])
  return claimed.length > 0 ? delivery : undefined
}

function isDue(now: Date) {
  return and(eq(deliveries.status, 'pending'), lte(deliveries.nextAttemptAt, now), isFree(now))
}

function isFree(now: Date) {
  return or(isNull(deliveries.leasedUntil), lt(deliveries.leasedUntil, now))
}

/** Ids of deliveries that are due, those that have waited longest first. */
export async function listDueDeliveries(db: Database, now: Date, limit: number): Promise<number[]> {
  const rows = await db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(isDue(now))
    .orderBy(asc(deliveries.nextAttemptAt))
    .limit(limit)
  return rows.map(({ id }) => id)
}

/** What an attempt was, for the log. */
export type AttemptRecord = Omit<typeof attempts.$inferInsert, 'id' | 'deliveryId'>

/** Where a delivery stands after an attempt. */
export interface Verdict {
  status: DeliveryStatus
  /** Undefined where there is no next attempt. */
  nextAttemptAt: Date | undefined
  /** Whether the receiver wants to hear no more of the planet. */
  endsCallbacks: boolean
  /** Whether the receiver of a subscription says that it is gone. */
  isGone: boolean
}

/** Attempts of a subscription in a row that failed, and for how long, until it is paused. */
const FAILURES_MAX = 20
const FAILING_MAX_MS = 60 * 60 * 1000

/** Writes what came of an attempt. What was stopped in the meantime stays so, unless it has arrived. One round trip. */
export async function recordAttempt(
  db: Database,
  { id, retries, webhookId, url, event }: ClaimedDelivery,
  record: AttemptRecord,
  { status, nextAttemptAt, endsCallbacks, isGone }: Verdict,
  now: Date,
): Promise<void> {
  const isOver = status !== 'pending'
  const from: DeliveryStatus[] = status === 'delivered' ? ['pending', 'cancelled'] : ['pending']
  const hasFailed = status !== 'delivered'
  await db.batch([
    db.insert(attempts).values({ ...record, deliveryId: id }),
    db
      .update(deliveries)
      .set({
        status,
        nextAttemptAt: nextAttemptAt ?? null,
        leasedUntil: null,
        retries: isOver ? retries : retries + 1,
        endedAt: isOver ? now : null,
      })
      .where(and(eq(deliveries.id, id), inArray(deliveries.status, from))),
    ...(webhookId === null ? [] : [countOutcome(db, webhookId, hasFailed, isGone, now)]),
    ...(endsCallbacks && event.planetId !== null
      ? [db.insert(refusedCallbacks).values({ planetId: event.planetId, url, createdAt: now }).onConflictDoNothing()]
      : []),
  ])
}

/** A subscription that has failed for long is paused, one that is gone disabled; triggers then stop its deliveries. */
function countOutcome(db: Database, webhookId: number, hasFailed: boolean, isGone: boolean, now: Date) {
  const update = db.update(webhooks)
  const time = now.getTime()
  const since = sql`coalesce(${webhooks.failingSince}, ${time})`
  const hasFailedForLong = sql`${webhooks.failures} + 1 >= ${FAILURES_MAX} and ${time} - ${since} >= ${FAILING_MAX_MS}`
  const status = isGone
    ? sql`'disabled'`
    : sql`iif(${webhooks.status} = 'active' and ${hasFailedForLong}, 'paused', ${webhooks.status})`
  return update
    .set(hasFailed ? { failures: sql`${webhooks.failures} + 1`, failingSince: since, status } : FAULTLESS)
    .where(eq(webhooks.id, webhookId))
}

export const FAULTLESS = { failures: 0, failingSince: null }

/** Stops a delivery that is not wanted any more. */
export async function cancelDelivery(db: Database, id: number, now: Date): Promise<void> {
  await db
    .update(deliveries)
    .set({ status: 'cancelled', nextAttemptAt: null, endedAt: now })
    .where(and(eq(deliveries.id, id), eq(deliveries.status, 'pending')))
}

/** A page of a user's deliveries in the order of their ids, and how many there are. One round trip. */
export async function listDeliveries(db: Database, userId: number, query: DeliveryQuery) {
  const wanted = and(
    eq(deliveries.userId, userId),
    query.status === undefined ? undefined : eq(deliveries.status, query.status),
    query.event === undefined ? undefined : eq(events.type, query.event),
    query.planetId === undefined ? undefined : eq(events.planetId, query.planetId),
  )
  const attempted = sql<number>`(select count(*) from ${attempts} where ${attempts.deliveryId} = ${deliveries.id})`
  const [[counted], rows] = await db.batch([
    db.select({ total: count() }).from(deliveries).innerJoin(events, eq(events.id, deliveries.eventId)).where(wanted),
    db
      .select({
        id: deliveries.id,
        messageId: deliveries.messageId,
        event: events.type,
        status: deliveries.status,
        planetId: events.planetId,
        webhookId: deliveries.webhookId,
        url: deliveries.url,
        createdAt: deliveries.createdAt,
        nextAttemptAt: deliveries.nextAttemptAt,
        endedAt: deliveries.endedAt,
        attempts: attempted.as('attempted'),
      })
      .from(deliveries)
      .innerJoin(events, eq(events.id, deliveries.eventId))
      .where(wanted)
      .orderBy(asc(deliveries.id))
      .limit(query.limit)
      .offset(query.offset),
  ])
  return { rows, total: counted?.total ?? 0 }
}

/** A delivery of a user with its event and its latest attempts, latest first. */
export async function findDelivery(db: Database, userId: number, id: number) {
  return await db.query.deliveries.findFirst({
    where: and(eq(deliveries.id, id), eq(deliveries.userId, userId)),
    with: { event: true, webhook: true, attempts: { orderBy: desc(attempts.id), limit: ATTEMPTS_SHOWN } },
  })
}

/** A delivery, its event and its subscription, by the id of its message. */
export function selectByMessage(db: Database, messageId: string) {
  return db.query.deliveries.findMany({
    where: eq(deliveries.messageId, messageId),
    limit: 1,
    with: { webhook: true, signingSecret: true },
  })
}

/**
 * Makes a delivery due once more, to where its subscription now is. One that was over begins the schedule anew.
 *
 * @returns Whether it may be: nobody is at it, its subscription is active, and its receiver still wants to hear of the planet
 */
export async function redeliver(db: Database, userId: number, id: number, now: Date): Promise<boolean> {
  const subscription = sql`select ${webhooks.url} from ${webhooks} where ${webhooks.id} = ${deliveries.webhookId}`
  const isActive = sql`exists (${subscription} and ${webhooks.status} = 'active')`
  const refusal = sql`exists (
    select 1 from ${refusedCallbacks} join ${events} on ${events.planetId} = ${refusedCallbacks.planetId}
    where ${events.id} = ${deliveries.eventId} and ${refusedCallbacks.url} = ${deliveries.url})`
  const isWanted = sql`iif(${deliveries.webhookId} is null, not ${refusal}, ${isActive})`
  const updated = await db
    .update(deliveries)
    .set({
      status: 'pending',
      url: sql`coalesce((${subscription}), ${deliveries.url})`,
      nextAttemptAt: now,
      retries: sql`iif(${deliveries.status} = 'pending', ${deliveries.retries}, 0)`,
      endedAt: null,
    })
    .where(and(eq(deliveries.id, id), eq(deliveries.userId, userId), isFree(now), isWanted))
    .returning({ id: deliveries.id })
  return updated.length > 0
}

const REMOVALS_PER_SWEEP = 500

/** Forgets what ended before a time: deliveries with their attempts, and the events and wishes that nothing needs any more. */
export async function removeEndedDeliveries(db: Database, before: Date): Promise<void> {
  const old = (id: SQL, table: SQL, condition: SQL | undefined) =>
    sql`(select ${id} from ${table} where ${condition} limit ${REMOVALS_PER_SWEEP})`
  const ended = and(isNotNull(deliveries.endedAt), lt(deliveries.endedAt, before))
  const unused = and(
    lt(events.createdAt, before),
    isNull(events.expandedTo),
    sql`not exists (select 1 from ${deliveries} where ${deliveries.eventId} = ${events.id})`,
  )
  await db.batch([
    db.delete(deliveries).where(sql`${deliveries.id} in ${old(sql`${deliveries.id}`, sql`${deliveries}`, ended)}`),
    db.delete(events).where(sql`${events.id} in ${old(sql`${events.id}`, sql`${events}`, unused)}`),
    db
      .delete(refusedCallbacks)
      .where(
        and(
          lt(refusedCallbacks.createdAt, before),
          sql`not exists (select 1 from planets where planets.id = ${refusedCallbacks.planetId})`,
          sql`not exists (select 1 from ${events} where ${events.planetId} = ${refusedCallbacks.planetId})`,
        ),
      ),
  ])
}
