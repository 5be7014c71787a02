import {
  and,
  asc,
  count,
  desc,
  eq,
  exists,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  notExists,
  or,
  sql,
} from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { attempts, deliveries, events, planets, refusedCallbacks, webhooks } from '../db/tables.ts'
import type { DeliveryQuery, DeliveryStatus } from '../schemas/delivery.ts'
import { type EventDraft, type Receiver, tellOne } from './outbox.ts'
import { FAULTLESS } from './webhooks.ts'

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
  const leasedUntil = new Date(now.getTime() + leaseMs)
  const [claimed, [delivery]] = await db.batch([
    db
      .update(deliveries)
      // Who never records an attempt is not the first in line for ever.
      .set({ leasedUntil, nextAttemptAt: leasedUntil })
      .where(and(eq(deliveries.id, id), isDue(now)))
      .returning({ id: deliveries.id }),
    db.query.deliveries.findMany({
      where: eq(deliveries.id, id),
      limit: 1,
      with: {
        payload: { columns: { body: true } },
        owner: { columns: { suspendedAt: true } },
        signingSecret: true,
        webhook: true,
      },
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

/** A place in the line of deliveries that are due. */
export interface DueDelivery {
  id: number
  nextAttemptAt: Date | null
}

/** Deliveries that are due, those that have waited longest first, behind a place in the line. */
export async function listDueDeliveries(
  db: Database,
  now: Date,
  after: DueDelivery | undefined,
  limit: number,
): Promise<DueDelivery[]> {
  const place = sql`(${deliveries.nextAttemptAt}, ${deliveries.id})`
  return await db
    .select({ id: deliveries.id, nextAttemptAt: deliveries.nextAttemptAt })
    .from(deliveries)
    .where(and(isDue(now), after && sql`${place} > (${after.nextAttemptAt?.getTime()}, ${after.id})`))
    .orderBy(asc(deliveries.nextAttemptAt), asc(deliveries.id))
    .limit(limit)
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

/**
 * Writes what came of an attempt. What was stopped in the meantime stays so, unless it has arrived; a failure of who came
 * too late, when another had the delivery already, is only logged. One round trip.
 */
export async function recordAttempt(
  db: Database,
  { id, retries, webhookId, url, planetId, leasedUntil }: ClaimedDelivery,
  record: AttemptRecord,
  { status, nextAttemptAt, endsCallbacks, isGone }: Verdict,
  now: Date,
): Promise<void> {
  const isOver = status !== 'pending'
  const hasFailed = status !== 'delivered'
  const hasLease = leasedUntil ? eq(deliveries.leasedUntil, leasedUntil) : undefined
  const mayChange = hasFailed
    ? and(eq(deliveries.status, 'pending'), hasLease)
    : inArray(deliveries.status, ['pending', 'cancelled'])
  await db.batch([
    db.insert(attempts).values({ ...record, deliveryId: id }),
    db
      .update(deliveries)
      .set({
        status,
        nextAttemptAt: nextAttemptAt ?? null,
        retries: isOver ? retries : retries + 1,
        endedAt: isOver ? now : null,
      })
      .where(and(eq(deliveries.id, id), mayChange)),
    db
      .update(deliveries)
      .set({ leasedUntil: null })
      .where(and(eq(deliveries.id, id), hasLease)),
    ...(webhookId === null ? [] : [countOutcome(db, webhookId, hasFailed, isGone, now)]),
    ...(endsCallbacks && planetId !== null ? [refuseCallbacks(db, planetId, url, now)] : []),
  ])
}

/** Notes that a URL wants to hear no more of a planet, which may be gone already. */
function refuseCallbacks(db: Database, planetId: number, url: string, now: Date) {
  const isThere = db.select({ id: planets.id }).from(planets).where(eq(planets.id, planetId))
  const endedAt = sql`iif(${exists(isThere)}, null, ${now.getTime()})`
  return db.insert(refusedCallbacks).values({ planetId, url, endedAt }).onConflictDoNothing()
}

/** A subscription that has failed for long is paused, one that is gone disabled; triggers then stop its deliveries. */
function countOutcome(db: Database, webhookId: number, hasFailed: boolean, isGone: boolean, now: Date) {
  const time = now.getTime()
  const since = sql`coalesce(${webhooks.failingSince}, ${time})`
  const hasFailedForLong = sql`${webhooks.failures} + 1 >= ${FAILURES_MAX} and ${time} - ${since} >= ${FAILING_MAX_MS}`
  const status = isGone
    ? sql`'disabled'`
    : sql`iif(${webhooks.status} = 'active' and ${hasFailedForLong}, 'paused', ${webhooks.status})`
  return db
    .update(webhooks)
    .set(hasFailed ? { failures: sql`${webhooks.failures} + 1`, failingSince: since, status } : FAULTLESS)
    .where(eq(webhooks.id, webhookId))
}

/** Stops a delivery that is not wanted any more. */
export async function cancelDelivery(db: Database, id: number, now: Date): Promise<void> {
  await db
    .update(deliveries)
    .set({ status: 'cancelled', nextAttemptAt: null, leasedUntil: null, endedAt: now })
    .where(and(eq(deliveries.id, id), eq(deliveries.status, 'pending')))
}

/** A page of a user's deliveries in the order of their ids, and how many there are. One round trip. */
export async function listDeliveries(db: Database, userId: number, query: DeliveryQuery) {
  const { status, event, planetId, limit, offset } = query
  const wanted = and(
    eq(deliveries.userId, userId),
    status === undefined ? undefined : eq(deliveries.status, status),
    event === undefined ? undefined : eq(deliveries.event, event),
    planetId === undefined ? undefined : eq(deliveries.planetId, planetId),
  )
  const { eventId: _eventId, userId: _userId, origin: _origin, ...columns } = getTableColumns(deliveries)
  const [[counted], rows] = await db.batch([
    db.select({ total: count() }).from(deliveries).where(wanted),
    db
      .select({ ...columns, attempts: db.$count(attempts, eq(attempts.deliveryId, deliveries.id)) })
      .from(deliveries)
      .where(wanted)
      .orderBy(asc(deliveries.id))
      .limit(limit)
      .offset(offset),
  ])
  return { rows, total: counted?.total ?? 0 }
}

/** A delivery of a user with its event and its latest attempts, latest first. */
export async function findDelivery(db: Database, userId: number, id: number) {
  return await db.query.deliveries.findFirst({
    where: and(eq(deliveries.id, id), eq(deliveries.userId, userId)),
    with: {
      payload: { columns: { body: true } },
      webhook: true,
      attempts: { orderBy: desc(attempts.id), limit: ATTEMPTS_SHOWN },
    },
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
  // A ping is for trying out what is not active too.
  const mayBeCalled = sql`exists (${subscription} and (${webhooks.status} = 'active' or ${deliveries.event} = 'ping'))`
  const isRefused = sql`exists (
    select 1 from ${refusedCallbacks}
    where ${refusedCallbacks.planetId} = ${deliveries.planetId} and ${refusedCallbacks.url} = ${deliveries.url})`
  const isWanted = sql`iif(${deliveries.webhookId} is null, not ${isRefused}, ${mayBeCalled})`
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

const REMOVALS_PER_STEP = 500
const STEPS_MAX = 20

/**
 * Forgets what ended before a time, in steps: deliveries with their attempts, the events that nothing refers to any more,
 * and the wishes about planets that are gone.
 */
export async function removeEndedDeliveries(db: Database, before: Date): Promise<void> {
  for (let step = 0; step < STEPS_MAX; step++) {
    const [ended, unused, refusals] = await db.batch([
      db
        .delete(deliveries)
        .where(inArray(deliveries.id, endedDeliveries(db, before)))
        .returning({ id: deliveries.id }),
      db
        .delete(events)
        .where(inArray(events.id, unusedEvents(db, before)))
        .returning({ id: events.id }),
      db
        .delete(refusedCallbacks)
        .where(sql`rowid in ${endedRefusals(before)}`)
        .returning({ id: refusedCallbacks.planetId }),
    ])
    if (Math.max(ended.length, unused.length, refusals.length) < REMOVALS_PER_STEP) return
  }
}

function endedDeliveries(db: Database, before: Date) {
  const isOver = and(isNotNull(deliveries.endedAt), lt(deliveries.endedAt, before))
  return db.select({ id: deliveries.id }).from(deliveries).where(isOver).limit(REMOVALS_PER_STEP)
}

function unusedEvents(db: Database, before: Date) {
  const isUsed = db.select({ id: deliveries.id }).from(deliveries).where(eq(deliveries.eventId, events.id))
  const isUnused = and(lt(events.createdAt, before), isNull(events.expandedTo), notExists(isUsed))
  return db.select({ id: events.id }).from(events).where(isUnused).limit(REMOVALS_PER_STEP)
}

function endedRefusals(before: Date) {
  const isOver = and(isNotNull(refusedCallbacks.endedAt), lt(refusedCallbacks.endedAt, before))
  return sql`(select rowid from ${refusedCallbacks} where ${isOver} limit ${REMOVALS_PER_STEP})`
}
