import {
  type AuthorizationServer,
  allowInsecureRequests,
  ClientSecretBasic,
  clientCredentialsGrantRequest,
  customFetch,
  discoveryRequest,
  processClientCredentialsResponse,
  processDiscoveryResponse,
  ResponseBodyError,
} from 'oauth4webapi'
import { type CallRules, fetchGuarded, requireAllowedTarget, TargetRefused } from '../domain/guarded-fetch.ts'
import { MustWait } from '../domain/target-host.ts'
import { ForgetfulMap } from '../lib/forgetful-map.ts'
import { readStart } from '../lib/read-stream.ts'
import { rootCause } from '../lib/root-cause.ts'
import { hashSecret } from './secrets.ts'

/** Where to get a token, and the client that requests it. */
export interface TokenSource {
  /** The token endpoint, or the issuer whose discovery document contains it. */
  from: { tokenUrl: string } | { issuer: string }
  clientId: string
  clientSecret: string
  scope?: string | undefined
}

/** How the requests for a token are made: the `fetch`, the rules of the URL guard, and the limits of the host. */
export interface TokenCall {
  fetch: typeof fetch
  rules: CallRules
  now: Date
  /**
   * Makes a call, if the limits of its host allow it now.
   *
   * @throws MustWait if the limits do not allow the call now
   */
  throttle(url: string, call: () => Promise<Response>): Promise<Response>
}

/** Maximum length of a token, in characters. */
const TOKEN_MAX = 8 * 1024
const RESPONSE_MAX_BYTES = 64 * 1024
/** Lifetime of a token whose response has no `expires_in` (RFC 6749, section 5.1). */
const DEFAULT_LIFETIME_SECONDS = 5 * 60
/** A token is not used in the last seconds of its lifetime, because it must still be valid when it arrives. */
const MARGIN_SECONDS = 30
const ENTRIES_MAX = 1000
/**
 * How long all requests for one token may take together. The time is short, because a delivery that waits for a token
 * uses one of the concurrent calls that its receiver can get.
 */
const TIMEOUT_MS = 5000
/**
 * How long an endpoint that did not respond gets no further requests, so that it does not block one delivery after
 * another. This applies to the endpoint and not to its host, because one slow path must not stop the tokens of
 * everybody at that host.
 */
const SILENCE_KEPT_MS = 60_000

/**
 * Gets tokens for receivers that require one (client credentials, RFC 6749, section 4.4). Caches each token until it
 * expires.
 */
export class ReceiverTokens {
  readonly #tokens = new ForgetfulMap<string>(ENTRIES_MAX)
  /** Endpoints that did not respond. As long as they are remembered, they get no requests. */
  readonly #silentEndpoints = new ForgetfulMap<true>(ENTRIES_MAX)
  readonly #timeoutMs: number

  /** @param timeoutMs How long all requests for one token may take together */
  constructor(timeoutMs = TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs
  }

  /**
   * Returns a cached token, or gets a new one.
   *
   * @throws TargetRefused, MustWait, or an Error that says why there is no token
   */
  async get(source: TokenSource, call: TokenCall): Promise<string> {
    const key = await keyOf(source)
    const cached = this.#tokens.get(key, call.now)
    if (cached !== undefined) return cached
    const { token, seconds } = await this.#request(source, call).catch(explainFailure)
    this.#tokens.set(key, token, call.now.getTime() + (seconds - MARGIN_SECONDS) * 1000)
    return token
  }

  /** Requests a token, unless the endpoint did not respond within the last minute. */
  async #request(source: TokenSource, call: TokenCall): ReturnType<typeof requestToken> {
    const endpoint = 'tokenUrl' in source.from ? source.from.tokenUrl : source.from.issuer
    const { host } = new URL(endpoint)
    if (this.#silentEndpoints.get(endpoint, call.now))
      throw new Error(`${host} did not respond to a request in the last minute, so no other request was made`)
    const timeout = AbortSignal.timeout(this.#timeoutMs)
    const signal = AbortSignal.any([call.rules.signal, timeout])
    try {
      return await requestToken(source, { ...call, rules: { ...call.rules, signal } })
    } catch (error) {
      // If the limits of the host refuse the call, it is not the fault of the endpoint, however long this took.
      if (error instanceof MustWait || !timeout.aborted) throw error
      this.#silentEndpoints.set(endpoint, true, call.now.getTime() + SILENCE_KEPT_MS)
      throw new Error(`${host} did not respond within ${this.#timeoutMs / 1000} seconds`)
    }
  }

  /** Removes a token that its receiver has rejected. */
  async forget(source: TokenSource): Promise<void> {
    this.#tokens.delete(await keyOf(source))
  }
}

/**
 * The key of a source in the cache. It includes the client secret, so that a new secret leads to a new token. It is a
 * hash, so that the cache does not contain the secret.
 */
async function keyOf({ from, clientId, clientSecret, scope }: TokenSource): Promise<string> {
  return await hashSecret(JSON.stringify([from, clientId, clientSecret, scope]))
}

/**
 * Throws the error of a token request again. Any error except TargetRefused and MustWait gets a message which says that
 * the token request failed.
 */
function explainFailure(error: unknown): never {
  if (error instanceof TargetRefused || error instanceof MustWait) throw error
  if (error instanceof ResponseBodyError) throw new Error(`could not get a token: ${error.status} ${error.error}`)
  throw new Error(`could not get a token: ${rootCause(error).message}`)
}

/** @returns The token, and its lifetime in seconds */
async function requestToken(source: TokenSource, call: TokenCall): Promise<{ token: string; seconds: number }> {
  const server = await findServer(source, call)
  const client = { client_id: source.clientId }
  const parameters = source.scope === undefined ? {} : { scope: source.scope }
  const authentication = ClientSecretBasic(source.clientSecret)
  const response = await clientCredentialsGrantRequest(server, client, authentication, parameters, optionsOf(call))
  const { access_token, token_type, expires_in } = await processClientCredentialsResponse(server, client, response)
  if (access_token.length > TOKEN_MAX) throw new Error(`the token is longer than ${TOKEN_MAX} characters`)
  if (token_type !== 'bearer') throw new Error(`the token type is ${token_type}, not bearer`)
  return { token: access_token, seconds: expires_in ?? DEFAULT_LIFETIME_SECONDS }
}

async function findServer({ from }: TokenSource, call: TokenCall): Promise<AuthorizationServer> {
  // The library requires an issuer. A token endpoint without discovery has no issuer, so its URL is used instead.
  if ('tokenUrl' in from) return { issuer: from.tokenUrl, token_endpoint: from.tokenUrl }
  const issuer = new URL(from.issuer)
  return await processDiscoveryResponse(issuer, await discoveryRequest(issuer, optionsOf(call)))
}

interface LibraryRequest {
  method: string
  headers: Record<string, string>
  body?: URLSearchParams | undefined
}

/**
 * The options for a request of the library. They allow plain http, because the URL guard decides for all calls which
 * URLs may be called.
 */
function optionsOf({ fetch, rules, throttle }: TokenCall) {
  return {
    signal: rules.signal,
    [allowInsecureRequests]: true,
    [customFetch]: async (url: string, { method, headers, body }: LibraryRequest) => {
      // Checked before the limits, because a rejected call does not count as a call.
      requireAllowedTarget(url, rules)
      return await throttle(url, async () => {
        const response = await fetchGuarded(fetch, url, { method, headers, body: body ?? null }, rules)
        const start = await readStart(response.body, RESPONSE_MAX_BYTES)
        // Null and not an empty body, because a response with the status 204 must have no body.
        return new Response(start.byteLength > 0 ? start : null, response)
      })
    },
  }
}
