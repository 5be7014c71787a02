import type { Expected, ExpectedBody, ExpectedItem, ExpectedParameter, ExpectedPart, Style } from '../case.ts'
import type { Body, Case, CaseParameter, CaseSchema, Encoding, PositionalEncoding, Value } from '../suite/declare.ts'
import { fileOf, findNamed, isList, isObject, itemSchema, memberSchema, partsOf, tagOf } from './values.ts'
import { writeXml } from './xml.ts'

// What the judge compares with a request, derived from values and schemas.

/** How a value arrives, and which names are a difference. */
interface Reading {
  /** JSON tells types apart, and its numbers are doubles unless their format is int64. */
  isJson: boolean
  /** More names are no difference, as in the PUT of a response's own schema. */
  allowsMore: boolean
  /** Where `named` schemas are found. */
  root: CaseSchema
}

const JSON_BODY: Omit<Reading, 'root'> = { isJson: true, allowsMore: false }
const TEXT: Omit<Reading, 'root'> = { isJson: false, allowsMore: false }

function expect(value: Value, schema: CaseSchema | undefined, reading: Reading): Expected {
  if (schema?.named !== undefined) return expect(value, findNamed(reading.root, schema.named), reading)
  const tagged = expectTagged(value, schema)
  if (tagged) return tagged
  if (value === null) return { is: 'null' }
  if (typeof value === 'boolean') return { is: 'boolean', value }
  if (typeof value === 'string') return { is: 'text', value }
  if (typeof value === 'number') {
    const isInteger = !reading.isJson && schema?.type === 'integer'
    return isInteger ? { is: 'integer', value: String(value) } : { is: 'number', value }
  }
  if (isList(value)) {
    return { is: 'list', items: value.map((item, index) => expect(item, itemSchema(schema, index), reading)) }
  }
  return isObject(value) ? expectObject(value, schema ?? {}, reading) : { is: 'null' }
}

function expectTagged(value: Value, schema: CaseSchema | undefined): Expected | undefined {
  const digits = tagOf(value, '$int64')
  if (digits !== undefined) return { is: 'integer', value: digits }
  const day = tagOf(value, '$date')
  if (day !== undefined) return { is: 'text', value: day }
  const instant = tagOf(value, '$dateTime')
  if (instant !== undefined) return { is: 'instant', value: instant }
  const bytes = tagOf(value, '$bytes')
  return bytes === undefined ? undefined : { is: 'bytes', value: bytes, alphabet: schema?.contentEncoding ?? 'base64' }
}

function expectObject(value: { readonly [name: string]: Value }, schema: CaseSchema, reading: Reading): Expected {
  const members = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, expect(member, memberSchema(schema, name), reading)]),
  )
  const missing = Object.entries(propertiesOf(schema)).filter(([name]) => !(name in value))
  const tolerated = missing.filter(([, { readOnly }]) => readOnly).map(([name]) => name)
  const absent = missing.filter(([, { readOnly }]) => !readOnly).map(([name]) => name)
  const isOpen = !isMap(schema) && (reading.allowsMore || !isClosed(schema))
  return {
    is: 'object',
    members,
    ...(isOpen && { isOpen }),
    ...(tolerated.length > 0 && { tolerated }),
    ...(isOpen && absent.length > 0 && { absent }),
  }
}

/** What a schema names. Of a choice with a default it is everything, so that a client adds no member of another kind. */
function propertiesOf({
  properties = {},
  oneOf = [],
  discriminator,
}: CaseSchema): Readonly<Record<string, CaseSchema>> {
  if (discriminator?.defaultMapping === undefined) return properties
  return Object.assign({}, properties, ...oneOf.map(propertiesOf))
}

/** Whether a schema is a map: another name is another value. */
function isMap({ additionalProperties, properties }: CaseSchema): boolean {
  return typeof additionalProperties === 'object' && properties === undefined
}

function isClosed(schema: CaseSchema): boolean {
  const parts = partsOf(schema)
  return parts.length > 0 ? parts.every(isClosed) : schema.additionalProperties === false
}

const DEFAULT_STYLES: Readonly<Record<CaseParameter['in'], Style>> = {
  path: 'simple',
  query: 'form',
  querystring: 'form',
  header: 'simple',
  cookie: 'form',
}

export function expectParameter(parameter: CaseParameter): ExpectedParameter {
  const { in: place, name, allowReserved, isJson, schema, input } = parameter
  const style = parameter.style ?? DEFAULT_STYLES[place]
  const reading = isJson ? JSON_BODY : TEXT
  return {
    in: place,
    name,
    style,
    explode: parameter.explode ?? (style === 'form' || style === 'cookie'),
    ...(allowReserved && { allowReserved }),
    ...(isJson && { isJson }),
    ...(input !== undefined && { expected: expect(input, schema, { ...reading, root: schema }) }),
  }
}

/** The parameters of a case that are judged. */
export function expectParameters({ parameters = [], redirect }: Case): ExpectedParameter[] {
  const atTarget = redirect?.query ? [redirect.query] : []
  return [...parameters, ...atTarget].filter(({ isNotJudged }) => !isNotJudged).flatMap(expectOne)
}

/** A query that is a form as a whole is a parameter for each of its members. */
function expectOne(parameter: CaseParameter): ExpectedParameter[] {
  const { in: place, isJson, schema, input = null } = parameter
  if (place !== 'querystring' || isJson) return [expectParameter(parameter)]
  return membersOf(schema).map(([name, member]) => ({ ...expectField(name, member, input), in: 'query' }))
}

/** The body that should arrive; undefined if the case has none. */
export function expectBody({ body, answer, redirect }: Case): ExpectedBody | undefined {
  if (redirect?.body === 'none') return { as: 'none' }
  if (answer) {
    const { report } = answer
    const schema = report.schema ?? answer.schema
    if (!schema) throw new Error('a response without a body has a report with a schema')
    const content = expectContent(
      { mediaType: report.mediaType, schema, input: report.value },
      { ...JSON_BODY, allowsMore: report.schema === undefined },
    )
    return answer.mediaType === 'text/event-stream' ? allowTypes(content) : content
  }
  if (!body) return undefined
  return body.input === undefined ? { as: 'none' } : expectContent(body, JSON_BODY)
}

/** The type of an event without a name is `message` (HTML Standard, "dispatch the event"). */
function allowTypes(content: ExpectedBody): ExpectedBody {
  if (content.as !== 'json' || content.expected.is !== 'list') return content
  const items = content.expected.items.map((item): Expected => {
    if (item.is !== 'object' || item.members.event) return item
    const absent = item.absent?.filter((name) => name !== 'event') ?? []
    return { ...item, absent, optional: { event: { is: 'text', value: 'message' } } }
  })
  return { ...content, expected: { is: 'list', items } }
}

function expectContent(
  { mediaType, schema, input = null, encoding = {}, ...positions }: Body,
  reading: Omit<Reading, 'root'>,
): ExpectedBody {
  switch (mediaType) {
    case 'application/x-www-form-urlencoded':
      return {
        as: 'form',
        mediaType,
        fields: membersOf(schema).map(([name, member]) => expectField(name, member, input, encoding[name])),
      }
    case 'multipart/form-data':
      return {
        as: 'multipart',
        mediaType,
        parts: membersOf(schema).flatMap(([name, member]) => expectParts(name, member, input, encoding[name])),
      }
    case 'multipart/mixed':
      return { as: 'items', mediaType, parts: expectItems(schema, input, positions) }
    case 'application/jsonl': {
      const expected = expect(input, schema, { ...reading, root: schema })
      return { as: 'lines', mediaType, items: expected.is === 'list' ? expected.items : [] }
    }
    case 'text/plain':
      return { as: 'text', mediaType, text: String(input) }
    case 'application/octet-stream':
      return { as: 'bytes', mediaType, bytes: tagOf(input, '$bytes') ?? '' }
    case 'application/xml':
      return { as: 'xml', mediaType, xml: writeXml(schema, input) }
    default:
      return { as: 'json', mediaType, expected: expect(input, schema, { ...reading, root: schema }) }
  }
}

function membersOf({ properties = {} }: CaseSchema): [string, CaseSchema][] {
  return Object.entries(properties)
}

function inputOf(input: Value, name: string): Value | undefined {
  return isObject(input) ? input[name] : undefined
}

/** A member of a form. An object is JSON unless `encoding` says otherwise (OpenAPI 3.1.2, "Encoding Object"). */
export function expectField(
  name: string,
  schema: CaseSchema,
  input: Value,
  encoding: Encoding = {},
): ExpectedParameter {
  const hasStyle = encoding.style !== undefined || encoding.explode !== undefined
  const isJson = encoding.contentType === 'application/json' || (schema.type === 'object' && !hasStyle)
  const style = encoding.style ?? 'form'
  const value = inputOf(input, name)
  const reading = isJson ? JSON_BODY : TEXT
  return {
    in: 'form',
    name,
    style,
    explode: encoding.explode ?? style === 'form',
    ...(isJson && { isJson }),
    ...(value !== undefined && { expected: expect(value, schema, { ...reading, root: schema }) }),
  }
}

/** The parts of a member: one for each item of a list, unless `encoding` makes it one. */
function expectParts(name: string, schema: CaseSchema, input: Value, encoding: Encoding = {}): ExpectedPart[] {
  const value = inputOf(input, name)
  if (value === undefined) return []
  const { contentType, isByItem } = encoding
  const isSplit = schema.type === 'array' && (contentType !== 'application/json' || isByItem)
  const items = isSplit && isList(value) ? value : [value]
  const itemType = isSplit ? (schema.items ?? {}) : schema
  return items.map((item) => expectPart(name, itemType, item, encoding))
}

function expectPart(name: string, schema: CaseSchema, value: Value, { contentType, headers }: Encoding): ExpectedPart {
  const isJson = contentType === 'application/json' || schema.type === 'object'
  const file = fileOf(value)
  const type = contentType ?? (isJson ? 'application/json' : undefined)
  const reading = isJson ? JSON_BODY : TEXT
  return {
    name,
    ...(file ? { file: { bytes: file.bytes } } : { expected: expect(value, schema, { ...reading, root: schema }) }),
    ...(isJson && { isJson }),
    ...(type !== undefined && { contentType: type }),
    ...(headers && {
      headers: Object.fromEntries(
        Object.entries(headers).map(
          ([
            header,
            {
              schema: { type },
              input,
            },
          ]) => [header, { is: type === 'integer' ? type : 'text', value: input }],
        ),
      ),
    }),
  }
}

/** The parts of `multipart` without names: one for each item. */
function expectItems(
  schema: CaseSchema,
  values: Value,
  { prefixEncoding = [], itemEncoding = {} }: Pick<Body, 'prefixEncoding' | 'itemEncoding'>,
): ExpectedItem[] {
  if (!isList(values)) return []
  return values.map((value, index) =>
    expectItem(itemSchema(schema, index) ?? {}, value, prefixEncoding[index] ?? itemEncoding),
  )
}

/** An item without a type is JSON if it is an object or a list (OpenAPI 3.2.0, "Common Fixed Fields" of encodings). */
function expectItem(schema: CaseSchema, value: Value, { contentType, ...positions }: PositionalEncoding): ExpectedItem {
  if (contentType?.startsWith('multipart/')) return { contentType, parts: expectItems(schema, value, positions) }
  const isJson = contentType === 'application/json' || (contentType === undefined && typeof value === 'object')
  const expected = expect(value, schema, { ...(isJson ? JSON_BODY : TEXT), root: schema })
  return {
    contentType: contentType ?? (isJson ? 'application/json' : 'text/plain'),
    expected,
    ...(isJson && { isJson }),
  }
}
