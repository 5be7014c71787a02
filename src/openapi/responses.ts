import { PROBLEMS, type ProblemCode } from '../domain/problems.ts'
import { exampleProblem, examplesOf } from '../http/examples.ts'
import { COMMON_HEADERS, HEADERS, type HeaderName, OCCASIONAL_HEADERS, RATE_LIMIT_HEADERS } from '../http/headers.ts'
import { ALL_FORMATS, FORMATS, type FormatName } from '../http/pipeline/formats.ts'
import type { ResponseSpec, Route } from '../http/pipeline/route.ts'
import { formatsOf, PROBLEM_HEADERS, problemsByStatus } from '../http/pipeline/route-facts.ts'
import { keysOf } from '../lib/objects.ts'
import { refer } from './references.ts'
import { inlineSchema } from './schemas.ts'
import type { Example, MediaType, Reference, Response, Schema } from './types.ts'

/** What the document calls the answers of a status: the response, and the schema of its body. */
export const PROBLEM_NAMES = {
  400: { response: 'BadRequest', schema: 'BadRequestError' },
  401: { response: 'Unauthorized', schema: 'UnauthorizedError' },
  403: { response: 'Forbidden', schema: 'ForbiddenError' },
  404: { response: 'NotFound', schema: 'NotFoundError' },
  405: { response: 'MethodNotAllowed', schema: 'MethodNotAllowedError' },
  406: { response: 'NotAcceptable', schema: 'NotAcceptableError' },
  409: { response: 'Conflict', schema: 'Conflict' },
  412: { response: 'PreconditionFailed', schema: 'PreconditionFailedError' },
  413: { response: 'ContentTooLarge', schema: 'ContentTooLargeError' },
  415: { response: 'UnsupportedMediaType', schema: 'UnsupportedMediaTypeError' },
  416: { response: 'RangeNotSatisfiable', schema: 'RangeNotSatisfiableError' },
  422: { response: 'UnprocessableEntity', schema: 'UnprocessableEntity' },
  429: { response: 'TooManyRequests', schema: 'TooManyRequestsError' },
  500: { response: 'InternalServerError', schema: 'InternalServerError' },
  503: { response: 'ServiceUnavailable', schema: 'ServiceUnavailableError' },
} as const satisfies Record<(typeof PROBLEMS)[ProblemCode]['status'], { response: string; schema: string }>

type ProblemStatus = keyof typeof PROBLEM_NAMES

const STATUSES = keysOf(PROBLEM_NAMES)

/** One schema for each status: a problem document that has it. */
export function problemSchemas(): Record<string, Schema> {
  const entries = STATUSES.map((status) => {
    const [code] = codesOf(status)
    const schema = {
      description: `A problem document with the status ${status}`,
      'x-scalar-ignore': true,
      allOf: [
        refer('schemas', 'Problem'),
        { type: 'object', properties: { status: { type: 'integer', format: 'int64', const: Number(status) } } },
      ],
      ...(code && { examples: [exampleProblem(code)] }),
    }
    return [PROBLEM_NAMES[status].schema, schema] as const
  })
  return Object.fromEntries(entries)
}

/** One response for each status of a problem, which operations refer to. */
export function problemResponses(): Record<string, Response> {
  return Object.fromEntries(STATUSES.map((status) => [PROBLEM_NAMES[status].response, problemResponse(status, [])]))
}

/** The problems of an operation: as references, or whole where it sends headers with them that others do not. */
export function problemsOfOperation(route: Route): Record<string, Response | Reference> {
  const own = [...(limitsRate(route) ? RATE_LIMIT_HEADERS : []), ...(route.deprecated ? DEPRECATION_HEADERS : [])]
  const statuses = STATUSES.filter((status) => problemsByStatus(route).has(Number(status)))
  const entries = statuses.map((status) => {
    const reference = refer('responses', PROBLEM_NAMES[status].response)
    return [status, own.length > 0 ? problemResponse(status, own) : reference] as const
  })
  return Object.fromEntries(entries)
}

function limitsRate(route: Route): boolean {
  return route.problems?.includes('too-many-requests') ?? false
}

const DEPRECATION_HEADERS: readonly HeaderName[] = ['Deprecation', 'Link']

// For responses that stand for several problems: "A, B, or C".
const ALTERNATIVES = new Intl.ListFormat('en', { type: 'disjunction' })

function problemResponse(status: ProblemStatus, own: readonly HeaderName[]): Response {
  const codes = codesOf(status)
  const examples = codes.map((code) => [code, refer('examples', code)])
  const body: MediaType = {
    schema: { ...refer('schemas', PROBLEM_NAMES[status].schema) },
    examples: Object.fromEntries(examples),
  }
  return {
    description: ALTERNATIVES.format(codes.map((code) => PROBLEMS[code].title)),
    headers: responseHeaders([...codes.flatMap((code) => PROBLEM_HEADERS[code] ?? []), ...own]),
    content: Object.fromEntries(ALL_FORMATS.map((name) => [FORMATS[name].problemType, body])),
  }
}

/** An example of each problem. */
export function problemExamples(): Record<string, Example> {
  const codes = keysOf(PROBLEMS)
  return Object.fromEntries(codes.map((code) => [code, { summary: PROBLEMS[code].title, value: exampleProblem(code) }]))
}

function codesOf(status: ProblemStatus): ProblemCode[] {
  return keysOf(PROBLEMS).filter((code) => PROBLEMS[code].status === Number(status))
}

/** An answer that is no problem. */
export function successResponse(route: Route, spec: ResponseSpec): Response {
  const documents = spec.schema ? documentContent(spec.schema, formatsOf(route), 'output', spec.example) : {}
  const files = (spec.files ?? []).map((type) => [type, { schema: fileSchema(type) }])
  const content = { ...documents, ...Object.fromEntries(files) }
  const deprecation = route.deprecated ? DEPRECATION_HEADERS : []
  return {
    description: spec.description,
    headers: withoutSharing(route, responseHeaders([...(spec.headers ?? []), ...deprecation])),
    ...(Object.keys(content).length > 0 && { content }),
  }
}

function fileSchema(mediaType: string): Schema {
  if (mediaType === 'application/json') return { type: 'object' }
  return mediaType.startsWith('image/') ? { type: 'string', format: 'binary' } : { type: 'string' }
}

/** A document in each of its formats, with its examples. */
export function documentContent(
  schema: NonNullable<ResponseSpec['schema']>,
  formats: readonly FormatName[],
  direction: 'input' | 'output',
  own?: unknown,
): Record<string, MediaType> {
  const entries = formats.map((name) => {
    const examples = examplesOf(schema, own).map((value, index): [string, Example] => [
      exampleName(value, index),
      { value },
    ])
    return [
      FORMATS[name].mediaType,
      { schema: inlineSchema(schema, direction), examples: Object.fromEntries(examples) },
    ]
  })
  return Object.fromEntries(entries)
}

function exampleName(value: unknown, index: number): string {
  const isNamed = typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string'
  return isNamed && /^\w+$/.test(String(value.name)) ? String(value.name) : `example${index + 1}`
}

/** Headers of a response, beside those that every response has or may have. */
export function responseHeaders(own: readonly HeaderName[]): Record<string, { $ref: string }> {
  const names = new Set([...COMMON_HEADERS, ...OCCASIONAL_HEADERS, ...own])
  return Object.fromEntries([...names].map((name) => [name, refer('headers', name)]))
}

/** Other origins have no part in our own pages. */
function withoutSharing(route: Route, headers: Response['headers']): Response['headers'] {
  if (route.errors !== 'page') return headers
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('Access-Control-')))
}

/** Every header that there is. Those that all responses have are required. */
export function componentHeaders(): Record<string, Schema> {
  const entries = keysOf(HEADERS).map((name) => {
    const { description, schema, example } = HEADERS[name]
    const value = schema.type === 'integer' ? Number(example) : example
    return [name, { description, required: COMMON_HEADERS.includes(name), schema: { ...schema, examples: [value] } }]
  })
  return Object.fromEntries(entries)
}
