import { removeEndedReplies } from './changes/kept-replies.ts'
import { trimLog } from './changes/log.ts'
import { costOf, createMeter, meterDatabase, openSession, type Session } from './db/port.ts'
import { endOverdueChecks } from './features/callbacks/overdue-checks.ts'
import { requeueBatches, requeueDue } from './features/callbacks/requeue.ts'
import { resealSecrets } from './features/callbacks/resealing.ts'
import { writeLine } from './lib/log-line.ts'
import { rootCause } from './lib/root-cause.ts'
import { HOUR_MS } from './lib/time.ts'
import type { Services } from './services.ts'
import { removeEndedKeys } from './stores/api-keys.ts'
import { removeIdleTargets } from './stores/callbacks/call-targets.ts'
import { removeDeadLetters } from './stores/callbacks/dead-letters.ts'
import { removeEndedDeliveries } from './stores/callbacks/delivery-retention.ts'
import { removeOldChecks } from './stores/callbacks/receiver-tests.ts'
import { removeEndedClients } from './stores/clients.ts'
import { removeEndedGrants } from './stores/grants.ts'
import { removeOrphans } from './stores/images.ts'
import { removeExpiredInboxes } from './stores/inboxes.ts'
import { removeEndedLabRuns } from './stores/lab-runs.ts'
import { removeEndedBatches } from './stores/observations.ts'
import { removeEndedWindows } from './stores/rate-limits.ts'
import { removeDeletedAccounts } from './stores/removed-accounts.ts'
import { removeEndedSignIns } from './stores/sign-ins.ts'
import { removeOldItems } from './stores/visitor-retention.ts'

/** Runs the jobs of every minute. They are independent of one another: if one fails, the others still run. */
export async function sweep(unmeteredServices: Services): Promise<void> {
  const startedAt = Date.now()
  const meter = createMeter()
  const services = { ...unmeteredServices, database: meterDatabase(unmeteredServices.database, meter) }
  const failures = await runJobs(services)
  if (!services.config.logsRequests) return
  const world = services.worldId ?? 'common'
  writeLine({ event: 'sweep', durationMs: Date.now() - startedAt, failures, ...costOf(meter), world })
}

/** Runs all jobs, and logs each failure. @returns The number of jobs that failed */
async function runJobs(services: Services): Promise<number> {
  const { bucket, config, hub, vault, now } = services
  const session = openSession(services, 'first-primary')
  const keptSince = new Date(now().getTime() - config.retentionHours * HOUR_MS)
  const jobs = [
    requeueDue(session, services),
    requeueBatches(session, services),
    removeDeletedAccounts(session, bucket, now()),
    removeOrphans(session, bucket, now()),
    removeEndedWindows(session, now()),
    removeIdleTargets(session, now()),
    removeEndedKeys(session, now()),
    removeEndedGrants(session, now()),
    removeEndedSignIns(session, now()),
    removeEndedClients(session, now()),
    removeEndedDeliveries(session, keptSince),
    removeDeadLetters(session, keptSince),
    endOverdueChecks(session, now()),
    removeOldChecks(session, now()),
    trimLog(session, now()),
    removeEndedReplies(session, now()),
    removeExpiredInboxes(session, now()),
    removeEndedLabRuns(session, now()),
    removeEndedBatches(session, now()),
    removeOldVisitorItems(session, services),
    resealSecrets(session, vault),
    // An earlier notification may have been lost.
    hub.notifyNow(),
  ]
  const results = await Promise.allSettled(jobs)
  const failed = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
  for (const { reason } of failed) {
    console.error(JSON.stringify({ event: 'sweep-failed', error: rootCause(reason).message }))
  }
  return failed.length
}

/** Removes old data of visitors, if the operator has set VISITOR_RETENTION_HOURS. */
async function removeOldVisitorItems(session: Session, { bucket, config, now }: Services): Promise<void> {
  if (config.visitorRetentionHours === undefined) return
  const keptSince = new Date(now().getTime() - config.visitorRetentionHours * HOUR_MS)
  await removeOldItems(session, bucket, keptSince, now())
}
