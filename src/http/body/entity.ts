import type * as z from 'zod'
import { ENTITY_MAX_BYTES, GROWTH_MAX } from '../../domain/limits.ts'
import type { Fault } from '../../domain/problems.ts'
import { CODE_UNIT_MAX_BYTES, countBytes } from '../../lib/text.ts'
import { shapeOf } from '../../xml/shape.ts'
import type { RequestContext } from '../pipeline/context.ts'
import { ALL_FORMATS, FORMATS, type FormatName } from '../pipeline/formats.ts'
import { formatOfBody, parseContentType } from './content-type.ts'
import { type Refuse, requireSafeInput } from './input-safety.ts'
import { type BodyReader, contentTooLarge, invalidBody, requireValid } from './reader.ts'

interface EntityOptions {
  /** Whether an empty body means a document without members. */
  mayBeEmpty?: boolean
  /** Creates the error for a document that does not match the schema, or in which `inspect` finds faults. */
  refuse?: Refuse
  /** The formats in which responses contain the document. By default, those that a request can have. */
  responseFormats?: readonly FormatName[]
  /** Finds faults that a schema cannot find, because they depend on the configuration of the service. */
  inspect?: (sent: unknown, context: RequestContext) => Fault[]
}

/** @throws Error if the formats include XML and the schema cannot be read from XML */
export function entity<Schema extends z.ZodType>(
  schema: Schema,
  formats: readonly FormatName[] = ALL_FORMATS,
  { mayBeEmpty = false, refuse = invalidBody, inspect = () => [], responseFormats = formats }: EntityOptions = {},
): BodyReader<z.output<Schema>> {
  requireReadableFromXml(schema, formats)
  return {
    kind: 'entity',
    documented: { required: !mayBeEmpty, schema, mediaTypes: formats.map((name) => FORMATS[name].mediaType) },
    requireMediaType: (headers) => void formatOfBody(headers, formats),
    maxBytes: ENTITY_MAX_BYTES,
    tooLarge: () => contentTooLarge('body', ENTITY_MAX_BYTES),
    async read(bytes, context) {
      const { headers } = context
      const format = FORMATS[formatOfBody(headers, formats)]
      const text = format.decode(bytes, parseContentType(headers).charset)
      const isEmpty = mayBeEmpty && bytes.byteLength === 0
      const { value, faults } = isEmpty ? NO_MEMBERS : format.parse(text, schema)
      requireSafeInput(value, faults)
      const document = requireValid(schema, value, inspect(value, context), refuse)
      // A text in UTF-16 can be longer in UTF-8, which is what the service stores and sends.
      requireFitInEveryFormat(document, countBytes(text), schema, responseFormats)
      return document
    },
  }
}

/** The parsed value of an empty body. */
const NO_MEMBERS = { value: {}, faults: [] }

/** Throws if the schema cannot be read. Routes are created when the Worker starts, so a mistake stops the start. */
function requireReadableFromXml(schema: z.ZodType, formats: readonly FormatName[]): void {
  if (formats.includes('xml')) shapeOf(schema)
}

/**
 * Rejects a document that would exceed the size limit of a body in another format. So a client can read a document in
 * one format and send it back in another, and a list of stored documents has a maximum size. A small body is not
 * checked, because another format makes it at most GROWTH_MAX times larger.
 *
 * @param sentBytes The size of the body in UTF-8
 * @throws ProblemError 413
 */
function requireFitInEveryFormat(
  value: unknown,
  sentBytes: number,
  schema: z.ZodType,
  formats: readonly FormatName[],
): void {
  if (sentBytes * GROWTH_MAX <= ENTITY_MAX_BYTES) return
  const format = findTooLongFormat(value, schema, formats)
  if (format) throw contentTooLarge(`body, written as ${FORMATS[format].mediaType},`, ENTITY_MAX_BYTES)
}

/**
 * The first format in which a document is larger than `maxBytes`; undefined if there is none. If a document is so small
 * in JSON that it fits in every format, the other formats are not written.
 */
export function findTooLongFormat(
  value: unknown,
  schema: z.ZodType,
  formats: readonly FormatName[],
  maxBytes = ENTITY_MAX_BYTES,
): FormatName | undefined {
  const jsonBytesMax = JSON.stringify(value).length * CODE_UNIT_MAX_BYTES
  if (jsonBytesMax * GROWTH_MAX <= maxBytes) return undefined
  return formats.find((name) => countBytes(FORMATS[name].write(value, schema)) > maxBytes)
}
