import { sha256, toBase64Url } from '../lib/sha256.ts'

// Secrets that are made at random: no dictionary has them, so a plain hash keeps them as well as a slow one would.

const SECRET_BYTES = 32

/** A secret of 256 random bits, safe in URLs, headers and forms. */
export function makeSecret(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
}

/** What is stored of a secret, and found by: its SHA-256 in hex. */
export async function hashSecret(secret: string): Promise<string> {
  return (await sha256(secret)).toHex()
}
