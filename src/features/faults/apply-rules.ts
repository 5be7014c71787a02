import { rateLimitHeaders } from '../../auth/limits.ts'
import { INJECTED_DETAIL, ProblemError } from '../../domain/problems.ts'
import { problemDocument, problemResponse, renderError } from '../../http/errors/problem.ts'
import { exampleReply, forceableStatuses } from '../../http/examples.ts'
import type { HonoContext } from '../../http/pipeline/context.ts'
import type { Route } from '../../http/pipeline/route.ts'
import { parseHttpDate } from '../../lib/http-date.ts'
import { makeHarmless } from './actions.ts'
import { type Decided, FaultBook, type FaultRequest, type LimitState } from './book.ts'
import { type Done, FAULT_HEADER, writeFaultField } from './fault-field.ts'
import { VALUE_MAX } from './limits.ts'
import { type FaultTools, perform, setResponse } from './perform.ts'
import { ACTIONS } from './schemas.ts'

type Answer = () => Promise<void>

/** What an attempt says was done: the action of a step, or else its delay. */
const STEP_ACTIONS = [...ACTIONS, 'delay'] as const

const PASSED: Done = { action: null, isApplied: false }

/** How a refusal says when to come again. */
type RetryAfter = { seconds?: number | undefined; date?: number | undefined }

/**
 * Lets the first rule that matches decide a request.
 *
 * @param answer The answer if the rule lets the request pass
 * @param next The answer to which a fault happens
 * @returns Whether a rule has decided the request
 */
export async function applyRules(
  c: HonoContext,
  answer: Answer,
  next: Answer,
  route: Route,
  tools: FaultTools,
): Promise<boolean> {
  const { universe, config } = c.env.services
  if (!universe || !config.demoControls) return false
  const book = new FaultBook(universe.store)
  if (!book.hasRules) return false
  const decided = await book.decide(requestOf(c, route))
  if (!decided) return false
  let done = PASSED
  try {
    done = await act(c, route, decided, { answer, next }, tools)
  } catch (error) {
    // For example because too many requests are held. The answer says why.
    if (!(error instanceof Error)) throw error
    setResponse(c, await renderError(c, error))
  }
  finish(c, book, decided, done)
  return true
}

function requestOf(c: HonoContext, { method, path, opensSocket }: Route): FaultRequest {
  return {
    operationMethod: method.toUpperCase(),
    template: path,
    opensSocket: opensSocket === true,
    method: c.req.raw.method,
    path: c.get('url').pathname.slice(0, VALUE_MAX),
    headers: c.req.raw.headers,
    requestId: c.get('requestId'),
    now: c.env.services.now(),
  }
}

async function act(
  c: HonoContext,
  route: Route,
  { step, limit }: Decided,
  { answer, next }: { answer: Answer; next: Answer },
  tools: FaultTools,
): Promise<Done> {
  if (limit) return await applyLimit(c, limit, answer)
  const action = step && STEP_ACTIONS.find((name) => step[name] !== undefined)
  if (!action) {
    await answer()
    return PASSED
  }
  const { status, retryAfter } = step
  const ownAnswer = status === undefined ? next : async () => setResponse(c, injected(c, route, status, retryAfter))
  const outcome = await perform(c, route, step, ownAnswer, tools)
  if (action === 'delay') makeHarmless(c.res)
  return { action, ...outcome }
}

async function applyLimit(c: HonoContext, limit: LimitState, answer: Answer): Promise<Done> {
  const { requests, seconds, remaining, resetMs, isExceeded } = limit
  const resetSeconds = Math.ceil(resetMs / 1000)
  if (isExceeded) {
    const left = resetMs / 1000
    setResponse(c, injectedProblem(c, 429, limit.form === 'date' ? { date: left } : { seconds: resetSeconds }))
  } else await answer()
  // The name is not that of the rule, because no text of a caller becomes a header.
  addLimit(c.res.headers, { name: 'fault', limit: requests, windowSeconds: seconds, remaining, resetSeconds })
  return isExceeded ? { action: 'limit', isApplied: true } : PASSED
}

/** The true answer can have a limit of its own. `X-RateLimit-*` can tell of one only: of that with less left. */
function addLimit(headers: Headers, state: Parameters<typeof rateLimitHeaders>[0]): void {
  const own = headers.get('X-RateLimit-Remaining')
  const isNearer = own === null || state.remaining < Number(own)
  for (const [name, value] of Object.entries(rateLimitHeaders(state))) {
    if (!name.startsWith('X-')) headers.append(name, value)
    else if (isNearer) headers.set(name, value)
  }
}

/** The answer in place of the true one: the documented example of the status, or else the problem `injected`. */
function injected(c: HonoContext, route: Route, status: number, retryAfter: RetryAfter | undefined): Response {
  const isDocumented = forceableStatuses(route).includes(status)
  const example = isDocumented ? exampleReply(route, status, undefined, c.req.raw.headers, c.get('baseUrl')) : undefined
  return example ? finished(c, example, retryAfter) : injectedProblem(c, status, retryAfter)
}

function injectedProblem(c: HonoContext, status: number, retryAfter: RetryAfter | undefined): Response {
  const problem = new ProblemError('injected', INJECTED_DETAIL)
  const document = { ...problemDocument(problem, c.get('requestId'), c.get('baseUrl')), status }
  return finished(c, problemResponse(document, {}, c.req.raw.headers), retryAfter)
}

function finished(c: HonoContext, response: Response, retryAfter: RetryAfter | undefined): Response {
  makeHarmless(response)
  if (retryAfter) response.headers.set('Retry-After', writeRetryAfter(retryAfter, c.env.services.now()))
  return response
}

function writeRetryAfter({ seconds = 0, date }: RetryAfter, now: Date): string {
  if (date === undefined) return String(seconds)
  const next = Math.floor(now.getTime() / 1000 + date) + 1
  return new Date(next * 1000).toUTCString()
}

/** Marks the answer, and notes how the request ended. */
function finish(c: HonoContext, book: FaultBook, decided: Decided, done: Done): void {
  const isLost = done.action === 'drop'
  const { headers, status } = c.res
  const retryAt = isLost ? undefined : retryTimeOf(headers, c.env.services.now())
  // The entry of the Worker makes a stream of the socket.
  const sent = c.res.webSocket && headers.has('Content-Type') ? 200 : status
  book.finish(decided, { ...done, status: isLost ? null : sent, retryAt })
  if (decided.rule.announce === false || isLost) return
  headers.set(FAULT_HEADER, writeFaultField(decided, done))
  // Only these answers have the header, so only they expose it (http/cross-origin.ts).
  headers.append('Access-Control-Expose-Headers', FAULT_HEADER)
}

/** The time that `Retry-After` names, in milliseconds since 1970. */
function retryTimeOf(headers: Headers, now: Date): number | undefined {
  const text = headers.get('Retry-After')
  if (text === null) return undefined
  return /^\d+$/.test(text) ? now.getTime() + Number(text) * 1000 : parseHttpDate(text, now)
}
