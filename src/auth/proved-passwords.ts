import { normaliseEmail } from '../domain/email.ts'
import { ForgetfulMap } from '../lib/forgetful-map.ts'

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
  /** By fingerprint: the stored hash that the pair matched. */
  readonly #proved = new ForgetfulMap<string>(ENTRIES_MAX)
  /** The fingerprints of the pairs that requests are checking. */
  readonly #beingProved = new ForgetfulMap<true>(ENTRIES_MAX)

  /** The keyed hash that identifies a pair. */
  async fingerprint(email: string, password: string): Promise<string> {
    this.#secret ??= crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
    const key = await crypto.subtle.importKey('raw', this.#secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
    const pair = new TextEncoder().encode(JSON.stringify([normaliseEmail(email), password]))
    return new Uint8Array(await crypto.subtle.sign('HMAC', key, pair)).toHex()
  }

  /** Whether the pair matched this stored hash within the last minute. */
  isProved(fingerprint: string, passwordHash: string, now: Date): boolean {
    return this.#proved.get(fingerprint, now) === passwordHash
  }

  /** Whether another request is checking the same pair, so that its result is worth waiting for. */
  isBeingProved(fingerprint: string, now: Date): boolean {
    return this.#beingProved.get(fingerprint, now) === true
  }

  /** Notes that a request begins to check the pair. */
  begin(fingerprint: string, now: Date): void {
    this.#beingProved.set(fingerprint, true, now.getTime() + PROOF_TIMEOUT_MS)
  }

  /**
   * Notes the result of the check.
   *
   * @param passwordHash The stored hash that the pair matched; undefined if it did not match
   */
  end(fingerprint: string, passwordHash: string | undefined, now: Date): void {
    this.#beingProved.delete(fingerprint)
    if (passwordHash !== undefined) this.#proved.set(fingerprint, passwordHash, now.getTime() + REMEMBERED_MS)
  }
}
