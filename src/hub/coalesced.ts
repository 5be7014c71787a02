/**
 * Merges calls of the same work. However many calls there are, at most one run is in progress and one run is waiting.
 * The promise of a call settles when a run ends that began after the call.
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
    if (!this.#running) return this.#begin()
    this.#next ??= this.#running
      // The next run takes place even if this one fails.
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        return this.#begin()
      })
    return this.#next
  }

  #begin(): Promise<void> {
    const running = this.#work().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }
}
