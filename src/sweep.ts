import { openSession } from './db/client.ts'
import { rootCause } from './lib/root-cause.ts'
import type { Services } from './services.ts'
import { removeEndedKeys } from './stores/api-keys.ts'
import { removeIdleClients } from './stores/clients.ts'
import { removeEndedGrants } from './stores/grants.ts'
import { removeOrphans } from './stores/images.ts'
import { removeEndedWindows } from './stores/rate-limits.ts'
import { removeEndedSignIns } from './stores/sign-ins.ts'

/** What the service does each minute on its own: jobs that do not depend on one another, so that none can stop the rest. */
export async function sweep({ database, bucket, now }: Services): Promise<void> {
  const { db } = openSession(database, 'first-primary')
  const jobs = [
    removeOrphans(db, bucket, now()),
    removeEndedWindows(db, now()),
    removeEndedKeys(db, now()),
    removeEndedGrants(db, now()),
    removeEndedSignIns(db, now()),
    removeIdleClients(db, now()),
  ]
  for (const result of await Promise.allSettled(jobs)) {
    if (result.status === 'rejected') {
      console.error(JSON.stringify({ event: 'sweep-failed', error: rootCause(result.reason).message }))
    }
  }
}
