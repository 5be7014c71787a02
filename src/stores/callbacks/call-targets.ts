import { eq, type SQL, sql } from 'drizzle-orm'
import { build, type Database, type Session, write, writeInSteps } from '../../db/port.ts'
import { callTargets, deliveries } from '../../db/tables.ts'
import type { TargetLimits } from '../../env.ts'
import { DAY_MS } from '../../lib/time.ts'

// The limits of calls to each host, over all users. Before a call is made, it takes a slot at its host. After the
// call, the slot is given back. If a worker crashes, its slot becomes free when the lease ends. A delivery without a
// slot waits in the line of the host. After a slot was taken or given back, the worker queues the first delivery of
// the line if there is room for it. So a line moves as soon as the limits allow, and lines cost nothing as long as the
// limits are not reached.

/** The minute in which the calls to a host are counted. */
const WINDOW_MS = 60_000
/** How long a 2xx response counts as a proof that the host wants to be called. */
const PROOF_MS = 30 * DAY_MS

/** How many waiting deliveries `dissolveLines` makes due. */
const DISSOLVE_LIMITS = { rowsPerStep: 1000, stepsMax: 10 }

/** A slot at a host, which a call takes. */
export interface Slot {
  host: string
  /** Identifies the call, see `callKey` and `tokenKey`. */
  key: string
  takenAt: Date
  /** The end of the lease, when the slot becomes free even if the worker has crashed. */
  until: Date
}

/** The deliveries that wait for a slot at a host. */
export interface Line {
  /** Id of the delivery that has waited longest; null if no delivery waits. */
  first: number | null
  /** Whether the maximum number of concurrent calls is reached. */
  isBusy: boolean
  /**
   * If the calls of the minute are used up: when the next minute begins, in milliseconds since 1970. Otherwise null.
   */
  fullUntil: number | null
}

/** The key of the slot for the call of a delivery. */
export const callKey = (deliveryId: number) => `d${deliveryId}`
/** The key of the slot for the token request of a delivery. */
export const tokenKey = (deliveryId: number) => `t${deliveryId}`

/**
 * SQL: whether the calls of the current minute are used up. A host with a recent 2xx response (`callsProven`) gets more
 * calls than a host without such a response (`callsUnproven`).
 */
function isFull({ callsUnproven, callsProven }: TargetLimits, now: Date): SQL {
  // Without a 2xx response, -1 is earlier than any time.
  const isProven = sql`coalesce(${callTargets.acceptedAt}, -1) >= ${now.getTime() - PROOF_MS}`
  return sql`(not ${hasNewWindow(now)} and ${callTargets.calls} >= iif(${isProven}, ${callsProven}, ${callsUnproven}))`
}

/** SQL: whether the minute in which calls were last counted is over, so that counting starts again. */
function hasNewWindow(now: Date): SQL {
  return sql`${callTargets.windowStart} <= ${now.getTime() - WINDOW_MS}`
}

/**
 * SQL: whether the maximum number of concurrent calls is reached.
 *
 * @param key Key of the requested slot, which does not count
 */
function isBusy({ concurrent }: TargetLimits, now: Date, key: SQL = sql`''`): SQL {
  return sql`(
    select count(*) from json_each(${callTargets.leases}) as lease
    where lease.value >= ${now.getTime()} and lease.key <> ${key}) >= ${concurrent}`
}

/** SQL: whether no other delivery has waited longer at a host. */
export function isFirstInLine(host: SQL, since: SQL, id: SQL): SQL {
  return sql`not exists (
    select 1 from ${deliveries} as other
    where other.waiting_for = ${host} and other.status = 'pending' and (other.waiting_since, other.id) < (${since}, ${id}))`
}

/**
 * The statement that takes a slot and counts the call, if the limits allow it. It returns a row only in this case.
 *
 * @param slotRequest A query for the `host` and `key` of the slot, with one row or none
 */
export function takeSlot(slotRequest: SQL, until: Date, limits: TargetLimits, now: Date) {
  const time = now.getTime()
  // The row to insert has one lease, that of the requested slot.
  const requestedKey = sql`(select key from json_each(excluded.leases))`
  const startsWindow = hasNewWindow(now)
  const currentLeases = sql`(select json_group_object(key, value) from json_each(${callTargets.leases}) where value >= ${time})`
  // Without `where true`, SQLite would read the `on` of `on conflict` as a join condition.
  return build
    .insert(callTargets)
    .select(sql`
      select requested.host, ${time} as window_start, 1 as calls,
        json_object(requested.key, ${until.getTime()}) as leases, null as accepted_at, 0 as kept_until
      from (${slotRequest}) as requested where true`)
    .onConflictDoUpdate({
      target: callTargets.host,
      set: {
        calls: sql`iif(${startsWindow}, 1, ${callTargets.calls} + 1)`,
        windowStart: sql`iif(${startsWindow}, ${time}, ${callTargets.windowStart})`,
        leases: sql`json_patch(${currentLeases}, excluded.leases)`,
      },
      setWhere: sql`not ${isFull(limits, now)} and not ${isBusy(limits, now, requestedKey)}`,
    })
    .returning({ host: callTargets.host })
}

/** SQL: whether the slot with this key is taken by the call whose lease ends at exactly this time. */
export function isSlotTaken(host: SQL, key: SQL, until: Date): SQL {
  return sql`exists (
    select 1 from ${callTargets}
    where ${callTargets.host} = ${host} and json_extract(${callTargets.leases}, '$.' || ${key}) = ${until.getTime()})`
}

export interface CallOutcome {
  /** Whether the response of the host was 2xx. */
  isAccepted: boolean
  /**
   * Whether the call counts towards the limit of the minute. A call that was not made does not count, except in one
   * case in `moveToLine`.
   */
  isCounted: boolean
}

/** Also records a 2xx response, which proves that the host wants to be called. */
export function giveBackInBatch({ host, key, takenAt, until }: Slot, outcome: CallOutcome, now: Date) {
  const path = `$.${key}`
  const hasThisLease = sql`json_extract(${callTargets.leases}, ${path}) = ${until.getTime()}`
  const leases = sql`iif(${hasThisLease}, json_remove(${callTargets.leases}, ${path}), ${callTargets.leases})`
  // A call that does not count is subtracted, but only in the minute in which it was added.
  const calls = sql`${callTargets.calls} - iif(${hasThisLease} and ${callTargets.windowStart} <= ${takenAt.getTime()}, 1, 0)`
  return build
    .update(callTargets)
    .set({
      leases,
      ...(!outcome.isCounted && { calls }),
      ...(outcome.isAccepted && { acceptedAt: now }),
    })
    .where(eq(callTargets.host, host))
}

/**
 * The statement that keeps the row of a host for as long as its last 2xx response counts (PROOF_MS). It writes at most
 * once a day, because the column is indexed.
 */
export function keepProvenHost(host: string, { isAccepted }: CallOutcome, now: Date) {
  // Rounded up to the end of the day, so that the value changes once a day.
  const keptUntil = Math.ceil((now.getTime() + PROOF_MS) / DAY_MS) * DAY_MS
  return build
    .update(callTargets)
    .set({ keptUntil: new Date(keptUntil) })
    .where(sql`${isAccepted} and ${callTargets.host} = ${host} and ${callTargets.keptUntil} < ${keptUntil}`)
}

/**
 * The query for the line at a host. It returns one row.
 *
 * @param host As SQL, because in some queries only the database knows it
 */
export function selectLine(host: SQL, limits: TargetLimits, now: Date) {
  const first = sql`(
    select id from ${deliveries} as waiting
    where waiting.waiting_for = slot.host and waiting.status = 'pending'
    order by waiting.waiting_since, waiting.id limit 1)`
  const fullUntil = sql`iif(${isFull(limits, now)}, ${callTargets.windowStart} + ${WINDOW_MS}, null)`
  return build
    .select({
      first: sql<number | null>`${first}`.as('first'),
      isBusy: sql`coalesce(${isBusy(limits, now)}, false)`.mapWith(Boolean).as('is_busy'),
      fullUntil: sql<number | null>`${fullUntil}`.as('full_until'),
    })
    .from(sql`(select ${host} as host) as slot left join ${callTargets} on ${callTargets.host} = slot.host`)
}

/** One round trip. */
export async function findLine(db: Database, host: string, limits: TargetLimits, now: Date): Promise<Line | undefined> {
  const [line] = await db.read(selectLine(sql`${host}`, limits, now))
  return line
}

/**
 * Takes a slot for an additional call of a delivery, in the order of the line. One round trip.
 *
 * @returns Whether the call got the slot
 */
export async function takeSlotFor(
  session: Session,
  { host, key, until, takenAt }: Slot,
  delivery: { id: number; dueAt: Date },
  limits: TargetLimits,
): Promise<boolean> {
  const isFirst = isFirstInLine(sql`${host}`, sql`${delivery.dueAt.getTime()}`, sql`${delivery.id}`)
  const slotRequest = sql`select ${host} as host, ${key} as key where ${isFirst}`
  const [taken] = await write(session, [takeSlot(slotRequest, until, limits, takenAt)])
  return taken.length > 0
}

/**
 * Takes a slot at a host whose limits several worlds share. These limits have no line: a call that gets no slot asks
 * again. One round trip.
 *
 * @returns Undefined if the call got the slot. Otherwise, `fullUntil` says until when the calls of the minute are used
 * up; it is null if only the maximum number of concurrent calls is reached
 */
export async function takeSharedSlot(
  session: Session,
  { host, key, until, takenAt }: Slot,
  limits: TargetLimits,
): Promise<{ fullUntil: Date | null } | undefined> {
  const [taken, [line]] = await write(session, [
    takeSlot(sql`select ${host} as host, ${key} as key`, until, limits, takenAt),
    selectLine(sql`${host}`, limits, takenAt),
  ])
  if (taken.length > 0) return undefined
  return { fullUntil: line?.fullUntil ? new Date(line.fullUntil) : null }
}

/**
 * Stops all calls of this world to a host until a time, because the limits that all worlds share are reached. The
 * effect is that of a minute whose calls are used up: the deliveries of this world wait in the line.
 */
export async function stopCalls(session: Session, host: string, until: Date, limits: TargetLimits): Promise<void> {
  const stopped = {
    windowStart: new Date(until.getTime() - WINDOW_MS),
    // Each call that is under way may still be subtracted, if it was not made. Even then, the limit must stay reached.
    calls: limits.callsProven + limits.concurrent,
  }
  await write(session, [
    build
      .insert(callTargets)
      .values({ host, ...stopped, leases: '{}', acceptedAt: null, keptUntil: new Date(0) })
      .onConflictDoUpdate({ target: callTargets.host, set: stopped }),
  ])
}

/** Gives back a slot from `takeSlotFor` or `takeSharedSlot`. One round trip. @returns The line at the host */
export async function giveBackSlot(
  session: Session,
  slot: Slot,
  outcome: CallOutcome,
  limits: TargetLimits,
  now: Date,
): Promise<Line | undefined> {
  const host = sql`${slot.host}`
  const [, , [line]] = await write(session, [
    giveBackInBatch(slot, outcome, now),
    keepProvenHost(slot.host, outcome, now),
    selectLine(host, limits, now),
  ])
  return line
}

/** The delivery that a line begins with. */
export interface FirstInLine {
  host: string
  id: number
}

/**
 * The first delivery of each line, in the order of the hosts, for the hosts after `after`. It reads a few rows for each
 * line, however long the line is.
 */
export async function listFirstInLines(db: Database, after: string, limit: number): Promise<FirstInLine[]> {
  const nextHost = (host: SQL) => sql`(
    select min(waiting.waiting_for) from ${deliveries} as waiting
    where waiting.waiting_for > ${host} and waiting.status = 'pending')`
  const first = sql`(
    select id from ${deliveries} as waiting
    where waiting.waiting_for = line.host and waiting.status = 'pending'
    order by waiting.waiting_since, waiting.id limit 1)`
  const lines = sql`(
    with recursive line(host) as (
      select ${nextHost(sql`${after}`)}
      union all
      select ${nextHost(sql`line.host`)} from line where line.host is not null
      limit ${limit})
    select host from line where host is not null) as line`
  return await db.read(build.select({ host: sql<string>`line.host`, id: sql<number>`${first}` }).from(lines))
}

/**
 * Makes all waiting deliveries due, for a service whose limits were switched off. It takes a limited number of steps.
 * The next sweep makes the remaining deliveries due.
 */
export async function dissolveLines(session: Session): Promise<void> {
  const nextDeliveries = sql`(
    select id from ${deliveries} as waiting
    where waiting.waiting_for is not null and waiting.status = 'pending'
    order by waiting.waiting_for, waiting.waiting_since, waiting.id limit ${DISSOLVE_LIMITS.rowsPerStep})`
  await writeInSteps(session, DISSOLVE_LIMITS, [
    build
      .update(deliveries)
      .set({ nextAttemptAt: sql`${deliveries.waitingSince}`, waitingFor: null })
      .where(sql`${deliveries.id} in ${nextDeliveries}`)
      .returning({ id: deliveries.id }),
  ])
}

/** Removes hosts that have no call under way, no calls in the current minute, and no proof that still counts. */
export async function removeIdleTargets(session: Session, now: Date): Promise<void> {
  const time = now.getTime()
  const isUnderWay = sql`exists (select 1 from json_each(${callTargets.leases}) where value >= ${time})`
  await write(session, [
    build
      .delete(callTargets)
      .where(sql`${callTargets.keptUntil} <= ${time} and ${hasNewWindow(now)} and not ${isUnderWay}`),
  ])
}
