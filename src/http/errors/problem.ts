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
import { renderErrorPage, renderOAuthError } from './error-styles.tsx'

/** Renders every error in the style of the route. Internal errors are logged, and their details are not sent. */
export function renderError(c: HonoContext, error: Error): Response | Promise<Response> {
  const reported = error instanceof ProblemError || error instanceof OAuthError ? error : concealError(c, error)
  if (c.get('errorStyle') === 'oauth') return renderOAuthError(reported)
  if (c.get('errorStyle') === 'page') return renderErrorPage(reported, c.get('requestId'))
  // Only routes in the other two styles throw an OAuthError. Anywhere else it is a bug.
  const problem = reported instanceof ProblemError ? reported : concealError(c, reported)
  return renderProblem(c, problem)
}

function renderProblem(c: HonoContext, problem: ProblemError): Response {
  const { code, message, faults, limit } = problem
  const document = problemDocument(code, message, faults, c.get('requestId'), c.get('baseUrl'), limit)
  return problemResponse(document, problem.headers, c.req.raw.headers)
}

/**
 * Creates a problem document (RFC 9457).
 *
 * @param faults One for each failure of the input; if there are too many, only the first ones are included
 * @param limit The account limit that was reached, if any
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
    type: problemTypeUri(baseUrl, code),
    title,
    status,
    detail,
    instance: `urn:uuid:${requestId}`,
    ...(faults.length > 0 && { errors: limitFaults(faults) }),
    ...(limit && { limit }),
  }
}

/**
 * Creates the response for a problem, in the format (JSON or XML) that the caller prefers.
 *
 * @param headers Additional headers of the response
 * @param request The headers of the request
 */
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

/**
 * The `type` of a problem: the URL of the HTML page that explains it, or `about:blank` if the origin of the service is
 * unknown (RFC 9457, section 4.2.1).
 */
export function problemTypeUri(baseUrl: string, code: ProblemCode): string {
  return baseUrl === '' ? 'about:blank' : `${baseUrl}/problems/${code}`
}

/** Logs an internal error, and replaces it with a problem that does not reveal its details. */
function concealError(c: HonoContext, error: Error): ProblemError {
  const cause = rootCause(error)
  console.error(
    JSON.stringify({
      event: 'request-failed',
      requestId: c.get('requestId'),
      error: cause.message,
      stack: cause.stack,
    }),
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
