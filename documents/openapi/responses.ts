import { NO_UNIVERSE, PROBLEMS, type ProblemCode, type ProblemSpec } from '../../src/domain/problems.ts'
import { exampleProblem } from '../../src/http/examples.ts'
import {
  COMMON_HEADERS,
  HEADERS,
  type HeaderName,
  OCCASIONAL_HEADERS,
  PUBLISHED_HEADERS,
  RATE_LIMIT_HEADERS,
  specOf,
} from '../../src/http/headers.ts'
import { PAGE_HEADERS } from '../../src/http/page-responses.ts'
import { HTML } from '../../src/http/pages.ts'
import { ALL_FORMATS, FORMATS, type FormatName } from '../../src/http/pipeline/formats.ts'
import type { ResponseSpec, Route } from '../../src/http/pipeline/route.ts'
import {
  formatsOf,
  ownProblemsOf,
  PROBLEM_HEADERS,
  problemsByStatus,
  takesIdempotencyKey,
} from '../../src/http/pipeline/route-facts.ts'
import { keysOf } from '../../src/lib/objects.ts'
import { writeList } from '../../src/lib/text.ts'
import { type Edition, hasAlready, publishedOf } from './edition.ts'
import { referExamples } from './examples.ts'
import { linksOf } from './links.ts'
import { identifierOf, refer } from './references.ts'
import { type Direction, inlineSchema } from './schemas.ts'
import type { Example, MediaType, Reference, Response, Schema } from './types.ts'

/**
 * Registry: for the error responses of each status, the component names of the response and of the schema of its body.
 */
export const PROBLEM_NAMES = {
  400: { response: 'BadRequestProblem', schema: 'BadRequestError' },
  401: { response: 'UnauthorizedProblem', schema: 'UnauthorizedError' },
  403: { response: 'ForbiddenProblem', schema: 'ForbiddenError' },
  404: { response: 'NotFoundProblem', schema: 'NotFoundError' },
  405: { response: 'MethodNotAllowedProblem', schema: 'MethodNotAllowedError' },
  406: { response: 'NotAcceptableProblem', schema: 'NotAcceptableError' },
  409: { response: 'ConflictProblem', schema: 'Conflict' },
  410: { response: 'GoneProblem', schema: 'GoneError' },
  412: { response: 'PreconditionFailedProblem', schema: 'PreconditionFailedError' },
  413: { response: 'ContentTooLargeProblem', schema: 'ContentTooLargeError' },
  415: { response: 'UnsupportedMediaTypeProblem', schema: 'UnsupportedMediaTypeError' },
  414: { response: 'UriTooLongProblem', schema: 'UriTooLongError' },
  416: { response: 'RangeNotSatisfiableProblem', schema: 'RangeNotSatisfiableError' },
  422: { response: 'UnprocessableEntityProblem', schema: 'UnprocessableEntity' },
  426: { response: 'UpgradeRequiredProblem', schema: 'UpgradeRequiredError' },
  429: { response: 'TooManyRequestsProblem', schema: 'TooManyRequestsError' },
  500: { response: 'InternalServerProblem', schema: 'InternalServerError' },
  503: { response: 'ServiceUnavailableProblem', schema: 'ServiceUnavailableError' },
} as const satisfies Record<(typeof PROBLEMS)[ProblemCode]['status'], { response: string; schema: string }>

type ProblemStatus = keyof typeof PROBLEM_NAMES

// The type of a status is a number, but at run time a key of an object is a text. So code converts it with
// `Number(status)`.
const STATUSES = keysOf(PROBLEM_NAMES)

/** One schema for each status: a problem document with that status. */
export function problemSchemas(): Record<string, Schema> {
  const entries = STATUSES.map((status) => {
    const [code] = codesOf(status)
    const schema = {
      description: `A problem document with the status ${status}`,
      'x-scalar-ignore': true,
      allOf: [
        refer('schemas', 'Problem'),
        { type: 'object', properties: { status: { type: 'integer', enum: [Number(status)] } } },
      ],
      ...(code && { examples: [exampleProblem(code)] }),
    }
    return [PROBLEM_NAMES[status].schema, schema] as const
  })
  return Object.fromEntries(entries)
}

const DEPRECATION_HEADERS: readonly HeaderName[] = ['Deprecation', 'Link']

/** Headers that problems have only in some operations. `name` becomes a part of the names of components. */
interface Addition {
  name: string
  headers: readonly HeaderName[]
  appliesTo(route: Route): boolean
}

const ADDITIONS: readonly Addition[] = [
  {
    name: 'RateLimit',
    headers: RATE_LIMIT_HEADERS,
    appliesTo: (route) => route.problems?.includes('too-many-requests') ?? false,
  },
  { name: 'Deprecation', headers: DEPRECATION_HEADERS, appliesTo: (route) => route.deprecated !== undefined },
  { name: 'Sunset', headers: ['Sunset'], appliesTo: (route) => route.world === 'universe' },
]

/** In the published document, a problem has the same headers in every operation. */
function additionsOf(route: Route, { detail }: Edition): Addition[] {
  return detail === 'complete' ? ADDITIONS.filter(({ appliesTo }) => appliesTo(route)) : []
}

/**
 * Registry: for the problems of a world (route-facts.ts), the component name and the description of the response. The
 * common world sends it.
 */
const WORLD_PROBLEMS: Readonly<Partial<Record<ProblemStatus, { component: string; description: string }>>> = {
  404: { component: 'NoUniverseProblem', description: NO_UNIVERSE },
  410: { component: PROBLEM_NAMES[410].response, description: PROBLEMS['universe-ended'].title },
}

/** The error responses that operations refer to: one for each combination of a status and additional headers. */
export function problemResponses(routes: readonly Route[], edition: Edition): Record<string, Response> {
  const combinations = new Map(
    routes
      .map((route) => additionsOf(route, edition))
      .map((additions) => [additions.map(({ name }) => name).join(), additions]),
  )
  const entries = [...combinations.values()].flatMap((additions) =>
    STATUSES.map((status) => {
      const response = problemResponse(status, additions, edition)
      return [problemName(status, additions, edition), response] as const
    }),
  )
  const ofWorlds = STATUSES.flatMap((status) => {
    const problem = WORLD_PROBLEMS[status]
    if (!problem) return []
    const inCommonWorld: Edition = { ...edition, world: 'common' }
    const response = orPage(problemResponse(status, [], inCommonWorld), inCommonWorld)
    return [[problem.component, { ...response, description: problem.description }] as const]
  })
  return Object.fromEntries([...entries, ...ofWorlds])
}

export function problemsOfOperation(route: Route, edition: Edition): Record<string, Reference> {
  const problems = problemsByStatus(route)
  const ownStatuses = ownProblemsOf(route).map((code) => String(PROBLEMS[code].status))
  const additions = additionsOf(route, edition)
  const statuses = STATUSES.filter((status) => problems.has(Number(status)))
  const names = statuses.map((status) => {
    const worldProblem = ownStatuses.includes(String(status)) ? undefined : WORLD_PROBLEMS[status]
    return [status, refer('responses', worldProblem?.component ?? problemName(status, additions, edition))]
  })
  return Object.fromEntries(names)
}

/**
 * The component name of a response, such as `BadRequestProblemWithRateLimit`. Additional headers that the problem has in
 * every operation do not change the name.
 */
function problemName(status: ProblemStatus, additions: readonly Addition[], { world }: Edition): string {
  const usualHeaders = [...headersOf(status), ...COMMON_HEADERS[world]]
  const names = additions
    .filter(({ headers }) => !headers.every((header) => usualHeaders.includes(header)))
    .map(({ name }) => name)
  const { response } = PROBLEM_NAMES[status]
  return names.length > 0 ? `${response}With${names.join('And')}` : response
}

/** The headers that the problems of a status have in every operation. */
function headersOf(status: ProblemStatus): HeaderName[] {
  return codesOf(status).flatMap((code) => PROBLEM_HEADERS[code] ?? [])
}

/** @param additions Those of the operation */
export function problemResponse(status: ProblemStatus, additions: readonly Addition[], edition: Edition): Response {
  const additional = additions.flatMap(({ headers }) => headers)
  const headers = problemHeaders([...headersOf(status), ...additional], edition)
  const codes = codesOf(status).filter((code) => hasAlready(edition, specOfProblem(code)))
  const examples = codes.map((code) => [code, refer('examples', problemExampleName(code))])
  const body: MediaType = {
    schema: { ...refer('schemas', PROBLEM_NAMES[status].schema) },
    examples: Object.fromEntries(examples),
  }
  return {
    description: writeList(
      codes.map((code) => PROBLEMS[code].title),
      'disjunction',
    ),
    headers,
    content: Object.fromEntries(ALL_FORMATS.map((name) => [FORMATS[name].problemType, body])),
  }
}

/** A problem that is also a page, for callers that prefer one. The published document has no pages. */
export function orPage(problem: Response, edition: Edition): Response {
  if (edition.detail !== 'complete') return problem
  return {
    ...problem,
    headers: { ...problem.headers, ...responseHeaders(PAGE_HEADERS, edition) },
    content: { ...problem.content, [HTML]: { schema: fileSchema(HTML) } },
  }
}

export function problemExamples(): Record<string, Example> {
  const codes = DOCUMENTED_PROBLEMS
  const entries = codes.map((code) => [
    problemExampleName(code),
    { summary: PROBLEMS[code].title, value: exampleProblem(code) },
  ])
  return Object.fromEntries(entries)
}

/** The component name of the example of a problem. In a response, the example has the name that `Prefer: example` takes. */
function problemExampleName(code: ProblemCode): string {
  return `problem_${code.replaceAll('-', '_')}`
}

function specOfProblem(code: ProblemCode): ProblemSpec {
  return PROBLEMS[code]
}

/** The problems that responses document. A rule can ask for a fault with any status, so no response documents it. */
const DOCUMENTED_PROBLEMS = keysOf(PROBLEMS).filter((code) => code !== 'injected')

function codesOf(status: ProblemStatus): ProblemCode[] {
  return DOCUMENTED_PROBLEMS.filter((code) => PROBLEMS[code].status === Number(status))
}

/** The responses of an operation that are not problems. A response that several operations share is a reference. */
export function successesOfOperation(route: Route, edition: Edition): Record<string, Response | Reference> {
  const entries = Object.entries(route.responses).map(
    ([status, spec]) =>
      [status, spec.component ? refer('responses', spec.component) : successResponse(route, spec, edition)] as const,
  )
  return Object.fromEntries(entries)
}

/** The responses that are not problems and that several operations share. */
export function sharedResponses(routes: readonly Route[], edition: Edition): Record<string, Response> {
  const entries = routes.flatMap((route) =>
    Object.values(route.responses).flatMap((spec): [string, Response][] =>
      spec.component ? [[spec.component, successResponse(route, spec, edition)]] : [],
    ),
  )
  return Object.fromEntries(entries)
}

export function successResponse(route: Route, spec: ResponseSpec, edition: Edition): Response {
  const documents = spec.schema ? documentContent(spec.schema, formatsOf(route), 'output', spec.example) : {}
  // OpenAPI 3.1 has no word for the items of a stream. `contentSchema` (JSON Schema) says what the text contains.
  const items = spec.items && { contentSchema: inlineSchema(spec.items, 'output') }
  const files = (spec.files ?? []).map((type) => [type, { schema: { ...fileSchema(type), ...items } }])
  const content = { ...documents, ...Object.fromEntries(files) }
  const links = linksOf(spec, edition)
  const deprecation = route.deprecated ? DEPRECATION_HEADERS : []
  const replay: readonly HeaderName[] = isKept(route, spec) ? ['Idempotency-Replayed'] : []
  // The document of the common world also describes routes that only universes have.
  const headers = responseHeaders([...(spec.headers ?? []), ...deprecation, ...replay], {
    ...edition,
    world: route.world ?? edition.world,
  })
  return {
    description: spec.description,
    headers: route.errorStyle === 'page' ? withoutCorsHeaders(headers) : headers,
    ...(Object.keys(content).length > 0 && { content }),
    ...(Object.keys(links).length > 0 && { links }),
  }
}

/**
 * Whether a response is kept for retries. An error is not: the routes of OAuth declare theirs as responses. Nor is a 200
 * beside a 202, because a retry gets the receipt.
 */
function isKept(route: Route, spec: ResponseSpec): boolean {
  const kept = Object.entries(route.responses).filter(([status]) =>
    202 in route.responses ? status === '202' : Number(status) < 300,
  )
  return takesIdempotencyKey(route) && kept.some(([, response]) => response === spec)
}

function fileSchema(mediaType: string): Schema {
  if (/[/+](?:json|yaml)$/.test(mediaType)) return { type: 'object' }
  return mediaType.startsWith('image/') ? { type: 'string', format: 'binary' } : { type: 'string' }
}

/**
 * The content of a document in each of its formats (JSON, XML), with examples.
 *
 * @param givenExample The example to use instead of the examples of the schema
 */
export function documentContent(
  schema: NonNullable<ResponseSpec['schema']>,
  formats: readonly FormatName[],
  direction: Direction,
  givenExample?: unknown,
): Record<string, MediaType> {
  const media: MediaType = {
    schema: inlineSchema(schema, direction),
    examples: givenExample === undefined ? referExamples(schema) : { example1: { value: givenExample } },
  }
  return Object.fromEntries(formats.map((name) => [FORMATS[name].mediaType, media]))
}

/**
 * References to the headers of a response: those that every response has or may have, and additional ones.
 *
 * @param additional The headers that only this response has
 */
export function responseHeaders(additional: readonly HeaderName[], edition: Edition): HeaderReferences {
  const { world, detail } = edition
  return detail === 'complete'
    ? referHeaders([...COMMON_HEADERS[world], ...OCCASIONAL_HEADERS, ...additional], edition)
    : referHeaders([...PUBLISHED_HEADERS.everywhere, ...publishedOf(additional)], edition)
}

/** The same for a problem. The published document declares only the request id everywhere, which reports name. */
function problemHeaders(additional: readonly HeaderName[], edition: Edition): HeaderReferences {
  return edition.detail === 'complete'
    ? responseHeaders(additional, edition)
    : referHeaders(['X-Request-ID', ...publishedOf(additional)], edition)
}

type HeaderReferences = Record<string, Reference>

function referHeaders(names: readonly HeaderName[], edition: Edition): HeaderReferences {
  const known = [...new Set(names)].filter((name) => hasAlready(edition, specOf(name)))
  return Object.fromEntries(known.map((name) => [name, refer('headers', identifierOf(name))]))
}

/** Removes the headers of CORS, which the HTML pages of the service do not support. */
function withoutCorsHeaders<Value>(headers: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('Access-Control-')))
}

/** Headers that the document of a world has in every response of every operation. */
export function universalHeaders(edition: Edition): string[] {
  return Object.keys(withoutCorsHeaders(responseHeaders([], edition)))
}

/**
 * All headers as components. A header is required if every response of a universe has it. Such a header is in every
 * response of the common world too, except `Sunset`, to which those responses do not refer.
 */
export function componentHeaders(): Record<string, Schema> {
  const entries = keysOf(HEADERS).map((name) => {
    const { description, schema, example } = HEADERS[name]
    const value = schema.type === 'integer' ? Number(example) : example
    return [
      identifierOf(name),
      { description, required: COMMON_HEADERS.universe.includes(name), schema: { ...schema, examples: [value] } },
    ]
  })
  return Object.fromEntries(entries)
}
