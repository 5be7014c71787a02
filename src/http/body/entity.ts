import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import type { z } from 'zod'
import { ENTITY_MAX_BYTES, GROWTH_MAX } from '../../domain/limits.ts'
import { type Fault, ProblemError, RefusedBody } from '../../domain/problems.ts'
import { pointerTo } from '../../lib/objects.ts'
import { shapeOf } from '../../xml/shape.ts'
import type { HonoEnv, RequestContext } from '../pipeline/context.ts'
import { ALL_FORMATS, decodeText, FORMATS, type FormatName } from '../pipeline/formats.ts'
import { formatOfBody, requireForm, requireMultipart, requireUtf8 } from '../pipeline/negotiation.ts'
import { faultsOf } from './faults.ts'
import { requireUsable } from './input-safety.ts'
import { repeatedNames } from './parameters.ts'

/** How a route takes its body: what it refuses by its headers, how much it reads, and what it makes of the bytes. */
interface Reader<Body> {
  /** @throws ProblemError 415 */
  requireMediaType(headers: Headers): void
  maxBytes: number
  tooLarge(): ProblemError
  /** @throws ProblemError 400 or 413 */
  read(bytes: Uint8Array<ArrayBuffer>, context: RequestContext): Promise<Body>
}

export interface EntityReader<Body> extends Reader<Body> {
  kind: 'entity'
  schema: z.ZodType
  formats: readonly FormatName[]
  mayBeEmpty: boolean
}

/** A body that is a form of texts. */
export interface FormReader<Body> extends Reader<Body> {
  kind: 'form'
  schema: z.ZodObject
}

export interface UploadReader<Body> extends Reader<Body>, UploadRules {
  kind: 'upload'
}

export type BodyReader<Body> = EntityReader<Body> | FormReader<Body> | UploadReader<Body>

interface EntityOptions {
  /** No body at all means a document without members. */
  mayBeEmpty?: boolean
  /** What is thrown where the document is not as the schema has it. */
  refuse?: (faults: readonly Fault[], sent: unknown) => Error
  /** The formats that what is made of the document is written in, where those are more than it is read in. */
  writtenIn?: readonly FormatName[]
  /** What is wrong with the document that a schema cannot tell, because it depends on the service. */
  inspect?: (sent: unknown, context: RequestContext) => Fault[]
}

/** A body that is a document of a schema. */
export function entity<Schema extends z.ZodType>(
  schema: Schema,
  formats: readonly FormatName[] = ALL_FORMATS,
  { mayBeEmpty = false, refuse = invalidBody, inspect = () => [], writtenIn = formats }: EntityOptions = {},
): EntityReader<z.output<Schema>> {
  requireReadable(schema, formats)
  return {
    kind: 'entity',
    schema,
    formats,
    mayBeEmpty,
    requireMediaType: (headers) => void formatOfBody(headers, formats),
    maxBytes: ENTITY_MAX_BYTES,
    tooLarge: () => tooLarge('body', ENTITY_MAX_BYTES),
    async read(bytes, context) {
      const { headers } = context
      requireUtf8(headers)
      const format = FORMATS[formatOfBody(headers, formats)]
      const isEmpty = mayBeEmpty && bytes.byteLength === 0
      const { value, faults } = isEmpty ? NO_MEMBERS : format.parse(decodeText(bytes), schema)
      requireUsable(value, faults)
      const document = requireValid(schema, value, inspect(value, context), refuse)
      requireFits(document, bytes.byteLength, schema, writtenIn)
      return document
    },
  }
}

const NO_MEMBERS = { value: {}, faults: [] }

function requireValid<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  found: readonly Fault[],
  refuse: (faults: readonly Fault[], sent: unknown) => Error,
): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success && found.length === 0) return result.data
  throw refuse([...(result.error ? faultsOf(result.error) : []), ...found], value)
}

/** Says of a body which of its members are wrong. */
export function invalidBody(faults: readonly Fault[], sent?: unknown): RefusedBody {
  return new RefusedBody('invalid-body', 'The body has missing or invalid members.', faults, sent)
}

/**
 * A body that is a form of texts (application/x-www-form-urlencoded), none of which may be sent twice (RFC 6749, section
 * 3.2).
 */
export function form<Schema extends z.ZodObject>(schema: Schema): FormReader<z.output<Schema>> {
  return {
    kind: 'form',
    schema,
    requireMediaType: requireForm,
    maxBytes: FORM_MAX_BYTES,
    tooLarge: () => tooLarge('body', FORM_MAX_BYTES),
    async read(bytes, { headers }) {
      requireUtf8(headers)
      const parameters = parametersOf(new URLSearchParams(decodeText(bytes)))
      requireUsable(parameters, [])
      return requireValid(schema, parameters, [], invalidBody)
    },
  }
}

const FORM_MAX_BYTES = 64 * 1024

/**
 * The parameters of a query or a form, each a text.
 *
 * @throws ProblemError 400 where one is repeated
 */
function parametersOf(sent: URLSearchParams): Record<string, string> {
  const repeated = repeatedNames(sent)
  if (repeated.length > 0) {
    const faults = repeated.map((name) => ({ pointer: pointerTo([name]), detail: 'must be sent only once' }))
    throw new ProblemError('invalid-body', 'The form has repeated parameters.', { faults })
  }
  return Object.fromEntries(sent)
}

/** Lets the Worker not start where a format could not read a schema. */
function requireReadable(schema: z.ZodType, formats: readonly FormatName[]): void {
  if (formats.includes('xml')) shapeOf(schema)
}

/**
 * Refuses a document that in another format would be larger than a body may be: what is read in any format can be sent
 * back, and a list of what was stored has a bound.
 *
 * @throws ProblemError 413
 */
function requireFits(value: unknown, sentBytes: number, schema: z.ZodType, formats: readonly FormatName[]): void {
  if (sentBytes * GROWTH_MAX <= ENTITY_MAX_BYTES) return
  const tooLong = findTooLong(value, schema, formats)
  if (tooLong) throw tooLarge(`body, written as ${FORMATS[tooLong].mediaType},`, ENTITY_MAX_BYTES)
}

/** The first format in which a document would have more bytes than it may have; undefined if there is none. */
export function findTooLong(
  value: unknown,
  schema: z.ZodType,
  formats: readonly FormatName[],
  maxBytes = ENTITY_MAX_BYTES,
): FormatName | undefined {
  return formats.find((name) => byteLength(FORMATS[name].write(value, schema)) > maxBytes)
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
    async read(bytes, { headers }) {
      const files = (await parseForm(bytes, headers)).getAll(part)
      const [file] = files
      if (files.length !== 1 || !(file instanceof File)) {
        throw new ProblemError(
          'invalid-image',
          `The form must have exactly one file: a part with a filename, named "${part}".`,
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
    throw new ProblemError('malformed-body', 'The body is not a complete multipart/form-data form.')
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
  return new ProblemError('content-too-large', `The ${what} can have at most ${maxBytes} bytes.`)
}
