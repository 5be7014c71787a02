import * as z from 'zod'
import { parseScopes, type Scope } from '../domain/scopes.ts'
import { TOKEN_SECONDS_MAX } from '../domain/universe.ts'
import { newUuid } from '../lib/ids.ts'
import { dateOf, earliest, secondsOf } from '../lib/time.ts'
import { ACCESS_TOKEN_TYPE } from './authorization-header.ts'
import { Subject } from './bearer.ts'
import { ownIssuerOf, type TokenAuthority, type TokenKind, type VerificationContext } from './tokens.ts'

/** An OAuth access token for this service (RFC 9068, section 2). */
const ACCESS_TOKEN = {
  type: ACCESS_TOKEN_TYPE,
  lifetimeSeconds: TOKEN_SECONDS_MAX,
  claims: z.looseObject({
    sub: Subject,
    jti: z.string(),
    iat: z.int(),
    exp: z.int(),
    client_id: z.string(),
    /** A token without it has no scope. */
    scope: z.string().default(''),
    /** The grant that the token belongs to. The token ends with it. */
    grant_id: z.string(),
    auth_time: z.int().optional(),
  }),
} satisfies TokenKind<z.ZodType>

/** When an access token that is issued at `now` expires, unless its grant ends earlier. */
export function accessTokenExpiry(now: Date, lifetimeSeconds: number): Date {
  return new Date(now.getTime() + lifetimeSeconds * 1000)
}

interface AccessTokenClaims {
  userId: number
  clientId: string
  grantId: string
  scopes: readonly Scope[]
  /** When the user signed in; null if the grant was given without the user. */
  authenticatedAt: Date | null
}

/**
 * Issues an access token that expires no later than its grant, so that `expires_in` is correct.
 *
 * @param grantEndsAt When the grant ends, unless it is revoked earlier
 * @param lifetimeSeconds See `tokenSecondsOf`. An hour by default
 * @returns The token, and its lifetime in seconds
 */
export async function issueAccessToken(
  tokens: TokenAuthority,
  { userId, clientId, grantId, scopes, authenticatedAt }: AccessTokenClaims,
  issuer: string,
  now: Date,
  grantEndsAt: Date,
  lifetimeSeconds: number = ACCESS_TOKEN.lifetimeSeconds,
): Promise<{ token: string; expiresIn: number }> {
  const claims = {
    sub: String(userId),
    jti: newUuid('token'),
    client_id: clientId,
    scope: scopes.join(' '),
    grant_id: grantId,
    ...(authenticatedAt && { auth_time: secondsOf(authenticatedAt) }),
  }
  const expiresAt = earliest(accessTokenExpiry(now, lifetimeSeconds), grantEndsAt)
  const token = await tokens.sign(ACCESS_TOKEN, claims, { issuer, audience: issuer }, now, expiresAt)
  return { token, expiresIn: secondsOf(expiresAt) - secondsOf(now) }
}

/** The claims of a verified access token, with those that introspection needs in addition. */
export interface VerifiedAccessToken extends AccessTokenClaims {
  id: string
  /** The address of this world that issued the token. It is also the audience of the token. */
  issuer: string
  /** Seconds since 1970. */
  issuedAt: number
  /** Seconds since 1970. */
  expiresAt: number
}

/**
 * Does not check whether its grant is still valid.
 *
 * @throws InvalidCredential
 */
export async function verifyAccessToken(token: string, context: VerificationContext): Promise<VerifiedAccessToken> {
  const issuer = ownIssuerOf(token, context)
  const claims = await context.services.tokens.verify(ACCESS_TOKEN, token, { issuer, audience: issuer }, context.now)
  return {
    id: claims.jti,
    issuer,
    userId: Number(claims.sub),
    clientId: claims.client_id,
    grantId: claims.grant_id,
    scopes: parseScopes(claims.scope),
    authenticatedAt: claims.auth_time === undefined ? null : dateOf(claims.auth_time),
    issuedAt: claims.iat,
    expiresAt: claims.exp,
  }
}
