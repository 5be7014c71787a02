/**
 * Merges calls for the same work. However many calls there are, at most one run is in progress and one run is waiting.
 * A call gets the promise of a run that begins at the call or after it. So this run sees everything that happened
 * before the call.
 */
export class CoalescedWork {
  readonly #work: () => Promise<void>
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(work: () => Promise<void>) {
    this.#work = work
  }

  /** Runs the work now, or after the run that is in progress. */
  run(): Promise<void> {
    // The waiting run begins a moment after the run in progress has ended. A call in this moment must not begin a third
    // run.
    if (this.#next) return this.#next
    if (!this.#running) return this.#begin()
    this.#next = this.#running
      // The next run takes place even if this one fails.
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        return this.#begin()
      })
    return this.#next
  }

  #begin(): Promise<void> {
    this.#running = this.#work().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }
}
