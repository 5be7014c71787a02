import { sha256, toBase64Url } from '../../lib/sha256.ts'

// Proof Key for Code Exchange (RFC 7636), with S256 and nothing else.

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

/** Tells whether a text can be a challenge: a SHA-256 in base64url (section 4.2). */
export function isChallenge(text: string | undefined): text is string {
  return text !== undefined && CHALLENGE.test(text)
}

/** Tells whether a verifier (section 4.1) is the one that a challenge was made from. */
export async function provesChallenge(verifier: string | undefined, challenge: string): Promise<boolean> {
  if (verifier === undefined || !VERIFIER.test(verifier)) return false
  return toBase64Url(await sha256(verifier)) === challenge
}
