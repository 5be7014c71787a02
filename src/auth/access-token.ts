import { z } from 'zod'
import { dateOf, secondsOf } from '../lib/time.ts'
import { parseScopes, type Scope } from '../schemas/scopes.ts'
import { ACCESS_TOKEN_TYPE } from './bearer-token.ts'
import type { TokenAuthority, TokenKind } from './tokens.ts'
import { Subject } from './user-token.ts'

/** An access token of OAuth, for the service itself (RFC 9068, section 2). */
const ACCESS_TOKEN = {
  type: ACCESS_TOKEN_TYPE,
  lifetimeSeconds: 60 * 60,
  claims: z.looseObject({
    sub: Subject,
    jti: z.string(),
    iat: z.int(),
    exp: z.int(),
    client_id: z.string(),
    scope: z.string(),
    /** The grant that it was given under, and ends with. */
    grant_id: z.string(),
    auth_time: z.int().optional(),
  }),
} satisfies TokenKind<z.ZodType>

export const ACCESS_TOKEN_LIFETIME_SECONDS = ACCESS_TOKEN.lifetimeSeconds

interface AccessTokenClaims {
  userId: number
  clientId: string
  grantId: string
  scopes: readonly Scope[]
  /** When the user signed in; null where no user was there. */
  authenticatedAt: Date | null
}

export async function issueAccessToken(
  tokens: TokenAuthority,
  { userId, clientId, grantId, scopes, authenticatedAt }: AccessTokenClaims,
  issuer: string,
  now: Date,
): Promise<string> {
  const claims = {
    sub: String(userId),
    jti: crypto.randomUUID(),
    client_id: clientId,
    scope: scopes.join(' '),
    grant_id: grantId,
    ...(authenticatedAt && { auth_time: secondsOf(authenticatedAt) }),
  }
  return await tokens.sign(ACCESS_TOKEN, claims, { issuer, audience: issuer }, now)
}

/** An access token that was checked, with what introspection tells of it besides. */
export interface VerifiedAccessToken extends AccessTokenClaims {
  id: string
  issuedAt: number
  expiresAt: number
}

/** @throws InvalidCredential */
export async function verifyAccessToken(
  tokens: TokenAuthority,
  token: string,
  issuer: string,
  now: Date,
): Promise<VerifiedAccessToken> {
  const claims = await tokens.verify(ACCESS_TOKEN, token, { issuer, audience: issuer }, now)
  return {
    id: claims.jti,
    userId: Number(claims.sub),
    clientId: claims.client_id,
    grantId: claims.grant_id,
    scopes: parseScopes(claims.scope),
    authenticatedAt: claims.auth_time === undefined ? null : dateOf(claims.auth_time),
    issuedAt: claims.iat,
    expiresAt: claims.exp,
  }
}
