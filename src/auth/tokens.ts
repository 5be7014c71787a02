import { createLocalJWKSet, errors, importJWK, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import type { SigningKey } from '../env.ts'
import type { JsonWebKeySet } from '../schemas/json-web-key-set.ts'
import { InvalidCredential } from './invalid-credential.ts'

const ALGORITHM = 'RS256'
const TYPE = 'JWT'
const TOKEN_LIFETIME_SECONDS = 60 * 60

/** What a token of ours says of its bearer. */
export interface TokenClaims {
  userId: number
  /** The generation of the password that the token was given for. */
  passwordGeneration: number
}

const Claims = z.object({ sub: z.string().regex(/^[1-9][0-9]{0,15}$/), password_generation: z.int().min(0) }).transform(
  (claims): TokenClaims => ({
    userId: Number(claims.sub),
    passwordGeneration: claims.password_generation,
  }),
)

/** Makes and checks the tokens of POST /auth/token: JWTs (RFC 7519) signed with RS256 (RFC 7518, section 3.3). */
export class TokenAuthority {
  readonly #signingKey: SigningKey
  readonly #verificationKeys: ReturnType<typeof createLocalJWKSet>
  /** What others need to verify our tokens (RFC 7517, section 5). */
  readonly publicKeys: JsonWebKeySet

  /** @param keys Private RSA keys; the first signs, all verify, so that keys can be rotated without ending sessions. */
  constructor(keys: readonly [SigningKey, ...SigningKey[]]) {
    this.#signingKey = keys[0]
    this.publicKeys = { keys: keys.map(publicPart) }
    this.#verificationKeys = createLocalJWKSet(this.publicKeys)
  }

  /** @param issuer The service's URL: it issues the token and is the one that the token is for. */
  async issue(claims: TokenClaims, issuer: string, now: Date): Promise<string> {
    const seconds = Math.floor(now.getTime() / 1000)
    return await new SignJWT({ password_generation: claims.passwordGeneration })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: this.#signingKey.kid })
      .setIssuer(issuer)
      .setAudience(issuer)
      .setSubject(String(claims.userId))
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + TOKEN_LIFETIME_SECONDS)
      .setJti(crypto.randomUUID())
      .sign(await importJWK({ ...this.#signingKey }, ALGORITHM))
  }

  /**
   * Checks signature, algorithm, type, issuer, audience and times, as RFC 8725, section 3 asks.
   *
   * @throws InvalidCredential
   */
  async verify(token: string, issuer: string, now: Date): Promise<TokenClaims> {
    const rules = {
      algorithms: [ALGORITHM],
      typ: TYPE,
      issuer,
      audience: issuer,
      requiredClaims: ['sub', 'iat', 'exp', 'jti'],
      currentDate: now,
    }
    try {
      const { payload } = await jwtVerify(token, this.#verificationKeys, rules)
      return Claims.parse(payload)
    } catch (error) {
      throw new InvalidCredential(explain(error))
    }
  }
}

function explain(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired'
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'iss')
    return 'The token is from another issuer'
  return 'The token is not valid'
}

function publicPart({ kty, kid, n, e }: SigningKey): JsonWebKeySet['keys'][number] {
  return { kty, kid, n, e, alg: ALGORITHM, use: 'sig' }
}
