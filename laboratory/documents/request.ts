import type { BenchRequest } from '../bench/request.ts'
import { showBytes, showMultipart } from '../bench/request.ts'
import type { Body, Case, Encoding, Value } from '../suite/declare.ts'
import { methodOf } from './operations.ts'
import { type FileValue, fileOf, isList, isObject, plain, plainText, tagOf } from './values.ts'
import { wireBody, wireCookie, wireHeaders, wirePath, wireQuery } from './wire.ts'

export interface RequestParts {
  method: string
  /** Below the name of the case, without the slash before it. */
  path: string
  query: string
  headers: Readonly<Record<string, string>>
  body: string
}

/** The request that we would send, of `response/…` the PUT. Of an open case, it is one of those that may be sent. */
export function requestPartsOf(spec: Case): RequestParts {
  const { accepts, answer, rest = '', parameters = [], body } = spec
  const lines = [...wireHeaders(parameters), wireCookie(parameters), accepts === undefined ? '' : `Accept: ${accepts}`]
  const headers = lines.filter((line) => line !== '').map((line) => line.split(/: (.*)/s).slice(0, 2))
  const sent = answer
    ? { ...answer.report, schema: answer.report.schema ?? answer.schema ?? {}, input: answer.report.value }
    : body
  return {
    method: answer ? 'PUT' : methodOf(spec).toUpperCase(),
    path: (wirePath(spec, parameters) || rest).slice(1),
    query: wireQuery(parameters),
    headers: { ...Object.fromEntries(headers), ...(sent?.input !== undefined && { 'Content-Type': typeOf(sent) }) },
    body: sent ? writeBody(sent) : '',
  }
}

/** The request at the bench. */
export function joinRequest(
  { id }: Pick<Case, 'id'>,
  { method, path, query, headers, body }: RequestParts,
): BenchRequest {
  const target = `/${id}${path && `/${path}`}${query && `?${query}`}`
  return { method, target, headers: Object.entries(headers), body }
}

/** The boundary of multipart. No case has a text with it. */
export const BOUNDARY = 'galaxy'

function typeOf({ mediaType }: Pick<Body, 'mediaType'>): string {
  return mediaType === 'multipart/form-data' ? `${mediaType}; boundary=${BOUNDARY}` : mediaType
}

function writeBody(body: Body): string {
  const { mediaType, schema, input, encoding } = body
  if (input === undefined) return ''
  if (mediaType === 'multipart/form-data') return writeParts(partsOf(body))
  const bytes = tagOf(input, '$bytes')
  return showBytes(bytes === undefined ? bytesOf(wireBody(mediaType, schema, input, encoding)) : bytesOfBase64(bytes))
}

/** A part of multipart: a text, or a file. */
export interface Part {
  name: string
  /** A text; or its bytes, in base64. */
  content: string | FileValue
  /** Absent if the part needs none. */
  type?: string
  headers: Readonly<Record<string, string>>
}

/** The parts of `multipart/form-data`: one for each item of a list. */
export function partsOf({ schema, input, encoding = {} }: Body): Part[] {
  return Object.entries(isObject(input) ? input : {}).flatMap(([name, value]) =>
    (isList(value) ? value : [value]).map((item) => partOf(name, item, schema.properties?.[name], encoding[name])),
  )
}

function partOf(
  name: string,
  item: Value,
  schema: Body['schema'] = {},
  { contentType, headers = {} }: Encoding = {},
): Part {
  const own = Object.fromEntries(Object.entries(headers).map(([header, { input }]) => [header, input]))
  const file = fileOf(item)
  if (file) return { name, content: file, type: file.type, headers: own }
  const isJson = contentType !== undefined || isObject(item)
  const content = isJson ? JSON.stringify(plain(item, schema)) : plainText(item, schema.items ?? schema)
  return { name, content, ...(isJson && { type: 'application/json' }), headers: own }
}

function writeParts(parts: readonly Part[]): string {
  const written = parts.map(({ name, content, type, headers }) => {
    const isText = typeof content === 'string'
    const lines = [
      `Content-Disposition: form-data; name="${name}"${isText ? '' : `; filename="${content.name}"`}`,
      ...(type === undefined ? [] : [`Content-Type: ${type}`]),
      ...Object.entries(headers).map((header) => header.join(': ')),
    ]
    const shown = isText ? showBytes(bytesOf(content)) : showMultipart(bytesOfBase64(content.bytes))
    return `--${BOUNDARY}\n${lines.join('\n')}\n\n${shown}\n`
  })
  return `${written.join('')}--${BOUNDARY}--\n`
}

const bytesOf = (text: string) => new TextEncoder().encode(text)
const bytesOfBase64 = (base64: string) => Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))
