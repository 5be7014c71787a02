import { atOrigin, EXAMPLE_ORIGIN } from '../domain/example-origin.ts'
import { PROBLEMS, type ProblemCode, ProblemError } from '../domain/problems.ts'
import type { Problem } from '../schemas/problem.ts'
import { problemDocument, problemResponse } from './errors/problem.ts'
import { HEADERS, type HeaderName } from './headers.ts'
import { negotiateDocument } from './pipeline/negotiation.ts'
import type { ResponseSpec, Route } from './pipeline/route.ts'
import { EXAMPLE_PROBLEM_HEADERS, PROBLEM_HEADERS, problemsByStatus } from './pipeline/route-facts.ts'
import { NEVER_KEPT, sendReply } from './pipeline/send-reply.ts'

type Schema = NonNullable<ResponseSpec['schema']>

/**
 * The examples of a schema, or only the response's own example if it has one.
 *
 * @throws Error if there is no example
 */
export function examplesOf(schema: Schema, own?: unknown): [unknown, ...unknown[]] {
  if (own !== undefined) return [own]
  const { examples, id } = schema.meta() ?? {}
  const [first, ...others] = Array.isArray(examples) ? examples : []
  if (first === undefined) throw new Error(`the schema ${id ?? 'without an id'} has no example`)
  return [first, ...others]
}

/** The example of a problem. */
export function exampleProblem(code: ProblemCode): Problem {
  const { detail, ...example } = PROBLEMS[code].example
  const faults = 'fault' in example ? [example.fault] : []
  const limit = 'limit' in example ? example.limit : undefined
  return problemDocument(code, detail, faults, HEADERS['X-Request-ID'].example, EXAMPLE_ORIGIN, limit)
}

/**
 * The statuses that a caller can force for an operation: all that it documents, except those whose body can only be a
 * file.
 */
export function forceableStatuses(route: Route): number[] {
  const successes = Object.keys(route.responses).map(Number)
  const documents = successes.filter((status) => route.responses[status]?.schema ?? !route.responses[status]?.files)
  return [...documents, ...problemsByStatus(route).keys()].toSorted((a, b) => a - b)
}

/**
 * The documented example response of an operation for a status.
 *
 * @param problem The problem to show if several share this status; by default the first one whose example has a fault
 * @returns Undefined if the body is a file, which has no example
 * @throws ProblemError 400 if the operation does not document the response; 406 if Accept matches none of its formats
 */
export function exampleReply(
  route: Route,
  status: number,
  problem: string | undefined,
  request: Headers,
  baseUrl: string,
): Response | undefined {
  const statuses = forceableStatuses(route)
  if (route.responses[status]?.files && !statuses.includes(status)) return undefined
  if (!statuses.includes(status)) {
    const detail = `This operation has no example of ${status}. Supported values of Prefer: code are ${statuses.join(', ')}.`
    throw new ProblemError('bad-request', detail)
  }
  const at = <Value>(value: Value): Value => JSON.parse(atOrigin(JSON.stringify(value), baseUrl))
  const spec = route.responses[status]
  if (spec) return exampleSuccess(route, status, spec, request, at)
  const code = chooseProblem(problemsByStatus(route).get(status) ?? [], problem)
  const headers = { ...exampleHeaders(PROBLEM_HEADERS[code] ?? []), ...EXAMPLE_PROBLEM_HEADERS[code] }
  return problemResponse(at(exampleProblem(code)), at(headers), request)
}

function exampleSuccess(
  route: Route,
  status: number,
  spec: ResponseSpec,
  request: Headers,
  at: <Value>(value: Value) => Value,
): Response {
  const format = negotiateDocument(route, request)
  // An example must not set a real cookie.
  const names = (spec.headers ?? []).filter((name) => name !== 'Set-Cookie')
  const headers = { ...exampleHeaders(names), ...spec.exampleHeaders, 'Cache-Control': NEVER_KEPT }
  // Each format has its own tag.
  if (headers.ETag) headers.ETag = headers.ETag.replace('json', format ?? 'json')
  return sendReply(
    route,
    at({ status, body: spec.schema && examplesOf(spec.schema, spec.example)[0], headers }),
    format,
    request,
  )
}

/** A problem of a status: the requested one, or the first one whose example has a fault, or else the first one. */
function chooseProblem(codes: readonly ProblemCode[], wanted: string | undefined): ProblemCode {
  const telling = codes.find((code) => 'fault' in PROBLEMS[code].example) ?? codes[0]
  const code = wanted === undefined ? telling : codes.find((name) => name === wanted)
  if (code) return code
  throw new ProblemError(
    'bad-request',
    `For this status, the supported values of Prefer: example are ${codes.join(', ')}.`,
  )
}

function exampleHeaders(names: readonly HeaderName[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, HEADERS[name].example]))
}
