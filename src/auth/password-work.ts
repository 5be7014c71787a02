import { ProblemError } from '../domain/problems.ts'

/** Passwords that one isolate hashes at a time. More would not be faster, because an isolate has one thread. */
const AT_ONCE = 2
/** Requests that wait for their turn. A password takes some 0.1 s, so the last of them waits some 2 s. */
const WAITING_MAX = 32
/** A request that has waited longer is refused: its client has probably given up. */
const WAIT_MAX_MS = 10_000
const POLL_MS = 20
/** A request that has not been heard of for so long was cut off: its place is free. One call takes far less. */
const SILENT_MAX_MS = 5_000
/** By then all who wait now have had their turn. */
const TURNS_OVER_SECONDS = 5

/** What the work needs from outside. */
export interface WorkServices {
  now(): Date
  wait(milliseconds: number): Promise<void>
}

/** Lets other requests go on in the middle of a long computation. */
export type Breathe = () => Promise<void>

/**
 * The queue in front of all hashing of passwords in an isolate: a few at a time, a few more in the order in which they
 * came, the rest refused. Requests share no promise, because one request of the runtime may not wait for the work of
 * another: each looks for itself whether its turn has come.
 */
export class PasswordWork {
  /** When each was last heard of, in milliseconds since 1970; in the order in which they came. */
  readonly #running = new Map<object, number>()
  readonly #waiting = new Map<object, number>()

  /**
   * Refuses at once what `run` would refuse, before anything is spent on it.
   *
   * @throws ProblemError 503
   */
  requireRoom({ now }: Pick<WorkServices, 'now'>): void {
    this.#forgetSilent(now().getTime())
    if (this.#waiting.size >= WAITING_MAX) throw tooManyPasswords()
  }

  /**
   * Does the work when its turn comes. The work has to breathe between its steps.
   *
   * @throws ProblemError 503, and what the work throws
   */
  async run<Result>(work: (breathe: Breathe) => Promise<Result>, services: WorkServices): Promise<Result> {
    const place = {}
    const { now, wait } = services
    try {
      await this.#waitForTurn(place, services)
      return await work(async () => {
        this.#running.set(place, now().getTime())
        // A timer, because promises alone never let another request in.
        await wait(0)
      })
    } finally {
      this.#running.delete(place)
      this.#waiting.delete(place)
    }
  }

  async #waitForTurn(place: object, { now, wait }: WorkServices): Promise<void> {
    this.requireRoom({ now })
    const began = now().getTime()
    for (;;) {
      const time = now().getTime()
      this.#waiting.set(place, time)
      this.#forgetSilent(time)
      const [first] = this.#waiting.keys()
      if (first === place && this.#running.size < AT_ONCE) break
      if (time - began > WAIT_MAX_MS) throw tooManyPasswords()
      await wait(POLL_MS)
    }
    this.#waiting.delete(place)
    this.#running.set(place, now().getTime())
  }

  #forgetSilent(time: number): void {
    for (const places of [this.#running, this.#waiting]) {
      for (const [place, heard] of places) if (time - heard >= SILENT_MAX_MS) places.delete(place)
    }
  }
}

function tooManyPasswords(): ProblemError {
  return new ProblemError(
    'service-unavailable',
    'Too many passwords are being checked at the moment. Try again shortly.',
    {
      headers: { 'Retry-After': String(TURNS_OVER_SECONDS) },
    },
  )
}
