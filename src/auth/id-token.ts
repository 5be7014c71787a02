import { z } from 'zod'
import { sha256, toBase64Url } from '../lib/sha256.ts'
import { secondsOf } from '../lib/time.ts'
import { InvalidCredential } from './invalid-credential.ts'
import { peekJwt } from './peek-jwt.ts'
import type { TokenAuthority, TokenKind } from './tokens.ts'
import { Subject } from './user-token.ts'

/** An ID token (OpenID Connect Core 1.0, section 2): tells a client who signed in, and is no credential here. */
const ID_TOKEN = {
  type: 'JWT',
  lifetimeSeconds: 60 * 60,
  claims: z.looseObject({ sub: Subject, at_hash: z.string() }),
} satisfies TokenKind<z.ZodType>

interface IdTokenClaims {
  userId: number
  clientId: string
  authenticatedAt: Date | null
  /** As the client's request had it. */
  nonce: string | undefined
  /** The access token that comes with it. */
  accessToken: string
}

export async function issueIdToken(
  tokens: TokenAuthority,
  { userId, clientId, authenticatedAt, nonce, accessToken }: IdTokenClaims,
  issuer: string,
  now: Date,
): Promise<string> {
  const claims = {
    sub: String(userId),
    ...(authenticatedAt && { auth_time: secondsOf(authenticatedAt) }),
    ...(nonce !== undefined && { nonce }),
    at_hash: await halfHash(accessToken),
  }
  return await tokens.sign(ID_TOKEN, claims, { issuer, audience: clientId }, now)
}

/**
 * Reads an ID token of ours that a client hands back to say who it means. It may have expired
 * (OpenID Connect RP-Initiated Logout 1.0, section 2).
 *
 * @throws InvalidCredential
 */
export async function readIdTokenHint(
  tokens: TokenAuthority,
  hint: string,
  issuer: string,
): Promise<{ userId: number; clientId: string }> {
  const { audience, issuedAt } = peekJwt(hint)
  if (audience === undefined || audience === issuer || issuedAt === undefined) {
    throw new InvalidCredential('The hint is no ID token of this service')
  }
  const { sub } = await tokens.verify(ID_TOKEN, hint, { issuer, audience }, new Date(issuedAt * 1000))
  return { userId: Number(sub), clientId: audience }
}

/** The left half of the token's SHA-256 (OpenID Connect Core 1.0, section 3.1.3.6). */
async function halfHash(token: string): Promise<string> {
  const digest = await sha256(token)
  return toBase64Url(digest.subarray(0, digest.length / 2))
}
