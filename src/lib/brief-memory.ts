const POLL_MS = 20

/** The services that the memory uses. */
interface Clock {
  now(): Date
  wait(milliseconds: number): Promise<void>
}

/**
 * Keeps the result of some work for a short time. Only one caller at a time does the work, so many calls do not cause
 * much work. The other callers cannot share its promise, because the runtime does not let one request wait for the work
 * of another. Instead, each of them polls.
 */
export class BriefMemory<Result> {
  readonly #keptMs: number
  readonly #workMaxMs: number
  #known: { result: Result; at: number } | undefined
  /** The current work: when it began, in milliseconds since 1970. */
  #current: { begunAt: number } | undefined

  /**
   * @param keptMs How long a result is kept after the work
   * @param workMaxMs How long other callers wait for the work. After this time, they assume that the runtime has ended
   * the request that did the work
   */
  constructor(keptMs: number, workMaxMs: number) {
    this.#keptMs = keptMs
    this.#workMaxMs = workMaxMs
  }

  /** @throws Any error of the work */
  async recall(work: () => Promise<Result>, { now, wait }: Clock): Promise<Result> {
    while (isWithin(this.#current?.begunAt, this.#workMaxMs, now())) await wait(POLL_MS)
    if (this.#known && isWithin(this.#known.at, this.#keptMs, now())) return this.#known.result
    const own = { begunAt: now().getTime() }
    this.#current = own
    try {
      const result = await work()
      // If the work took too long, another caller may have begun anew. That caller's result is newer.
      if (this.#current === own) this.#known = { result, at: now().getTime() }
      return result
    } finally {
      if (this.#current === own) this.#current = undefined
    }
  }
}

/** Whether a moment was less than `milliseconds` ago. A moment in the future does not count: the clock was set back. */
function isWithin(moment: number | undefined, milliseconds: number, now: Date): boolean {
  if (moment === undefined) return false
  const age = now.getTime() - moment
  return age >= 0 && age < milliseconds
}
