import { sha256, toBase64Url } from '../../lib/sha256.ts'
import type { Requirement } from './redeem.ts'

// Proof Key for Code Exchange (RFC 7636). Only the method S256 is supported.

/** 32 bytes in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
/** The characters and the length that section 4.1 allows. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

/** Whether a text can be a challenge: a SHA-256 hash in base64url (section 4.2). */
export function isChallenge(text: string | undefined): text is string {
  return text !== undefined && CHALLENGE.test(text)
}

/** Stored in place of the challenge if the authorization request had none. */
export const NO_CHALLENGE = ''

/** @param challenge The stored challenge of the authorization request, or `NO_CHALLENGE` */
export async function challengeRequirements(verifier: string | undefined, challenge: string): Promise<Requirement[]> {
  // A client that sends a verifier has sent a challenge too. If none is stored, the code comes from another request,
  // from which an attacker may have removed the challenge (RFC 9700, section 4.8.2).
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

/** Whether a challenge was derived from a verifier (section 4.1). */
async function provesChallenge(verifier: string | undefined, challenge: string): Promise<boolean> {
  if (verifier === undefined || !VERIFIER.test(verifier)) return false
  return toBase64Url(await sha256(verifier)) === challenge
}
