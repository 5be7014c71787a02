import { dropOldest } from './drop-oldest.ts'

const KEYS_MAX = 10_000

/** Remembers keys for a time, in the memory of one isolate. If there are too many, it forgets the oldest. */
export class RecentKeys {
  /** When each key is forgotten, in milliseconds since 1970. */
  readonly #ends = new Map<string, number>()

  /**
   * Remembers a key for some time, unless it is remembered already.
   *
   * @returns Whether the key was new
   */
  rememberNew(key: string, milliseconds: number, now: Date): boolean {
    const end = this.#ends.get(key) ?? 0
    if (end > now.getTime()) return false
    // Removed first, so that the key becomes the newest in the map.
    this.#ends.delete(key)
    dropOldest(this.#ends, KEYS_MAX)
    this.#ends.set(key, now.getTime() + milliseconds)
    return true
  }
}
