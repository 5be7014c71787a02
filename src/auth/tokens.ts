import { createLocalJWKSet, errors, importJWK, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import * as z from 'zod'
import type { SigningKey } from '../env.ts'
import { ForgetfulMap } from '../lib/forgetful-map.ts'
import { membersOf } from '../lib/objects.ts'
import { decodeUtf8 } from '../lib/text.ts'
import { secondsOf } from '../lib/time.ts'
import type { JsonWebKeySet } from '../schemas/json-web-key-set.ts'
import { InvalidCredential } from './invalid-credential.ts'
import { TOKEN_FAULTS } from './token-faults.ts'

export const SIGNING_ALGORITHM = 'RS256'

/** The properties that distinguish one kind of token from the others. */
export interface TokenKind<Claims extends z.ZodType> {
  /** The `typ` of its header (RFC 8725, section 3.11). */
  type: string
  lifetimeSeconds: number
  /** The claims besides `iss`, `aud`, `iat` and `exp`. */
  claims: Claims
}

interface Parties {
  issuer: string
  audience: string
}

interface VerifiedToken {
  kind: TokenKind<z.ZodType>
  claims: unknown
}

/** Maximum number of verified tokens in memory. */
const VERIFIED_MAX = 1000
/**
 * Maximum length of a token in memory with its issuer and audience, in characters. Access tokens have about 1 KiB.
 * Longer tokens, such as ID tokens with the longest nonce, are verified each time, because a thousand of them would
 * take 10 MB.
 */
const VERIFIED_LENGTH_MAX = 2048

/** Signs and verifies JWTs (RFC 7519) with RS256 (RFC 7518, section 3.3). Each kind of token defines its own claims. */
export class TokenAuthority {
  readonly #signingKey: SigningKey
  readonly #verificationKeys: ReturnType<typeof createLocalJWKSet>
  /**
   * Tokens that were verified, by their issuer, audience and text, until they expire. Clients send a token with every
   * call, so this memory saves the cost of verifying the token each time. It does not say whether a token was revoked:
   * this is read from the database for each request. Worlds can share this memory, because their issuers are different.
   */
  readonly #verified = new ForgetfulMap<VerifiedToken>(VERIFIED_MAX)
  /** The public keys with which others verify our tokens (RFC 7517, section 5). */
  readonly publicKeys: JsonWebKeySet

  /**
   * @param keys Private RSA keys. The first one signs. All of them verify, so that tokens stay valid after a new key
   * was added in front
   */
  constructor(keys: readonly [SigningKey, ...SigningKey[]]) {
    this.#signingKey = keys[0]
    this.publicKeys = { keys: keys.map(publicPart) }
    this.#verificationKeys = createLocalJWKSet(this.publicKeys)
  }

  /** @param expiresAt When the token expires; by default, after the lifetime of its kind */
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
   * Checks signature, algorithm, type, issuer, audience, times and claims, as RFC 8725, section 3 requires.
   *
   * @throws InvalidCredential
   */
  async verify<Claims extends z.ZodType>(
    kind: TokenKind<Claims>,
    token: string,
    { issuer, audience }: Parties,
    now: Date,
  ): Promise<z.output<Claims>> {
    const cacheKey = [issuer, audience, token].join(' ')
    const verified = this.#verified.get(cacheKey, now)
    if (verified?.kind === kind) {
      // The token was verified as the same kind, so these are the claims that the schema of the kind has parsed.
      return verified.claims as z.output<Claims>
    }
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
      const claims = kind.claims.parse(payload)
      const end = (payload.exp ?? 0) * 1000
      if (cacheKey.length <= VERIFIED_LENGTH_MAX) this.#verified.set(cacheKey, { kind, claims }, end)
      return claims
    } catch (error) {
      throw new InvalidCredential(explainJwtError(error))
    }
  }
}

/** Why a token was rejected, in a sentence that may be sent to its bearer. */
export function explainJwtError(error: unknown): string {
  if (error instanceof errors.JWTExpired) return TOKEN_FAULTS.expired
  if (error instanceof errors.JWTClaimValidationFailed)
    return CLAIM_FAULTS[error.claim] ?? `The claim ${error.claim} of the token is missing or not valid.`
  if (error instanceof errors.JWSSignatureVerificationFailed) return TOKEN_FAULTS.signature
  if (error instanceof errors.JWKSNoMatchingKey) return TOKEN_FAULTS.key
  if (error instanceof errors.JOSEAlgNotAllowed) return TOKEN_FAULTS.algorithm
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) return 'The token is not a JWT.'
  return 'The token is not valid.'
}

const CLAIM_FAULTS: Readonly<Record<string, string>> = {
  iss: TOKEN_FAULTS.issuer,
  aud: TOKEN_FAULTS.audience,
  typ: TOKEN_FAULTS.type,
  nbf: TOKEN_FAULTS.early,
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

/** Unverified content of a JWT. It may only be used to decide how to verify the token. */
type PeekedJwt = z.infer<typeof Peeked>

/** The data that the verification of a token needs besides the token. */
export interface VerificationContext {
  services: { tokens: TokenAuthority; isOwnIssuer(issuer: string, baseUrl: string): boolean }
  baseUrl: string
  now: Date
}

/**
 * The issuer that a verification must require of a token: the issuer that the token names, if this is an address of
 * this world. Otherwise it is the address of the request, so that the verification rejects the token.
 */
export function ownIssuerOf(
  token: string,
  { services, baseUrl }: Pick<VerificationContext, 'services' | 'baseUrl'>,
): string {
  const { issuer } = peekJwt(token)
  return issuer !== undefined && services.isOwnIssuer(issuer, baseUrl) ? issuer : baseUrl
}

/**
 * Reads a JWT without verifying it. The result is empty if the token is not a JWT. The type is in lower case, without
 * `application/` (RFC 7515, section 4.1.9).
 */
export function peekJwt(token: string): PeekedJwt {
  try {
    const [header = '', payload = ''] = token.split('.')
    const { typ } = decodePart(header)
    const { iss, sub, aud, scope, iat } = decodePart(payload)
    return Peeked.parse({ type: typ, issuer: iss, subject: sub, audience: aud, scope, issuedAt: iat })
  } catch {
    return {}
  }
}

/**
 * The members of a part of a token. The functions of jose are too slow here: for a token in memory, they would take as
 * long as all other steps of its verification.
 *
 * @throws Error if the part is not base64url of JSON
 */
function decodePart(part: string): Record<string, unknown> {
  const json = decodeUtf8(Uint8Array.fromBase64(part, { alphabet: 'base64url' }))
  // Bytes that are not UTF-8 count as an empty text, which is not JSON either.
  return membersOf(JSON.parse(json ?? ''))
}
