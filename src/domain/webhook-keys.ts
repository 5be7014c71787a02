import { type Bytes, decodeBase64, joinBytes } from '../lib/bytes.ts'

// The keys of Standard Webhooks, as texts whose prefix says what they are: a secret (`whsec_`, for HMAC with SHA-256), or
// the halves of a pair of Ed25519 (RFC 8032): the private key, which never leaves the service (`whsk_`), and the public
// key (`whpk_`).

export const SECRET_PREFIX = 'whsec_'
export const PRIVATE_KEY_PREFIX = 'whsk_'
export const PUBLIC_KEY_PREFIX = 'whpk_'

/** Bytes of a secret, of the seed of a private key, and of a public key. */
export const KEY_BYTES = 32

/** How a subscription signs: by its version in `webhook-signature`. */
export const SIGNINGS = ['v1', 'v1a'] as const
export type Signing = (typeof SIGNINGS)[number]

/** Bytes of a signature of Ed25519. */
const SIGNATURE_BYTES = 64

const HMAC = { name: 'HMAC', hash: 'SHA-256' }
const ED25519 = 'Ed25519'
/** What comes before the seed in PKCS #8 (RFC 8410, section 7): Web Crypto takes a private key in no shorter form. */
const PKCS8_START = new Uint8Array([48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32])

/** Creates a secret: `whsec_` and the base64 of 32 random bytes. */
export function makeSigningSecret(): string {
  return SECRET_PREFIX + crypto.getRandomValues(new Uint8Array(KEY_BYTES)).toBase64()
}

export interface KeyPair {
  /** `whsk_` and the base64 of the 32 bytes of the seed. */
  privateKey: string
  /** `whpk_` and the base64 of the 32 bytes of the key. */
  publicKey: string
}

/** Creates a pair of keys for Ed25519. */
export async function makeSigningPair(): Promise<KeyPair> {
  return await pairOfSeed(crypto.getRandomValues(new Uint8Array(KEY_BYTES)))
}

/** The pair that follows from a seed of 32 bytes (RFC 8032, section 5.1.5). */
export async function pairOfSeed(seed: Bytes): Promise<KeyPair> {
  const key = await crypto.subtle.importKey('pkcs8', joinBytes([PKCS8_START, seed]), ED25519, true, ['sign'])
  const exported = await crypto.subtle.exportKey('jwk', key)
  // The result type also covers the other formats, and `x` only some kinds of keys.
  if (exported instanceof ArrayBuffer || exported.x === undefined) throw new Error('a private key has no public key')
  const x = Uint8Array.fromBase64(exported.x, { alphabet: 'base64url' })
  return { privateKey: PRIVATE_KEY_PREFIX + seed.toBase64(), publicKey: PUBLIC_KEY_PREFIX + x.toBase64() }
}

/** Whether a key is a shared secret, and no half of a pair. */
export const isSecret = (key: string): boolean => key.startsWith(SECRET_PREFIX)

/** The version of the signatures that a key makes or verifies. */
export const versionOf = (key: string): Signing => (isSecret(key) ? 'v1' : 'v1a')

/** Another random key that signs like the given one. */
export async function makeOtherKey(key: string): Promise<string> {
  return isSecret(key) ? makeSigningSecret() : (await makeSigningPair()).privateKey
}

/** Signs with a secret or a private key. */
export async function signWith(key: string, content: Bytes): Promise<Bytes> {
  if (isSecret(key)) return await signHmac(bytesOfKey(key), content)
  const pkcs8 = joinBytes([PKCS8_START, bytesOfKey(key)])
  const cryptoKey = await crypto.subtle.importKey('pkcs8', pkcs8, ED25519, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign(ED25519, cryptoKey, content))
}

/** Verifies with a secret or a public key. */
export async function verifyWith(key: string, signature: Bytes, content: Bytes): Promise<boolean> {
  if (isSecret(key)) return await verifyHmac(bytesOfKey(key), signature, content)
  return await verifyEd25519(bytesOfKey(key), signature, content)
}

export async function signHmac(key: Bytes, content: Bytes): Promise<Bytes> {
  const cryptoKey = await crypto.subtle.importKey('raw', key, HMAC, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', cryptoKey, content))
}

/** Web Crypto compares in constant time. */
export async function verifyHmac(key: Bytes, signature: Bytes, content: Bytes): Promise<boolean> {
  const cryptoKey = await crypto.subtle.importKey('raw', key, HMAC, false, ['verify'])
  return await crypto.subtle.verify('HMAC', cryptoKey, signature, content)
}

export async function verifyEd25519(key: Bytes, signature: Bytes, content: Bytes): Promise<boolean> {
  // The runtime throws if the length is another one.
  if (signature.byteLength !== SIGNATURE_BYTES) return false
  const cryptoKey = await crypto.subtle.importKey('raw', key, ED25519, false, ['verify'])
  return await crypto.subtle.verify(ED25519, cryptoKey, signature, content)
}

/** The bytes of a secret, with or without its prefix, and with or without padding. @returns Undefined if it has none */
export function decodeSecret(text: string): Bytes | undefined {
  try {
    const bytes = Uint8Array.fromBase64(text.startsWith(SECRET_PREFIX) ? text.slice(SECRET_PREFIX.length) : text)
    return bytes.byteLength > 0 ? bytes : undefined
  } catch {
    return undefined
  }
}

/** The bytes of a public key. @returns Undefined if the text is none */
export function decodePublicKey(text: string): Bytes | undefined {
  const bytes = text.startsWith(PUBLIC_KEY_PREFIX) ? decodeBase64(text.slice(PUBLIC_KEY_PREFIX.length)) : undefined
  return bytes?.byteLength === KEY_BYTES ? bytes : undefined
}

/** The decoded base64 after the prefix of a key. */
function bytesOfKey(key: string): Bytes {
  return Uint8Array.fromBase64(key.slice(key.indexOf('_') + 1))
}
