import { decodedTooLarge } from '../../http/body/content-coding.ts'
import { parseContentType } from '../../http/body/content-type.ts'
import { FORM_TYPE } from '../../http/body/form.ts'
import { MULTIPART_FORM_TYPE } from '../../http/body/form-parts.ts'
import { FORMATS } from '../../http/pipeline/formats.ts'
import type { Bytes } from '../../lib/bytes.ts'
import { DecodesToTooMuch, decodeBytes, NotDecodable, soleCodingOf } from '../../lib/content-coding.ts'
import { type JsonValue, parseExactJson } from '../../lib/json.ts'
import { decodeUtf8 } from '../../lib/text.ts'
import { readForm, readMultipart } from './forms.ts'

/** The members of an echo that describe the body of the request; none if the request has no body. */
export interface DescribedBody {
  body?: JsonValue
  /** Set if `body` is neither a parsed value nor text. */
  encoding?: 'base64'
}

/**
 * A body with its Content-Encoding undone, if it is one that the API takes; undefined if it cannot be undone.
 *
 * @throws ProblemError 413
 */
export function decodeBody(bytes: Bytes, headers: Headers, maxBytes: number): Bytes | undefined {
  const coding = soleCodingOf(headers.get('Content-Encoding'))
  if (coding === 'none') return bytes
  if (coding === 'unknown') return undefined
  try {
    return decodeBytes(bytes, coding, maxBytes)
  } catch (error) {
    if (error instanceof DecodesToTooMuch) throw decodedTooLarge(maxBytes)
    if (error instanceof NotDecodable) return undefined
    throw error
  }
}

/**
 * Parses a body as its media type says. If that fails or would lose anything, for example bytes that text cannot
 * contain, falls back to `describePlainly`.
 */
export async function describeBody(bytes: Bytes, headers: Headers): Promise<DescribedBody> {
  const body = bytes.byteLength === 0 ? undefined : await parseBody(bytes, headers)
  return body === undefined ? describePlainly(bytes) : { body }
}

/** A body whose Content-Encoding cannot be undone. */
export function describeEncoded(bytes: Bytes): DescribedBody {
  return bytes.byteLength === 0 ? {} : { body: bytes.toBase64(), encoding: 'base64' }
}

/** A body as text, or as base64 if it is not valid UTF-8. */
export function describePlainly(bytes: Bytes): DescribedBody {
  if (bytes.byteLength === 0) return {}
  const text = decodeUtf8(bytes)
  return text === undefined ? { body: bytes.toBase64(), encoding: 'base64' } : { body: text }
}

/** The value that a body contains; undefined if it cannot be parsed without loss, or has another media type. */
async function parseBody(bytes: Bytes, headers: Headers): Promise<JsonValue | undefined> {
  const { type } = parseContentType(headers)
  if (type === MULTIPART_FORM_TYPE) return await readMultipart(bytes, headers.get('Content-Type') ?? '')
  const text = decodeUtf8(bytes)
  if (text === undefined) return undefined
  if (type === FORM_TYPE) return readForm(text)
  // As everywhere in the service, a body without a type is read as JSON, and a byte-order mark is ignored.
  return type === '' || FORMATS.json.reads(type) ? parseExactJson(text.replace(/^\uFEFF/, '')) : undefined
}
