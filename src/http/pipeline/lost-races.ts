import { type Database, openSession } from '../../db/client.ts'
import { ProblemError } from '../../domain/problems.ts'
import { preconditionFailed } from '../conditions.ts'
import type { RequestContext } from './context.ts'

/** Attempts at a write that other writers come before each time. */
export const ATTEMPTS_MAX = 5

/** A write that depends on what was read before it. */
interface DependentWrite<Read, Outcome> {
  /** What was read first. */
  read: Read
  /** Whether the caller has named the version that it has seen: what another writer left is then never its answer. */
  isConditional: boolean
  /** Writes, in one batch, for what was read and nothing else. `changed` means that this is not there any more. */
  write(read: Read): Promise<Outcome | 'changed'>
  /** Reads again, and checks again whatever has to hold before the write. */
  reread(db: Database): Promise<Read>
}

/**
 * THE policy for lost races: a write for which another writer came first is attempted again from what is there now. So no
 * write overwrites what it has not seen.
 *
 * @throws ProblemError 412 after the first attempt of a caller that has set a condition; 409 after the last of any other;
 * whatever `reread` throws
 */
export async function writeWhatWasRead<Read, Outcome>(
  { read, isConditional, write, reread }: DependentWrite<Read, Outcome>,
  context: RequestContext,
): Promise<Outcome> {
  let current = read
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    if (attempt > 1) current = await reread(openCurrent(context))
    const outcome = await write(current)
    if (outcome !== 'changed') return outcome
    if (isConditional) throw preconditionFailed()
  }
  throw new ProblemError('conflict', 'Other requests are changing this resource at the same time. Try again.')
}

/**
 * The database as it now is. It is a session of its own, because a later query of the request's session may be answered by
 * a replica that lags behind.
 */
export function openCurrent({ services }: RequestContext): Database {
  return openSession(services.database, 'first-primary').db
}
