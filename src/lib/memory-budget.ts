interface Share {
  bytes: number
  /** Milliseconds since 1970. */
  until: number
}

/**
 * Memory that the requests of one isolate may hold together. Whoever takes a share gives it back; the share of a request
 * that the runtime has cut off, and that cannot do that any more, ends by itself.
 */
export class MemoryBudget {
  readonly #shares = new Map<object, Share>()
  #taken = 0

  /**
   * Takes so many bytes more for a holder.
   *
   * @param totalMax What all holders may have together, in bytes
   * @param until When the holder is gone at the latest
   * @returns Whether there was room
   */
  take(holder: object, bytes: number, totalMax: number, until: Date, now: Date): boolean {
    if (!this.#shares.has(holder)) this.#forgetEnded(now)
    if (this.#taken + bytes > totalMax) return false
    this.#shares.set(holder, { bytes: this.heldBy(holder) + bytes, until: until.getTime() })
    this.#taken += bytes
    return true
  }

  /** In bytes. */
  heldBy(holder: object): number {
    return this.#shares.get(holder)?.bytes ?? 0
  }

  giveBack(holder: object): void {
    this.#taken -= this.heldBy(holder)
    this.#shares.delete(holder)
  }

  #forgetEnded(now: Date): void {
    for (const [holder, { until }] of this.#shares) if (until <= now.getTime()) this.giveBack(holder)
  }
}
