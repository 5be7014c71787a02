// Secrets that are made at random: no dictionary has them, so a plain hash keeps them as well as a slow one would.

const SECRET_BYTES = 32

/** A secret of 256 random bits, safe in URLs, headers and forms. */
export function makeSecret(): string {
  return crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64({ alphabet: 'base64url', omitPadding: true })
}

/** What is stored of a secret, and found by: its SHA-256 in hex. */
export async function hashSecret(secret: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret))
  return new Uint8Array(digest).toHex()
}
