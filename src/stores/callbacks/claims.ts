import { and, asc, eq, isNotNull, isNull, lt, lte, not, or, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { deliveries } from '../../db/tables.ts'
import { INSIDE } from '../../domain/target-host.ts'
import type { TargetLimits } from '../../env.ts'
import {
  callKey,
  giveBack,
  isFirstInLine,
  isTaken,
  type Line,
  type Place,
  selectLine,
  takePlace,
} from './call-targets.ts'

// Finds deliveries that are due, and claims them.

/** A claimed delivery, with everything that an attempt needs. */
export type ClaimedDelivery = Omit<Awaited<ReturnType<typeof selectClaimed>>[number], 'leasedUntil'> & {
  claimedAt: Date
  /** The end of the lease. */
  leasedUntil: Date
  /** When it became due, which determines its place in a line. */
  dueAt: Date
}

/** The result of trying to claim a delivery. */
interface Claim {
  /** Undefined if it could not be claimed. */
  delivery: ClaimedDelivery | undefined
  /** The host whose line the delivery has left. */
  left: string | undefined
  /** The current line at its host, if calls are limited. */
  line: Line | undefined
}

/**
 * Claims a delivery that is due, so that no other worker attempts it during the lease. If several
 * workers try at the same time, one succeeds. If calls are limited, the delivery also takes a place at
 * its host, or waits in the line there. One round trip.
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
  // Moves it back in the queue, so that it does not stay at the front for ever if the worker crashes.
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
    // A delivery that was just claimed is no longer due, so this statement does not match it.
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

/**
 * The query for a delivery with this lease, with everything that an attempt
 * needs. If it was not claimed, its body is not read.
 */
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

/** Moves a claimed delivery to the line of a host that it has to call first. One round trip. @returns Both lines */
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
    // If this is its own host, the call stays counted. Otherwise there would be
    // room at once for the call that was just rejected.
    giveBack(db, place, { isMade: host === place.host, isAccepted: false }, now),
    selectLine(db, sql`${place.host}`, limits, now),
    selectLine(db, sql`${host}`, limits, now),
  ])
  return { own, other }
}

function isStillClaimed({ leasedUntil }: ClaimedDelivery) {
  return and(eq(deliveries.status, 'pending'), eq(deliveries.leasedUntil, leasedUntil))
}

/** The place of a claimed delivery at its host. */
export function placeOf({ id, host, leasedUntil, claimedAt }: ClaimedDelivery): Place {
  return { host: host ?? INSIDE, key: callKey(id), takenAt: claimedAt, until: leasedUntil }
}

function isDue(now: Date) {
  return and(eq(deliveries.status, 'pending'), lte(deliveries.nextAttemptAt, now), isFree(now))
}

/** Deliveries that are due, or wait in a line. */
function mayBeClaimed(now: Date) {
  const isDueOrWaits = or(lte(deliveries.nextAttemptAt, now), isNotNull(deliveries.waitingFor))
  return and(eq(deliveries.status, 'pending'), isDueOrWaits, isFree(now))
}

/** Whether no worker has a lease on the delivery. */
export function isFree(now: Date) {
  return or(isNull(deliveries.leasedUntil), lt(deliveries.leasedUntil, now))
}

/** A position in the list of due deliveries. */
export interface DueDelivery {
  id: number
  nextAttemptAt: Date | null
}

/** Deliveries that are due, in the order of their due times, after a position. */
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
