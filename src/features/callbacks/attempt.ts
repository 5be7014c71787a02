import { fetchGuarded, TargetRefused } from '../../domain/guarded-fetch.ts'
import { expectationOf } from '../../domain/receiver-tests.ts'
import { MustWait } from '../../domain/target-host.ts'
import { guardRulesOf } from '../../domain/url-guard.ts'
import { readStart } from '../../lib/read-stream.ts'
import { rootCause } from '../../lib/root-cause.ts'
import { replaceUnserialisable } from '../../lib/text.ts'
import { traceHeaders } from '../../lib/trace-context.ts'
import { CannotOpen } from '../../lib/vault.ts'
import type { Services } from '../../services.ts'
import { fetchOrCallInbox } from './call-inbox.ts'
import type { Job, TestOfJob } from './job.ts'
import { type OutgoingCall, presentCredential, tokenSourceOf } from './receiver-auth.ts'
import { signCall } from './sign.ts'
import type { Throttle } from './throttle.ts'

const TIMEOUT_SECONDS = 10
const RESPONSE_MAX_BYTES = 4 * 1024
/** Characters of an error that are logged. */
const ERROR_MAX = 300

/** The outcome of one call. */
export interface Attempt {
  startedAt: Date
  durationMs: number
  /** The status of the response; undefined if there was none. */
  status: number | undefined
  /** Why there is no complete response; undefined if there is one. */
  error: string | undefined
  /** The beginning of the body of the response. */
  response: string | undefined
  /** The header `Retry-After` of the response; null if there is none. */
  retryAfter: string | null
  /** Whether the receiver was called. It is not called if the service got no token, or if its URL may not be called. */
  wasCalled: boolean
  /** Whether the URL guard refused the call, so that no retry can succeed. */
  isRefused: boolean
  /**
   * The host whose limit of calls is reached or cannot be checked. If set, the receiver was not called, and this does
   * not count as an attempt.
   */
  waitsForHost?: string | undefined
  /** When `waitsForHost` may be called again (`MustWait.until`). */
  waitsUntil?: Date | undefined
}

/**
 * Makes one call to a receiver and returns its outcome. Never throws: a failure is an outcome too.
 *
 * @param job The call to make, or the error that says why its secrets cannot be decrypted
 * @param throttle Makes the calls that are needed before the receiver is called, such as a call to a token endpoint
 */
export async function attemptCall(job: Job | CannotOpen, services: Services, throttle: Throttle): Promise<Attempt> {
  const startedAt = services.now()
  const signal = AbortSignal.timeout(TIMEOUT_SECONDS * 1000)
  const outcome: Partial<Attempt> = {}
  try {
    if (job instanceof CannotOpen) throw job
    const { response, secrets } = await callReceiver(job, services, throttle, { signedAt: startedAt, signal }, () => {
      outcome.wasCalled = true
    })
    outcome.status = response.status
    outcome.retryAfter = response.headers.get('Retry-After')
    const start = await readStart(response.body, RESPONSE_MAX_BYTES)
    outcome.response = redact(secrets, decode(start), start.byteLength === RESPONSE_MAX_BYTES)
  } catch (error) {
    if (error instanceof MustWait) Object.assign(outcome, { waitsForHost: error.host, waitsUntil: error.until })
    outcome.isRefused = error instanceof TargetRefused
    outcome.error = signal.aborted ? `no complete response within ${TIMEOUT_SECONDS} seconds` : explainError(error)
  }
  const durationMs = services.now().getTime() - startedAt.getTime()
  return { ...INITIAL_OUTCOME, ...outcome, startedAt, durationMs }
}

const INITIAL_OUTCOME = {
  status: undefined,
  error: undefined,
  response: undefined,
  retryAfter: null,
  wasCalled: false,
  isRefused: false,
}

interface CallResult {
  response: Response
  /** The credentials and the signatures of the call, which the log must not contain. */
  secrets: readonly string[]
}

/** @param onCall Called immediately before the receiver itself is called */
async function callReceiver(
  job: Job,
  services: Services,
  throttle: Throttle,
  { signedAt, signal }: { signedAt: Date; signal: AbortSignal },
  onCall: () => void,
): Promise<CallResult> {
  const { headers, body, signatures } = await signCall(job, signedAt)
  const trace = job.trace ? traceHeaders(job.trace) : {}
  const rules = { ...guardRulesOf(job.origin, services.config), signal }
  const fetcher = fetchOrCallInbox(services, rules)
  const tokenAccess = { services, tokenCall: { fetch: fetcher, rules, now: services.now(), throttle } }
  const callWithoutCredential: OutgoingCall = { url: job.url, headers: {}, secrets: [] }
  const outgoing = job.auth ? await presentCredential(job.auth, job.url, tokenAccess) : callWithoutCredential
  const init = { method: 'POST', headers: { ...headers, ...trace, ...outgoing.headers }, body }
  const response = await fetchGuarded(fetchAfterNotice(fetcher, onCall), outgoing.url, init, rules)
  // If the receiver rejects the cached token (it may have been revoked), the next attempt gets a new one.
  const tokenSource = job.auth && tokenSourceOf(job.auth)
  if (response.status === 401 && tokenSource && !mayBeRefused(job.test))
    await services.receiverTokens.forget(tokenSource)
  return { response, secrets: [...outgoing.secrets, ...signatures] }
}

/** Whether a receiver that is right may refuse the call. Then a refusal says nothing of the token. */
function mayBeRefused(test: TestOfJob | undefined): boolean {
  return test !== undefined && expectationOf(test.defect, test.firstCallAt !== null) !== 'accept'
}

/** A `fetch` that calls `onCall` first. The URL guard uses it, so `onCall` runs only if the guard allows the call. */
function fetchAfterNotice(fetcher: typeof fetch, onCall: () => void): typeof fetch {
  return async (input, init) => {
    onCall()
    return await fetcher(input, init)
  }
}

/** The response of a receiver as text that every format can represent. */
function decode(bytes: Uint8Array): string {
  return replaceUnserialisable(new TextDecoder().decode(bytes))
}

/**
 * Hides the secrets of the call in its response, because a receiver may echo them and the response is logged.
 *
 * @param mayBeCut Whether the response may be longer than the text. Then the text can end within a credential
 */
function redact(secrets: readonly string[], text: string, mayBeCut: boolean): string {
  // A short secret can be a part of a longer one, which would no longer be found after its part was replaced. For the
  // same reason, the end is hidden first.
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length)
  const kept = mayBeCut ? redactEnd(secrets, text) : text
  return longestFirst.reduce((redacted, secret) => redacted.replaceAll(secret, HIDDEN), kept)
}

/** Hides the end of a text if it is the beginning of a secret. */
function redactEnd(secrets: readonly string[], text: string): string {
  // The last character can be a part of a character of the secret, which `decode` has replaced.
  const complete = text.replace(/\ufffd$/, '')
  const longest = Math.max(0, ...secrets.map((secret) => lengthOfBeginning(secret, complete)))
  return longest === 0 ? text : complete.slice(0, -longest) + HIDDEN
}

/** How many characters of a secret, from its first one, are the end of a text. */
function lengthOfBeginning(secret: string, text: string): number {
  for (let length = secret.length; length > 0; length--) if (text.endsWith(secret.slice(0, length))) return length
  return 0
}

const HIDDEN = '…'

/** The message of an error, for the log of the delivery. */
function explainError(error: unknown): string {
  // Some messages of the runtime contain the URL, and its query may contain a key.
  const text = rootCause(error).message.replaceAll(/https?:\/\/\S+/g, 'the URL')
  return replaceUnserialisable(text).slice(0, ERROR_MAX) || 'the call failed'
}
