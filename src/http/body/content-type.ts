import { parse } from 'content-type'
import { ProblemError } from '../../domain/problems.ts'
import { FORMATS, type FormatName } from '../pipeline/formats.ts'

/** The header with the media types of the patches that a resource accepts (RFC 5789, section 3.1). */
export const ACCEPT_PATCH = 'Accept-Patch'

// Maximum number of characters of a header value that an error quotes.
const SHOWN_MAX = 100

/**
 * Without a Content-Type, the format is the first accepted one.
 *
 * @throws ProblemError 415
 */
export function formatOfBody(headers: Headers, accepted: readonly FormatName[]): FormatName {
  const { type } = parseContentType(headers)
  const format = type === '' ? accepted[0] : accepted.find((name) => FORMATS[name].reads(type))
  if (format) return format
  throw unsupported('media type', type, acceptedTypes(accepted.map((name) => FORMATS[name].mediaType).join(', ')))
}

/** @throws ProblemError 415 */
export function requireType(headers: Headers, expected: string): void {
  const { type } = parseContentType(headers)
  if (type === '') throw noContentType(acceptedTypes(expected), expected)
  if (type !== expected) throw unsupported('media type', type, acceptedTypes(expected))
}

/**
 * There is no default, because what a patch means depends on its media type (RFC 5789, section 2.2).
 *
 * @throws ProblemError 415
 */
export function typeOfPatch<MediaType extends string>(headers: Headers, accepted: readonly MediaType[]): MediaType {
  const { type } = parseContentType(headers)
  const found = accepted.find((mediaType) => mediaType === type)
  if (found) return found
  const types = accepted.join(', ')
  if (type === '') throw noContentType(acceptedTypes(types), accepted.join(' or '))
  throw unsupported('media type', type, acceptedTypes(types))
}

/** The media type in lower case, without its parameters, and the charset as it was sent (RFC 9110, section 8.3.1). */
export function parseContentType(headers: Headers): { type: string; charset: string | undefined } {
  const { type, parameters } = parse(headers.get('Content-Type') ?? '')
  return { type, charset: parameters.charset }
}

/** What a request can do about a refusal: in words, and as the header that names what is accepted. */
interface Remedy {
  text: string
  headers: Readonly<Record<string, string>>
}

/** RFC 9110, section 12.5.1. @param types Separated by commas */
function acceptedTypes(types: string): Remedy {
  return { text: `Supported: ${types}.`, headers: { Accept: types } }
}

/** The error for a body whose type is none of the accepted ones. */
export function unsupportedType(type: string, accepted: readonly string[]): ProblemError {
  return unsupported('media type', type, acceptedTypes(accepted.join(', ')))
}

function noContentType({ headers }: Remedy, expected: string): ProblemError {
  const detail = `The request has no Content-Type. It must be ${expected}.`
  return new ProblemError('unsupported-media-type', detail, { headers })
}

/** The error for a request whose body has another media type or content coding (RFC 9110, section 15.5.16). */
export function unsupported(what: string, sent: string, { text, headers }: Remedy): ProblemError {
  const detail = `Unsupported ${what}: ${sent.slice(0, SHOWN_MAX)}. ${text}`
  return new ProblemError('unsupported-media-type', detail, { headers })
}
