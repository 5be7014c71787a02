import { normaliseEmail } from '../domain/email.ts'

const REMEMBERED_MS = 60_000
const ENTRIES_MAX = 1000
// A proof whose request was cut off never ends by itself.
const PROOF_TIMEOUT_MS = 5_000

/**
 * Remembers for a minute which pair of e-mail and password was proved against which stored hash, so that Basic, which
 * sends them with every call, does not pay for the hash each time. It keeps neither of them, only a keyed hash of both;
 * where the account has a new password, the hash that is stored is another and nothing is remembered.
 */
export class ProvedPasswords {
  /** Made at the first use, for nothing is random while a Worker starts. */
  #secret: Uint8Array<ArrayBuffer> | undefined
  readonly #proved = new Map<string, { passwordHash: string; until: number }>()
  readonly #beingProved = new Map<string, number>()

  /** What a pair is remembered by. */
  async fingerprint(email: string, password: string): Promise<string> {
    this.#secret ??= crypto.getRandomValues(new Uint8Array(32))
    const key = await crypto.subtle.importKey('raw', this.#secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
    const pair = new TextEncoder().encode(JSON.stringify([normaliseEmail(email), password]))
    return new Uint8Array(await crypto.subtle.sign('HMAC', key, pair)).toHex()
  }

  isProved(fingerprint: string, passwordHash: string, now: Date): boolean {
    const entry = this.#proved.get(fingerprint)
    return entry !== undefined && entry.passwordHash === passwordHash && entry.until > now.getTime()
  }

  /** Tells whether another request is just proving the same pair: its result is worth waiting for. */
  isBeingProved(fingerprint: string, now: Date): boolean {
    const began = this.#beingProved.get(fingerprint)
    return began !== undefined && now.getTime() - began < PROOF_TIMEOUT_MS
  }

  begin(fingerprint: string, now: Date): void {
    dropOldest(this.#beingProved)
    this.#beingProved.set(fingerprint, now.getTime())
  }

  /** @param passwordHash Against which the pair was proved; undefined where it was not */
  end(fingerprint: string, passwordHash: string | undefined, now: Date): void {
    this.#beingProved.delete(fingerprint)
    if (passwordHash === undefined) return
    this.#proved.delete(fingerprint)
    dropOldest(this.#proved)
    this.#proved.set(fingerprint, { passwordHash, until: now.getTime() + REMEMBERED_MS })
  }
}

/** Makes room for one more. */
function dropOldest(entries: Map<string, unknown>): void {
  const [oldest] = entries.keys()
  if (entries.size >= ENTRIES_MAX && oldest !== undefined) entries.delete(oldest)
}
