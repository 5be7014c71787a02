const POLL_MS = 20

/** The services that the memory uses. */
interface Clock {
  now(): Date
  wait(milliseconds: number): Promise<void>
}

/**
 * Keeps the result of some work for a short time, and lets one caller at a time do the work, so that nobody can make it
 * expensive by asking often. Callers share no promise, because the runtime does not let one request wait for the work of
 * another. Instead, each polls.
 */
export class BriefMemory<Result> {
  readonly #keptMs: number
  readonly #workMaxMs: number
  #known: { result: Result; at: number } | undefined
  /** When the current work began, in milliseconds since 1970. */
  #begunAt: number | undefined

  /**
   * @param keptMs How long a result is kept after the work
   * @param workMaxMs How long the work can take. After that, the runtime has ended the request that did it
   */
  constructor(keptMs: number, workMaxMs: number) {
    this.#keptMs = keptMs
    this.#workMaxMs = workMaxMs
  }

  /** Returns the kept result, or does the work if there is none or it is too old. Throws what the work throws. */
  async recall(work: () => Promise<Result>, { now, wait }: Clock): Promise<Result> {
    while (isWithin(this.#begunAt, this.#workMaxMs, now())) await wait(POLL_MS)
    if (this.#known && isWithin(this.#known.at, this.#keptMs, now())) return this.#known.result
    this.#begunAt = now().getTime()
    try {
      const result = await work()
      this.#known = { result, at: now().getTime() }
      return result
    } finally {
      this.#begunAt = undefined
    }
  }
}

/** Whether a moment is less than this long ago. False if it is in the future, because the clock was set back. */
function isWithin(moment: number | undefined, milliseconds: number, now: Date): boolean {
  if (moment === undefined) return false
  const age = now.getTime() - moment
  return age >= 0 && age < milliseconds
}
