import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'
import type { Version } from '../case.ts'
import { SELF_NAME } from '../files.ts'
import type { Body, Case, CaseParameter, CaseSchema, Encoding, Value } from '../suite/declare.ts'
import { formsOf } from './forms.ts'
import { pascalCase, refer, type SchemaWriter, WHOLE, writeSchema } from './schemas.ts'
import { isObject, isWhole, plain } from './values.ts'

// The operations of a case in a version of OpenAPI.

export interface DescribedCase {
  path: string
  /** Its Path Item Object. */
  item: object
  /** The components that it has alone, by name. */
  schemas: Record<string, object>
}

/** Describes a case, or returns undefined if the version cannot say it. */
export function describeCase(spec: Case, version: Version): DescribedCase | undefined {
  if (!spec.versions.includes(version)) return undefined
  const writer: SchemaWriter = { version, prefix: pascalCase(spec.operationId), components: {} }
  const item = spec.answer ? responseItem(spec, spec.answer, writer) : requestItem(spec, writer)
  return { path: pathOf(spec), item, schemas: writer.components }
}

/** The path of a case below its bench, as a template. */
export function pathOf({ id, rest, parameters = [] }: Case): string {
  const inPath = parameters.find((parameter) => parameter.in === 'path')
  return `/${id}${rest ?? (inPath ? `/{${inPath.name}}` : '')}`
}

/** The method of the operation that has the case's `operationId`. */
export function methodOf({ method, body }: Pick<Case, 'method' | 'body'>): NonNullable<Case['method']> {
  return method ?? (body ? 'post' : 'get')
}

/** The page about a case. */
function documentationOf({ id }: Case): object {
  return { description: 'The case', url: `${EXAMPLE_ORIGIN}/lab/cases/${id}` }
}

const VERDICT_CONTENT = { 'application/json': { schema: refer('Verdict') } }
const VERDICT = { description: 'The verdict', content: VERDICT_CONTENT }

/** A path item with one operation. Of methods that it has no member for, it has a list (OpenAPI 3.2.0). */
function itemOf(method: NonNullable<Case['method']>, operation: object): object {
  return method === 'copy' ? { additionalOperations: { [method.toUpperCase()]: operation } } : { [method]: operation }
}

function requestItem(spec: Case, writer: SchemaWriter): object {
  const { parameters = [], body, redirect, retry, usesSelf } = spec
  const own = {
    ...headOf(spec),
    ...(parameters.length > 0 && {
      parameters: parameters.map((parameter) => describeParameter(parameter, spec, writer)),
    }),
    ...(body && { requestBody: describeBody(body, spec, writer) }),
    responses: {
      [retry?.status ?? 200]: usesSelf ? { summary: VERDICT.description, content: VERDICT_CONTENT } : VERDICT,
      ...(redirect && { [redirect.status]: describeRedirect() }),
      ...(retry && describeAll(retry.responses, writer)),
    },
  }
  const first = retry?.first
  return {
    ...(first && {
      [first.method]: {
        ...headOf(spec),
        operationId: first.operationId,
        description: first.description,
        responses: { 204: { description: 'The case begins' } },
      },
    }),
    ...itemOf(methodOf(spec), own),
  }
}

function headOf(spec: Case): object {
  return {
    operationId: spec.operationId,
    tags: [spec.group],
    summary: spec.title,
    description: `A case of level ${spec.level}. What decides it: ${spec.specification}`,
    externalDocs: documentationOf(spec),
  }
}

function describeRedirect(): object {
  return {
    description: 'The redirect',
    headers: { Location: { description: 'The target', schema: { type: 'string', format: 'uri-reference' } } },
  }
}

function describeAll(responses: NonNullable<Case['retry']>['responses'], writer: SchemaWriter): Record<string, object> {
  return Object.fromEntries(
    Object.entries(responses).map(([status, { description, headers }]) => [
      status,
      { description, ...(headers && { headers: describeHeaders(headers, writer) }) },
    ]),
  )
}

function describeHeaders(headers: Readonly<Record<string, CaseSchema>>, writer: SchemaWriter): Record<string, object> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, schema]) => [name, { schema: writeSchema(schema, pascalCase(name), writer) }]),
  )
}

function describeParameter(parameter: CaseParameter, spec: Case, writer: SchemaWriter): object {
  const { in: place, name, style, explode, allowReserved, isJson, isRequired, schema, input } = parameter
  if (place === 'querystring') return describeQuerystring(parameter, spec, writer)
  const written = {
    schema: writeSchema(schema, pascalCase(name), writer),
    ...(hasExampleObjects(spec)
      ? exampleObjects(input, schema, place === 'path' || place === 'cookie' ? formsOf(spec)[place]?.text : undefined)
      : exampleOf(input, schema)),
  }
  return {
    name,
    in: place,
    required: isRequired === true,
    ...(style && { style }),
    ...(explode !== undefined && { explode }),
    ...(allowReserved && { allowReserved }),
    ...(isJson ? { content: { 'application/json': written } } : written),
  }
}

/** The whole query is one parameter, which has no style (OpenAPI 3.2.0, "Parameter Locations"). */
function describeQuerystring(
  { in: place, name, isJson, isRequired, schema, input }: CaseParameter,
  spec: Case,
  writer: SchemaWriter,
): object {
  const written = isJson ? writeSchema(schema, WHOLE, writer) : writeForm(schema, input, writer)
  return {
    name,
    in: place,
    required: isRequired === true,
    content: { [isJson ? 'application/json' : FORM]: { schema: written } },
    ...exampleObjects(input, schema, formsOf(spec).query?.text),
  }
}

/** Whether the examples of a case are Example Objects: importers read no others than `example`, but 3.2 has new ones. */
const hasExampleObjects = ({ versions }: Case) => !versions.includes('3.1')

/** An Example Object of OpenAPI 3.2. @param serialized Absent if the form is JSON, or has parts */
function exampleObjects(input: Value | undefined, schema: CaseSchema, serialized: string | undefined): object {
  if (input === undefined) return {}
  const example = {
    dataValue: plain(input, schema),
    ...(serialized !== undefined && { serializedValue: serialized }),
  }
  return { examples: { input: example } }
}

/** The example of a parameter or body: what the case sends, if JSON can say it. */
function exampleOf(input: Value | undefined, schema: CaseSchema): { example?: unknown } {
  if (input === undefined) return {}
  const example = plain(input, schema)
  return isWhole(example) ? { example } : {}
}

const FORM = 'application/x-www-form-urlencoded'

/** Whether a body has members with names, each written by itself. */
const isForm = (mediaType: string) => mediaType === FORM || mediaType === 'multipart/form-data'

function describeBody(body: Body, spec: Case, writer: SchemaWriter): object {
  const { mediaType, otherMediaType, schema, input, encoding, prefixEncoding, itemEncoding, serialized } = body
  const isPlain = mediaType === 'application/json' || mediaType.startsWith('multipart/')
  // A null in the example of a form stops Bruno's importer.
  const hasExample = !(isForm(mediaType) && isObject(input) && Object.values(input).includes(null))
  const written = {
    ...describeContent(body, spec, writer),
    ...(hasExampleObjects(spec)
      ? exampleObjects(input, schema, serialized ?? (isPlain ? undefined : formsOf(spec).body?.text))
      : hasExample && exampleOf(input, schema)),
    ...(encoding && { encoding: describeEncodings(encoding, writer) }),
    ...(prefixEncoding && { prefixEncoding }),
    ...(itemEncoding && { itemEncoding }),
  }
  return {
    required: input !== undefined,
    content: { [mediaType]: written, ...(otherMediaType !== undefined && { [otherMediaType]: written }) },
  }
}

/** The schema of a body, or of each item if it is a sequence. */
function describeContent(
  { mediaType, schema, input, isSequence }: Body,
  { usesSelf }: Case,
  writer: SchemaWriter,
): object {
  if (isSequence) return { itemSchema: writeSchema(schema.items ?? {}, 'Item', writer) }
  if (isForm(mediaType)) return { schema: writeForm(schema, input, writer) }
  const written = writeSchema(schema, WHOLE, writer)
  return { schema: usesSelf && '$ref' in written ? { $ref: `${SELF_NAME}${written.$ref}` } : written }
}

/** The schema of a form, in which each member has an example, because importers read no other. */
function writeForm(schema: CaseSchema, input: Value | undefined, writer: SchemaWriter): object {
  const { properties = {}, ...rest } = schema
  const name = writer.prefix + WHOLE
  writer.components[name] = {}
  const written = Object.entries(properties).map(([member, type]) => {
    const { example } = exampleOf(isObject(input) ? input[member] : undefined, type)
    // An example that is null stops importers.
    return [member, writeSchema(type, pascalCase(member), writer, example ?? undefined)] as const
  })
  writer.components[name] = { ...rest, properties: Object.fromEntries(written) }
  return refer(name)
}

function describeEncodings(
  encodings: Readonly<Record<string, Encoding>>,
  writer: SchemaWriter,
): Record<string, object> {
  return Object.fromEntries(
    Object.entries(encodings).map(([member, { headers, isByItem: _, ...encoding }]) => [
      member,
      { ...encoding, ...(headers && { headers: describePartHeaders(headers, writer) }) },
    ]),
  )
}

function describePartHeaders(headers: NonNullable<Encoding['headers']>, writer: SchemaWriter): Record<string, object> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { schema, input }]) => [
      name,
      {
        required: true,
        schema: writeSchema(schema, pascalCase(name), writer),
        example: schema.type === 'integer' ? Number(input) : input,
      },
    ]),
  )
}

/** GET sends the response, PUT carries what was decoded. */
function responseItem(spec: Case, answer: NonNullable<Case['answer']>, writer: SchemaWriter): object {
  const { report, headerSchemas } = answer
  const documented = answer.documented ?? { [answer.status]: answer.schema ?? null }
  const responses = Object.entries(documented).map(([status, schema]) => [
    status,
    {
      description: 'A response to decode',
      ...(headerSchemas && { headers: describeHeaders(headerSchemas, writer) }),
      ...(schema && {
        content: { [mediaTypeOf(answer, status)]: describeAnswer(schema, answer, writer) },
      }),
    },
  ])
  const schema = report.schema ?? answer.schema
  return {
    get: { ...headOf(spec), responses: Object.fromEntries(responses) },
    put: {
      ...headOf(spec),
      operationId: `${spec.operationId}Report`,
      summary: `${spec.title}: what was decoded`,
      requestBody: {
        required: true,
        content: { [report.mediaType]: { schema: writeSchema(schema ?? {}, WHOLE, writer) } },
      },
      responses: { 200: VERDICT },
    },
  }
}

/** The schema of a response, or of each item if it is a sequence. */
function describeAnswer(
  schema: CaseSchema,
  { isSequence, itemEncoding }: NonNullable<Case['answer']>,
  writer: SchemaWriter,
): object {
  if (!isSequence) return { schema: writeSchema(schema, WHOLE, writer) }
  return { itemSchema: writeSchema(schema.items ?? {}, 'Item', writer), ...(itemEncoding && { itemEncoding }) }
}

/** Only problem documents have a media type of their own among several responses. Parameters of a type do not count. */
function mediaTypeOf(
  { mediaType = 'application/json', status }: NonNullable<Case['answer']>,
  documented: string,
): string {
  return documented === String(status) || !mediaType.includes('problem')
    ? mediaType.replace(/;.*$/, '')
    : 'application/json'
}
