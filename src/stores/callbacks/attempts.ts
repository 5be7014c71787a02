import { and, desc, eq, exists, inArray, lt, sql } from 'drizzle-orm'
import { build, type Query, type Session, write } from '../../db/port.ts'
import { attempts, deliveries, planets, refusedCallbacks, webhooks } from '../../db/tables.ts'
import { INSIDE_SERVICE } from '../../domain/target-host.ts'
import type { TargetLimits } from '../../env.ts'
import type { DeliveryStatus } from '../../schemas/delivery.ts'
import { NO_FAILURES } from '../webhooks.ts'
import { type CallOutcome, giveBackInBatch, keepProvenHost, type Line, selectLine } from './call-targets.ts'
import { type LeasedDelivery, slotOf } from './leases.ts'
import { type CheckStep, recordCheck, recordTest, type TestStep } from './receiver-tests.ts'

export type AttemptRecord = Omit<typeof attempts.$inferInsert, 'id' | 'deliveryId'>

/** The state of a delivery after an attempt. */
export interface Verdict {
  status: DeliveryStatus
  /** Undefined if there is no next attempt. */
  nextAttemptAt: Date | undefined
  /** Whether the receiver wants no more callbacks about the planet. */
  endsCallbacks: boolean
  /** Whether the receiver of a subscription reports that it no longer exists. */
  isGone: boolean
}

/** Number of attempts that are kept for a delivery. Older attempts are deleted. */
export const ATTEMPTS_MAX = 100

/**
 * A subscription is paused if this many attempts in a row have failed, and the first of them at least FAILING_MAX_MS
 * ago.
 */
const FAILURES_MAX = 20
const FAILING_MAX_MS = 60 * 60 * 1000

/**
 * A delivery that was cancelled meanwhile stays cancelled, unless the attempt succeeded. If the lease has passed to
 * another worker, a failure does not change the delivery: it is logged, and counted for the subscription. One round
 * trip.
 *
 * @param attempt The log entry, and whether the receiver was called and has accepted the call. An attempt without a call
 * does not count towards the limit of the host
 * @param testStep If the delivery is a test: what follows for the test. Its outcome counts nothing for the subscription
 * @returns The line (the waiting deliveries) at the host of the delivery; undefined if calls are not limited
 */
export async function recordAttempt(
  session: Session,
  delivery: LeasedDelivery,
  { record, wasCalled, isAccepted }: { record: AttemptRecord; wasCalled: boolean; isAccepted: boolean },
  { status, nextAttemptAt, endsCallbacks, isGone }: Verdict,
  testStep: TestStep | undefined,
  now: Date,
  limits: TargetLimits | undefined,
): Promise<Line | undefined> {
  const { id, retries, webhookId, url, planetId, leasedUntil } = delivery
  const hasEnded = status !== 'pending'
  const hasFailed = status !== 'delivered'
  const hasLease = eq(deliveries.leasedUntil, leasedUntil)
  const mayChange =
    hasFailed || testStep
      ? and(eq(deliveries.status, 'pending'), hasLease)
      : inArray(deliveries.status, ['pending', 'cancelled'])
  const countStatements =
    webhookId === null || testStep ? [] : [countOutcome({ webhookId, url }, hasFailed, isGone, now)]
  const refusalStatements = endsCallbacks && planetId !== null ? [refuseCallbacks(planetId, url, now)] : []
  return await endLease(session, delivery, { isCounted: wasCalled, isAccepted }, limits, now, [
    build.insert(attempts).values({ ...record, deliveryId: id }),
    removeOldAttempts(id),
    build
      .update(deliveries)
      .set({
        status,
        nextAttemptAt: nextAttemptAt ?? null,
        waitingSince: null,
        retries: hasEnded ? retries : retries + 1,
        endedAt: hasEnded ? now : null,
      })
      .where(and(eq(deliveries.id, id), mayChange)),
    ...(testStep ? recordTest(delivery, testStep, now) : []),
    build
      .update(deliveries)
      .set({ leasedUntil: null })
      .where(and(eq(deliveries.id, id), hasLease)),
    ...countStatements,
    ...refusalStatements,
  ])
}

/** Limits the attempts, because a delivery can be sent again any number of times. */
function removeOldAttempts(deliveryId: number) {
  const isOfDelivery = eq(attempts.deliveryId, deliveryId)
  const oldestKept = build
    .select({ id: attempts.id })
    .from(attempts)
    .where(isOfDelivery)
    .orderBy(desc(attempts.id))
    .limit(1)
    // The newest attempt has the offset 0.
    .offset(ATTEMPTS_MAX - 1)
  return build.delete(attempts).where(and(isOfDelivery, lt(attempts.id, sql`(${oldestKept})`)))
}

/** The statement that records that a URL wants no more callbacks about a planet. The planet may be gone already. */
function refuseCallbacks(planetId: number, url: string, now: Date) {
  const planet = build.select({ id: planets.id }).from(planets).where(eq(planets.id, planetId))
  const endedAt = sql`iif(${exists(planet)}, null, ${now.getTime()})`
  return build.insert(refusedCallbacks).values({ planetId, url, endedAt }).onConflictDoNothing()
}

/**
 * The statement that counts the outcome of an attempt for its subscription. It pauses a subscription whose attempts
 * have failed for too long, and disables a subscription whose receiver is gone. Triggers then cancel the deliveries of
 * the subscription. An attempt at a former URL of the subscription does not count.
 */
function countOutcome(
  { webhookId, url }: { webhookId: number; url: string },
  hasFailed: boolean,
  isGone: boolean,
  now: Date,
) {
  const time = now.getTime()
  const failingSince = sql`coalesce(${webhooks.failingSince}, ${time})`
  const hasFailedForLong = sql`${webhooks.failures} + 1 >= ${FAILURES_MAX} and ${time} - ${failingSince} >= ${FAILING_MAX_MS}`
  const status = isGone
    ? sql`'disabled'`
    : sql`iif(${webhooks.status} = 'active' and ${hasFailedForLong}, 'paused', ${webhooks.status})`
  return build
    .update(webhooks)
    .set(hasFailed ? { failures: sql`${webhooks.failures} + 1`, failingSince, status } : NO_FAILURES)
    .where(and(eq(webhooks.id, webhookId), eq(webhooks.url, url)))
}

/**
 * Cancels a leased delivery that is no longer wanted. One round trip.
 *
 * @param checkStep If the delivery belongs to a check: its end
 * @returns The line at the host of the delivery; undefined if calls are not limited
 */
export async function cancelDelivery(
  session: Session,
  delivery: LeasedDelivery,
  checkStep: CheckStep | undefined,
  limits: TargetLimits | undefined,
  now: Date,
): Promise<Line | undefined> {
  return await endLease(session, delivery, { isCounted: false, isAccepted: false }, limits, now, [
    ...(checkStep ? [recordCheck(delivery, checkStep, now)] : []),
    build
      .update(deliveries)
      .set({ status: 'cancelled', nextAttemptAt: null, leasedUntil: null, endedAt: now })
      .where(and(eq(deliveries.id, delivery.id), eq(deliveries.status, 'pending'))),
  ])
}

/**
 * Runs the statements that end a lease as one batch. If calls are limited, the batch also gives back the delivery's
 * slot at its host. A delivery inside the service has no slot.
 *
 * @returns The line at the host; undefined if calls are not limited
 */
async function endLease(
  session: Session,
  delivery: LeasedDelivery,
  outcome: CallOutcome,
  limits: TargetLimits | undefined,
  now: Date,
  statements: readonly Query[],
): Promise<Line | undefined> {
  const slot = slotOf(delivery)
  if (!limits || slot.host === INSIDE_SERVICE) {
    await write(session, statements)
    return undefined
  }
  const host = sql`${slot.host}`
  const line = selectLine(host, limits, now)
  const slotStatements = [giveBackInBatch(slot, outcome, now), keepProvenHost(slot.host, outcome, now)] as const
  const [, , [currentLine]] = await write(session, [...slotStatements, line, ...statements])
  return currentLine
}
