import { type Accept, parseAccept } from 'hono/utils/accept'
import { ProblemError } from '../lib/errors.ts'

/** A media type without its parameters, in lower case, and its charset. */
interface ContentType {
  type: string
  charset: string | undefined
}

const JSON_TYPE = 'application/json'
// Characters of what a caller sent that an error repeats.
const SHOWN_MAX = 100

/**
 * Checks that the caller accepts what the service can send (RFC 9110, section 12.5.1). A browser, whose Accept names
 * text/html, is content with JSON too.
 *
 * @throws ProblemError 406
 */
export function requireAcceptable(headers: Headers): void {
  const ranges = parseAccept((headers.get('Accept') || '*/*').toLowerCase())
  const isBrowser = ranges.some(({ type, q }) => type === 'text/html' && q > 0)
  if (isBrowser || qualityOf(JSON_TYPE, ranges) > 0) return
  throw new ProblemError(
    'not-acceptable',
    `None of the accepted media types can be sent. This service sends ${JSON_TYPE}.`,
  )
}

/** How much a media type is wanted, from 0 to 1: of the ranges that hold it the narrowest says. */
function qualityOf(mediaType: string, ranges: readonly Accept[]): number {
  const [group] = mediaType.split('/')
  for (const pattern of [mediaType, `${group}/*`, '*/*']) {
    const range = ranges.find(({ type }) => type === pattern)
    if (range) return range.q
  }
  return 0
}

/**
 * Checks that a body is JSON in UTF-8, uncompressed. A body without a Content-Type is taken for JSON.
 *
 * @throws ProblemError 415
 */
export function requireJson(headers: Headers): void {
  refuseCompression(headers)
  const content = parseContentType(headers.get('Content-Type') || JSON_TYPE)
  const isJson = content.type === JSON_TYPE || /^[^/]+\/[^/]+\+json$/.test(content.type)
  if (!isJson) throw unsupported(`a body of type ${content.type || 'none'}`, JSON_TYPE)
  if (content.charset && !/^(utf-?8|us-ascii)$/.test(content.charset)) {
    throw unsupported(`a body in ${content.charset}`, `${JSON_TYPE} in UTF-8`)
  }
}

/**
 * Checks that a body is a form with files (RFC 7578).
 *
 * @throws ProblemError 415
 */
export function requireMultipart(headers: Headers): void {
  const expected = 'multipart/form-data'
  refuseCompression(headers)
  const { type } = parseContentType(headers.get('Content-Type') ?? '')
  if (type !== expected) throw unsupported(`a body of type ${type || 'none'}`, expected)
}

function refuseCompression(headers: Headers): void {
  const coding = headers.get('Content-Encoding') ?? 'identity'
  if (coding.toLowerCase() !== 'identity') throw unsupported(`a body in the coding ${coding}`, 'an uncompressed body')
}

function parseContentType(text: string): ContentType {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  return { type, charset: charset?.slice('charset='.length).replaceAll('"', '') }
}

function unsupported(sent: string, expected: string): ProblemError {
  return new ProblemError('unsupported-media-type', `This does not take ${sent.slice(0, SHOWN_MAX)}. Send ${expected}.`)
}
