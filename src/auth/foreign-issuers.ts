import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import * as z from 'zod'
import { ProblemError } from '../domain/problems.ts'
import { parseScopes, type Scope } from '../domain/scopes.ts'
import type { ForeignIssuer } from '../env.ts'
import { rootCause } from '../lib/root-cause.ts'
import { dateOf } from '../lib/time.ts'
import { InvalidCredential } from './invalid-credential.ts'
import { explainJwtError, peekJwt } from './tokens.ts'

// Only asymmetric algorithms are accepted. With HMAC, everybody who can verify a token can also sign a token.
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
/** Types of access tokens: `at+jwt` (RFC 9068), and `jwt` for providers that do not use a special type. */
const TOKEN_TYPES = ['at+jwt', 'jwt']
const CLOCK_TOLERANCE_SECONDS = 30
const DISCOVERY_KEPT_MS = 60 * 60_000
/**
 * After a failed request for the keys, or a failed first discovery, the issuer gets no requests for this long, however
 * many tokens arrive. After a failed later discovery, the next discovery is due after this time.
 */
const FAILURE_KEPT_MS = 10_000
const FETCH_TIMEOUT_MS = 5_000

/** The required part of a discovery document (OpenID Connect Discovery 1.0, section 3). */
const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) })

/** Claims that a token must have, besides those that `jwtVerify` checks. */
const Claims = z.object({ sub: z.string().min(1).max(255), exp: z.number() })

/** The keys of an issuer. The library caches them for ten minutes. */
interface KeySet {
  url: string
  find: JWTVerifyGetKey
}

/** The state of an issuer. While its discovery fails, the key set of an earlier discovery stays in use. */
interface IssuerState {
  keySet: KeySet | undefined
  /** When discovery is due again, in milliseconds since 1970. */
  discoverAt: number
  /** Until when the issuer gets no requests, in milliseconds since 1970. */
  failingUntil: number
}

/** The user of an external token, with the scopes and times of the token. */
interface ForeignSubject {
  issuer: string
  subject: string
  scopes: readonly Scope[]
  tokenExpiresAt: Date
  /** When the token was issued; null if unknown. */
  issuedAt: Date | null
  /** When the user signed in, or else when the token was issued; null if both are unknown. */
  provedAt: Date | null
}

/** The issuer did not respond, or its response is not valid. */
class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** Verifies tokens of the providers in OIDC_ISSUERS. Finds their keys with discovery and caches them. */
export class ForeignIssuers {
  readonly #issuers: ReadonlyMap<string, readonly ForeignIssuer[]>
  readonly #fetch: typeof fetch
  readonly #states = new Map<string, IssuerState>()

  constructor(issuers: readonly ForeignIssuer[], fetcher: typeof fetch) {
    this.#issuers = Map.groupBy(issuers, ({ issuer }) => issuer)
    this.#fetch = fetcher
  }

  /** Whether OIDC_ISSUERS contains an issuer. */
  knows(issuer: string): boolean {
    return this.#issuers.has(issuer)
  }

  /**
   * Verifies a token as RFC 8725, section 3 requires: issuer, signature, algorithm, type, audience and times. The
   * result has the scopes of the claim `scope` that this service knows.
   *
   * @param isOwn Returns whether an issuer is this service
   * @returns Undefined if the token claims to be from this service
   * @throws InvalidCredential; ProblemError 503 if the keys of the issuer cannot be fetched
   */
  async verify(token: string, isOwn: (issuer: string) => boolean, now: Date): Promise<ForeignSubject | undefined> {
    const { issuer = '', type = '' } = peekJwt(token)
    if (isOwn(issuer)) return undefined
    const audiences = (this.#issuers.get(issuer) ?? []).map((accepted) => accepted.audience)
    if (audiences.length === 0) throw new InvalidCredential('The issuer of the token is not accepted.')
    if (!TOKEN_TYPES.includes(type)) throw new InvalidCredential('The token has the wrong type.')
    const rules = {
      issuer,
      audience: audiences,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ['sub', 'exp'],
      currentDate: now,
    }
    try {
      const { payload } = await jwtVerify(token, await this.#keysOf(issuer, now), rules)
      const { sub, exp } = Claims.parse(payload)
      const tokenExpiresAt = dateOf(exp + CLOCK_TOLERANCE_SECONDS)
      return { issuer, subject: sub, scopes: scopesOf(payload), tokenExpiresAt, ...timesOf(payload) }
    } catch (error) {
      if (!(error instanceof Unreachable || error instanceof errors.JWKSInvalid)) {
        throw new InvalidCredential(explainJwtError(error))
      }
      this.#noteFailure(issuer, error, now)
      throw keysUnavailable()
    }
  }

  /**
   * Runs discovery if it is due. If discovery fails, the keys of an earlier discovery are used.
   *
   * @throws Unreachable if there are no earlier keys
   */
  async #keysOf(issuer: string, now: Date): Promise<JWTVerifyGetKey> {
    const state = this.#states.get(issuer)
    const isDue = !state || state.discoverAt <= now.getTime()
    if (isDue && !this.#isFailing(issuer, now)) {
      try {
        return await this.#discover(issuer, now)
      } catch (error) {
        if (!state?.keySet) throw error
        logFailure(issuer, error)
        // Only discovery pauses. The keys can still be fetched from the URL of the earlier discovery.
        this.#states.set(issuer, { ...state, discoverAt: now.getTime() + FAILURE_KEPT_MS })
      }
    }
    if (state?.keySet) return state.keySet.find
    throw new Unreachable('the last attempt failed moments ago')
  }

  async #discover(issuer: string, now: Date): Promise<JWTVerifyGetKey> {
    const response = await this.#fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
    const { data: discovery } = Discovery.safeParse(await response.json())
    if (discovery?.issuer !== issuer) throw new Unreachable('the discovery document names another issuer')
    if (issuer.startsWith('https:') && !discovery.jwks_uri.startsWith('https:'))
      throw new Unreachable('the key URL does not use TLS')
    const url = discovery.jwks_uri
    const known = this.#states.get(issuer)?.keySet
    // If the URL is the same, the key set stays. A new key set is empty, and the request that fills it could fail.
    const keySet = known?.url === url ? known : { url, find: this.#makeKeySet(issuer, url) }
    this.#states.set(issuer, { keySet, discoverAt: now.getTime() + DISCOVERY_KEPT_MS, failingUntil: 0 })
    return keySet.find
  }

  #makeKeySet(issuer: string, keysUrl: string): JWTVerifyGetKey {
    // The library fetches the keys when they are older than ten minutes. It also fetches them for an unknown `kid`, but
    // not twice within 30 seconds.
    return createRemoteJWKSet(new URL(keysUrl), {
      timeoutDuration: FETCH_TIMEOUT_MS,
      [customFetch]: async (url) => {
        // The library calls this function later, so `now` may be long past.
        if (this.#isFailing(issuer, new Date())) throw new Unreachable('the last attempt failed moments ago')
        return await this.#fetchJson(url)
      },
    })
  }

  /**
   * Fetches a JSON document.
   *
   * @throws Unreachable
   */
  async #fetchJson(url: string): Promise<Response> {
    try {
      const response = await this.#fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) })
      // The body is read here, so that an error in the body is also reported as Unreachable.
      if (response.status === 200) return Response.json(await response.json())
      throw new Unreachable(`${url} returned ${response.status}`)
    } catch (error) {
      throw error instanceof Unreachable ? error : new Unreachable(`${url}: ${rootCause(error).message}`)
    }
  }

  /** Whether an issuer gets no requests now, because an earlier request failed moments ago. */
  #isFailing(issuer: string, now: Date): boolean {
    return (this.#states.get(issuer)?.failingUntil ?? 0) > now.getTime()
  }

  /** Logs a failure, and stops the requests to the issuer for a while. */
  #noteFailure(issuer: string, error: unknown, now: Date): void {
    // During a pause, every token that needs a request to the issuer fails. These failures must not extend the pause.
    if (this.#isFailing(issuer, now)) return
    logFailure(issuer, error)
    const endOfPause = now.getTime() + FAILURE_KEPT_MS
    // The URL of the keys may have changed, so discovery is due after the pause.
    const keySet = this.#states.get(issuer)?.keySet
    this.#states.set(issuer, { keySet, discoverAt: endOfPause, failingUntil: endOfPause })
  }
}

function logFailure(issuer: string, error: unknown): void {
  console.error(JSON.stringify({ event: 'foreign-issuer-failed', issuer, error: rootCause(error).message }))
}

function scopesOf({ scope }: Record<string, unknown>): Scope[] {
  return typeof scope === 'string' ? parseScopes(scope) : []
}

function timesOf({ iat, auth_time }: Record<string, unknown>): Pick<ForeignSubject, 'issuedAt' | 'provedAt'> {
  const issuedAt = typeof iat === 'number' ? dateOf(iat) : null
  return { issuedAt, provedAt: typeof auth_time === 'number' ? dateOf(auth_time) : issuedAt }
}

function keysUnavailable(): ProblemError {
  return new ProblemError(
    'service-unavailable',
    'The keys of the token issuer cannot be fetched at the moment. Try again shortly.',
    {
      headers: { 'Retry-After': String(FAILURE_KEPT_MS / 1000) },
    },
  )
}
