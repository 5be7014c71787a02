import { exampleProblem, examplesOf } from '../http/examples.ts'
import { ALL_FORMATS, FORMATS, type FormatName } from '../http/formats.ts'
import { COMMON_HEADERS, HEADERS, type HeaderName, OCCASIONAL_HEADERS, RATE_LIMIT_HEADERS } from '../http/headers.ts'
import { PROBLEM_HEADERS } from '../http/responses.ts'
import type { ResponseSpec, Route } from '../http/route.ts'
import { PROBLEMS, type ProblemCode } from '../lib/errors.ts'
import { keysOf } from '../lib/keys.ts'
import { refer } from './references.ts'
import { inlineSchema } from './schemas.ts'
import type { Example, MediaType, Response, Schema } from './types.ts'

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
      description: `Problem document of the status ${status}`,
      'x-scalar-ignore': true,
      allOf: [refer('schemas', 'Problem'), { type: 'object', properties: { status: { const: Number(status) } } }],
      ...(code && { examples: [exampleProblem(code)] }),
    }
    return [PROBLEM_NAMES[status].schema, schema] as const
  })
  return Object.fromEntries(entries)
}

/** One response for each status of a problem, which operations refer to. */
export function problemResponses(): Record<string, Response> {
  const entries = STATUSES.map((status) => {
    const codes = codesOf(status)
    const { response, schema } = PROBLEM_NAMES[status]
    const headers = codes.flatMap((code) => PROBLEM_HEADERS[code] ?? [])
    const content = ALL_FORMATS.map((name) => {
      const examples = codes.map((code) => [code, { summary: PROBLEMS[code].title, value: exampleProblem(code) }])
      const body: MediaType = { schema: { ...refer('schemas', schema) }, examples: Object.fromEntries(examples) }
      return [FORMATS[name].problemType, body]
    })
    const all = [...headers, ...RATE_LIMIT_HEADERS, ...DEPRECATION_HEADERS]
    return [response, { description: titleOf(codes), headers: headersOf(all), content: Object.fromEntries(content) }]
  })
  return Object.fromEntries(entries)
}

// Of whatever an operation answers.
const DEPRECATION_HEADERS: readonly HeaderName[] = ['Deprecation', 'Link']

function codesOf(status: ProblemStatus): ProblemCode[] {
  return keysOf(PROBLEMS).filter((code) => PROBLEMS[code].status === Number(status))
}

function titleOf(codes: readonly ProblemCode[]): string {
  return codes.map((code) => PROBLEMS[code].title).join(', or: ')
}

/** An answer that is no problem. */
export function successResponse(route: Route, spec: ResponseSpec): Response {
  const documents = spec.schema ? documentContent(spec.schema, route.formats ?? ALL_FORMATS, 'output') : {}
  const files = (spec.files ?? []).map((type) => [type, { schema: fileSchema(type) }])
  const content = { ...documents, ...Object.fromEntries(files) }
  const deprecation = route.deprecated ? DEPRECATION_HEADERS : []
  return {
    description: spec.description,
    headers: headersOf([...(spec.headers ?? []), ...deprecation]),
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
): Record<string, MediaType> {
  const entries = formats.map((name) => {
    const examples = examplesOf(schema).map((value, index): [string, Example] => [exampleName(value, index), { value }])
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
export function headersOf(own: readonly HeaderName[]): Record<string, { $ref: string }> {
  const names = new Set([...COMMON_HEADERS, ...OCCASIONAL_HEADERS, ...own])
  return Object.fromEntries([...names].map((name) => [name, refer('headers', name)]))
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
