/**
 * The time that has passed, by a clock that may be set meanwhile. If the clock is set back, the time since it was last read
 * does not count. So a wait can be too long by that time, but not by how far the clock was set back.
 */
export class ElapsedTime {
  readonly #now: () => Date
  #lastMs: number
  #elapsedMs = 0

  constructor(now: () => Date) {
    this.#now = now
    this.#lastMs = now().getTime()
  }

  /** In milliseconds since this was created. Never less than before. */
  get milliseconds(): number {
    const nowMs = this.#now().getTime()
    this.#elapsedMs += Math.max(0, nowMs - this.#lastMs)
    this.#lastMs = nowMs
    return this.#elapsedMs
  }
}
