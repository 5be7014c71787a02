/**
 * Measures the time since its creation with a clock that may be set back. If the clock was set back since the last
 * reading, the time since that reading is not counted. So a wait becomes longer by the time between two readings at
 * most, and not by how far the clock was set back.
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
