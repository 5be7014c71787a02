import { parse } from 'content-type'
import { ProblemError } from '../../domain/problems.ts'
import { FORMATS, type FormatName } from '../pipeline/formats.ts'

// Maximum number of characters of a header value that an error quotes.
const SHOWN_MAX = 100

/**
 * Finds the format of a body (JSON or XML) by its Content-Type. Without a Content-Type, it is the first accepted
 * format.
 *
 * @throws ProblemError 415
 */
export function formatOfBody(headers: Headers, accepted: readonly FormatName[]): FormatName {
  refuseCompression(headers)
  const { type } = parseContentType(headers)
  const format = type === '' ? accepted[0] : accepted.find((name) => FORMATS[name].reads(type))
  if (format) return format
  throw unsupportedType(type, accepted.map((name) => FORMATS[name].mediaType).join(', '))
}

/**
 * Checks the media type of a body that accepts only one.
 *
 * @throws ProblemError 415
 */
export function requireType(headers: Headers, expected: string): void {
  refuseCompression(headers)
  const { type } = parseContentType(headers)
  if (type === '') throw noContentType(expected)
  if (type !== expected) throw unsupportedType(type, expected)
}

/** @throws ProblemError 415 if the body has a Content-Encoding, such as gzip */
function refuseCompression(headers: Headers): void {
  const coding = headers.get('Content-Encoding') ?? 'identity'
  if (coding.toLowerCase() !== 'identity') throw unsupported('content coding', coding, 'Send the body uncompressed.')
}

/** The media type in lower case, without its parameters, and the charset as it was sent (RFC 9110, section 8.3.1). */
export function parseContentType(headers: Headers): { type: string; charset: string | undefined } {
  const { type, parameters } = parse(headers.get('Content-Type') ?? '')
  return { type, charset: parameters.charset }
}

function noContentType(expected: string): ProblemError {
  return new ProblemError('unsupported-media-type', `The request has no Content-Type. It must be ${expected}.`)
}

function unsupportedType(sent: string, supported: string): ProblemError {
  return unsupported('media type', sent, `Supported: ${supported}.`)
}

function unsupported(what: string, sent: string, remedy: string): ProblemError {
  return new ProblemError('unsupported-media-type', `Unsupported ${what}: ${sent.slice(0, SHOWN_MAX)}. ${remedy}`)
}
