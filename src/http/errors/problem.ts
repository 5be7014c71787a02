import { findRefusal } from '../../db/refusals.ts'
import type { ReachedLimit } from '../../domain/limits.ts'
import { OAuthError } from '../../domain/oauth-errors.ts'
import type { Fault, ProblemCode } from '../../domain/problems.ts'
import { PROBLEMS, ProblemError } from '../../domain/problems.ts'
import { rootCause } from '../../lib/root-cause.ts'
import { Problem } from '../../schemas/problem.ts'
import { limitFaults } from '../body/input-safety.ts'
import type { HonoContext } from '../pipeline/context.ts'
import { FORMATS } from '../pipeline/formats.ts'
import { chooseProblemFormat } from '../pipeline/negotiation.ts'
import { renderErrorPage, renderOAuthError } from './error-styles.ts'

/** The one place that renders errors, in the style of the route. What the caller may not know it does not tell. */
export function renderError(c: HonoContext, error: Error): Response | Promise<Response> {
  const told = error instanceof ProblemError || error instanceof OAuthError ? error : concealError(c, error)
  if (c.var.errors === 'oauth') return renderOAuthError(told)
  if (c.var.errors === 'page') return renderErrorPage(told)
  return renderProblem(c, told instanceof ProblemError ? told : concealError(c, told))
}

function renderProblem(c: HonoContext, problem: ProblemError): Response {
  const { code, message, faults, limit } = problem
  const document = problemDocument(code, message, faults, c.var.requestId, c.var.baseUrl, limit)
  return problemResponse(document, problem.headers, c.req.raw.headers)
}

/**
 * @param faults One for each failure of the input; of too many the first are told
 * @param limit The limit of the account that is reached, if the problem is one
 */
export function problemDocument(
  code: ProblemCode,
  detail: string,
  faults: readonly Fault[],
  requestId: string,
  baseUrl: string,
  limit?: ReachedLimit,
): Problem {
  const { status, title } = PROBLEMS[code]
  return {
    type: problemType(baseUrl, code),
    title,
    status,
    detail,
    instance: `urn:uuid:${requestId}`,
    ...(faults.length > 0 && { errors: limitFaults(faults) }),
    ...(limit && { limit }),
  }
}

/** Sends a problem in the format that the caller likes best. */
export function problemResponse(
  problem: Problem,
  headers: Readonly<Record<string, string>>,
  request: Headers,
): Response {
  const { problemType, write } = FORMATS[chooseProblemFormat(request)]
  return new Response(write(problem, Problem), {
    status: problem.status,
    headers: { ...headers, 'Content-Type': problemType, Vary: 'Accept' },
  })
}

/** The `type` of a problem: the URL of its page. Where nobody knows our origin there is none (RFC 9457, section 4.2.1). */
export function problemType(baseUrl: string, code: ProblemCode): string {
  return baseUrl === '' ? 'about:blank' : `${baseUrl}/problems/${code}`
}

/** Turns an error that is no problem of the caller's into one that says nothing of our insides, and logs it. */
function concealError(c: HonoContext, error: Error): ProblemError {
  const cause = rootCause(error)
  console.error(
    JSON.stringify({ event: 'request-failed', requestId: c.var.requestId, error: cause.message, stack: cause.stack }),
  )
  const refusal = findRefusal(cause)
  if (refusal) {
    const headers = { 'Retry-After': String(refusal.retryAfterSeconds) }
    return new ProblemError('service-unavailable', refusal.detail, { headers })
  }
  return new ProblemError(
    'internal-error',
    'An unexpected error occurred in the service. The request id helps the operator to find it.',
  )
}
