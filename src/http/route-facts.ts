import { PROBLEMS, type ProblemCode } from '../lib/errors.ts'
import { keysOf } from '../lib/keys.ts'
import { type HeaderExamples, type HeaderName, RATE_LIMIT_HEADERS } from './headers.ts'
import { RETRY_AFTER_SECONDS } from './problem.ts'
import type { Route } from './route.ts'

/** The headers that a problem comes with. */
export const PROBLEM_HEADERS: Readonly<Partial<Record<ProblemCode, readonly HeaderName[]>>> = {
  unauthorized: ['WWW-Authenticate'],
  'method-not-allowed': ['Allow'],
  'range-not-satisfiable': ['Content-Range'],
  'too-many-requests': ['Retry-After', ...RATE_LIMIT_HEADERS],
  'service-unavailable': ['Retry-After'],
}

/** The values of these headers in an example, where those of every day would not fit. */
export const EXAMPLE_PROBLEM_HEADERS: Readonly<Partial<Record<ProblemCode, HeaderExamples>>> = {
  unauthorized: {
    'WWW-Authenticate': 'Bearer realm="Galaxy", error="invalid_token", error_description="The token has expired"',
  },
  'too-many-requests': { 'X-RateLimit-Remaining': '0' },
  'service-unavailable': { 'Retry-After': RETRY_AFTER_SECONDS },
}

/** The problems that a route can answer: those that follow from its declaration, and those that it names. */
export function problemsOf(route: Route): ProblemCode[] {
  const hasBody = route.body !== undefined
  const checksCredentials = route.security.length > 0 || route.refusesBadCredentials === true
  const follows: Partial<Record<ProblemCode, boolean>> = {
    'bad-request': true,
    'malformed-body': hasBody,
    'invalid-body': hasBody,
    'invalid-query': route.query !== undefined,
    unauthorized: checksCredentials,
    'account-suspended': checksCredentials,
    'not-found': route.params !== undefined,
    'not-acceptable': sendsDocuments(route),
    'content-too-large': hasBody,
    'unsupported-media-type': hasBody,
    'internal-error': true,
    'service-unavailable': true,
  }
  return keysOf(PROBLEMS).filter((code) => follows[code] || route.problems?.includes(code))
}

/** The problems of a route by their statuses. */
export function problemsByStatus(route: Route): Map<number, ProblemCode[]> {
  return Map.groupBy(problemsOf(route), (code) => PROBLEMS[code].status)
}

/** Tells whether a route's answers come in the formats that a caller can choose from. */
export function sendsDocuments(route: Route): boolean {
  return Object.values(route.responses).some(({ schema }) => schema !== undefined)
}

/** Tells whether a route has a page for those who want one, beside its documents. */
export function sendsPages(route: Route): boolean {
  return Object.values(route.responses).some(({ schema, files }) => schema !== undefined && files !== undefined)
}

/** Tells whether a route only reads what everybody may read. */
export function isPublicRead({ method, security }: Route): boolean {
  return method === 'get' && security.length === 0
}
