import { openSession } from './db/client.ts'
import { requeueDue } from './features/callbacks/requeue.ts'
import { rootCause } from './lib/root-cause.ts'
import type { Services } from './services.ts'
import { removeEndedKeys } from './stores/api-keys.ts'
import { removeIdleTargets } from './stores/callbacks/call-targets.ts'
import { removeDeadLetters } from './stores/callbacks/dead-letters.ts'
import { removeEndedDeliveries } from './stores/callbacks/delivery-retention.ts'
import { removeEndedClients } from './stores/clients.ts'
import { removeEndedGrants } from './stores/grants.ts'
import { removeOrphans } from './stores/images.ts'
import { removeExpiredInboxes } from './stores/inboxes.ts'
import { removeEndedWindows } from './stores/rate-limits.ts'
import { removeDeletedAccounts } from './stores/removed-accounts.ts'
import { removeEndedSignIns } from './stores/sign-ins.ts'

const HOUR_MS = 60 * 60 * 1000

/** Runs the jobs of every minute. They are independent of one another: if one fails, the others still run. */
export async function sweep(services: Services): Promise<void> {
  const { database, bucket, config, now } = services
  const { db } = openSession(database, 'first-primary')
  const endOfRetention = new Date(now().getTime() - config.retentionHours * HOUR_MS)
  const jobs = [
    requeueDue(db, services),
    removeDeletedAccounts(db, bucket),
    removeOrphans(db, bucket, now()),
    removeEndedWindows(db, now()),
    removeIdleTargets(db, now()),
    removeEndedKeys(db, now()),
    removeEndedGrants(db, now()),
    removeEndedSignIns(db, now()),
    removeEndedClients(db, now()),
    removeEndedDeliveries(db, endOfRetention),
    removeDeadLetters(db, endOfRetention),
    removeExpiredInboxes(db, now()),
  ]
  for (const result of await Promise.allSettled(jobs)) {
    if (result.status === 'rejected') {
      console.error(JSON.stringify({ event: 'sweep-failed', error: rootCause(result.reason).message }))
    }
  }
}
