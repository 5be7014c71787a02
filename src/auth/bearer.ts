import * as z from 'zod'
import { ALL_SCOPES } from '../domain/scopes.ts'
import { TOKEN_SECONDS_MAX, type UniverseControl } from '../domain/universe.ts'
import { newUuid } from '../lib/ids.ts'
import { dateOf, secondsOf } from '../lib/time.ts'
import { stateOfUser } from '../stores/account-states.ts'
import { acceptWith, credentialOf, type Scheme, type TokenTimes } from './scheme.ts'
import { ownIssuerOf, type TokenAuthority, type TokenKind, type VerificationContext } from './tokens.ts'

/** The id of a user in the claim `sub` of a token: at most 16 decimal digits, like the largest safe integer. */
export const Subject = z.string().regex(/^[1-9][0-9]{0,15}$/)

/** A token from POST /auth/token for this service. */
const USER_TOKEN = {
  type: 'JWT',
  lifetimeSeconds: TOKEN_SECONDS_MAX,
  claims: z.looseObject({
    sub: Subject,
    jti: z.string(),
    iat: z.int(),
    exp: z.int(),
    password_generation: z.int().min(0),
  }),
} satisfies TokenKind<z.ZodType>

/** For how long the user tokens and the access tokens that are issued now are valid: an hour, or as the owner says. */
export function tokenSecondsOf({ universe }: { universe?: Pick<UniverseControl, 'tokenSeconds'> | undefined }): number {
  return universe?.tokenSeconds ?? TOKEN_SECONDS_MAX
}

interface UserTokenClaims {
  userId: number
  passwordGeneration: number
}

/** When a user token that is issued at `now` expires: the whole second of its claim `exp`. */
export function userTokenExpiry(now: Date, lifetimeSeconds: number): Date {
  return dateOf(secondsOf(now) + lifetimeSeconds)
}

/** @param lifetimeSeconds See `tokenSecondsOf`. An hour by default */
export async function issueUserToken(
  tokens: TokenAuthority,
  { userId, passwordGeneration }: UserTokenClaims,
  issuer: string,
  now: Date,
  lifetimeSeconds: number = USER_TOKEN.lifetimeSeconds,
): Promise<string> {
  const claims = { sub: String(userId), jti: newUuid('token'), password_generation: passwordGeneration }
  return await tokens.sign(USER_TOKEN, claims, { issuer, audience: issuer }, now, userTokenExpiry(now, lifetimeSeconds))
}

/**
 * Does not check whether the user has a new password.
 *
 * @throws InvalidCredential
 */
export async function verifyUserToken(
  token: string,
  context: VerificationContext,
): Promise<UserTokenClaims & TokenTimes> {
  const issuer = ownIssuerOf(token, context)
  const claims = await context.services.tokens.verify(USER_TOKEN, token, { issuer, audience: issuer }, context.now)
  return {
    userId: Number(claims.sub),
    passwordGeneration: claims.password_generation,
    tokenExpiresAt: dateOf(claims.exp),
    // This kind of token is only issued for a password.
    provedAt: dateOf(claims.iat),
  }
}

/** A token from POST /auth/token, with all scopes. The other bearer tokens are in oauth2.ts and openid-connect.ts. */
export const bearer: Scheme = {
  usage: 'a token from POST /auth/token in the header Authorization: Bearer',

  locate: ({ authorization }) => credentialOf(authorization, ['userToken']),

  async verify(token, context) {
    const { userId, passwordGeneration, ...times } = await verifyUserToken(token, context)
    return {
      query: stateOfUser(userId, passwordGeneration),
      accept: acceptWith(ALL_SCOPES, 'The account of this token no longer exists or has a new password.', times),
    }
  },
}
