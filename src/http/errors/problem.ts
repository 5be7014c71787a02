import { OAuthError } from '../../domain/oauth-errors.ts'
import { PROBLEMS, type ProblemCode, ProblemError } from '../../domain/problems.ts'
import type { Refusal } from '../../domain/refusal.ts'
import { rootCause } from '../../lib/root-cause.ts'
import { Problem } from '../../schemas/problem.ts'
import { limitFaults } from '../body/input-safety.ts'
import { pageWorldOf } from '../pages.ts'
import type { HonoContext } from '../pipeline/context.ts'
import { FORMATS } from '../pipeline/formats.ts'
import { chooseProblemFormat, prefersErrorPage } from '../pipeline/negotiation.ts'
import { findBuiltFileRefusal } from './built-file-refusals.ts'
import { findRefusal } from './database-refusals.ts'
import { lastPageOf, renderErrorPage, renderOAuthError } from './error-styles.tsx'
import { findImageStoreRefusal } from './image-store-refusals.ts'
import { tellReachedLimit } from './reached-limit.ts'
import { findRuntimeRefusal } from './runtime-refusals.ts'

/** Renders every error in the style of the route. Internal errors are logged, and their details are not sent. */
export function renderError(c: HonoContext, error: Error): Response | Promise<Response> {
  const reported = findReportable(error) ?? concealError(c, error)
  tellReachedLimit(c, reported)
  if (c.get('errorStyle') === 'oauth') return renderOAuthError(reported)
  if (c.get('errorStyle') === 'page') {
    const baseUrl = c.get('baseUrl')
    const lastPage = lastPageOf(c.req.raw.headers, baseUrl)
    return renderErrorPage(reported, c.get('requestId'), pageWorldOf(baseUrl, c.env.services), lastPage)
  }
  // Only routes in the other two styles throw an OAuthError. In this style, it is a bug.
  return renderProblem(c, reported instanceof ProblemError ? reported : concealError(c, reported))
}

/** Renders the error for an address at which there is nothing: as a page if the caller prefers one (RFC 9110, 12.5.1). */
export async function renderAbsence(c: HonoContext, error: ProblemError): Promise<Response> {
  if (!prefersErrorPage(c.req.raw.headers)) return await renderError(c, error)
  c.set('errorStyle', 'page')
  const response = await renderError(c, error)
  response.headers.set('Vary', 'Accept')
  return response
}

/**
 * The error that callers may see: the error itself or its cause; undefined if callers may see neither. The cause
 * matters in a universe: its database throws a ProblemError if a limit is reached, and Drizzle wraps the error in
 * another error.
 */
function findReportable(error: Error): ProblemError | OAuthError | undefined {
  if (error instanceof ProblemError || error instanceof OAuthError) return error
  const cause = rootCause(error)
  return cause instanceof ProblemError ? cause : undefined
}

function renderProblem(c: HonoContext, problem: ProblemError): Response {
  const document = problemDocument(problem, c.get('requestId'), c.get('baseUrl'))
  return problemResponse(document, problem.headers, c.req.raw.headers)
}

/** Creates a problem document (RFC 9457). If there are too many faults, only the first ones are included. */
export function problemDocument(
  { code, message, faults, limit, universeLimit, gate, idRange }: ProblemError,
  requestId: string,
  baseUrl: string,
): Problem {
  const { status, title } = PROBLEMS[code]
  return {
    type: problemTypeUri(baseUrl, code),
    title,
    status,
    detail: message,
    instance: `urn:uuid:${requestId}`,
    ...(faults.length > 0 && { errors: limitFaults(faults) }),
    ...(limit && { limit }),
    ...universeLimit,
    ...gate,
    ...idRange,
  }
}

/**
 * Creates the response for a problem, in the format (JSON or XML) that the caller prefers.
 *
 * @param headers Additional headers of the response
 */
export function problemResponse(
  problem: Problem,
  headers: Readonly<Record<string, string>>,
  requestHeaders: Headers,
): Response {
  const { problemType, write } = FORMATS[chooseProblemFormat(requestHeaders)]
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
  const refusal = findPlatformRefusal(cause)
  if (refusal) {
    const headers = { 'Retry-After': String(refusal.retryAfterSeconds) }
    return new ProblemError('service-unavailable', refusal.detail, { headers })
  }
  return new ProblemError(
    'internal-error',
    'An unexpected error occurred in the service. The request id helps the operator to find it.',
  )
}

/** The refusal for an error of the platform, by the table that knows most about it; undefined for any other error. */
function findPlatformRefusal(error: Error): Refusal | undefined {
  return findRefusal(error) ?? findImageStoreRefusal(error) ?? findBuiltFileRefusal(error) ?? findRuntimeRefusal(error)
}
