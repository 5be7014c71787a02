import {
  type AnyColumn,
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
  not,
  notExists,
  or,
  sql,
} from 'drizzle-orm'
import type { BatchQuery, Database } from '../db/client.ts'
import { cutPage } from '../db/pages.ts'
import { attempts, deliveries, events, planets, refusedCallbacks, webhooks } from '../db/tables.ts'
import type { AccountLimits, TargetLimits } from '../env.ts'
import { INSIDE } from '../lib/target-host.ts'
import type { DeliveryQuery, DeliveryStatus } from '../schemas/delivery.ts'
import {
  type CallOutcome,
  callKey,
  giveBack,
  isFirstInLine,
  isTaken,
  keepProof,
  type Line,
  type Place,
  selectLine,
  takePlace,
} from './call-targets.ts'
import { type EventDraft, type Receiver, tellOne } from './outbox.ts'
import { charge, orLimitReached } from './usage.ts'
import { FAULTLESS } from './webhooks.ts'

/** A delivery as the list has it. */
export type StoredDelivery = Awaited<ReturnType<typeof listDeliveries>>['rows'][number]

/** A delivery that was claimed, with everything that an attempt takes. */
export type ClaimedDelivery = Omit<Awaited<ReturnType<typeof selectClaimed>>[number], 'leasedUntil'> & {
  claimedAt: Date
  /** The end of the lease. */
  leasedUntil: Date
  /** Since when it has been due: its place in a line. */
  dueAt: Date
}

const ATTEMPTS_SHOWN = 100

/**
 * Stores an event and the delivery of it to one receiver.
 *
 * @returns The id of the delivery
 * @throws ProblemError 403 if the account has no room for it
 */
export async function insertDelivery(
  db: Database,
  event: EventDraft,
  receiver: Receiver,
  limits: AccountLimits,
  now: Date,
): Promise<number> {
  const { userId } = receiver
  const batch = db.batch([...tellOne(db, event, receiver, now), charge(db, userId, { deliveries: 1 }, limits)])
  const [, [told]] = await orLimitReached(db, userId, limits, batch)
  if (!told) throw new Error('the database returned no id for a delivery that it stored')
  return told.delivery
}

/** What came of wanting a delivery. */
export interface Claim {
  /** Undefined if it is not to be had. */
  delivery: ClaimedDelivery | undefined
  /** The host whose line it was in and has left. */
  left: string | undefined
  /** The line at its host now, if calls are limited. */
  line: Line | undefined
}

/**
 * Takes a delivery that is due, so that nobody else attempts it while the lease lasts: of many who want it at the same
 * moment one gets it. If calls are limited, it takes a place at its host too; without one it waits in the line there.
 * One round trip.
 */
export async function claimDelivery(
  db: Database,
  id: number,
  now: Date,
  leaseMs: number,
  limits: TargetLimits | undefined,
): Promise<Claim> {
  const leasedUntil = new Date(now.getTime() + leaseMs)
  const wanted = and(eq(deliveries.id, id), mayBeClaimed(now))
  // Who never records an attempt is not the first in line for ever.
  const lease = { leasedUntil, nextAttemptAt: leasedUntil, waitingFor: null }
  if (!limits) {
    const update = db.update(deliveries).set(lease).where(wanted).returning({ id: deliveries.id })
    const [claimed, found] = await db.batch([update, selectClaimed(db, id, leasedUntil)])
    return { delivery: describeClaim(claimed, found, now, leasedUntil), left: undefined, line: undefined }
  }
  const place = sql`(select ${deliveries.host} from ${deliveries} where ${deliveries.id} = ${id})`
  const key = sql`${callKey(id)}`
  const isInside = eq(deliveries.host, INSIDE)
  const since = sql`coalesce(${deliveries.waitingSince}, ${deliveries.nextAttemptAt})`
  const isFirst = isFirstInLine(sql`${deliveries.host}`, since, sql`${deliveries.id}`)
  const asking = sql`select ${deliveries.host} as host, ${key} as key from ${deliveries} where ${and(wanted, not(isInside), isFirst)}`
  const [[before], , claimed, moved, found, [line]] = await db.batch([
    db
      .select({ host: deliveries.host, waitingFor: deliveries.waitingFor })
      .from(deliveries)
      .where(eq(deliveries.id, id)),
    takePlace(db, asking, leasedUntil, limits, now),
    db
      .update(deliveries)
      .set({ ...lease, waitingSince: since })
      .where(and(wanted, or(isInside, isTaken(sql`${deliveries.host}`, key, leasedUntil))))
      .returning({ id: deliveries.id }),
    // Who has it now is not due any more.
    db
      .update(deliveries)
      .set({ leasedUntil: null, nextAttemptAt: null, waitingFor: sql`${deliveries.host}`, waitingSince: since })
      .where(and(wanted, isNotNull(deliveries.host), sql`${deliveries.waitingFor} is not ${deliveries.host}`))
      .returning({ id: deliveries.id }),
    selectClaimed(db, id, leasedUntil),
    selectLine(db, place, limits, now),
  ])
  const hasLeft = before && before.waitingFor !== before.host && claimed.length + moved.length > 0
  const left = (hasLeft && before.waitingFor) || undefined
  return { delivery: describeClaim(claimed, found, now, leasedUntil), left, line }
}

function describeClaim(
  claimed: readonly unknown[],
  [found]: Awaited<ReturnType<typeof selectClaimed>>,
  claimedAt: Date,
  leasedUntil: Date,
): ClaimedDelivery | undefined {
  if (!found || claimed.length === 0) return undefined
  return { ...found, claimedAt, leasedUntil, dueAt: found.waitingSince ?? claimedAt }
}

/** A delivery that is claimed, with everything that an attempt takes. Of one that is not, the body is not read. */
function selectClaimed(db: Database, id: number, leasedUntil: Date) {
  return db.query.deliveries.findMany({
    where: and(eq(deliveries.id, id), eq(deliveries.leasedUntil, leasedUntil)),
    limit: 1,
    with: {
      payload: { columns: { body: true } },
      owner: { columns: { suspendedAt: true } },
      signingSecret: true,
      webhook: true,
    },
  })
}

/** Lets a delivery that was claimed wait in the line of another host that it needs first. One round trip. @returns Both lines */
export async function waitFor(
  db: Database,
  delivery: ClaimedDelivery,
  host: string,
  limits: TargetLimits,
  now: Date,
): Promise<{ own: Line | undefined; other: Line | undefined }> {
  const place = placeOf(delivery)
  const [, , [own], [other]] = await db.batch([
    db
      .update(deliveries)
      .set({ leasedUntil: null, nextAttemptAt: null, waitingFor: host, waitingSince: delivery.dueAt })
      .where(and(eq(deliveries.id, delivery.id), isStillClaimed(delivery))),
    // At one's own host the call stays counted: otherwise there would be room at once for what has just been refused.
    giveBack(db, place, { isMade: host === place.host, isAccepted: false }, now),
    selectLine(db, sql`${place.host}`, limits, now),
    selectLine(db, sql`${host}`, limits, now),
  ])
  return { own, other }
}

function isStillClaimed({ leasedUntil }: ClaimedDelivery) {
  return and(eq(deliveries.status, 'pending'), eq(deliveries.leasedUntil, leasedUntil))
}

/** The place that a claimed delivery has at its host. */
function placeOf({ id, host, leasedUntil, claimedAt }: ClaimedDelivery): Place {
  return { host: host ?? INSIDE, key: callKey(id), takenAt: claimedAt, until: leasedUntil }
}

function isDue(now: Date) {
  return and(eq(deliveries.status, 'pending'), lte(deliveries.nextAttemptAt, now), isFree(now))
}

/** What is due, and what waits because it was due. */
function mayBeClaimed(now: Date) {
  const isDueOrWaits = or(lte(deliveries.nextAttemptAt, now), isNotNull(deliveries.waitingFor))
  return and(eq(deliveries.status, 'pending'), isDueOrWaits, isFree(now))
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
 *
 * @param made What is logged, and whether the receiver was called: a call that was not made does not count to its host
 * @returns The line at its host, if calls are limited
 */
export async function recordAttempt(
  db: Database,
  delivery: ClaimedDelivery,
  { record, isMade }: { record: AttemptRecord; isMade: boolean },
  { status, nextAttemptAt, endsCallbacks, isGone }: Verdict,
  now: Date,
  limits: TargetLimits | undefined,
): Promise<Line | undefined> {
  const { id, retries, webhookId, url, planetId, leasedUntil } = delivery
  const isOver = status !== 'pending'
  const hasFailed = status !== 'delivered'
  const hasLease = eq(deliveries.leasedUntil, leasedUntil)
  const mayChange = hasFailed
    ? and(eq(deliveries.status, 'pending'), hasLease)
    : inArray(deliveries.status, ['pending', 'cancelled'])
  return await batchWithPlace(db, delivery, { isMade, isAccepted: !hasFailed }, limits, now, [
    db.insert(attempts).values({ ...record, deliveryId: id }),
    db
      .update(deliveries)
      .set({
        status,
        nextAttemptAt: nextAttemptAt ?? null,
        waitingSince: null,
        retries: isOver ? retries : retries + 1,
        endedAt: isOver ? now : null,
      })
      .where(and(eq(deliveries.id, id), mayChange)),
    db
      .update(deliveries)
      .set({ leasedUntil: null })
      .where(and(eq(deliveries.id, id), hasLease)),
    ...(webhookId === null ? [] : [countOutcome(db, { webhookId, url }, hasFailed, isGone, now)]),
    ...(endsCallbacks && planetId !== null ? [refuseCallbacks(db, planetId, url, now)] : []),
  ])
}

/** Notes that a URL wants to hear no more of a planet, which may be gone already. */
function refuseCallbacks(db: Database, planetId: number, url: string, now: Date) {
  const isThere = db.select({ id: planets.id }).from(planets).where(eq(planets.id, planetId))
  const endedAt = sql`iif(${exists(isThere)}, null, ${now.getTime()})`
  return db.insert(refusedCallbacks).values({ planetId, url, endedAt }).onConflictDoNothing()
}

/**
 * A subscription that has failed for long is paused, one that is gone disabled; triggers then stop its deliveries. What
 * was called before it moved to another URL says nothing of that.
 */
function countOutcome(
  db: Database,
  { webhookId, url }: { webhookId: number; url: string },
  hasFailed: boolean,
  isGone: boolean,
  now: Date,
) {
  const time = now.getTime()
  const since = sql`coalesce(${webhooks.failingSince}, ${time})`
  const hasFailedForLong = sql`${webhooks.failures} + 1 >= ${FAILURES_MAX} and ${time} - ${since} >= ${FAILING_MAX_MS}`
  const status = isGone
    ? sql`'disabled'`
    : sql`iif(${webhooks.status} = 'active' and ${hasFailedForLong}, 'paused', ${webhooks.status})`
  return db
    .update(webhooks)
    .set(hasFailed ? { failures: sql`${webhooks.failures} + 1`, failingSince: since, status } : FAULTLESS)
    .where(and(eq(webhooks.id, webhookId), eq(webhooks.url, url)))
}

/**
 * Stops a delivery that was claimed and is not wanted any more. One round trip.
 *
 * @returns The line at its host, if calls are limited
 */
export async function cancelDelivery(
  db: Database,
  delivery: ClaimedDelivery,
  limits: TargetLimits | undefined,
  now: Date,
): Promise<Line | undefined> {
  return await batchWithPlace(db, delivery, { isMade: false, isAccepted: false }, limits, now, [
    db
      .update(deliveries)
      .set({ status: 'cancelled', nextAttemptAt: null, leasedUntil: null, endedAt: now })
      .where(and(eq(deliveries.id, delivery.id), eq(deliveries.status, 'pending'))),
  ])
}

/** Does a batch that ends what was claimed, and with it gives the place at the host back. @returns The line there */
async function batchWithPlace(
  db: Database,
  delivery: ClaimedDelivery,
  outcome: CallOutcome,
  limits: TargetLimits | undefined,
  now: Date,
  statements: [BatchQuery, ...BatchQuery[]],
): Promise<Line | undefined> {
  const place = placeOf(delivery)
  if (!limits || place.host === INSIDE) {
    await db.batch(statements)
    return undefined
  }
  const host = sql`${place.host}`
  const line = selectLine(db, host, limits, now)
  const ending = [giveBack(db, place, outcome, now), keepProof(db, place.host, outcome, now)] as const
  const [, , [found]] = await db.batch([...ending, line, ...statements])
  return found
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
  const { eventId: _eventId, userId: _userId, origin: _origin, host: _host, ...columns } = getTableColumns(deliveries)
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
  return { rows: cutPage(rows), total: counted?.total ?? 0 }
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
 * Makes a delivery due once more, to where its subscription now is. One that was over begins the schedule anew, one that
 * waits in a line keeps its place there.
 *
 * @returns Whether it may be: nobody is at it, its subscription is active, and its receiver still wants to hear of the planet
 */
export async function redeliver(db: Database, userId: number, id: number, now: Date): Promise<boolean> {
  const ofSubscription = (column: AnyColumn) =>
    sql`select ${column} from ${webhooks} where ${webhooks.id} = ${deliveries.webhookId}`
  const subscription = ofSubscription(webhooks.url)
  const isWaiting = sql`(${deliveries.status} = 'pending' and ${deliveries.waitingFor} is not null)`
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
      origin: sql`coalesce((${ofSubscription(webhooks.origin)}), ${deliveries.origin})`,
      // Of a subscription from before there were hosts it is null, for the sweep to fill in.
      host: sql`iif(${deliveries.webhookId} is null, ${deliveries.host}, (${ofSubscription(webhooks.host)}))`,
      nextAttemptAt: sql`iif(${isWaiting}, null, ${now.getTime()})`,
      waitingFor: sql`iif(${isWaiting}, ${deliveries.waitingFor}, null)`,
      waitingSince: sql`iif(${isWaiting}, ${deliveries.waitingSince}, null)`,
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
