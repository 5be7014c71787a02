import { bearerChallenge } from '../../auth/challenges.ts'
import { EXAMPLE_ORIGIN } from '../../domain/example-origin.ts'
import { PROBLEMS, type ProblemCode } from '../../domain/problems.ts'
import { keysOf } from '../../lib/objects.ts'
import { BUSY_RETRY_AFTER_SECONDS } from '../errors/database-refusals.ts'
import { type HeaderExamples, type HeaderName, RATE_LIMIT_HEADERS, UNSUPPORTED_HEADERS } from '../headers.ts'
import { HTML } from '../pages.ts'
import { ALL_FORMATS, DEFAULT_FORMAT, FORMATS, type FormatName } from './formats.ts'
import type { Method, Route } from './route.ts'

/** Registry: the additional headers of problems. */
export const PROBLEM_HEADERS: Readonly<Partial<Record<ProblemCode, readonly HeaderName[]>>> = {
  // The rate limit is sent if a password was wrong.
  unauthorized: ['WWW-Authenticate', ...RATE_LIMIT_HEADERS],
  'insufficient-scope': ['WWW-Authenticate'],
  'method-not-allowed': ['Allow'],
  'range-not-satisfiable': ['Content-Range'],
  'too-many-requests': ['Retry-After', ...RATE_LIMIT_HEADERS],
  // That of a PATCH also has what it accepts (RFC 5789, section 2.2).
  'unsupported-media-type': [...UNSUPPORTED_HEADERS, 'Accept-Patch'],
  'upgrade-required': ['Upgrade'],
  'service-unavailable': ['Retry-After'],
}

/** Example values of these headers, if the usual ones (http/headers.ts) do not fit. */
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
  'too-many-requests': { 'X-RateLimit-Remaining': '0', RateLimit: '"passwords";r=0;t=60' },
  'service-unavailable': { 'Retry-After': BUSY_RETRY_AFTER_SECONDS },
}

/** The problems that a route can return: its own, and those of its world. */
export function problemsOf(route: Route): ProblemCode[] {
  const problems = [...ownProblemsOf(route), ...worldProblemsOf(route)]
  return keysOf(PROBLEMS).filter((code) => problems.includes(code))
}

/**
 * The problems of the world of a route: there is no universe, or it has ended. The common world sends them, whatever
 * the request is for.
 */
function worldProblemsOf({ world }: Route): ProblemCode[] {
  return world === 'universe' ? ['not-found', 'universe-ended'] : []
}

/** The problems that follow from the declaration of a route, and those that it lists itself. */
export function ownProblemsOf(route: Route): ProblemCode[] {
  if (route.errorStyle) return []
  const hasBody = route.body !== undefined
  const credentialsAreChecked = checksCredentials(route)
  const impliedProblems: Partial<Record<ProblemCode, boolean>> = {
    'bad-request': true,
    'invalid-idempotency-key': takesIdempotencyKey(route),
    'request-in-progress': takesIdempotencyKey(route),
    'idempotency-key-reused': takesIdempotencyKey(route),
    'malformed-body': hasBody,
    'invalid-body': hasBody,
    'invalid-query': route.query !== undefined || route.queryString !== undefined,
    'uri-too-long': route.queryString !== undefined,
    unauthorized: credentialsAreChecked,
    'insufficient-scope': route.scope !== undefined && needsCredentials(route),
    'cross-site-request': needsCredentials(route) && !isRead(route.method),
    'account-suspended': credentialsAreChecked,
    // The first request with a token of another provider creates an account.
    'universe-limit': credentialsAreChecked,
    'too-many-requests': credentialsAreChecked,
    'not-found': route.params !== undefined,
    'not-acceptable': negotiates(route),
    'content-too-large': hasBody,
    'unsupported-media-type': hasBody,
    'internal-error': true,
    'service-unavailable': true,
  }
  return keysOf(PROBLEMS).filter((code) => impliedProblems[code] || route.problems?.includes(code))
}

/** The status that an operation has as a rule. With 201 or 202, a 200 is the exception. */
export function usualStatusOf({ responses }: Pick<Route, 'responses'>): number {
  return [201, 202].find((status) => status in responses) ?? Number(Object.keys(responses)[0])
}

export function problemsByStatus(route: Route): Map<number, ProblemCode[]> {
  return Map.groupBy(problemsOf(route), (code) => PROBLEMS[code].status)
}

/** Whether a route sends documents: responses with a schema. */
export function sendsDocuments(route: Route): boolean {
  return Object.values(route.responses).some(({ schema }) => schema !== undefined)
}

/** Whether a route sends documents in the format that the caller prefers. OAuth routes send only JSON. */
export function negotiates(route: Route): boolean {
  return sendsDocuments(route) && route.errorStyle !== 'oauth'
}

/** The formats (JSON, XML) in which the documents of a route are sent. */
export function formatsOf(route: Route): readonly FormatName[] {
  return negotiates(route) ? (route.formats ?? ALL_FORMATS) : [DEFAULT_FORMAT]
}

/** The media types of a response of a route: those of its document and those of its files. */
export function mediaTypesOf(route: Route, status: number): string[] {
  const { schema, files = [] } = route.responses[status] ?? {}
  const documents = schema ? formatsOf(route).map((name) => FORMATS[name].mediaType) : []
  return [...documents, ...files]
}

/** Whether a route sends an HTML page to callers that prefer one, and documents to the others. */
export function sendsPages(route: Route): boolean {
  return Object.values(route.responses).some(({ schema, files }) => schema !== undefined && files !== undefined)
}

/** A route whose answers are only HTML pages is no operation of the published OpenAPI document. */
export function isForPeople({ responses }: Route): boolean {
  const answers = Object.values(responses).filter(({ schema, files }) => schema !== undefined || files !== undefined)
  return answers.length > 0 && answers.every(({ schema, files = [] }) => !schema && files.every(isPage))
}

/** Whether a media type is that of an HTML page. */
export function isPage(mediaType: string): boolean {
  return mediaType.startsWith(HTML)
}

/** Whether a route checks credentials: it requires them, or rejects invalid ones. */
export function checksCredentials({ security, refusesBadCredentials }: Route): boolean {
  return security.length > 0 || refusesBadCredentials === true
}

export function needsCredentials({ security, allowsAnonymous }: Route): boolean {
  return security.length > 0 && !allowsAnonymous
}

/**
 * Whether a request can have an Idempotency-Key: it creates something for a user, or a second request would do something
 * again for another reason. Not if the reply must not be stored.
 */
export function takesIdempotencyKey({ method, security, responses, keepsReply }: Route): boolean {
  return security.length > 0 && (keepsReply ?? (method === 'post' && 201 in responses))
}

/** Whether OpenAPI 3.1 describes a route. It knows no QUERY, no COPY, no query that is one document, no list of parts. */
export function isIn31({ method, isOnlyIn32 }: Route): boolean {
  return method !== 'query' && method !== 'copy' && !isOnlyIn32
}

/** Whether a method only reads (RFC 9110, section 9.2.1; RFC 10008). */
export function isRead(method: Method): boolean {
  return method === 'get' || method === 'query'
}

/** Whether a route only reads public data. The HTML pages of OAuth are not public: they depend on who has signed in. */
export function isPublicRead({ method, security, errorStyle }: Route): boolean {
  return isRead(method) && security.length === 0 && errorStyle !== 'page'
}
