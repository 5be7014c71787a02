import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type * as z from 'zod'
import { type Fault, ProblemError, RefusedBody } from '../../domain/problems.ts'
import type { HonoEnv, RequestContext } from '../pipeline/context.ts'
import { codingOfBody, readDecoded } from './content-coding.ts'
import { faultsOf } from './faults.ts'
import type { Refuse } from './input-safety.ts'

/** A kind of request body: what it accepts, how it is read, and how the OpenAPI document describes it. */
export type BodyReader<Body> = WholeBodyReader<Body> | StreamedBodyReader<Body>

interface AnyBodyReader {
  documented: DocumentedBody
  /** @throws ProblemError 415 */
  requireMediaType(headers: Headers): void
  maxBytes: number
  /** Creates the error for a body that is larger than `maxBytes`. */
  tooLarge(): ProblemError
}

/** A body that is read when all of it has arrived. */
interface WholeBodyReader<Body> extends AnyBodyReader {
  kind: 'entity' | 'form' | 'upload' | 'patch'
  /** @throws ProblemError 400 or 413 */
  read(bytes: Uint8Array<ArrayBuffer>, context: RequestContext): Promise<Body>
}

/** A body that is read while it arrives, so that a large one needs little memory. */
export interface StreamedBodyReader<Body> extends AnyBodyReader {
  kind: 'mixed'
  /**
   * The reader limits the size itself.
   *
   * @param stream Decoded, if the body has a Content-Encoding
   * @throws ProblemError 400 or 413
   */
  readStream(stream: AsyncIterable<Uint8Array>, context: RequestContext): Promise<ReadBody<Body>>
}

/** A body, and its content: what a retry sends again. */
export interface ReadBody<Body> {
  body: Body
  content: string | Uint8Array<ArrayBuffer>
}

/** The description of a body for the OpenAPI document. Its examples are those of the schema. */
interface DocumentedBody {
  required: boolean
  description?: string
  schema: z.ZodType
  mediaTypes: readonly string[]
  /** The schemas of further media types, if not all media types have the same schema. */
  others?: Readonly<Record<string, z.ZodType>>
  /** The media types of the parts, if the body is a list of parts. */
  partTypes?: PartTypes
}

export interface PartTypes {
  /** One for each of the first parts. */
  first: readonly string[]
  /** What each part that follows can have. */
  others: readonly string[]
}

export function mediaTypesOfBody({ documented: { mediaTypes, others = {} } }: BodyReader<unknown>): string[] {
  return [...mediaTypes, ...Object.keys(others)]
}

/**
 * Limits the size of a body: by its Content-Length, or by counting bytes if the header is absent. A body with a
 * Content-Encoding is read and decoded here, because its decoded bytes count too. A body that is read as it arrives
 * counts itself.
 */
export function limitBody(reader: BodyReader<unknown>): MiddlewareHandler<HonoEnv> {
  const { kind, maxBytes } = reader
  const refuse = () => {
    throw reader.tooLarge()
  }
  const limitPlainBody = bodyLimit({ maxSize: maxBytes, onError: refuse })
  return async function limitBody(c, next) {
    if (Number(c.req.header('Content-Length') ?? 0) > maxBytes) refuse()
    if (kind === 'mixed') return await next()
    const { body, headers } = c.req.raw
    const coding = codingOfBody(headers)
    if (!coding) return await limitPlainBody(c, next)
    c.set('decodedBody', await readDecoded(body, coding, maxBytes, reader.tooLarge))
    await next()
  }
}

/** The error for a body, or a part of it, that exceeds its size limit. */
export function contentTooLarge(what: string, maxBytes: number): ProblemError {
  return new ProblemError('content-too-large', `The ${what} can have at most ${maxBytes} bytes.`)
}

/**
 * @param otherFaults Faults that were already found. If there are any, a valid value is rejected too
 * @throws The error that `refuse` creates
 */
export function requireValid<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  otherFaults: readonly Fault[] = [],
  refuse: Refuse = invalidBody,
): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success && otherFaults.length === 0) return result.data
  const schemaFaults = result.error ? faultsOf(result.error) : []
  throw refuse([...schemaFaults, ...otherFaults], value)
}

export function invalidBody(faults: readonly Fault[], sent?: unknown): RefusedBody {
  return new RefusedBody('invalid-body', 'The body has missing or invalid members.', faults, sent)
}

/** Creates the error for a body that can be read, but whose result is invalid (RFC 5789, section 2.2). */
export function unprocessable(faults: readonly Fault[]): ProblemError {
  return new ProblemError('unprocessable-content', 'The patch would make the resource invalid. Nothing was stored.', {
    faults,
  })
}
