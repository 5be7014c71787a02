import { createLocalJWKSet, jwtVerify } from 'jose'
import * as z from 'zod'
import { ASSERTION_ALGORITHMS } from '../schemas/client.ts'
import { InvalidCredential } from './invalid-credential.ts'
import { explainJwtError } from './tokens.ts'

const CLOCK_TOLERANCE_SECONDS = 30
// Popular libraries create assertions with a lifetime of up to an hour.
const LIFETIME_MAX_SECONDS = 60 * 60

/**
 * Verifies the JWT with which a client authenticates, signed with the client's own key (RFC 7523, section 3; OpenID
 * Connect Core 1.0, section 9).
 *
 * @param audiences The accepted audiences: the issuer and the token endpoint
 * @returns The id of the assertion, which may be used once, and the time until which this id must be remembered
 * @throws InvalidCredential
 */
export async function verifyClientAssertion(
  assertion: string,
  client: { id: string; jwks: { keys: { kty: string }[] } },
  audiences: string[],
  now: Date,
): Promise<{ id: string; expiresAt: Date }> {
  const rules = {
    issuer: client.id,
    subject: client.id,
    audience: audiences,
    algorithms: ASSERTION_ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    requiredClaims: ['exp', 'jti'],
    currentDate: now,
  }
  try {
    const { payload } = await jwtVerify(assertion, createLocalJWKSet(client.jwks), rules)
    const { exp, jti } = z.object({ exp: z.number(), jti: z.string().min(1) }).parse(payload)
    if (exp > now.getTime() / 1000 + LIFETIME_MAX_SECONDS)
      throw new InvalidCredential('The assertion must expire within an hour.')
    return { id: jti, expiresAt: new Date((exp + CLOCK_TOLERANCE_SECONDS) * 1000) }
  } catch (error) {
    throw error instanceof InvalidCredential ? error : new InvalidCredential(explainJwtError(error))
  }
}
