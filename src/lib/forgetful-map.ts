/** Remembers values for a time, in the memory of one isolate. If there are too many, it forgets the oldest. */
export class ForgetfulMap<Value> {
  readonly #max: number
  /** The oldest first. */
  readonly #entries = new Map<string, { value: Value; end: number }>()

  constructor(max: number) {
    this.#max = max
  }

  /** The value of a key; undefined if its time has ended. */
  get(key: string, now: Date): Value | undefined {
    const entry = this.#entries.get(key)
    return entry && entry.end > now.getTime() ? entry.value : undefined
  }

  /**
   * Remembers a value, as the newest.
   *
   * @param end When it is forgotten, in milliseconds since 1970
   */
  set(key: string, value: Value, end: number): void {
    // Removed first, because an entry that is replaced would keep its place.
    this.#entries.delete(key)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size >= this.#max && oldest !== undefined) this.#entries.delete(oldest)
    this.#entries.set(key, { value, end })
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
