import { enqueue } from '../../changes/enqueue.ts'
import { openSession, type Session } from '../../db/port.ts'
import { CannotOpen } from '../../lib/vault.ts'
import type { Services } from '../../services.ts'
import { type AttemptRecord, cancelDelivery, recordAttempt, type Verdict } from '../../stores/callbacks/attempts.ts'
import { findLine, stopCalls } from '../../stores/callbacks/call-targets.ts'
import { type LeasedDelivery, leaseDelivery, moveToLine } from '../../stores/callbacks/leases.ts'
import type { TestStep } from '../../stores/callbacks/receiver-tests.ts'
import { type Attempt, attemptCall } from './attempt.ts'
import { decideNext, explainFailure, isAccepted } from './decide-next.ts'
import { decideTest, endCheckOf, findCancellation } from './decide-test.ts'
import { type Job, openJob } from './job.ts'
import { beginCalls } from './shared-limits.ts'
import { CLOCK_SKEW_SECONDS, queueFirstInLine, throttleFor } from './throttle.ts'

/**
 * The lease of a delivery, which is longer than an attempt can take. If a worker dies during an attempt, the
 * attempt is repeated after this time.
 */
const LEASE_MS = 30_000
/**
 * If an attempt is due within this time, a delayed message in the queue starts the attempt. The sweep, which runs every
 * minute, starts later attempts.
 */
const QUEUE_DELAY_MAX_SECONDS = 12 * 60 * 60

/**
 * Attempts a delivery that is due, unless another worker has leased it. If its host has reached its limit of calls,
 * the delivery waits in the line of this host. Every attempt sends exactly the same body. Errors of the receiver are
 * recorded, not thrown.
 *
 * @throws An error only if the database cannot be reached. The lease then expires, and the sweep finds the delivery
 * again
 */
export async function deliver(id: number, services: Services): Promise<void> {
  const session = openSession(services, 'first-primary')
  const { db } = session
  const { targetLimits: limits } = services.config
  const { delivery, hostOfLeftLine, line } = await leaseDelivery(session, id, services.now(), LEASE_MS, limits)
  // After a lease, the host may have room for one more call, so the first delivery in the line is queued. Without a
  // lease, this delivery may have joined the line. It is then queued only if it is the first itself. If every delivery
  // that joins the line queued the first delivery, the first would get one message for each.
  if (delivery || line?.first === id) queueFirstInLine(services, line)
  // This delivery waited in the line of another host, such as a token endpoint. That line has a new first delivery.
  if (hostOfLeftLine !== undefined && limits)
    queueFirstInLine(services, await findLine(db, hostOfLeftLine, limits, services.now()))
  if (delivery) await makeAttempt(session, delivery, services)
}

/** Attempts a leased delivery, records the outcome, and queues its retry and the first delivery in the line. */
async function makeAttempt(session: Session, delivery: LeasedDelivery, services: Services): Promise<void> {
  const { targetLimits: limits } = services.config
  const isSubscriptionDeleted = delivery.webhookId !== null && delivery.webhook === null
  const cancellation = isSubscriptionDeleted ? undefined : findCancellation(delivery, services.now())
  if (isSubscriptionDeleted || cancellation) {
    const checkStep = cancellation && endCheckOf(delivery, cancellation)
    queueFirstInLine(services, await cancelDelivery(session, delivery, checkStep, limits, services.now()))
    return
  }
  // The lease has applied the limits of this world to the call to the receiver. `throttle` applies them to the calls
  // that precede it. In a universe, `calls` applies the limits that all universes share to every call.
  const throttle = throttleFor(session, delivery, LEASE_MS, services)
  const calls = beginCalls(delivery, LEASE_MS, services)
  const job = await tryOpen(session, delivery, services)
  const outcome = await attemptCall(job, { ...services, fetch: calls.fetch }, throttle)
  await calls.end()
  const now = services.now()
  if (outcome.waitsForHost !== undefined && limits) {
    const { waitsForHost, waitsUntil } = outcome
    // If `waitsUntil` is set, the delivery does not wait for a limit of this world. So the end of a call in this world
    // does not show that there is room. Calls to the host stop until that time. Then the first delivery is queued.
    if (waitsUntil) await stopCalls(session, waitsForHost, waitsUntil, limits)
    const { ownLine, otherLine } = await moveToLine(session, delivery, waitsForHost, limits, now)
    queueFirstInLine(services, ownLine)
    if (otherLine?.first === delivery.id) queueFirstInLine(services, otherLine)
    return
  }
  const { verdict, testStep } = decide(outcome, delivery, now, services)
  const recordedOutcome = {
    record: recordOf(outcome),
    wasCalled: outcome.wasCalled,
    isAccepted: isAccepted(outcome),
  }
  queueFirstInLine(services, await recordAttempt(session, delivery, recordedOutcome, verdict, testStep, now, limits))
  if (testStep?.check && !testStep.check.hasEnded) enqueueNextOfCheck(delivery, testStep, services)
  if (!verdict.nextAttemptAt) return
  const waitSeconds = Math.ceil((verdict.nextAttemptAt.getTime() - now.getTime()) / 1000)
  const delaySeconds = waitSeconds + CLOCK_SKEW_SECONDS
  if (delaySeconds <= QUEUE_DELAY_MAX_SECONDS) enqueue(services, [{ delivery: delivery.id }], delaySeconds)
}

/** What follows an attempt, for the delivery and, if it is a test, for the test and its check. */
function decide(
  outcome: Attempt,
  delivery: LeasedDelivery,
  now: Date,
  { config, random }: Services,
): { verdict: Verdict; testStep: TestStep | undefined } {
  if (delivery.test) return decideTest(outcome, delivery, delivery.test, now)
  return { verdict: decideNext(outcome, delivery, config.retrySeconds, now, random()), testStep: undefined }
}

/** Queues the test that follows in a check, as soon as the current one has a verdict. */
function enqueueNextOfCheck({ test }: LeasedDelivery, { verdict }: TestStep, services: Services): void {
  if (verdict !== null && test?.nextId) enqueue(services, [{ delivery: test.nextId }])
}

/** The outcome of an attempt as the log stores it. */
function recordOf(outcome: Attempt): AttemptRecord {
  return {
    startedAt: outcome.startedAt,
    durationMs: outcome.durationMs,
    status: outcome.status ?? null,
    error: explainFailure(outcome) ?? null,
    response: outcome.response ?? null,
  }
}

/**
 * Decrypts the secrets of a delivery. A secret that cannot be decrypted is returned as an error, for the log of the
 * delivery. Any other failure is thrown, so the attempt is repeated.
 */
async function tryOpen(session: Session, delivery: LeasedDelivery, services: Services): Promise<Job | CannotOpen> {
  try {
    return await openJob(session, delivery, services)
  } catch (error) {
    if (error instanceof CannotOpen) return error
    throw error
  }
}
