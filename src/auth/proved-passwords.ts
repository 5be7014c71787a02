import { normaliseEmail } from '../domain/email.ts'
import { dropOldest } from '../lib/drop-oldest.ts'

const SECRET_BYTES = 32
const REMEMBERED_MS = 60_000
const ENTRIES_MAX = 1000
// A request that the runtime cuts off never calls `end`. So after this time, its check counts as ended.
const PROOF_TIMEOUT_MS = 5_000

/**
 * Remembers for a minute which pair of e-mail address and password matched which stored hash. Clients that use Basic
 * send the pair with every call, so this memory saves the cost of hashing the password each time. Only a keyed hash of
 * the pair is kept. After a change of the password the stored hash is different, so the entry no longer applies.
 */
export class ProvedPasswords {
  /** Created at the first use, because a Worker cannot create random values while it starts. */
  #secret: Uint8Array<ArrayBuffer> | undefined
  /** By fingerprint: the stored hash that the pair matched, and until when it is remembered (ms since 1970). */
  readonly #proved = new Map<string, { passwordHash: string; until: number }>()
  /** By fingerprint: when a request began to check the pair (ms since 1970). */
  readonly #beingProved = new Map<string, number>()

  /** The keyed hash that identifies a pair. */
  async fingerprint(email: string, password: string): Promise<string> {
    this.#secret ??= crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
    const key = await crypto.subtle.importKey('raw', this.#secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
    const pair = new TextEncoder().encode(JSON.stringify([normaliseEmail(email), password]))
    return new Uint8Array(await crypto.subtle.sign('HMAC', key, pair)).toHex()
  }

  /** Whether the pair matched this stored hash within the last minute. */
  isProved(fingerprint: string, passwordHash: string, now: Date): boolean {
    const entry = this.#proved.get(fingerprint)
    return entry !== undefined && entry.passwordHash === passwordHash && entry.until > now.getTime()
  }

  /** Whether another request is checking the same pair, so that its result is worth waiting for. */
  isBeingProved(fingerprint: string, now: Date): boolean {
    const began = this.#beingProved.get(fingerprint)
    return began !== undefined && now.getTime() - began < PROOF_TIMEOUT_MS
  }

  /** Notes that a request begins to check the pair. */
  begin(fingerprint: string, now: Date): void {
    dropOldest(this.#beingProved, ENTRIES_MAX)
    this.#beingProved.set(fingerprint, now.getTime())
  }

  /**
   * Notes the result of the check.
   *
   * @param passwordHash The stored hash that the pair matched; undefined if it did not match
   */
  end(fingerprint: string, passwordHash: string | undefined, now: Date): void {
    this.#beingProved.delete(fingerprint)
    if (passwordHash === undefined) return
    this.#proved.delete(fingerprint)
    dropOldest(this.#proved, ENTRIES_MAX)
    this.#proved.set(fingerprint, { passwordHash, until: now.getTime() + REMEMBERED_MS })
  }
}
