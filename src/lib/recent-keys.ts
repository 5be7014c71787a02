import { dropOldest } from './drop-oldest.ts'

const KEYS_MAX = 10_000

/** Remembers keys for a time, in the memory of one isolate. If there are too many, it forgets the oldest. */
export class RecentKeys {
  /** The end of the time of each key, in milliseconds since 1970. */
  readonly #ends = new Map<string, number>()

  /** Whether a key is new. It is remembered from then on. */
  isNew(key: string, milliseconds: number, now: Date): boolean {
    const end = this.#ends.get(key) ?? 0
    if (end > now.getTime()) return false
    this.#ends.delete(key)
    dropOldest(this.#ends, KEYS_MAX)
    this.#ends.set(key, now.getTime() + milliseconds)
    return true
  }
}
