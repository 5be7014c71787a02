import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import type { z } from 'zod'
import { ProblemError } from '../lib/errors.ts'
import { shapeOf } from '../xml/shape.ts'
import type { HonoEnv } from './context.ts'
import { ALL_FORMATS, decodeText, FORMATS, type FormatName } from './formats.ts'
import { formatOfBody, requireMultipart, requireUtf8 } from './media-types.ts'
import { faultsOf } from './problem.ts'
import { requireUsable } from './usable.ts'

/** Bytes of a body that is a document, in any format. */
export const ENTITY_MAX_BYTES = 256 * 1024

/** How a route takes its body: what it refuses by its headers, how much it reads, and what it makes of the bytes. */
interface Reader<Body> {
  /** @throws ProblemError 415 */
  requireMediaType(headers: Headers): void
  maxBytes: number
  tooLarge(): ProblemError
  /** @throws ProblemError 400 or 413 */
  read(bytes: Uint8Array<ArrayBuffer>, headers: Headers): Promise<Body>
}

export interface EntityReader<Body> extends Reader<Body> {
  kind: 'entity'
  schema: z.ZodType
  formats: readonly FormatName[]
}

export interface UploadReader<Body> extends Reader<Body>, UploadRules {
  kind: 'upload'
}

export type BodyReader<Body> = EntityReader<Body> | UploadReader<Body>

/** A body that is a document of a schema. */
export function entity<Schema extends z.ZodType>(
  schema: Schema,
  formats: readonly FormatName[] = ALL_FORMATS,
): EntityReader<z.output<Schema>> {
  requireReadable(schema, formats)
  return {
    kind: 'entity',
    schema,
    formats,
    requireMediaType: (headers) => void formatOfBody(headers, formats),
    maxBytes: ENTITY_MAX_BYTES,
    tooLarge: () => tooLarge('body', ENTITY_MAX_BYTES),
    async read(bytes, headers) {
      requireUtf8(headers)
      const { value, faults } = FORMATS[formatOfBody(headers, formats)].parse(decodeText(bytes), schema)
      requireUsable(value, faults)
      const result = schema.safeParse(value)
      if (result.success) {
        requireFits(result.data, bytes.byteLength, schema, formats)
        return result.data
      }
      throw new ProblemError('invalid-body', 'The body has members that are missing or not valid.', {
        faults: faultsOf(result.error),
      })
    },
  }
}

/** Lets the Worker not start where a format could not read a schema. */
function requireReadable(schema: z.ZodType, formats: readonly FormatName[]): void {
  if (formats.includes('xml')) shapeOf(schema)
}

/** Times that a document is larger in one format than in another, at most: a character of a name, written twice. */
const GROWTH_MAX = 16

/**
 * Refuses a document that in another format would be larger than a body may be: what is read in any format can be sent
 * back, and a list of what was stored has a bound.
 *
 * @throws ProblemError 413
 */
function requireFits(value: unknown, sentBytes: number, schema: z.ZodType, formats: readonly FormatName[]): void {
  if (sentBytes * GROWTH_MAX <= ENTITY_MAX_BYTES) return
  const tooLong = formats.find((name) => byteLength(FORMATS[name].write(value, schema)) > ENTITY_MAX_BYTES)
  if (tooLong) throw tooLarge(`body, written as ${FORMATS[tooLong].mediaType},`, ENTITY_MAX_BYTES)
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength
}

/** A form with one file. */
export interface UploadRules {
  /** Name of the part that the file is. */
  part: string
  /** Bytes of the file. */
  maxBytes: number
}

// Boundaries, part headers and other fields around the file.
const FORM_OVERHEAD_BYTES = 64 * 1024

/** A body that is a form (RFC 7578) with a file, of which the bytes count and not the name or the label. */
export function upload({ part, maxBytes }: UploadRules): UploadReader<Uint8Array<ArrayBuffer>> {
  return {
    kind: 'upload',
    part,
    requireMediaType: requireMultipart,
    maxBytes: maxBytes + FORM_OVERHEAD_BYTES,
    tooLarge: () => tooLarge('file', maxBytes),
    async read(bytes, headers) {
      const files = (await parseForm(bytes, headers)).getAll(part)
      const [file] = files
      if (files.length !== 1 || !(file instanceof File)) {
        throw new ProblemError(
          'invalid-image',
          `The form must have exactly one file, which is a part with a filename, named "${part}".`,
        )
      }
      if (file.size > maxBytes) throw tooLarge('file', maxBytes)
      return new Uint8Array(await file.arrayBuffer())
    },
  }
}

async function parseForm(bytes: Uint8Array<ArrayBuffer>, headers: Headers): Promise<FormData> {
  try {
    const contentType = headers.get('Content-Type') ?? ''
    return await new Response(bytes, { headers: { 'Content-Type': contentType } }).formData()
  } catch {
    throw new ProblemError('malformed-body', 'The body is not a whole multipart/form-data form.')
  }
}

/** Reads no more of a body than its reader takes: by its Content-Length, or by counting where there is none. */
export function limitBody(reader: BodyReader<unknown>) {
  return bodyLimit({
    maxSize: reader.maxBytes,
    onError: () => {
      throw reader.tooLarge()
    },
  })
}

/** Refuses a body by its media type before any of it is read. */
export function checkMediaType(reader: BodyReader<unknown>) {
  return createMiddleware<HonoEnv>(async function checkMediaType(c, next) {
    reader.requireMediaType(c.req.raw.headers)
    await next()
  })
}

function tooLarge(what: string, maxBytes: number): ProblemError {
  return new ProblemError('content-too-large', `The ${what} may have ${maxBytes} bytes at most.`)
}
