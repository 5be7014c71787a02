import { z } from 'zod'
import { dateOf } from '../lib/time.ts'
import type { TokenTimes } from './scheme.ts'
import type { TokenAuthority, TokenKind } from './tokens.ts'

/** A user's id as tokens write it. */
export const Subject = z.string().regex(/^[1-9][0-9]{0,15}$/)

/** The token of POST /auth/token, for the service itself. */
const USER_TOKEN = {
  type: 'JWT',
  lifetimeSeconds: 60 * 60,
  claims: z.looseObject({
    sub: Subject,
    jti: z.string(),
    iat: z.int(),
    exp: z.int(),
    password_generation: z.int().min(0),
  }),
} satisfies TokenKind<z.ZodType>

/** What a token says of its bearer. */
interface UserTokenClaims {
  userId: number
  /** The generation of the password that the token was given for. */
  passwordGeneration: number
}

export async function issueUserToken(
  tokens: TokenAuthority,
  { userId, passwordGeneration }: UserTokenClaims,
  issuer: string,
  now: Date,
): Promise<string> {
  const claims = { sub: String(userId), jti: crypto.randomUUID(), password_generation: passwordGeneration }
  return await tokens.sign(USER_TOKEN, claims, { issuer, audience: issuer }, now)
}

/** @throws InvalidCredential */
export async function verifyUserToken(
  tokens: TokenAuthority,
  token: string,
  issuer: string,
  now: Date,
): Promise<UserTokenClaims & TokenTimes> {
  const claims = await tokens.verify(USER_TOKEN, token, { issuer, audience: issuer }, now)
  return {
    userId: Number(claims.sub),
    passwordGeneration: claims.password_generation,
    tokenExpiresAt: dateOf(claims.exp),
    // It is given for the password alone.
    provedAt: dateOf(claims.iat),
  }
}
