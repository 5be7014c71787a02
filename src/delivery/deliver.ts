import { type Database, openSession } from '../db/client.ts'
import { enqueue } from '../events/message.ts'
import { CannotOpen } from '../lib/vault.ts'
import type { Services } from '../services.ts'
import { type ClaimedDelivery, cancelDelivery, claimDelivery, recordAttempt } from '../stores/deliveries.ts'
import { attempt } from './attempt.ts'
import { type Job, openJob } from './job.ts'
import { explainFailure, judge } from './judge.ts'

/** Longer than an attempt can take. An attempt that died with its machine is made again after it. */
const LEASE_MS = 30_000
/** Waits that the queue takes care of, to the second; of longer ones the sweep does, to the minute. */
const QUEUE_DELAY_MAX_SECONDS = 12 * 60 * 60
/** A message that came too early for the clock here would have to wait for the sweep. */
const CLOCK_SKEW_SECONDS = 1

/**
 * Attempts a delivery that is due, unless somebody else is at it. The body is the one of the first attempt, to the byte;
 * whatever the receiver does is an outcome that is recorded.
 *
 * @throws Only where the database cannot be reached; then the lease ends, and the sweep finds the delivery again
 */
export async function deliver(id: number, services: Services): Promise<void> {
  const { db } = openSession(services.database, 'first-primary')
  const delivery = await claimDelivery(db, id, services.now(), LEASE_MS)
  if (!delivery) return
  const isUnwanted = delivery.owner.suspendedAt !== null || (delivery.webhookId !== null && delivery.webhook === null)
  if (isUnwanted) return await cancelDelivery(db, id, services.now())
  const made = await attempt(await tryOpen(db, delivery, services), services)
  const now = services.now()
  const verdict = judge(made, delivery, services.config.retrySeconds, now, Math.random())
  const record = {
    startedAt: made.startedAt,
    durationMs: made.durationMs,
    status: made.status ?? null,
    error: explainFailure(made) ?? null,
    response: made.response ?? null,
  }
  await recordAttempt(db, delivery, record, verdict, now)
  if (!verdict.nextAttemptAt) return
  const wait = Math.ceil((verdict.nextAttemptAt.getTime() - now.getTime()) / 1000)
  const delaySeconds = wait + CLOCK_SKEW_SECONDS
  if (delaySeconds <= QUEUE_DELAY_MAX_SECONDS) enqueue(services, [{ delivery: id }], delaySeconds)
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
