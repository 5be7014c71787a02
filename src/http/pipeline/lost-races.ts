import { LostRace } from '../../changes/requirements.ts'
import { type Database, openSession } from '../../db/port.ts'
import { ProblemError } from '../../domain/problems.ts'
import { ElapsedTime } from '../../lib/elapsed-time.ts'
import type { Turn } from '../../lib/line.ts'
import { preconditionFailed } from '../conditions.ts'
import type { RequestContext } from './context.ts'

/** How long a write is repeated while other writers are faster, in milliseconds. */
export const TURNS_MAX_MS = 5000
/** The longest wait after the first lost race, in milliseconds. It doubles with each further one. */
const FIRST_PAUSE_MAX_MS = 20
/** The longest wait after any lost race, in milliseconds. It bounds what one request costs the database in vain. */
const PAUSE_MAX_MS = 640

interface DependentWrite<Read, Outcome> {
  /** What is written, such as `planet 4`. Its writers take turns. */
  resource: string
  /** The result of the earlier read. */
  read: Read
  /**
   * Whether the caller has named the version that it has seen, for example with If-Match. If so, only this version may
   * be changed.
   */
  isConditional: boolean
  /** Commits a change, only if the data is still as it was read. Throws LostRace if the data has changed. */
  write(read: Read): Promise<Outcome>
  /** Reads again, and repeats all checks that must pass before the write. */
  reread(db: Database): Promise<Read>
}

/**
 * Writes data that depends on an earlier read. If another writer was faster, the data is read again and the write is
 * repeated, for TURNS_MAX_MS. So no write overwrites data that it has not seen.
 *
 * Those that have lost a race take turns: those of this isolate stand in line, because otherwise thirty writers would
 * make hundreds of attempts in vain, which keep the database from the one that counts. Those of different isolates meet
 * at random times.
 *
 * @throws ProblemError 412 after the first attempt if the caller has set a condition, otherwise 409 after the last
 * attempt; any error of `reread`
 */
export async function writeWhatWasRead<Read, Outcome>(
  { resource, read, isConditional, write, reread }: DependentWrite<Read, Outcome>,
  context: RequestContext,
): Promise<Outcome> {
  const elapsed = new ElapsedTime(context.services.now)
  const outcome = await tryWrite(() => write(read))
  if (outcome !== LOST) return outcome
  if (isConditional) throw preconditionFailed()
  const turn = context.services.turns.join(resource, context.services)
  try {
    return await writeAtTurn(turn, elapsed, { write, reread }, context)
  } finally {
    turn.leave()
  }
}

/** The outcome of a write that has lost a race. */
const LOST = Symbol('lost')

async function tryWrite<Outcome>(write: () => Promise<Outcome>): Promise<Outcome | typeof LOST> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof LostRace) return LOST
    throw error
  }
}

/** Repeats a write that has lost a race. @throws ProblemError 409 after the last attempt; any error of `reread` */
async function writeAtTurn<Read, Outcome>(
  turn: Turn,
  elapsed: ElapsedTime,
  { write, reread }: Pick<DependentWrite<Read, Outcome>, 'write' | 'reread'>,
  context: RequestContext,
): Promise<Outcome> {
  const { wait, random } = context.services
  for (let losses = 1; ; losses++) {
    const leftMs = TURNS_MAX_MS - elapsed.milliseconds
    if (leftMs <= 0) {
      throw new ProblemError('conflict', 'Other requests are changing this resource at the same time. Try again.')
    }
    await wait(Math.min(leftMs, pauseAfter(losses, random)))
    await turn.reachFront(TURNS_MAX_MS - elapsed.milliseconds)
    const current = await reread(openAtLatestState(context))
    const outcome = await tryWrite(() => write(current))
    if (outcome !== LOST) return outcome
  }
}

/** In milliseconds. Random, because writers that lost the same race would otherwise meet again. */
function pauseAfter(losses: number, random: () => number): number {
  return random() * Math.min(PAUSE_MAX_MS, FIRST_PAUSE_MAX_MS * 2 ** (losses - 1))
}

/** The request's session is not enough: after its first query, a replica may respond without the latest writes. */
export function openAtLatestState({ services }: RequestContext): Database {
  return openSession(services, 'first-primary').db
}
