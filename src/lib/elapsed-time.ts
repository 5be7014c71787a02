/**
 * Measures the time since its creation with a clock that may be set back. If the clock was set back since the last
 * reading, the time since that reading is not counted. So if the clock is set back by an hour, a wait is not extended
 * by an hour, but only by the time since the last reading.
 */
export class ElapsedTime {
  readonly #now: () => Date
  #lastMs: number
  #elapsedMs = 0

  constructor(now: () => Date) {
    this.#now = now
    this.#lastMs = now().getTime()
  }

  /** The milliseconds since the creation of this object. Never less than at the last reading. */
  get milliseconds(): number {
    const nowMs = this.#now().getTime()
    this.#elapsedMs += Math.max(0, nowMs - this.#lastMs)
    this.#lastMs = nowMs
    return this.#elapsedMs
  }
}
