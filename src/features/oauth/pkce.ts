import { sha256, toBase64Url } from '../../lib/sha256.ts'

// Proof Key for Code Exchange (RFC 7636), with S256 and nothing else.

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

/** Tells whether a text can be a challenge: a SHA-256 in base64url (section 4.2). */
export function isChallenge(text: string | undefined): text is string {
  return text !== undefined && CHALLENGE.test(text)
}

/** What is stored of a request without a challenge. */
export const NO_CHALLENGE = ''

/** What has to hold of the verifier of a token request, by what was stored of the challenge. */
export async function answersChallenge(
  verifier: string | undefined,
  challenge: string,
): Promise<[holds: boolean, fault: string][]> {
  // Or a stolen code could be put into another request, and nobody would notice (RFC 9700, section 4.8.2).
  if (challenge === NO_CHALLENGE) {
    return [
      [verifier === undefined, 'The request has a code_verifier, but the authorization request had no code_challenge.'],
    ]
  }
  return [
    [verifier !== undefined, 'The parameter code_verifier is missing.'],
    [await provesChallenge(verifier, challenge), 'code_verifier does not match the code_challenge.'],
  ]
}

/** Tells whether a verifier (section 4.1) is the one that a challenge was made from. */
async function provesChallenge(verifier: string | undefined, challenge: string): Promise<boolean> {
  if (verifier === undefined || !VERIFIER.test(verifier)) return false
  return toBase64Url(await sha256(verifier)) === challenge
}
