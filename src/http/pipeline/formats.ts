import type { z } from 'zod'
import { type Fault, ProblemError } from '../../domain/problems.ts'
import { keysOf } from '../../lib/objects.ts'
import { decodeUtf8 } from '../../lib/text.ts'
import { decodeXml } from '../../xml/decode.ts'
import { encodeElements, encodeXml } from '../../xml/encode.ts'
import { parseJson } from './json.ts'

/** A way to write a document of a schema. */
export interface Format {
  mediaType: string
  /** Another name of the media type. It is sent to callers that prefer it, and is not listed in the OpenAPI document. */
  alias?: string
  /** The media type of problems (RFC 9457, section 6). */
  problemType: string
  /** Tells a media type of a request's body, in lower case and without parameters, that is read as this format. */
  takes(mediaType: string): boolean
  /**
   * Reads a text as far as its format goes; the schema still has to judge it.
   *
   * @throws ProblemError 400
   */
  parse(text: string, schema: z.ZodType): { value: unknown; faults: Fault[] }
  write(value: unknown, schema: z.ZodType): string
  /** Writes an item of a list, for `writeList`. */
  writeItem(item: unknown): string
  /** Writes a document that is a list, `data`, and other members behind it. @param items As `writeItem` wrote them */
  writeList(items: readonly string[], others: object, schema: z.ZodType): string
}

/** THE table of formats. Of two that a caller likes equally the first is sent. */
export const FORMATS = {
  json: {
    mediaType: 'application/json',
    problemType: 'application/problem+json',
    takes: (mediaType) => /^(?:application\/json|[^/]+\/[^/]+\+json)$/.test(mediaType),
    parse: (text) => ({ value: parseJson(text), faults: [] }),
    write: (value) => JSON.stringify(value),
    writeItem: (item) => JSON.stringify(item),
    writeList: (items, others) => `{"data":[${items.join(',')}],${JSON.stringify(others).slice('{'.length)}`,
  },
  xml: {
    mediaType: 'application/xml',
    alias: 'text/xml',
    problemType: 'application/problem+xml',
    takes: (mediaType) => /^(?:application|text)\/xml$/.test(mediaType),
    parse: decodeXml,
    write: encodeXml,
    writeItem: (item) => encodeElements({ data: item }),
    writeList: (items, others, schema) => encodeXml(others, schema, items.join('')),
  },
} as const satisfies Record<string, Format>

export type FormatName = keyof typeof FORMATS

/** What a caller without a wish gets. */
export const DEFAULT_FORMAT: FormatName = 'json'

export const ALL_FORMATS: readonly FormatName[] = keysOf(FORMATS)

/**
 * The text of a body, which has to be UTF-8, with or without a byte-order mark.
 *
 * @throws ProblemError 400
 */
export function decodeText(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes)
  if (text === undefined) throw new ProblemError('malformed-body', 'The body is not valid UTF-8.')
  return text.replace(/^\uFEFF/, '')
}
