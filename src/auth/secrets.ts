import { sha256, toBase64Url } from '../lib/sha256.ts'

// Random secrets. Nobody can guess them, so a fast hash protects them as well as a slow one.

const SECRET_BYTES = 32

/** A secret of 256 random bits, safe in URLs, headers and forms. */
export function makeSecret(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
}

/** The SHA-256 of a secret in hex. It is stored instead of the secret, and rows are found by it. */
export async function hashSecret(secret: string): Promise<string> {
  return (await sha256(secret)).toHex()
}
