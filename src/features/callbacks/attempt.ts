import { fetchGuarded, TargetRefused } from '../../domain/guarded-fetch.ts'
import { PROBLEMS, ProblemError } from '../../domain/problems.ts'
import { MustWait } from '../../domain/target-host.ts'
import { type GuardRules, isInInbox, ownPathOf } from '../../domain/url-guard.ts'
import { readStart } from '../../lib/read-stream.ts'
import { rootCause } from '../../lib/root-cause.ts'
import { replaceUnserialisable } from '../../lib/text.ts'
import { CannotOpen } from '../../lib/vault.ts'
import type { Services } from '../../services.ts'
import { receiveInInbox } from '../inboxes/receive-in-inbox.ts'
import type { Job } from './job.ts'
import { type Outgoing, presentTo, tokenSourceOf } from './receiver-auth.ts'
import { signedHeaders } from './sign.ts'
import type { Throttle } from './throttle.ts'

const TIMEOUT_SECONDS = 10
const RESPONSE_MAX_BYTES = 4 * 1024
const ERROR_MAX = 300

/** What came of one call. */
export interface Attempt {
  startedAt: Date
  durationMs: number
  /** Of the answer; undefined where none came. */
  status: number | undefined
  /** Why there is no whole answer. */
  error: string | undefined
  response: string | undefined
  retryAfter: string | null
  /** Whether the receiver was called: not if there was no token, or the URL may not be called. */
  isMade: boolean
  /** Whether the URL may not be called at all. */
  isRefused: boolean
  /** The host that gets as many calls as it may. Then the receiver was not called, and this is no attempt. */
  waitsFor?: string | undefined
}

/**
 * Makes one call, and tells what came of it. Whatever goes wrong is an outcome, never thrown.
 *
 * @param job What is to be sent, or why it cannot be opened
 * @param throttle Of what is called besides the receiver
 */
export async function attempt(job: Job | CannotOpen, services: Services, throttle: Throttle): Promise<Attempt> {
  const startedAt = services.now()
  const signal = AbortSignal.timeout(TIMEOUT_SECONDS * 1000)
  const outcome: Partial<Attempt> = {}
  try {
    if (job instanceof CannotOpen) throw job
    const { response, secrets } = await call(job, services, throttle, signal, () => {
      outcome.isMade = true
    })
    outcome.status = response.status
    outcome.retryAfter = response.headers.get('Retry-After')
    outcome.response = redact(secrets, decode(await readStart(response.body, RESPONSE_MAX_BYTES)))
  } catch (error) {
    if (error instanceof MustWait) outcome.waitsFor = error.host
    outcome.isRefused = error instanceof TargetRefused
    outcome.error = signal.aborted ? `no complete response within ${TIMEOUT_SECONDS} seconds` : explainError(error)
  }
  const durationMs = services.now().getTime() - startedAt.getTime()
  return { ...NOTHING, ...outcome, startedAt, durationMs }
}

const NOTHING = {
  status: undefined,
  error: undefined,
  response: undefined,
  retryAfter: null,
  isMade: false,
  isRefused: false,
}

interface Answered {
  response: Response
  secrets: readonly string[]
}

/** @param onCall Told when the receiver itself is about to be called */
async function call(
  job: Job,
  services: Services,
  throttle: Throttle,
  signal: AbortSignal,
  onCall: () => void,
): Promise<Answered> {
  const body = new Uint8Array(new TextEncoder().encode(job.body))
  const headers = await signedHeaders(job, body, services.now())
  const rules = { ...rulesOf(job, services), signal }
  const fetcher = fetchOrCallInbox(services, rules)
  const presenting = { services, call: { fetch: fetcher, rules, now: services.now(), throttle } }
  const target = job.auth ? await presentTo(job.auth, job.url, presenting) : withoutCredentials(job)
  const init = { method: 'POST', headers: { ...headers, ...target.headers }, body }
  const response = await fetchGuarded(callingBack(fetcher, onCall), target.url, init, rules)
  const source = job.auth && tokenSourceOf(job.auth)
  if (response.status === 401 && source) await services.receiverTokens.forget(source)
  return { response, secrets: target.secrets }
}

/** Comes after the guard, which may refuse the call. */
function callingBack(fetcher: typeof fetch, onCall: () => void): typeof fetch {
  return async (input, init) => {
    onCall()
    return await fetcher(input, init)
  }
}

/** How a receiver is called that wants no credentials. */
function withoutCredentials({ url }: Job): Outgoing {
  return { url, headers: {}, secrets: [] }
}

/** What would come back to an inbox of this service does not leave it. */
function fetchOrCallInbox(services: Services, { ownOrigins }: GuardRules): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const isInside = isInInbox(ownPathOf(request.url, ownOrigins) ?? '')
    if (!isInside) return await services.fetch(input, init)
    return await callInbox(request, services)
  }
}

async function callInbox(request: Request, services: Services): Promise<Response> {
  try {
    const response = await receiveInInbox(request, services, { isOurs: true })
    return response ?? new Response('This inbox does not exist.', { status: 404 })
  } catch (error) {
    if (error instanceof ProblemError) return new Response(error.message, { status: PROBLEMS[error.code].status })
    console.error(JSON.stringify({ event: 'inbox-failed', error: rootCause(error).message }))
    return new Response('The inbox is temporarily unavailable.', { status: 503 })
  }
}

function rulesOf({ origin }: Job, { config }: Services): GuardRules {
  const ownOrigins = config.publicUrl === undefined ? [origin] : [config.publicUrl, origin]
  return { allowsPrivate: config.allowsPrivateTargets, ownOrigins, echoHost: config.echoHost }
}

/** A receiver's answer as text that every format can carry. */
function decode(bytes: Uint8Array): string {
  return replaceUnserialisable(new TextDecoder().decode(bytes))
}

/** A receiver may say in its answer what it was called with. The log does not. */
function redact(secrets: readonly string[], text: string): string {
  return secrets.reduce((told, secret) => told.replaceAll(secret, HIDDEN), text)
}

const HIDDEN = '…'

function explainError(error: unknown): string {
  // The runtime puts the URL into some messages, and a key may be in its query.
  const text = rootCause(error).message.replaceAll(/https?:\/\/\S+/g, 'the URL')
  return replaceUnserialisable(text).slice(0, ERROR_MAX) || 'the call failed'
}
