import { ProblemError } from '../domain/problems.ts'

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
/** How long a waiting request pauses before it checks again whether it is its turn. */
const POLL_MS = 20
/**
 * A request without a sign of life for this long was cut off by the runtime, so its turn in the queue is free. One
 * call of the hash function takes far less time.
 */
const SILENCE_MAX_MS = 5_000
/** After this time, all requests that are waiting now have had their turn. */
const RETRY_AFTER_SECONDS = 5

/** The services that the queue uses. */
export interface WorkServices {
  now(): Date
  wait(milliseconds: number): Promise<void>
}

/** Interrupts a long computation, so that other requests can run. */
export type YieldTurn = () => Promise<void>

/**
 * The queue for all password hashing in an isolate. A few passwords are hashed at the same time, some more requests
 * wait in order of arrival, and the rest are rejected. Requests share no promise, because the runtime does not let one
 * request wait for the work of another. Instead, each request polls for its turn.
 */
export class PasswordWork {
  /** The running and the waiting requests in order of arrival, each with its last sign of life (ms since 1970). */
  readonly #running = new Map<object, number>()
  readonly #waiting = new Map<object, number>()

  /**
   * Rejects a request that `run` would reject, before any work or attempt is spent on it.
   *
   * @throws ProblemError 503 if too many requests wait
   */
  requireRoom({ now }: Pick<WorkServices, 'now'>): void {
    this.#forgetSilent(now().getTime())
    if (this.#waiting.size >= WAITING_MAX) throw tooManyPasswords()
  }

  /**
   * Runs the work when its turn comes. The work must call `yieldTurn` between its steps.
   *
   * @throws ProblemError 503 if too many requests wait, or if this request has waited too long; any error of the work
   */
  async run<Result>(work: (yieldTurn: YieldTurn) => Promise<Result>, services: WorkServices): Promise<Result> {
    // An object without content, which identifies this request in the queue.
    const turn = {}
    const { now, wait } = services
    try {
      await this.#waitForTurn(turn, services)
      return await work(async () => {
        this.#running.set(turn, now().getTime())
        // A timer, because promises alone never let another request run.
        await wait(0)
      })
    } finally {
      this.#running.delete(turn)
      this.#waiting.delete(turn)
    }
  }

  async #waitForTurn(turn: object, { now, wait }: WorkServices): Promise<void> {
    this.requireRoom({ now })
    const began = now().getTime()
    for (;;) {
      const time = now().getTime()
      this.#waiting.set(turn, time)
      this.#forgetSilent(time)
      const [first] = this.#waiting.keys()
      if (first === turn && this.#running.size < CONCURRENT_MAX) break
      if (time - began > WAIT_MAX_MS) throw tooManyPasswords()
      await wait(POLL_MS)
    }
    this.#waiting.delete(turn)
    this.#running.set(turn, now().getTime())
  }

  /** Removes requests that the runtime has cut off. */
  #forgetSilent(time: number): void {
    for (const all of [this.#running, this.#waiting]) {
      for (const [turn, lastSign] of all) if (time - lastSign >= SILENCE_MAX_MS) all.delete(turn)
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
