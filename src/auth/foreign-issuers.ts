import { createRemoteJWKSet, customFetch, decodeJwt, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { z } from 'zod'
import type { ForeignIssuer } from '../env.ts'
import { ProblemError } from '../lib/errors.ts'
import { parseScopes, type Scope } from '../schemas/scopes.ts'
import { InvalidCredential } from './invalid-credential.ts'
import { explainJwtError } from './tokens.ts'

// Asymmetric ones only: with the others everybody who verifies could sign.
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const TYPES = ['at+jwt', 'jwt']
const CLOCK_TOLERANCE_SECONDS = 30
const DISCOVERY_KEPT_MS = 60 * 60_000
/** After a failure nothing is asked again for this long, however many tokens come. */
const FAILURE_KEPT_MS = 10_000
const FETCH_TIMEOUT_MS = 5_000
const RETRY_AFTER_SECONDS = '10'

/** What discovery has to tell (OpenID Connect Discovery 1.0, section 3). */
const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) })

/** What is kept of an issuer: its keys, or that it failed. */
interface Known {
  keys: JWTVerifyGetKey | undefined
  until: number
}

/** Who a foreign token is about. */
export interface ForeignSubject {
  issuer: string
  subject: string
  scopes: readonly Scope[]
}

/** Verifies the tokens of the providers in OIDC_ISSUERS, by keys that are found through discovery and kept. */
export class ForeignIssuers {
  readonly #issuers: ReadonlyMap<string, readonly ForeignIssuer[]>
  readonly #fetch: typeof fetch
  readonly #known = new Map<string, Known>()

  constructor(issuers: readonly ForeignIssuer[], fetcher: typeof fetch) {
    this.#issuers = Map.groupBy(issuers, ({ issuer }) => issuer)
    this.#fetch = fetcher
  }

  knows(issuer: string): boolean {
    return this.#issuers.has(issuer)
  }

  /**
   * Checks a token as RFC 8725, section 3 asks: keys of its issuer, algorithm, type, audience, times. What it may be used
   * for is what its `scope` says, where that names scopes of ours.
   *
   * @returns Undefined where the token says that it is our own
   * @throws InvalidCredential; ProblemError 503 where the issuer cannot be asked for its keys
   */
  async verify(token: string, ownIssuer: string, now: Date): Promise<ForeignSubject | undefined> {
    const issuer = claimedIssuer(token)
    if (issuer === ownIssuer) return undefined
    const audience = (this.#issuers.get(issuer) ?? []).map((known) => known.audience)
    if (audience.length === 0) throw new InvalidCredential('The token is from another issuer')
    const keys = await this.#keysOf(issuer, now)
    const rules = {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ['sub', 'exp'],
      currentDate: now,
    }
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, rules)
      requireType(protectedHeader.typ)
      return { issuer, subject: z.string().min(1).max(255).parse(payload.sub), scopes: scopesOf(payload) }
    } catch (error) {
      if (isUnreachable(error)) throw this.#fail(issuer, now)
      throw error instanceof InvalidCredential ? error : new InvalidCredential(explainJwtError(error))
    }
  }

  async #keysOf(issuer: string, now: Date): Promise<JWTVerifyGetKey> {
    const known = this.#known.get(issuer)
    if (known && known.until > now.getTime()) {
      if (known.keys) return known.keys
      throw unreachable()
    }
    try {
      const { jwks_uri } = await this.#discover(issuer)
      // It keeps the keys, and asks again for an unknown `kid`, but not twice within half a minute.
      const keys = createRemoteJWKSet(new URL(jwks_uri), {
        timeoutDuration: FETCH_TIMEOUT_MS,
        [customFetch]: (url, options) => this.#fetch(url, options),
      })
      this.#known.set(issuer, { keys, until: now.getTime() + DISCOVERY_KEPT_MS })
      return keys
    } catch {
      throw this.#fail(issuer, now)
    }
  }

  async #discover(issuer: string): Promise<z.infer<typeof Discovery>> {
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const response = await this.#fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) })
    if (!response.ok) throw new Error(`discovery answers ${response.status}`)
    const discovery = Discovery.parse(await response.json())
    if (discovery.issuer !== issuer) throw new Error('discovery names another issuer')
    if (issuer.startsWith('https:') && !discovery.jwks_uri.startsWith('https:')) throw new Error('keys without TLS')
    return discovery
  }

  #fail(issuer: string, now: Date): ProblemError {
    console.error(JSON.stringify({ event: 'foreign-issuer-failed', issuer }))
    this.#known.set(issuer, { keys: undefined, until: now.getTime() + FAILURE_KEPT_MS })
    return unreachable()
  }
}

function claimedIssuer(token: string): string {
  try {
    return decodeJwt(token).iss ?? ''
  } catch {
    throw new InvalidCredential('The token is not valid')
  }
}

/** An access token (RFC 9068), or one of a provider that knows no type of its own for them. */
function requireType(type: string | undefined): void {
  const name = type?.toLowerCase().replace(/^application\//, '')
  if (name === undefined || !TYPES.includes(name)) throw new InvalidCredential('The token is not valid')
}

function scopesOf({ scope }: Record<string, unknown>): Scope[] {
  return typeof scope === 'string' ? parseScopes(scope) : []
}

/** Tells a failure to get the keys from one of the token. */
function isUnreachable(error: unknown): boolean {
  return error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || isFetchFailure(error)
}

function isFetchFailure(error: unknown): boolean {
  const isPlain = error instanceof errors.JOSEError && error.code === 'ERR_JOSE_GENERIC'
  return isPlain || error instanceof TypeError
}

function unreachable(): ProblemError {
  return new ProblemError('service-unavailable', 'The provider of this token cannot be asked for its keys.', {
    headers: { 'Retry-After': RETRY_AFTER_SECONDS },
  })
}
