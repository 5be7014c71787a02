import { type Database, openSession } from '../../db/client.ts'
import { CannotOpen } from '../../lib/vault.ts'
import type { Services } from '../../services.ts'
import { type AttemptRecord, cancelDelivery, recordAttempt } from '../../stores/callbacks/attempts.ts'
import { findLine } from '../../stores/callbacks/call-targets.ts'
import { type ClaimedDelivery, claimDelivery, waitFor } from '../../stores/callbacks/claims.ts'
import { type Attempt, attempt } from './attempt.ts'
import { enqueue } from './enqueue.ts'
import { type Job, openJob } from './job.ts'
import { explainFailure, judge } from './judge.ts'
import { CLOCK_SKEW_SECONDS, queueFirstInLine, throttleFor } from './throttle.ts'

/** Longer than an attempt can take. An attempt that died with its machine is made again after it. */
const LEASE_MS = 30_000
/** Waits that the queue takes care of, to the second; of longer ones the sweep does, to the minute. */
const QUEUE_DELAY_MAX_SECONDS = 12 * 60 * 60

/**
 * Attempts a delivery that is due, unless somebody else is at it, or its host gets as many calls as it may: then it waits in
 * the line there. The body is the one of the first attempt, to the byte; whatever the receiver does is an outcome that is
 * recorded.
 *
 * @throws Only where the database cannot be reached; then the lease ends, and the sweep finds the delivery again
 */
export async function deliver(id: number, services: Services): Promise<void> {
  const { db } = openSession(services.database, 'first-primary')
  const { targetLimits: limits } = services.config
  const { delivery, left, line } = await claimDelivery(db, id, services.now(), LEASE_MS, limits)
  // Of those that find no place only the first in line sees to it that the line goes on.
  if (delivery || line?.first === id) queueFirstInLine(services, line)
  if (left !== undefined && limits) queueFirstInLine(services, await findLine(db, left, limits, services.now()))
  if (delivery) await makeAttempt(db, delivery, services)
}

async function makeAttempt(db: Database, delivery: ClaimedDelivery, services: Services): Promise<void> {
  const { targetLimits: limits, retrySeconds } = services.config
  const isUnwanted = delivery.owner.suspendedAt !== null || (delivery.webhookId !== null && delivery.webhook === null)
  if (isUnwanted) return queueFirstInLine(services, await cancelDelivery(db, delivery, limits, services.now()))
  const throttle = throttleFor(db, delivery, LEASE_MS, services)
  const made = await attempt(await tryOpen(db, delivery, services), services, throttle)
  const now = services.now()
  if (made.waitsFor !== undefined && limits) {
    const { own, other } = await waitFor(db, delivery, made.waitsFor, limits, now)
    queueFirstInLine(services, own)
    if (other?.first === delivery.id) queueFirstInLine(services, other)
    return
  }
  const verdict = judge(made, delivery, retrySeconds, now, Math.random())
  queueFirstInLine(
    services,
    await recordAttempt(db, delivery, { record: recordOf(made), isMade: made.isMade }, verdict, now, limits),
  )
  if (!verdict.nextAttemptAt) return
  const wait = Math.ceil((verdict.nextAttemptAt.getTime() - now.getTime()) / 1000)
  const delaySeconds = wait + CLOCK_SKEW_SECONDS
  if (delaySeconds <= QUEUE_DELAY_MAX_SECONDS) enqueue(services, [{ delivery: delivery.id }], delaySeconds)
}

function recordOf(made: Attempt): AttemptRecord {
  return {
    startedAt: made.startedAt,
    durationMs: made.durationMs,
    status: made.status ?? null,
    error: explainFailure(made) ?? null,
    response: made.response ?? null,
  }
}

/** A secret that cannot be opened is for the log to tell; whatever else fails here is for another attempt. */
async function tryOpen(db: Database, delivery: ClaimedDelivery, services: Services): Promise<Job | CannotOpen> {
  try {
    return await openJob(db, delivery, services)
  } catch (error) {
    if (error instanceof CannotOpen) return error
    throw error
  }
}
