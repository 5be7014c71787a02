import type { Session } from '../../db/port.ts'
import { endChecks, listOverdueChecks } from '../../stores/callbacks/receiver-tests.ts'
import { CHECK_MAX_MS, stopResults } from './decide-test.ts'

const CHECKS_PER_SWEEP = 100

/** Ends the checks whose time is over, for example because their calls wait for their turn at a host. */
export async function endOverdueChecks(session: Session, now: Date): Promise<void> {
  const overdue = await listOverdueChecks(session.db, new Date(now.getTime() - CHECK_MAX_MS), now, CHECKS_PER_SWEEP)
  const ended = overdue.map((read) => ({ read, results: stopResults(read.results, 'late') }))
  await endChecks(session, ended, now)
}
