import type { BenchRequest } from '../bench/request.ts'
import { showBytes } from '../bench/request.ts'
import type { Body, Case } from '../suite/declare.ts'
import { partsOf, writeMultipart } from './multipart.ts'
import { methodOf } from './operations.ts'
import { tagOf } from './values.ts'
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

/** The boundary of multipart, and that of a part with parts. No case has a text with it. */
export const [BOUNDARY, INNER_BOUNDARY] = ['galaxy', 'nested']

function typeOf({ mediaType }: Pick<Body, 'mediaType'>): string {
  return mediaType.startsWith('multipart/') ? `${mediaType}; boundary=${BOUNDARY}` : mediaType
}

function writeBody(body: Body): string {
  const { mediaType, schema, input, encoding } = body
  if (input === undefined) return ''
  if (mediaType.startsWith('multipart/')) return writeMultipart(partsOf(body), [BOUNDARY, INNER_BOUNDARY])
  const bytes = tagOf(input, '$bytes')
  return showBytes(bytes === undefined ? bytesOf(wireBody(mediaType, schema, input, encoding)) : bytesOfBase64(bytes))
}

const bytesOf = (text: string) => new TextEncoder().encode(text)
const bytesOfBase64 = (base64: string) => Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))
