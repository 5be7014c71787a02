import { basePathOf } from '../domain/base-url.ts'
import { atOrigin, EXAMPLE_ORIGIN } from '../domain/example-origin.ts'
import { seenInUniverse } from '../domain/example-universe.ts'
import { PROBLEMS, type ProblemCode, ProblemError, type ProblemSpec } from '../domain/problems.ts'
import type { Problem } from '../schemas/problem.ts'
import { problemDocument, problemResponse } from './errors/problem.ts'
import { HEADERS, type HeaderName } from './headers.ts'
import { negotiateDocument } from './pipeline/negotiation.ts'
import type { ResponseSpec, Route } from './pipeline/route.ts'
import { EXAMPLE_PROBLEM_HEADERS, PROBLEM_HEADERS, problemsByStatus } from './pipeline/route-facts.ts'
import { NO_STORE, replySender } from './pipeline/send-reply.ts'

type Schema = NonNullable<ResponseSpec['schema']>

/**
 * The examples of a response: the examples of its schema, or only its declared example if it has one.
 *
 * @throws Error if there is no example
 */
export function examplesOf(schema: Schema, declaredExample?: unknown): [unknown, ...unknown[]] {
  if (declaredExample !== undefined) return [declaredExample]
  const { examples, id } = schema.meta() ?? {}
  const [firstExample, ...otherExamples] = Array.isArray(examples) ? examples : []
  if (firstExample === undefined) throw new Error(`the schema ${id ?? 'without an id'} has no example`)
  return [firstExample, ...otherExamples]
}

/** The example response of a problem, with the origin of this service. */
export function exampleProblemReply(
  code: ProblemCode,
  baseUrl: string,
): { document: Problem; headers: Record<string, string> } {
  const headers = { ...exampleHeaders(PROBLEM_HEADERS[code] ?? []), ...EXAMPLE_PROBLEM_HEADERS[code] }
  return withOrigin({ document: exampleProblem(code), headers }, baseUrl)
}

export function exampleProblem(code: ProblemCode): Problem {
  const example: ProblemSpec['example'] = PROBLEMS[code].example
  const { detail, fault, limit, universeLimit, idRange } = example
  // An absent option is left out, because the types do not allow undefined.
  const problem = new ProblemError(code, detail, {
    ...(fault && { faults: [fault] }),
    ...(limit && { limit }),
    ...(universeLimit && { universeLimit }),
    ...(idRange && { idRange }),
  })
  return problemDocument(problem, HEADERS['X-Request-ID'].example, EXAMPLE_ORIGIN)
}

/**
 * The statuses that a caller can force for an operation with `Prefer: code`: all documented statuses, except those
 * whose body can only be a file.
 */
export function forceableStatuses(route: Route): number[] {
  const successes = Object.keys(route.responses).map(Number)
  const withExample = successes.filter((status) => {
    const { schema, files } = route.responses[status] ?? {}
    return schema !== undefined || files === undefined
  })
  return [...withExample, ...problemsByStatus(route).keys()].toSorted((a, b) => a - b)
}

/**
 * @param problem The problem to show if several share this status; by default the first one whose example has a fault
 * @returns Undefined if the body is a file, which has no example
 * @throws ProblemError 400 if the operation does not document the response; 406 if Accept matches none of its formats
 */
export function exampleReply(
  route: Route,
  status: number,
  problem: string | undefined,
  requestHeaders: Headers,
  baseUrl: string,
): Response | undefined {
  const statuses = forceableStatuses(route)
  if (route.responses[status]?.files && !statuses.includes(status)) return undefined
  if (!statuses.includes(status)) {
    const detail = `This operation has no example of ${status}. Prefer: code can have one of these values: ${statuses.join(', ')}.`
    throw new ProblemError('bad-request', detail)
  }
  const spec = route.responses[status]
  if (spec) return exampleSuccess(route, status, spec, requestHeaders, baseUrl)
  const code = chooseProblem(problemsByStatus(route).get(status) ?? [], problem)
  const { document, headers } = exampleProblemReply(code, baseUrl)
  return problemResponse(document, headers, requestHeaders)
}

/** Replaces the example origin everywhere in a value with the origin of this service. */
function withOrigin<Value>(value: Value, baseUrl: string): Value {
  return JSON.parse(atOrigin(JSON.stringify(value), baseUrl))
}

function exampleSuccess(
  route: Route,
  status: number,
  spec: ResponseSpec,
  requestHeaders: Headers,
  baseUrl: string,
): Response {
  const format = negotiateDocument(route, requestHeaders)
  // An example must not set a real cookie.
  const names = (spec.headers ?? []).filter((name) => name !== 'Set-Cookie')
  const headers = { ...exampleHeaders(names), ...spec.exampleHeaders, 'Cache-Control': NO_STORE }
  // An entity tag ends with the format of the representation. The example is the entity tag of JSON.
  if (headers.ETag) headers.ETag = headers.ETag.replace('json', format ?? 'json')
  const body = spec.schema && examplesOf(spec.schema, spec.example)[0]
  const example = { status, body, headers }
  // Examples contain the URLs of the common world. A route of universes has to show the URLs of a universe.
  const seen = route.world === 'universe' ? seenInUniverse(example) : example
  // Only HTML pages use the other members of the world, and no example is a page.
  const world = { basePath: basePathOf(baseUrl), universe: undefined, takesReports: false }
  return replySender(route)(withOrigin(seen, baseUrl), format, requestHeaders, world)
}

/** A problem of a status: the requested one, or the first one whose example has a fault, or else the first one. */
function chooseProblem(codes: readonly ProblemCode[], requestedCode: string | undefined): ProblemCode {
  // An example with a fault shows more of the problem document.
  const defaultCode = codes.find((code) => 'fault' in PROBLEMS[code].example) ?? codes[0]
  const chosenCode = requestedCode === undefined ? defaultCode : codes.find((code) => code === requestedCode)
  if (chosenCode) return chosenCode
  throw new ProblemError(
    'bad-request',
    `Responses with this status have no such example. Prefer: example can have one of these values: ${codes.join(', ')}.`,
  )
}

function exampleHeaders(names: readonly HeaderName[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, HEADERS[name].example]))
}
