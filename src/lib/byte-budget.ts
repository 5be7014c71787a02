/** What holders may use in a period. */
export interface ByteLimits {
  periodSeconds: number
  /** How much one holder may use, in bytes. */
  holderMax: number
  /** How much all holders may use together, in bytes. */
  totalMax: number
}

/** Counts the bytes that holders use. A period begins with the first bytes after the end of the last one. */
export class ByteBudget {
  #periodBegan = -Infinity
  #total = 0
  readonly #byHolder = new Map<string, number>()

  /** Counts bytes of a holder, if no limit is exceeded. @returns Which limit would be exceeded */
  take(
    holder: string,
    bytes: number,
    { periodSeconds, holderMax, totalMax }: ByteLimits,
    now: Date,
  ): 'holder' | 'total' | undefined {
    const elapsedMs = now.getTime() - this.#periodBegan
    // The time is negative if the clock was set back.
    if (elapsedMs < 0 || elapsedMs >= periodSeconds * 1000) this.#beginPeriod(now)
    const ofHolder = (this.#byHolder.get(holder) ?? 0) + bytes
    if (ofHolder > holderMax) return 'holder'
    if (this.#total + bytes > totalMax) return 'total'
    this.#byHolder.set(holder, ofHolder)
    this.#total += bytes
    return undefined
  }

  #beginPeriod(now: Date): void {
    this.#periodBegan = now.getTime()
    this.#total = 0
    this.#byHolder.clear()
  }
}
