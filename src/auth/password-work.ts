import { ProblemError } from '../domain/problems.ts'
import { type Clock, Line } from '../lib/line.ts'

/**
 * Number of passwords that an isolate hashes at the same time. More would not be faster, because an isolate has one
 * thread. With only one, a request that the runtime cuts off would stop the queue for SILENCE_MAX_MS.
 */
const CONCURRENT_MAX = 2
/**
 * Maximum number of waiting requests. A password takes about 0.1 s of the one thread, so the last one waits about 3 s.
 */
const WAITING_MAX = 32
/** A request that has waited longer is rejected, because its client has probably given up. */
const WAIT_MAX_MS = 10_000
/**
 * A request without a sign of life for this long was cut off by the runtime, so its place is free. One call of the hash
 * function takes far less time.
 */
const SILENCE_MAX_MS = 5_000
/** After this time, all requests that are waiting now have had their turn. */
const RETRY_AFTER_SECONDS = 5

/** Interrupts a long computation, so that other requests can run. */
export type YieldTurn = () => Promise<void>

/**
 * The line for all password hashing in an isolate. A few passwords are hashed at the same time, some more requests
 * wait, and the rest are rejected.
 */
export class PasswordWork {
  readonly #line = new Line({ atOnce: CONCURRENT_MAX, leaseMs: SILENCE_MAX_MS })

  /**
   * Rejects a request that `run` would reject, before any work or attempt is spent on it.
   *
   * @throws ProblemError 503 if too many requests wait
   */
  requireRoom({ now }: Pick<Clock, 'now'>): void {
    if (this.#line.count(now()) >= CONCURRENT_MAX + WAITING_MAX) throw tooManyPasswords()
  }

  /**
   * Runs the work when its turn comes. The work must call `yieldTurn` between its steps.
   *
   * @throws ProblemError 503 if too many requests wait, or if this request has waited too long; any error of the work
   */
  async run<Result>(work: (yieldTurn: YieldTurn) => Promise<Result>, clock: Clock): Promise<Result> {
    this.requireRoom(clock)
    const turn = this.#line.join(clock)
    try {
      if (!(await turn.reachFront(WAIT_MAX_MS))) throw tooManyPasswords()
      return await work(async () => {
        turn.keep()
        // A timer, because promises alone never let another request run.
        await clock.wait(0)
      })
    } finally {
      turn.leave()
    }
  }
}

function tooManyPasswords(): ProblemError {
  return new ProblemError(
    'service-unavailable',
    'Too many passwords are being checked at the moment. Try again shortly.',
    {
      headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
    },
  )
}
