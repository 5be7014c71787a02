import type * as z from 'zod'
import { type Fault, ProblemError } from '../../domain/problems.ts'
import { keysOf } from '../../lib/objects.ts'
import { decodeUtf8 } from '../../lib/text.ts'
import { decodeXml } from '../../xml/decode.ts'
import { encodeElements, encodeXml } from '../../xml/encode.ts'
import { ASCII, ASCII_NAMES, decodeXmlBytes } from '../../xml/encoding.ts'
import { parseJson } from './json.ts'

/** A format of documents (JSON or XML): how they are read and written. */
export interface Format {
  mediaType: string
  /** Another name of the media type. It is sent to callers that prefer it. The OpenAPI document does not list it. */
  alias?: string
  /** The media type of problems (RFC 9457, section 6). */
  problemType: string
  /** Whether a request body of a media type (in lower case, without parameters) is read as this format. */
  reads(mediaType: string): boolean
  /**
   * @param charset The `charset` of its Content-Type; undefined if there is none
   * @throws ProblemError 400
   */
  decode(bytes: Uint8Array, charset: string | undefined): string
  /**
   * The result is not yet validated against the schema.
   *
   * @throws ProblemError 400
   */
  parse(text: string, schema: z.ZodType): { value: unknown; faults: Fault[] }
  write(value: unknown, schema: z.ZodType): string
  /** Writes an item of a list, for `writeList`. */
  writeItem(item: unknown): string
  /**
   * Writes the document of a list: `data`, then the other members.
   *
   * @param items The items, as `writeItem` wrote them
   */
  writeList(items: readonly string[], others: object, schema: z.ZodType): string
}

/** Registry: the formats. If a caller accepts several equally well, it gets the first of them. */
export const FORMATS = {
  json: {
    mediaType: 'application/json',
    problemType: 'application/problem+json',
    reads: (mediaType) => /^(?:application\/json|[^/]+\/[^/]+\+json)$/.test(mediaType),
    decode: decodeText,
    parse: (text) => ({ value: parseJson(text), faults: [] }),
    write: (value) => JSON.stringify(value),
    writeItem: (item) => JSON.stringify(item),
    // The `{` of the other members is replaced by `data`.
    writeList: (items, others) => `{"data":[${items.join(',')}],${JSON.stringify(others).slice('{'.length)}`,
  },
  xml: {
    mediaType: 'application/xml',
    alias: 'text/xml',
    problemType: 'application/problem+xml',
    reads: (mediaType) => /^(?:application|text)\/xml$/.test(mediaType),
    decode: decodeXmlBytes,
    parse: decodeXml,
    write: encodeXml,
    writeItem: (item) => encodeElements({ data: item }),
    writeList: (items, others, schema) => encodeXml(others, schema, items.join('')),
  },
} as const satisfies Record<string, Format>

export type FormatName = keyof typeof FORMATS

export const DEFAULT_FORMAT: FormatName = 'json'

export const ALL_FORMATS: readonly FormatName[] = keysOf(FORMATS)

/** Maximum number of characters of a charset that an error quotes. */
const CHARSET_SHOWN_MAX = 100

/**
 * Decodes a body, which must be UTF-8, with or without a byte order mark. US-ASCII is a part of UTF-8.
 *
 * @param charset The `charset` of its Content-Type; undefined if there is none
 * @throws ProblemError 400
 */
export function decodeText(bytes: Uint8Array, charset?: string): string {
  const isAscii = ASCII_NAMES.has(charset?.toLowerCase() ?? '')
  if (charset !== undefined && !isAscii && !/^utf-?8$/i.test(charset))
    throw new ProblemError(
      'malformed-body',
      `The body must be encoded in UTF-8, not ${charset.slice(0, CHARSET_SHOWN_MAX)}.`,
    )
  const text = decodeUtf8(bytes)
  if (text === undefined) throw new ProblemError('malformed-body', 'The body is not valid UTF-8.')
  if (isAscii && !ASCII.test(text))
    throw new ProblemError('malformed-body', `The body has characters that ${charset} does not have.`)
  return text.replace(/^\uFEFF/, '')
}
