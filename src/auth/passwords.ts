import type { Breathe } from './password-work.ts'

// Passwords at rest: PBKDF2-HMAC-SHA-256 (RFC 8018, section 5.2), chained. The deployed runtime refuses more than
// 100,000 iterations in one call, so the key that one call derives is the password of the next, with the same salt.
// The result says of itself how it was made, so that the cost can be raised later. Whoever hashes for a request waits for
// its turn (password-work.ts).
const SCHEME = 'pbkdf2-sha256-chain'
const ITERATIONS_PER_CALL = 100_000
const SALT_BYTES = 16
const KEY_BITS = 256

interface PasswordHash {
  iterations: number
  salt: Uint8Array<ArrayBuffer>
  key: Uint8Array<ArrayBuffer>
}

/** Hashes a password under a fresh salt: `$pbkdf2-sha256-chain$i=600000$<salt>$<key>`, both in base64. */
export async function hashPassword(password: string, iterations: number, breathe?: Breathe): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES))
  const key = await deriveKey(password, salt, iterations, breathe)
  return `$${SCHEME}$i=${iterations}$${salt.toBase64()}$${key.toBase64()}`
}

/**
 * Tells whether a password is the one of a stored hash. Without a hash (no such account) it does the same work for
 * nothing, so that the time of the answer does not say which accounts exist.
 *
 * @param iterations What a hash made now would cost.
 */
export async function verifyPassword(
  password: string,
  stored: string | null,
  iterations: number,
  breathe?: Breathe,
): Promise<boolean> {
  const hash = stored === null ? decoy(iterations) : parseHash(stored)
  const key = await deriveKey(password, hash.salt, hash.iterations, breathe)
  return crypto.subtle.timingSafeEqual(key, hash.key) && stored !== null
}

/** Tells whether a hash costs anything else than one made now would. */
export function isOutdated(stored: string, iterations: number): boolean {
  return parseHash(stored).iterations !== iterations
}

function parseHash(stored: string): PasswordHash {
  const [, scheme, cost, salt, key] = stored.split('$')
  const iterations = Number(cost?.slice('i='.length))
  if (scheme !== SCHEME || !Number.isSafeInteger(iterations) || !salt || !key)
    throw new Error('unknown kind of password hash')
  return { iterations, salt: Uint8Array.fromBase64(salt), key: Uint8Array.fromBase64(key) }
}

function decoy(iterations: number): PasswordHash {
  return { iterations, salt: new Uint8Array(SALT_BYTES), key: new Uint8Array(KEY_BITS / 8) }
}

async function deriveKey(
  password: string,
  salt: Uint8Array<ArrayBuffer>,
  iterations: number,
  breathe: Breathe | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  let key = new Uint8Array(new TextEncoder().encode(password))
  for (let left = iterations; left > 0; left -= ITERATIONS_PER_CALL) {
    const material = await crypto.subtle.importKey('raw', key, 'PBKDF2', false, ['deriveBits'])
    const cost = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: Math.min(left, ITERATIONS_PER_CALL) }
    key = new Uint8Array(await crypto.subtle.deriveBits(cost, material, KEY_BITS))
    // One call holds up every other request of the isolate, so they get their turn between two.
    if (left > ITERATIONS_PER_CALL) await breathe?.()
  }
  return key
}
