import { PROBLEMS, type ProblemCode, ProblemError } from '../lib/errors.ts'
import { atOrigin, EXAMPLE_ORIGIN } from '../lib/example-origin.ts'
import type { Problem } from '../schemas/problem.ts'
import { HEADERS, type HeaderName } from './headers.ts'
import { problemDocument, problemResponse } from './problem.ts'
import { NEVER_KEPT, sendReply } from './reply.ts'
import { EXAMPLE_PROBLEM_HEADERS, PROBLEM_HEADERS, problemsByStatus } from './responses.ts'
import type { ResponseSpec, Route } from './route.ts'

type Schema = NonNullable<ResponseSpec['schema']>

/** The documents that a schema has as its examples. */
export function examplesOf(schema: Schema): [unknown, ...unknown[]] {
  const { examples, id } = schema.meta() ?? {}
  const [first, ...others] = Array.isArray(examples) ? examples : []
  if (first === undefined) throw new Error(`the schema ${id ?? 'without an id'} has no example`)
  return [first, ...others]
}

/** What a problem looks like. */
export function exampleProblem(code: ProblemCode): Problem {
  const { detail, ...example } = PROBLEMS[code].example
  const faults = 'fault' in example ? [example.fault] : []
  return problemDocument(code, detail, faults, HEADERS['X-Request-ID'].example, EXAMPLE_ORIGIN)
}

/** The statuses that a caller can ask an operation for: all that it documents, but for those whose body is only a file. */
export function forceableStatuses(route: Route): number[] {
  const successes = Object.keys(route.responses).map(Number)
  const documents = successes.filter((status) => route.responses[status]?.schema ?? !route.responses[status]?.files)
  return [...documents, ...problemsByStatus(route).keys()].toSorted((a, b) => a - b)
}

/**
 * The documented example of one of an operation's answers.
 *
 * @throws ProblemError 400 where the operation documents no such answer, 406
 */
export function exampleReply(route: Route, status: number, request: Headers, baseUrl: string): Response {
  const statuses = forceableStatuses(route)
  if (!statuses.includes(status)) {
    const detail = `This operation has no example of ${status}. Prefer: code can be ${statuses.join(', ')}.`
    throw new ProblemError('bad-request', detail)
  }
  const at = <Value>(value: Value): Value => JSON.parse(atOrigin(JSON.stringify(value), baseUrl))
  const spec = route.responses[status]
  if (spec) {
    const body = spec.schema && examplesOf(spec.schema)[0]
    const headers = { ...exampleHeaders(spec.headers ?? []), ...spec.exampleHeaders, 'Cache-Control': NEVER_KEPT }
    return sendReply(route, at({ status, body, headers }), request)
  }
  const [code] = problemsByStatus(route).get(status) ?? []
  if (!code) throw new Error(`${route.operationId} has no problem of the status ${status}`)
  const headers = { ...exampleHeaders(PROBLEM_HEADERS[code] ?? []), ...EXAMPLE_PROBLEM_HEADERS[code] }
  return problemResponse(at(exampleProblem(code)), at(headers), request)
}

function exampleHeaders(names: readonly HeaderName[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, HEADERS[name].example]))
}
