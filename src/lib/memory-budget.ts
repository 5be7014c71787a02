/** The memory of one request. */
interface Share {
  bytes: number
  /** When the share expires, in milliseconds since 1970. */
  until: number
}

/**
 * A limit for the memory that all requests of an isolate use together. A request takes a share and gives it back. If
 * the runtime cuts off a request before it can give its share back, the share expires.
 */
export class MemoryBudget {
  readonly #shares = new Map<object, Share>()
  #taken = 0

  /**
   * Adds bytes to the share of a holder, and sets when the share expires.
   *
   * @param holder Any object that identifies the request
   * @param totalMax Maximum of all shares together, in bytes
   * @param until When the share expires
   * @returns Whether there was room. If not, the share is unchanged
   */
  take(holder: object, bytes: number, totalMax: number, until: Date, now: Date): boolean {
    // The search for expired shares takes time, so it only runs before a holder's share is created.
    if (!this.#shares.has(holder)) this.#forgetExpired(now)
    if (this.#taken + bytes > totalMax) return false
    this.#shares.set(holder, { bytes: this.heldBy(holder) + bytes, until: until.getTime() })
    this.#taken += bytes
    return true
  }

  /** Size of a holder's share in bytes. */
  heldBy(holder: object): number {
    return this.#shares.get(holder)?.bytes ?? 0
  }

  /** Ends the share of a holder. */
  giveBack(holder: object): void {
    this.#taken -= this.heldBy(holder)
    this.#shares.delete(holder)
  }

  #forgetExpired(now: Date): void {
    for (const [holder, { until }] of this.#shares) if (until <= now.getTime()) this.giveBack(holder)
  }
}
