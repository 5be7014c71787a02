import type { Fault, ProblemCode } from '../lib/errors.ts'
import { PROBLEMS, ProblemError } from '../lib/errors.ts'
import { rootCause } from '../lib/root-cause.ts'
import type { Problem } from '../schemas/problem.ts'
import type { HonoContext } from './context.ts'

const RETRY_AFTER_SECONDS = '5'
// A body of nothing but failures would get an answer many times its size.
export const FAULTS_MAX = 100
const POINTER_MAX = 1000

/** The one place that renders errors (RFC 9457). What the caller may not know it does not tell. */
export function renderProblem(c: HonoContext, error: Error): Response {
  const problem = error instanceof ProblemError ? error : hide(c, error)
  const { status, title } = PROBLEMS[problem.code]
  const body: Problem = {
    type: problemType(c.var.baseUrl, problem.code),
    title,
    status,
    detail: problem.message,
    instance: `urn:uuid:${c.var.requestId}`,
    ...(problem.faults.length > 0 && { errors: problem.faults.slice(0, FAULTS_MAX) }),
  }
  const headers = {
    ...problem.headers,
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
    'X-Cache-Control': 'no-store',
    Vary: 'Accept',
  }
  return c.body(JSON.stringify(body), status, headers)
}

/** The `type` of a problem: the URL of its page. */
export function problemType(baseUrl: string, code: ProblemCode): string {
  return `${baseUrl}/problems/${code}`
}

/** The faults of a refused input, one for each failure, as zod found them. */
export function faultsOf(error: { issues: readonly Issue[] }): Fault[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? (issue.keys ?? []).map((key) => ({ pointer: pointerTo([...issue.path, key]), detail: 'unknown property' }))
      : { pointer: pointerTo(issue.path), detail: describe(issue) },
  )
}

interface Issue {
  code: string
  path: readonly PropertyKey[]
  message: string
  keys?: readonly string[]
  values?: readonly unknown[]
}

/**
 * The JSON Pointer to a member (RFC 6901, section 3); where it would be longer than anyone reads, to the nearest member
 * around it: a hostile body must not get an answer many times its size.
 */
export function pointerTo(path: readonly PropertyKey[]): string {
  let pointer = ''
  for (const key of path) {
    const next = `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (next.length > POINTER_MAX) break
    pointer = next
  }
  return pointer
}

/** What is wrong with a member, as a sentence of which the member is the subject. */
function describe({ code, message, values }: Issue): string {
  if (message.endsWith('received undefined')) return 'is required'
  if (/received -?Infinity$/.test(message)) return 'is too great a number'
  if (code === 'invalid_value') return `must be one of ${(values ?? []).join(', ')}`
  return message.replace(/^Invalid input: expected (\w+), received (\w+)$/, 'must be of type $1, not $2')
}

/** Turns an error that is no problem of the caller's into one that says nothing of our insides, and logs it. */
function hide(c: HonoContext, error: Error): ProblemError {
  const cause = rootCause(error)
  console.error(
    JSON.stringify({ event: 'request-failed', requestId: c.var.requestId, error: cause.message, stack: cause.stack }),
  )
  if (isOverload(cause)) {
    const headers = { 'Retry-After': RETRY_AFTER_SECONDS }
    return new ProblemError('service-unavailable', 'The database cannot answer at the moment. Try again shortly.', {
      headers,
    })
  }
  return new ProblemError('internal-error', 'This is our fault. The request id helps us to find it.')
}

// The passing failures that D1 documents, by the texts that it documents them with.
const OVERLOAD =
  /D1 DB is overloaded|Network connection lost|storage caused object to be reset|reset because its code was updated|transient issue/

function isOverload(error: Error): boolean {
  return OVERLOAD.test(error.message)
}
