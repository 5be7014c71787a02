import type { Style } from '../case.ts'
import type { Body, Case, CaseParameter, CaseSchema, Encoding, Value } from '../suite/declare.ts'
import { partsOf, writeMultipart } from './multipart.ts'
import { isList, isObject, plain, plainText, tagOf } from './values.ts'
import { writeXml } from './xml.ts'

// The form that we would send (RFC 6570, section 3.2; OpenAPI 3.2.0, "Style Examples" and appendix E).

/** How a style writes a value: what comes first, and what is between the parts. */
interface Notation {
  first: string
  between: string
  /** The value, or each item if it is exploded, comes after the name of the parameter. */
  isNamed: boolean
  explode: boolean
}

/** Everything that a part of a URL may contain besides its delimiters (RFC 3986, section 2.2). */
const RESERVED = /%(?:3A|2F|3F|23|5B|5D|40|21|24|26|27|28|29|2A|2B|2C|3B|3D)/g

function encode(value: string): string {
  return encodeURIComponent(value).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Triples stay as they are (RFC 6570, section 3.2.3). */
function encodeButReserved(value: string): string {
  return value.replaceAll(/(%[\dA-Fa-f]{2})|%|[^%]+/g, (piece, triple) =>
    triple === undefined ? encode(piece).replaceAll(RESERVED, decodeURIComponent) : piece,
  )
}

/** The form of one value; null if none is sent. Cases whose form fills several lines have a text of their own. */
export function wireOf(spec: Case): string | null {
  if (spec.wire !== undefined) return spec.wire
  if (spec.level === 'open') return null
  if (spec.accepts !== undefined) return `Accept: ${spec.accepts}`
  if (spec.answer) return writeReport(spec.answer.report.schema ?? spec.answer.schema ?? {}, spec.answer.report)
  const { parameters = [], redirect, body } = spec
  const all = redirect?.query ? [...parameters, redirect.query] : parameters
  const forms = [wirePath(spec, all), wireQuery(all), ...wireHeaders(all), wireCookie(all)].filter(
    (form) => form !== '',
  )
  const hasBody = body !== undefined && redirect?.body !== 'none'
  if (hasBody) return [...forms, wireOfBody(body)].join(', ')
  if (forms.length > 1 && spec.rest !== undefined && forms[0] !== undefined) forms[0] = `path ${forms[0].slice(1)}`
  const [first] = all
  if (forms.length > 0) return forms.join(', ').replace(/^\//, '')
  return first === undefined ? null : `(no ${first.in})`
}

function wireOfBody(body: Body): string {
  const { mediaType, schema, input, encoding } = body
  if (!mediaType.startsWith('multipart/')) return wireBody(mediaType, schema, input, encoding)
  return writeMultipart(partsOf(body), ['b', 'c']).replaceAll('\n', '\r\n')
}

function writeReport(schema: CaseSchema, { mediaType, value }: { mediaType: string; value: Value }): string {
  return tagOf(value, '$bytes') ?? wireBody(mediaType, schema, value)
}

/** With the slash after the name of the case. */
export function wirePath({ rest }: Case, parameters: readonly CaseParameter[]): string {
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  if (inPath.length === 0) return ''
  const template = rest ?? `/{${inPath[0]?.name}}`
  return template.replaceAll(/\{([^}]+)\}/g, (_, name) => {
    const {
      style = 'simple',
      explode = false,
      schema = {},
      input = null,
      allowReserved,
    } = inPath.find((one) => one.name === name) ?? {}
    return expand(name, schema, input, notationOf(style, explode), allowReserved ? encodeButReserved : encode)
  })
}

function notationOf(style: Style, explode: boolean): Notation {
  if (style === 'label') return { first: '.', between: explode ? '.' : ',', isNamed: false, explode }
  if (style === 'matrix') return { first: ';', between: explode ? ';' : ',', isNamed: true, explode }
  return { first: '', between: ',', isNamed: false, explode }
}

/**
 * Expands a value. An exploded object is `name=value` for each member, otherwise names and values alternate. A style
 * that is named puts the name of the variable first, or before each item.
 */
function expand(
  name: string,
  schema: CaseSchema,
  value: Value,
  { first, between, isNamed, explode }: Notation,
  write: (value: string) => string,
): string {
  const prefix = isNamed ? `${write(name)}=` : ''
  const item = (part: Value) => write(plainText(part, schema))
  if (isList(value)) {
    return explode && isNamed
      ? first + value.map((part) => prefix + item(part)).join(between)
      : first + prefix + value.map(item).join(between)
  }
  if (isObject(value) && isWithoutTag(value)) {
    const members = Object.entries(value).map(([key, member]) => [write(key), item(member)] as const)
    return explode
      ? first + members.map((pair) => pair.join('=')).join(between)
      : first + prefix + members.flat().join(between)
  }
  return first + prefix + item(value)
}

function isWithoutTag(value: object): boolean {
  return !Object.keys(value).some((name) => name.startsWith('$'))
}

/** Without its question mark; empty if there is none. */
export function wireQuery(parameters: readonly CaseParameter[]): string {
  return parameters
    .flatMap(({ in: place, name, input, ...how }) => {
      if (input === undefined) return []
      if (place === 'query') return [wirePair(name, input, how)]
      if (place !== 'querystring') return []
      const { isJson, schema } = how
      return [isJson ? encode(JSON.stringify(plain(input, schema))) : wireForm(schema, input, {})]
    })
    .join('&')
}

/** A pair of a query, or of a form: several if it is exploded. */
function wirePair(
  name: string,
  value: Value,
  { style = 'form', explode = style === 'form', allowReserved, isJson, schema }: Omit<CaseParameter, 'in' | 'name'>,
): string {
  if (isJson) return `${encode(name)}=${encode(JSON.stringify(plain(value, schema)))}`
  if (style === 'deepObject' && isObject(value)) {
    return Object.entries(value)
      .map(([key, member]) => `${encode(`${name}[${key}]`)}=${encode(plainText(member, schema))}`)
      .join('&')
  }
  const write = allowReserved ? encodeButReserved : encode
  if (explode) return expand(name, schema, value, { first: '', between: '&', isNamed: true, explode }, write)
  const form = expand(name, schema, value, { first: '', between: ',', isNamed: true, explode }, write)
  return form.replaceAll(',', style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ',')
}

/** Headers are not encoded (OpenAPI 3.1.2, appendix D). */
export function wireHeaders(parameters: readonly CaseParameter[]): string[] {
  return parameters
    .filter((parameter) => parameter.in === 'header')
    .flatMap(({ name, input, schema, explode }) => {
      if (input === undefined) return []
      return [`${name}: ${expand(name, schema, input, notationOf('simple', explode === true), String)}`]
    })
}

/** The header `Cookie`; empty if there is none. With the style `cookie`, nothing is encoded. */
export function wireCookie(parameters: readonly CaseParameter[]): string {
  const pairs = parameters
    .filter((parameter) => parameter.in === 'cookie')
    .flatMap(({ name, input, schema, style = 'form', explode = true }) => {
      if (input === undefined) return []
      const between = explode ? '; ' : ','
      return [
        expand(
          name,
          schema,
          input,
          { first: '', between, isNamed: true, explode },
          style === 'cookie' ? String : encode,
        ),
      ]
    })
  return pairs.length > 0 ? `Cookie: ${pairs.join('; ')}` : ''
}

/** A body in one line, of every media type but those with parts or raw bytes. */
export function wireBody(
  mediaType: string,
  schema: CaseSchema,
  input: Value | undefined,
  encoding: Readonly<Record<string, Encoding>> = {},
): string {
  if (input === undefined) return '(no body)'
  if (mediaType === 'application/x-www-form-urlencoded') return wireForm(schema, input, encoding)
  if (mediaType === 'application/xml') return writeXml(schema, input)
  if (mediaType === 'text/plain') return String(input)
  if (mediaType === 'application/jsonl' && isList(input))
    return input.map((item) => `${JSON.stringify(plain(item, schema.items))}\n`).join('')
  return JSON.stringify(plain(input, schema))
}

/** A form, in which a space within a value is a plus, and each item of a list in JSON has a pair of its own. */
function wireForm(schema: CaseSchema, input: Value, encoding: Readonly<Record<string, Encoding>>): string {
  return Object.entries(isObject(input) ? input : {})
    .map(([name, value]) => {
      const member = schema.properties?.[name] ?? {}
      const { contentType, ...style } = encoding[name] ?? {}
      const isJson = contentType !== undefined || (member.type === 'object' && style.style === undefined)
      const values = isJson && isList(value) ? value : [value]
      const pair = values
        .map((item) => wirePair(name, item, { ...style, ...(isJson && { isJson }), schema: member }))
        .join('&')
      return style.style === 'spaceDelimited' ? pair : pair.replaceAll('%20', '+')
    })
    .join('&')
}
