import type { Group, Level, Style, Version } from '../case.ts'

// How a case is declared. Everything else about a case follows from its declaration: the operation in each version of
// OpenAPI, the entry in the catalogue, the form that we would send, and what the judge compares.

/**
 * A value to send. What JSON cannot say is tagged: `{$int64}`, `{$date}`, `{$dateTime}` (texts), `{$bytes}` (base64),
 * `{$file: {name, type, bytes}}`.
 */
export type Value = null | boolean | number | string | readonly Value[] | { readonly [name: string]: Value }

/**
 * A schema in the words of JSON Schema 2020-12. It is inline: the documents make a component of each object, enum and
 * union, with a name of its own.
 */
export interface CaseSchema {
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array'
  format?: string
  enum?: readonly string[]
  const?: string
  properties?: Readonly<Record<string, CaseSchema>>
  required?: readonly string[]
  additionalProperties?: CaseSchema | boolean
  items?: CaseSchema
  prefixItems?: readonly CaseSchema[]
  minItems?: number
  maxItems?: number
  oneOf?: readonly CaseSchema[]
  anyOf?: readonly CaseSchema[]
  allOf?: readonly CaseSchema[]
  discriminator?: {
    propertyName: string
    mapping: Readonly<Record<string, string>>
    /** The schema of values that `mapping` lacks, and of objects without the property. */
    defaultMapping?: string
  }
  readOnly?: true
  writeOnly?: true
  contentEncoding?: 'base64' | 'base64url'
  contentMediaType?: string
  contentSchema?: CaseSchema
  default?: number
  minimum?: number
  xml?: {
    name?: string
    attribute?: true
    wrapped?: true
    namespace?: string
    prefix?: string
    nodeType?: 'element' | 'attribute' | 'text' | 'cdata'
  }
  /** Null is a value too. */
  isNullable?: true
  /** Members that OpenAPI 3.0 requires besides, because readOnly and writeOnly are more than annotations there. */
  requiredIn30?: readonly string[]
  /** The end of the name of its component, also of a list. Absent if the place of the schema names it. */
  name?: string
  /**
   * The element of a member that is a reference, which is that of the component (OpenAPI 3.2.0, "XML Object",
   * `nodeType`).
   */
  element?: string
  /** Refers to the schema of the case with this `name`. */
  named?: string
}

export interface CaseParameter {
  /** `querystring`: the whole query, of the type `isJson` or else a form. */
  in: 'path' | 'query' | 'querystring' | 'header' | 'cookie'
  name: string
  style?: Style
  explode?: boolean
  allowReserved?: true
  /** The value is JSON (`content`). */
  isJson?: true
  isRequired?: true
  schema: CaseSchema
  /** Absent if the parameter is not sent. */
  input?: Value
  /** The judge does not look at it. */
  isNotJudged?: true
}

/** How a member of a form, or a part, is written. */
export interface Encoding {
  style?: Style
  explode?: boolean
  contentType?: string
  headers?: Readonly<Record<string, { schema: CaseSchema; input: string }>>
  /** Each item of a list is a part, and one part with the whole list is another value (OpenAPI 3.2.0). */
  isByItem?: true
}

/** How a part is written that has a position and no name (OpenAPI 3.2.0, "Encoding By Position"). */
export interface PositionalEncoding {
  contentType?: string
  /** Of the parts of a part. */
  prefixEncoding?: readonly PositionalEncoding[]
}

export interface Body {
  mediaType: string
  /** A second media type that is documented. */
  otherMediaType?: string
  schema: CaseSchema
  /** Absent if no body is sent. */
  input?: Value
  encoding?: Readonly<Record<string, Encoding>>
  prefixEncoding?: readonly PositionalEncoding[]
  itemEncoding?: PositionalEncoding
  /** The schema is a list, of which the media type has one item after the other (OpenAPI 3.2.0, `itemSchema`). */
  isSequence?: true
  /** The example as it is sent, if it is other than the form that we would send. */
  serialized?: string
}

/** What GET of a `response/…` case answers, and what PUT should carry. */
export interface Answer {
  status: number
  mediaType?: string
  headers?: Readonly<Record<string, string>>
  /** As it is sent. Base64 if `isBase64`. */
  body?: string
  isBase64?: true
  /** The schema that belongs to this status. Absent if there is no body. */
  schema?: CaseSchema
  /** The schema is a list, of which the response has one item after the other (OpenAPI 3.2.0, `itemSchema`). */
  isSequence?: true
  /** How each item is written, if they are parts. */
  itemEncoding?: PositionalEncoding
  /** The documented responses, if there are others than `status` (`default`, `4XX`, a second success). */
  documented?: Readonly<Record<string, CaseSchema | null>>
  headerSchemas?: Readonly<Record<string, CaseSchema>>
  /** What PUT should carry. */
  report: {
    mediaType: string
    /** Absent if it is the schema of the response. */
    schema?: CaseSchema
    value: Value
  }
}

export interface DeclaredCase {
  name: string
  level: Level
  title: string
  /** The section that decides it. */
  specification: string
  /** Words of this section. */
  sentence?: string
  /** The versions of OpenAPI that describe it. Absent: all. */
  versions?: readonly Version[]
  /** Absent: GET, or POST with a body. */
  method?: 'get' | 'post' | 'put' | 'patch' | 'query' | 'copy'
  /** The schema is named by the address that the document gives itself, and the response by a summary alone. */
  usesSelf?: true
  /** The path below the name of the case, if it is more than the path parameter: `/{second}/x/{first}`. */
  rest?: string
  parameters?: readonly CaseParameter[]
  body?: Body
  /** Of an `open` case: names with regular expressions over what is received. */
  variants?: readonly (readonly [name: string, pattern: string])[]
  /** What is shown as the form that we would send, if it cannot be written in one line. */
  wire?: string
  answer?: Answer
  /** Of `response/accept`: GET is judged by its Accept, which must allow this media type. */
  accepts?: string
  redirect?: { status: number; location: string; method: 'get' | 'post' | 'put'; query?: CaseParameter; body?: 'none' }
  retry?: {
    script: string
    /** The documented responses besides that with the verdict. */
    responses: Readonly<Record<string, { description: string; headers?: Readonly<Record<string, CaseSchema>> }>>
    /** The status of the response with the verdict. Absent: 200. */
    status?: number
    /** An operation that comes before the one that is judged. */
    first?: { operationId: string; method: 'get'; description: string }
  }
}

export interface Case extends DeclaredCase {
  versions: readonly Version[]
  group: Group
  id: `${Group}/${string}`
  operationId: string
}

/** Of what OpenAPI 3.0 cannot say. */
export const SINCE_31: readonly Version[] = ['3.2', '3.1']
/** Of what OpenAPI 3.2 says in another way, so that a case of its own takes its place. */
export const UNTIL_31: readonly Version[] = ['3.1', '3.0']

// Schemas

export const text: CaseSchema = { type: 'string' }
export const integer: CaseSchema = { type: 'integer' }
export const int64: CaseSchema = { type: 'integer', format: 'int64' }
export const number: CaseSchema = { type: 'number', format: 'double' }
export const boolean: CaseSchema = { type: 'boolean' }
export const date: CaseSchema = { type: 'string', format: 'date' }
export const dateTime: CaseSchema = { type: 'string', format: 'date-time' }
/** Bytes as they are: a file, or a whole body. */
export const binary: CaseSchema = { contentMediaType: 'application/octet-stream' }
export const nullableText: CaseSchema = { type: 'string', isNullable: true }

export function arrayOf(items: CaseSchema): CaseSchema {
  return { type: 'array', items }
}

export function mapOf(values: CaseSchema): CaseSchema {
  return { type: 'object', additionalProperties: values }
}

/** An object of a request or report: no other members. All are required but those that are named. */
export function closed(properties: Readonly<Record<string, CaseSchema>>, optional: readonly string[] = []): CaseSchema {
  return { ...open(properties, optional), additionalProperties: false }
}

/** An object of an answer: it may have more members. All are required but those that are named. */
export function open(properties: Readonly<Record<string, CaseSchema>>, optional: readonly string[] = []): CaseSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

// Values that several cases send

export const COLORS = ['blue', 'black', 'brown']
export const RGB = { R: 100, G: 200, B: 150 }
export const rgb = closed({ R: integer, G: integer, B: integer })
export const MARS = 'größe 火星 🪐'
export const EVENING = { $dateTime: '2026-02-28T23:30:00+02:00' }
export const DAY = { $date: '2026-02-28' }
/** The first integer that a double cannot hold. */
export const BEYOND_DOUBLE = { $int64: '9007199254740993' }
/** Members that are false in most languages. */
export const FALSY = { flag: false, count: 0, text: '' }
export const falsy = closed({ flag: boolean, count: integer, text })

const EVERY_BYTE = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte))
/** The bytes 0 to 255, in base64. */
export const ALL_BYTES = btoa(EVERY_BYTE)
/** The bytes 0 to 255, then what looks like the end of a part. */
export const BYTES_LIKE_A_BOUNDARY = btoa(`${EVERY_BYTE}\r\n--boundary\r\n\r\n--boundary--\r\n`)

// Sections of specifications

/** A section of OpenAPI 3.1.2. */
export function oas(anchor: string): string {
  return `https://spec.openapis.org/oas/v3.1.2.html#${anchor}`
}

/** What decides a case of OpenAPI 3.2 alone: a section of 3.2.0, and words of it. */
export function onlyIn32(
  anchor: string,
  sentence: string,
): Required<Pick<DeclaredCase, 'specification' | 'sentence' | 'versions'>> {
  return { specification: oas32(anchor), sentence, versions: ['3.2'] }
}

/** A section of OpenAPI 3.2.0. */
export function oas32(anchor: string): string {
  return `https://spec.openapis.org/oas/v3.2.0.html#${anchor}`
}

/** A section of an RFC, such as `rfc(9110, '8.3')`. */
export function rfc(document: number, section: string): string {
  return `https://www.rfc-editor.org/rfc/rfc${document}.html#section-${section}`
}
