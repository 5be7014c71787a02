import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  importJWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose'
import { z } from 'zod'
import type { SigningKey } from '../env.ts'
import { secondsOf } from '../lib/time.ts'
import type { JsonWebKeySet } from '../schemas/json-web-key-set.ts'
import { InvalidCredential } from './invalid-credential.ts'

export const SIGNING_ALGORITHM = 'RS256'

/** How one kind of token is told from the others. */
export interface TokenKind<Claims extends z.ZodType> {
  /** The `typ` of its header (RFC 8725, section 3.11). */
  type: string
  lifetimeSeconds: number
  /** What it says besides `iss`, `aud`, `iat` and `exp`. */
  claims: Claims
}

interface Parties {
  issuer: string
  audience: string
}

/** Makes and checks JWTs (RFC 7519) signed with RS256 (RFC 7518, section 3.3). What they say is up to each kind of token. */
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

  /** @param expiresAt When the token ends; by default the lifetime of its kind from now */
  async sign(
    kind: TokenKind<z.ZodType>,
    claims: JWTPayload,
    { issuer, audience }: Parties,
    now: Date,
    expiresAt = new Date(now.getTime() + kind.lifetimeSeconds * 1000),
  ): Promise<string> {
    return await new SignJWT(claims)
      .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: kind.type, kid: this.#signingKey.kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt(secondsOf(now))
      .setExpirationTime(secondsOf(expiresAt))
      .sign(await importJWK({ ...this.#signingKey }, SIGNING_ALGORITHM))
  }

  /**
   * Checks signature, algorithm, type, issuer, audience, times and claims, as RFC 8725, section 3 asks.
   *
   * @throws InvalidCredential
   */
  async verify<Claims extends z.ZodType>(
    kind: TokenKind<Claims>,
    token: string,
    { issuer, audience }: Parties,
    now: Date,
  ): Promise<z.output<Claims>> {
    const rules = {
      algorithms: [SIGNING_ALGORITHM],
      typ: kind.type,
      issuer,
      audience,
      requiredClaims: ['sub', 'iat', 'exp'],
      currentDate: now,
    }
    try {
      const { payload } = await jwtVerify(token, this.#verificationKeys, rules)
      return kind.claims.parse(payload)
    } catch (error) {
      throw new InvalidCredential(explainJwtError(error))
    }
  }
}

/** What a bearer may know of why its token was refused. */
export function explainJwtError(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.'
  if (error instanceof errors.JWTClaimValidationFailed)
    return CLAIM_FAULTS[error.claim] ?? `The claim ${error.claim} of the token is missing or not valid.`
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token is not valid.'
  if (error instanceof errors.JWKSNoMatchingKey) return 'The token is signed with an unknown key.'
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) return 'The token is not a JWT.'
  return 'The token is not valid.'
}

const CLAIM_FAULTS: Readonly<Record<string, string>> = {
  iss: 'The token is from another issuer.',
  aud: 'The token is for another audience.',
  typ: 'The token has the wrong type.',
  nbf: 'The token is not valid yet.',
}

function publicPart({ kty, kid, n, e }: SigningKey): JsonWebKeySet['keys'][number] {
  return { kty, kid, n, e, alg: SIGNING_ALGORITHM, use: 'sig' }
}

const Peeked = z.object({
  type: z
    .string()
    .transform((type) => type.toLowerCase().replace(/^application\//, ''))
    .optional()
    .catch(undefined),
  issuer: z.string().optional().catch(undefined),
  subject: z.string().optional().catch(undefined),
  audience: z.string().optional().catch(undefined),
  scope: z.string().optional().catch(undefined),
  issuedAt: z.number().optional().catch(undefined),
})

/** What a JWT says of itself. Nothing of it is proved, so it is only good for deciding how to verify it. */
type PeekedJwt = z.infer<typeof Peeked>

/** Reads a JWT without verifying it; of what is none, nothing. The type is without `application/` (RFC 7515, section 4.1.9). */
export function peekJwt(token: string): PeekedJwt {
  try {
    const { typ } = decodeProtectedHeader(token)
    const { iss, sub, aud, scope, iat } = decodeJwt(token)
    return Peeked.parse({ type: typ, issuer: iss, subject: sub, audience: aud, scope, issuedAt: iat })
  } catch {
    return {}
  }
}
