import { bearerChallenge } from '../../auth/challenges.ts'
import { BUSY_RETRY_AFTER_SECONDS } from '../../db/refusals.ts'
import { EXAMPLE_ORIGIN } from '../../domain/example-origin.ts'
import { PROBLEMS, type ProblemCode } from '../../domain/problems.ts'
import { keysOf } from '../../lib/objects.ts'
import { type HeaderExamples, type HeaderName, RATE_LIMIT_HEADERS } from '../headers.ts'
import { ALL_FORMATS, DEFAULT_FORMAT, type FormatName } from './formats.ts'
import type { Route } from './route.ts'

/** The headers that a problem comes with. */
export const PROBLEM_HEADERS: Readonly<Partial<Record<ProblemCode, readonly HeaderName[]>>> = {
  // The limit, where a password was wrong.
  unauthorized: ['WWW-Authenticate', ...RATE_LIMIT_HEADERS],
  'insufficient-scope': ['WWW-Authenticate'],
  'method-not-allowed': ['Allow'],
  'range-not-satisfiable': ['Content-Range'],
  'too-many-requests': ['Retry-After', ...RATE_LIMIT_HEADERS],
  'service-unavailable': ['Retry-After'],
}

/** The values of these headers in an example, where those of every day would not fit. */
export const EXAMPLE_PROBLEM_HEADERS: Readonly<Partial<Record<ProblemCode, HeaderExamples>>> = {
  unauthorized: {
    'WWW-Authenticate': bearerChallenge(EXAMPLE_ORIGIN, {
      error: 'invalid_token',
      description: 'The token has expired',
    }),
  },
  'insufficient-scope': {
    'WWW-Authenticate': bearerChallenge(EXAMPLE_ORIGIN, { error: 'insufficient_scope', scope: 'write:planets' }),
  },
  'too-many-requests': { 'X-RateLimit-Remaining': '0' },
  'service-unavailable': { 'Retry-After': BUSY_RETRY_AFTER_SECONDS },
}

/** The problems that a route can answer: those that follow from its declaration, and those that it names. */
export function problemsOf(route: Route): ProblemCode[] {
  if (route.errors) return []
  const hasBody = route.body !== undefined
  const checked = checksCredentials(route)
  const follows: Partial<Record<ProblemCode, boolean>> = {
    'bad-request': true,
    'malformed-body': hasBody,
    'invalid-body': hasBody,
    'invalid-query': route.query !== undefined,
    unauthorized: checked,
    'insufficient-scope': route.scope !== undefined,
    'cross-site-request': checked && route.method !== 'get',
    'account-suspended': checked,
    'too-many-requests': checked,
    'not-found': route.params !== undefined,
    'not-acceptable': negotiates(route),
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

/** Tells whether a route sends documents in the format that the caller likes best: OAuth knows only one. */
export function negotiates(route: Route): boolean {
  return sendsDocuments(route) && route.errors !== 'oauth'
}

/** The formats that a route's documents are sent in. */
export function formatsOf(route: Route): readonly FormatName[] {
  return negotiates(route) ? (route.formats ?? ALL_FORMATS) : [DEFAULT_FORMAT]
}

/** Tells whether a route has a page for those who want one, beside its documents. */
export function sendsPages(route: Route): boolean {
  return Object.values(route.responses).some(({ schema, files }) => schema !== undefined && files !== undefined)
}

/** Tells whether a route looks at credentials: it needs one, or none that is wrong. */
export function checksCredentials({ security, refusesBadCredentials }: Route): boolean {
  return security.length > 0 || refusesBadCredentials === true
}

/** Tells whether a route answers only who proves who it is. */
export function needsCredentials({ security, anonymous }: Route): boolean {
  return security.length > 0 && !anonymous
}

/** Tells whether a route only reads what everybody may read. Our own pages differ by who has signed in. */
export function isPublicRead({ method, security, errors }: Route): boolean {
  return method === 'get' && security.length === 0 && errors !== 'page'
}
