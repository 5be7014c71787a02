import { type Database, openSession } from '../../db/client.ts'
import { ProblemError } from '../../domain/problems.ts'
import { preconditionFailed } from '../conditions.ts'
import type { RequestContext } from './context.ts'

/** Maximum number of attempts at a write, if another writer is faster each time. */
export const ATTEMPTS_MAX = 5

/** A write that depends on an earlier read. */
interface DependentWrite<Read, Outcome> {
  /** The result of the earlier read. */
  read: Read
  /**
   * Whether the caller has named the version that it has seen, for example with If-Match. If so, only this version may
   * be changed.
   */
  isConditional: boolean
  /** Writes in one batch, only if the data is still as it was read. Returns `changed` if the data has changed. */
  write(read: Read): Promise<Outcome | 'changed'>
  /** Reads again, and repeats all checks that must pass before the write. */
  reread(db: Database): Promise<Read>
}

/**
 * Writes data that depends on an earlier read. If another writer was faster, the data is read again and the write is
 * repeated. So no write overwrites data that it has not seen. All routes handle lost races with this function.
 *
 * @throws ProblemError 412 after the first attempt if the caller has set a condition, otherwise 409 after the last
 * attempt; any error of `reread`
 */
export async function writeWhatWasRead<Read, Outcome>(
  { read, isConditional, write, reread }: DependentWrite<Read, Outcome>,
  context: RequestContext,
): Promise<Outcome> {
  let current = read
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    if (attempt > 1) current = await reread(openAtLatestState(context))
    const outcome = await write(current)
    if (outcome !== 'changed') return outcome
    if (isConditional) throw preconditionFailed()
  }
  throw new ProblemError('conflict', 'Other requests are changing this resource at the same time. Try again.')
}

/**
 * Opens a new session, whose first query goes to the primary database. The request's session is not enough: after its
 * first query, a replica may respond that does not have the latest writes.
 */
export function openAtLatestState({ services }: RequestContext): Database {
  return openSession(services.database, 'first-primary').db
}
