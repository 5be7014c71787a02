import * as z from 'zod'
import type { Scope } from '../domain/scopes.ts'
import type { Era } from '../domain/universe.ts'
import { sha256, toBase64Url } from '../lib/sha256.ts'
import { secondsOf } from '../lib/time.ts'
import { Subject } from './bearer.ts'
import { InvalidCredential } from './invalid-credential.ts'
import { ownIssuerOf, peekJwt, type TokenAuthority, type TokenKind, type VerificationContext } from './tokens.ts'
import { type DescribedUser, describeUser } from './user-claims.ts'

export const ID_TOKEN_LIFETIME_SECONDS = 60 * 60

const SHARED_CLAIMS = {
  sub: Subject,
  /**
   * The era of the universe in which the token was issued. A reset begins a new era, in which ids of users repeat.
   * Absent before the first reset.
   */
  era: z.string().optional(),
}

/**
 * An ID token (OpenID Connect Core 1.0, section 2) tells a client who signed in. No endpoint accepts it as a
 * credential.
 */
const ID_TOKEN = {
  type: 'JWT',
  lifetimeSeconds: ID_TOKEN_LIFETIME_SECONDS,
  // An ID token without an access token has a nonce instead of `at_hash`. A token from POST /auth/token has neither, so
  // it is not accepted as an ID token.
  claims: z.union([
    z.looseObject({ ...SHARED_CLAIMS, at_hash: z.string() }),
    z.looseObject({ ...SHARED_CLAIMS, nonce: z.string() }),
  ]),
} satisfies TokenKind<z.ZodType>

interface IdTokenClaims {
  user: DescribedUser
  clientId: string
  /** The granted scopes: `profile` and `email` add claims about the user. */
  scopes: readonly Scope[]
  authenticatedAt: Date | null
  /** From the client's request. */
  nonce: string | undefined
  /** The access token that is issued together with the ID token, if any. */
  accessToken: string | undefined
}

interface IssuingContext {
  services: { tokens: TokenAuthority; era: Era | undefined }
  baseUrl: string
  now: Date
}

/**
 * Issues an ID token. It contains the user's name and e-mail address (if granted), because clients such as Auth.js
 * never call /oauth/userinfo.
 */
export async function issueIdToken(
  { user, clientId, scopes, authenticatedAt, nonce, accessToken }: IdTokenClaims,
  { services: { tokens, era }, baseUrl, now }: IssuingContext,
): Promise<string> {
  const claims = {
    ...describeUser(user, scopes),
    ...(authenticatedAt && { auth_time: secondsOf(authenticatedAt) }),
    ...(nonce !== undefined && { nonce }),
    ...(accessToken !== undefined && { at_hash: await halfHash(accessToken) }),
    ...(era && { era: era.tag }),
  }
  return await tokens.sign(ID_TOKEN, claims, { issuer: baseUrl, audience: clientId }, now)
}

/**
 * Verifies an ID token of this service that a client sends to identify the user. It may have expired (OpenID Connect
 * RP-Initiated Logout 1.0, section 2).
 *
 * @throws InvalidCredential
 */
export async function readIdTokenHint(
  hint: string,
  context: Pick<VerificationContext, 'services' | 'baseUrl'> & Pick<IssuingContext, 'services'>,
): Promise<{ userId: number; clientId: string }> {
  const { tokens, era } = context.services
  const { audience, issuedAt } = peekJwt(hint)
  const issuer = ownIssuerOf(hint, context)
  // A token whose audience is this service is an access token or a token from POST /auth/token.
  if (audience === undefined || audience === issuer || issuedAt === undefined) {
    throw new InvalidCredential('The hint is not an ID token from this service.')
  }
  // The token is verified as if it were its time of issue, so that an expired token is accepted.
  const claims = await tokens.verify(ID_TOKEN, hint, { issuer, audience }, new Date(issuedAt * 1000))
  if (claims.era !== era?.tag) throw new InvalidCredential('The hint was issued before the last reset.')
  const { sub } = claims
  return { userId: Number(sub), clientId: audience }
}

/** The left half of the token's SHA-256 (OpenID Connect Core 1.0, section 3.1.3.6). */
async function halfHash(token: string): Promise<string> {
  const digest = await sha256(token)
  return toBase64Url(digest.subarray(0, digest.length / 2))
}
