import { and, asc, eq, getTableColumns, isNotNull, isNull, lt, lte, not, or, sql } from 'drizzle-orm'
import { build, type Database, type ResultOf, rowIfAny, rowOf, type Session, write } from '../../db/port.ts'
import {
  deliveries,
  events,
  log,
  signingSecrets,
  users,
  webhookChecks,
  webhooks,
  webhookTests,
} from '../../db/tables.ts'
import { INSIDE_SERVICE } from '../../domain/target-host.ts'
import type { TargetLimits } from '../../env.ts'
import type { Trace } from '../../lib/trace-context.ts'
import {
  callKey,
  giveBackInBatch,
  isFirstInLine,
  isSlotTaken,
  type Line,
  type Slot,
  selectLine,
  takeSlot,
} from './call-targets.ts'

// Finds deliveries that are due, and leases them to workers.

/** A leased delivery, with everything that an attempt needs. */
export type LeasedDelivery = Omit<ResultOf<ReturnType<typeof selectLeased>>[number], 'leasedUntil'> & {
  leasedAt: Date
  leasedUntil: Date
  /** When the delivery became due. This is its position in a line (the deliveries that wait for a slot at a host). */
  dueAt: Date
}

interface LeaseOutcome {
  /** Undefined if the delivery could not be leased. */
  delivery: LeasedDelivery | undefined
  /** The host whose line the delivery has left, if it is not the delivery's own host; otherwise undefined. */
  hostOfLeftLine: string | undefined
  /** The current line at the delivery's host; undefined if calls are not limited. */
  line: Line | undefined
}

/**
 * Leases a delivery that is due, so that no other worker attempts it during the lease. If several workers try at the
 * same time, one succeeds. If calls are limited, the delivery also takes a slot at its host. If there is no slot, the
 * delivery is not leased, and waits in the line at the host. One round trip.
 */
export async function leaseDelivery(
  session: Session,
  id: number,
  now: Date,
  leaseMs: number,
  limits: TargetLimits | undefined,
): Promise<LeaseOutcome> {
  const leasedUntil = new Date(now.getTime() + leaseMs)
  const isLeasable = and(eq(deliveries.id, id), mayBeLeased(now))
  // The delivery becomes due again when the lease ends. So if the worker crashes, another attempt follows, and the
  // delivery does not block the line.
  const leaseColumns = { leasedUntil, nextAttemptAt: leasedUntil, waitingFor: null }
  if (!limits) {
    const update = build.update(deliveries).set(leaseColumns).where(isLeasable).returning({ id: deliveries.id })
    const [updated, leased] = await write(session, [update, selectLeased(id, leasedUntil)])
    return { delivery: describeLease(updated, leased, now, leasedUntil), hostOfLeftLine: undefined, line: undefined }
  }
  const host = sql`(select ${deliveries.host} from ${deliveries} where ${deliveries.id} = ${id})`
  const key = sql`${callKey(id)}`
  const staysInside = eq(deliveries.host, INSIDE_SERVICE)
  const waitingSince = sql`coalesce(${deliveries.waitingSince}, ${deliveries.nextAttemptAt})`
  const isFirst = isFirstInLine(sql`${deliveries.host}`, waitingSince, sql`${deliveries.id}`)
  const slotRequest = sql`select ${deliveries.host} as host, ${key} as key from ${deliveries} where ${and(isLeasable, not(staysInside), isFirst)}`
  const [[previous], , updated, movedToLine, leased, [line]] = await write(session, [
    build
      .select({ host: deliveries.host, waitingFor: deliveries.waitingFor })
      .from(deliveries)
      .where(eq(deliveries.id, id)),
    takeSlot(slotRequest, leasedUntil, limits, now),
    build
      .update(deliveries)
      .set({ ...leaseColumns, waitingSince })
      .where(and(isLeasable, or(staysInside, isSlotTaken(sql`${deliveries.host}`, key, leasedUntil))))
      .returning({ id: deliveries.id }),
    // Moves the delivery to the line of its host if it got no slot. A delivery that was just leased is no longer due,
    // so this statement does not match it.
    build
      .update(deliveries)
      .set({ leasedUntil: null, nextAttemptAt: null, waitingFor: sql`${deliveries.host}`, waitingSince })
      .where(and(isLeasable, sql`${deliveries.waitingFor} is not ${deliveries.host}`))
      .returning({ id: deliveries.id }),
    selectLeased(id, leasedUntil),
    selectLine(host, limits, now),
  ])
  // The delivery may have waited in the line of another host, see `moveToLine`.
  const formerHost = previous?.waitingFor ?? undefined
  const waitedElsewhere = formerHost !== undefined && formerHost !== previous?.host
  const hasLeft = updated.length > 0 || movedToLine.length > 0
  const hostOfLeftLine = waitedElsewhere && hasLeft ? formerHost : undefined
  return { delivery: describeLease(updated, leased, now, leasedUntil), hostOfLeftLine, line }
}

/** The leased delivery; undefined if the lease failed. */
function describeLease(
  updated: readonly unknown[],
  [leased]: ResultOf<ReturnType<typeof selectLeased>>,
  leasedAt: Date,
  leasedUntil: Date,
): LeasedDelivery | undefined {
  if (!leased || updated.length === 0) return undefined
  return { ...leased, leasedAt, leasedUntil, dueAt: leased.waitingSince ?? leasedAt }
}

/** The trace and the caller of the request that has caused an event; null if the log does not have its row. */
type EventOrigin = [trace: Trace | null, callerId: number | null] | null

// The last two groups of the id are the salt of the row (domain/event-id.ts).
const SALT = sql`substr(${events.liveId}, -17, 4) || substr(${events.liveId}, -12)`
const ORIGIN = sql<EventOrigin>`json((
  select json_extract(${log.details}, '$.trace', '$.userId') from ${log} where ${log.salt} = ${SALT} limit 1))`

/** The rest of a query for the event of a delivery. */
export const ITS_EVENT = sql`from ${events} where ${events.id} = ${deliveries.eventId}`
const ITS_OWNER = sql`from ${users} where ${users.id} = ${deliveries.userId}`

/** The subscription of a delivery. */
export const WEBHOOK_OF_DELIVERY = rowIfAny(
  getTableColumns(webhooks),
  sql`from ${webhooks} where ${webhooks.id} = ${deliveries.webhookId}`,
)

/** The signing secret of the owner of a delivery. */
export const SECRET_OF_DELIVERY = rowIfAny(
  getTableColumns(signingSecrets),
  sql`from ${signingSecrets} where ${signingSecrets.userId} = ${deliveries.userId}`,
)

export const ITS_TEST = sql`from ${webhookTests} where ${webhookTests.deliveryId} = ${deliveries.id}`

const TEST_OF_DELIVERY = rowIfAny(
  {
    ...getTableColumns(webhookTests),
    check: rowIfAny(
      getTableColumns(webhookChecks),
      sql`from ${webhookChecks} where ${webhookChecks.id} = ${webhookTests.checkId}`,
    ),
    /** The delivery that follows in a check; null if there is none. */
    nextId: sql<number | null>`(
      select min(following.delivery_id) from ${webhookTests} as following
      where following.check_id = ${webhookTests.checkId} and following.delivery_id > ${webhookTests.deliveryId})`,
  },
  ITS_TEST,
)

/**
 * The query for a delivery with this lease, with everything that an attempt needs. If the delivery has another lease or
 * no lease, the query finds nothing, so the body is not read.
 */
function selectLeased(id: number, leasedUntil: Date) {
  return build
    .select({
      ...getTableColumns(deliveries),
      payload: rowOf({ body: events.body, liveId: events.liveId, origin: ORIGIN }, ITS_EVENT).column().as('payload'),
      owner: rowOf({ suspendedAt: users.suspendedAt }, ITS_OWNER).column().as('owner'),
      signingSecret: SECRET_OF_DELIVERY.column().as('signing_secret'),
      webhook: WEBHOOK_OF_DELIVERY.column().as('webhook'),
      test: TEST_OF_DELIVERY.column().as('test'),
    })
    .from(deliveries)
    .where(and(eq(deliveries.id, id), eq(deliveries.leasedUntil, leasedUntil)))
}

/**
 * Moves a leased delivery to the line of a host that it has to call first, such as that of a token endpoint. One round
 * trip.
 *
 * @returns `ownLine`: the line at the delivery's own host, where its slot is given back. `otherLine`: the line in
 * which the delivery waits from now on
 */
export async function moveToLine(
  session: Session,
  delivery: LeasedDelivery,
  host: string,
  limits: TargetLimits,
  now: Date,
): Promise<{ ownLine: Line | undefined; otherLine: Line | undefined }> {
  const slot = slotOf(delivery)
  const [, , [ownLine], [otherLine]] = await write(session, [
    build
      .update(deliveries)
      .set({ leasedUntil: null, nextAttemptAt: null, waitingFor: host, waitingSince: delivery.dueAt })
      .where(and(eq(deliveries.id, delivery.id), isStillLeased(delivery))),
    // A delivery can also wait for its own host, for example because limits that all worlds share are reached. Its call
    // then stays counted, although it was not made. Otherwise the line would have room at once for the same call.
    giveBackInBatch(slot, { isCounted: host === slot.host, isAccepted: false }, now),
    selectLine(sql`${slot.host}`, limits, now),
    selectLine(sql`${host}`, limits, now),
  ])
  return { ownLine, otherLine }
}

function isStillLeased({ leasedUntil }: LeasedDelivery) {
  return and(eq(deliveries.status, 'pending'), eq(deliveries.leasedUntil, leasedUntil))
}

export function slotOf({ id, host, leasedUntil, leasedAt }: LeasedDelivery): Slot {
  return { host, key: callKey(id), takenAt: leasedAt, until: leasedUntil }
}

/** SQL: whether a delivery is due and no worker has a lease on it. */
function isDue(now: Date) {
  return and(eq(deliveries.status, 'pending'), lte(deliveries.nextAttemptAt, now), hasNoLease(now))
}

/** SQL: whether a delivery is due or waits in a line, and no worker has a lease on it. */
function mayBeLeased(now: Date) {
  const isDueOrWaits = or(lte(deliveries.nextAttemptAt, now), isNotNull(deliveries.waitingFor))
  return and(eq(deliveries.status, 'pending'), isDueOrWaits, hasNoLease(now))
}

/** SQL: whether no worker has a lease on the delivery. */
export function hasNoLease(now: Date) {
  return or(isNull(deliveries.leasedUntil), lt(deliveries.leasedUntil, now))
}

/** A position in the list of due deliveries. */
export interface DueDelivery {
  id: number
  nextAttemptAt: Date | null
}

/** Lists deliveries that are due, in the order of their due times. @param after Only deliveries after this position */
export async function listDueDeliveries(
  db: Database,
  now: Date,
  after: DueDelivery | undefined,
  limit: number,
): Promise<DueDelivery[]> {
  const position = sql`(${deliveries.nextAttemptAt}, ${deliveries.id})`
  return await db.read(
    build
      .select({ id: deliveries.id, nextAttemptAt: deliveries.nextAttemptAt })
      .from(deliveries)
      .where(and(isDue(now), after && sql`${position} > (${after.nextAttemptAt?.getTime()}, ${after.id})`))
      .orderBy(asc(deliveries.nextAttemptAt), asc(deliveries.id))
      .limit(limit),
  )
}
