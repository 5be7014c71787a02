import type { YieldTurn } from './password-work.ts'
import { preparePassword } from './prepared-password.ts'

// Stored passwords: PBKDF2-HMAC-SHA-256 (RFC 8018, section 5.2), chained (README.md): the key that one call derives is
// the password of the next call, with the same salt. The stored text contains the parameters, so that the cost can be
// increased later.
const SCHEME = 'pbkdf2-sha256-chain'
const ITERATIONS_PER_CALL = 100_000
const SALT_BYTES = 16
const KEY_BITS = 256

interface PasswordHash {
  iterations: number
  salt: Uint8Array<ArrayBuffer>
  key: Uint8Array<ArrayBuffer>
}

/** Returns `$pbkdf2-sha256-chain$i=600000$<salt>$<key>`, salt and key in base64. */
export async function hashPassword(password: string, iterations: number, yieldTurn?: YieldTurn): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES))
  const key = await deriveKey(preparePassword(password), salt, iterations, yieldTurn)
  return `$${SCHEME}$i=${iterations}$${salt.toBase64()}$${key.toBase64()}`
}

/**
 * Whether a password matches a stored hash. Without a hash (no such account) it does the same amount of work, so that
 * the response time does not reveal which accounts exist.
 *
 * @param iterations The cost of a new hash, which a wrong password costs too
 */
export async function verifyPassword(
  password: string,
  storedHash: string | null,
  iterations: number,
  yieldTurn?: YieldTurn,
): Promise<boolean> {
  const hash = storedHash === null ? makeDecoy(iterations) : parseHash(storedHash)
  const prepared = preparePassword(password)
  const key = await deriveKey(prepared, hash.salt, hash.iterations, yieldTurn)
  if (crypto.subtle.timingSafeEqual(key, hash.key) && storedHash !== null) return true
  // A hash from when hashes cost less. The rest of the cost is spent too, as for an account that does not exist.
  if (hash.iterations < iterations) await deriveKey(prepared, hash.salt, iterations - hash.iterations, yieldTurn)
  return false
}

/** Whether a stored hash differs from a new hash in its cost. */
export function isHashOutdated(storedHash: string, iterations: number): boolean {
  return parseHash(storedHash).iterations !== iterations
}

function parseHash(storedHash: string): PasswordHash {
  const [, scheme, cost, salt, key] = storedHash.split('$')
  const iterations = Number(cost?.slice('i='.length))
  if (scheme !== SCHEME || !Number.isSafeInteger(iterations) || !salt || !key)
    throw new Error('the stored password hash is of an unknown kind')
  return { iterations, salt: Uint8Array.fromBase64(salt), key: Uint8Array.fromBase64(key) }
}

/** A hash that no password matches, for an account that does not exist. */
function makeDecoy(iterations: number): PasswordHash {
  return { iterations, salt: new Uint8Array(SALT_BYTES), key: new Uint8Array(KEY_BITS / 8) }
}

async function deriveKey(
  password: string,
  salt: Uint8Array<ArrayBuffer>,
  iterations: number,
  yieldTurn: YieldTurn | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  // Copied only for the compiler: by its type, the result of `encode` could be shared memory.
  let key = new Uint8Array(new TextEncoder().encode(password))
  for (let iterationsLeft = iterations; iterationsLeft > 0; iterationsLeft -= ITERATIONS_PER_CALL) {
    const material = await crypto.subtle.importKey('raw', key, 'PBKDF2', false, ['deriveBits'])
    const parameters = {
      name: 'PBKDF2',
      hash: 'SHA-256',
      salt,
      iterations: Math.min(iterationsLeft, ITERATIONS_PER_CALL),
    }
    key = new Uint8Array(await crypto.subtle.deriveBits(parameters, material, KEY_BITS))
    // One call blocks all other requests of the isolate. They get their turn between two calls.
    if (iterationsLeft > ITERATIONS_PER_CALL) await yieldTurn?.()
  }
  return key
}
