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
import { type CallRules, fetchGuarded, requireTarget, TargetRefused } from '../domain/guarded-fetch.ts'
import { MustWait } from '../domain/target-host.ts'
import { readStart } from '../lib/read-stream.ts'
import { rootCause } from '../lib/root-cause.ts'
import { hashSecret } from './secrets.ts'

/** Where a token comes from, and who asks for it. */
export interface TokenSource {
  /** The token endpoint, or the issuer whose discovery names it. */
  from: { tokenUrl: string } | { issuer: string }
  clientId: string
  clientSecret: string
  scope?: string | undefined
}

/** How the asking is done. */
export interface TokenCall {
  fetch: typeof fetch
  rules: CallRules
  now: Date
  /** Makes a call when it is its turn; throws `MustWait` if it is not. */
  throttle(url: string, call: () => Promise<Response>): Promise<Response>
}

const TOKEN_MAX = 8 * 1024
const ANSWER_MAX_BYTES = 64 * 1024
/** Of a token that does not say when it ends (RFC 6749, section 5.1). */
const DEFAULT_LIFETIME_SECONDS = 5 * 60
/** A token this near to its end is not used: it has to be good when it arrives. */
const MARGIN_SECONDS = 30
const KEPT_MAX = 1000
/** The receiver's host has no use of the place that the delivery holds there while it waits for a token. */
const TIMEOUT_MS = 5000
/**
 * How long an endpoint that did not respond is not asked again, so that it does not take one such place after another. It
 * is the endpoint and not its host, because otherwise one slow path of a host would stop the tokens of everybody there.
 */
const SILENCE_KEPT_MS = 60_000

interface Kept {
  token: string
  /** Milliseconds since 1970. */
  until: number
}

/** Gets tokens for receivers that want one (client credentials, RFC 6749, section 4.4), and keeps them until they expire. */
export class ReceiverTokens {
  readonly #kept = new Map<string, Kept>()
  /** URLs that did not respond, and until when they are not asked: milliseconds since 1970. */
  readonly #silent = new Map<string, number>()
  readonly #timeoutMs: number

  /** @param timeoutMs How long all requests for one token may take together */
  constructor(timeoutMs = TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs
  }

  /** @throws TargetRefused, MustWait, or an Error that says why there is no token */
  async get(source: TokenSource, call: TokenCall): Promise<string> {
    const key = await keyOf(source)
    const time = call.now.getTime()
    const kept = this.#kept.get(key)
    if (kept && kept.until > time) return kept.token
    const { token, seconds } = await this.#ask(source, call).catch(explainFailure)
    keep(this.#kept, key, { token, until: time + (seconds - MARGIN_SECONDS) * 1000 })
    return token
  }

  async #ask(source: TokenSource, call: TokenCall): ReturnType<typeof askForToken> {
    const endpoint = 'tokenUrl' in source.from ? source.from.tokenUrl : source.from.issuer
    const { host } = new URL(endpoint)
    const time = call.now.getTime()
    if ((this.#silent.get(endpoint) ?? 0) > time)
      throw new Error(`${host} did not respond in time within the last minute`)
    const timeout = AbortSignal.timeout(this.#timeoutMs)
    const signal = AbortSignal.any([call.rules.signal, timeout])
    try {
      return await askForToken(source, { ...call, rules: { ...call.rules, signal } })
    } catch (error) {
      if (!timeout.aborted) throw error
      keep(this.#silent, endpoint, time + SILENCE_KEPT_MS)
      throw new Error(`${host} did not respond within ${this.#timeoutMs / 1000} seconds`)
    }
  }

  /** Forgets a token that its receiver has refused. */
  async forget(source: TokenSource): Promise<void> {
    this.#kept.delete(await keyOf(source))
  }
}

/** Puts an entry behind all others, and removes the oldest of too many. */
function keep<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  entries.delete(key)
  entries.set(key, value)
  for (const [oldest] of entries) {
    if (entries.size <= KEPT_MAX) break
    entries.delete(oldest)
  }
}

/** By a hash, because the secret is part of it: of a client whose secret is another the token is another. */
async function keyOf({ from, clientId, clientSecret, scope }: TokenSource): Promise<string> {
  return await hashSecret(JSON.stringify([from, clientId, clientSecret, scope]))
}

/** @throws TargetRefused, MustWait, or an Error that says of the failure that it was about the token */
function explainFailure(error: unknown): never {
  if (error instanceof TargetRefused || error instanceof MustWait) throw error
  if (error instanceof ResponseBodyError) throw new Error(`could not get a token: ${error.status} ${error.error}`)
  throw new Error(`could not get a token: ${rootCause(error).message}`)
}

async function askForToken(source: TokenSource, call: TokenCall): Promise<{ token: string; seconds: number }> {
  const server = await findServer(source, call)
  const client = { client_id: source.clientId }
  const parameters = source.scope === undefined ? {} : { scope: source.scope }
  const proof = ClientSecretBasic(source.clientSecret)
  const response = await clientCredentialsGrantRequest(server, client, proof, parameters, optionsOf(call))
  const { access_token, token_type, expires_in } = await processClientCredentialsResponse(server, client, response)
  if (access_token.length > TOKEN_MAX) throw new Error(`the token is longer than ${TOKEN_MAX} characters`)
  if (token_type !== 'bearer') throw new Error(`the token type is ${token_type}, not bearer`)
  return { token: access_token, seconds: expires_in ?? DEFAULT_LIFETIME_SECONDS }
}

async function findServer({ from }: TokenSource, call: TokenCall): Promise<AuthorizationServer> {
  // A token endpoint that is given needs no issuer; the library wants a name for it all the same.
  if ('tokenUrl' in from) return { issuer: from.tokenUrl, token_endpoint: from.tokenUrl }
  const issuer = new URL(from.issuer)
  return await processDiscoveryResponse(issuer, await discoveryRequest(issuer, optionsOf(call)))
}

/** What the library passes on of a call. */
interface Asking {
  method: string
  headers: Record<string, string>
  body?: URLSearchParams | undefined
}

/** Plain http is for the guard to judge, as everywhere. */
function optionsOf({ fetch, rules, throttle }: TokenCall) {
  return {
    signal: rules.signal,
    [allowInsecureRequests]: true,
    [customFetch]: async (url: string, { method, headers, body }: Asking) => {
      // Judged before it is counted: a call that is refused is none.
      requireTarget(url, rules)
      return await throttle(url, async () => {
        const response = await fetchGuarded(fetch, url, { method, headers, body: body ?? null }, rules)
        const start = await readStart(response.body, ANSWER_MAX_BYTES)
        return new Response(start.byteLength > 0 ? start : null, response)
      })
    },
  }
}
