import { parse } from 'content-type'
import type * as z from 'zod'
import { doc } from '#doc'
import { type Fault, ProblemError } from '../../domain/problems.ts'
import { MalformedMultipart, MultipartReader, type PartField, type PartReceiver } from '../../lib/multipart.ts'
import { pointerTo } from '../../lib/objects.ts'
import { PiecewiseSha256 } from '../../lib/sha256.ts'
import { SNIFFED_BYTES, sniffImage } from '../../lib/sniff-image.ts'
import type { MeasuredImage } from '../../schemas/observation.ts'
import { FORMATS } from '../pipeline/formats.ts'
import { requireType } from './content-type.ts'
import { requireSafeInput } from './input-safety.ts'
import { contentTooLarge, type ReadBody, requireValid, type StreamedBodyReader } from './reader.ts'

const MIXED_TYPE = 'multipart/mixed'

const DOCUMENT_MAX_BYTES = 64 * 1024
const HEAD_MAX_BYTES = 8 * 1024
/** Room for the preamble, the delimiters, the heads of the parts, the document and the epilogue. */
const OVERHEAD_BYTES = 1024 * 1024
const PIECE_BYTES = 64 * 1024

export interface Mixed<Document> {
  document: Document
  images: readonly MeasuredImage[]
}

interface MixedRules<Schema extends z.ZodType> {
  /** The schema of the first part. */
  document: Schema
  /** The schema of the whole body, for the OpenAPI document. */
  parts: z.ZodType
  imageTypes: readonly string[]
  imagesMax: number
  imageMaxBytes: number
  imagesMaxBytes: number
  /**
   * Finds faults in what was sent as the document. Their pointers begin in the document.
   *
   * @param imageCount Undefined if there are too many images, which are not counted
   */
  inspect(sent: unknown, imageCount: number | undefined): Fault[]
}

/**
 * A body with a JSON document and images (`multipart/mixed`, RFC 2046, section 5.1.3). The images are measured while
 * they arrive, and not kept. Only `Content-Type` and `Content-Transfer-Encoding` of the parts count. Pointers of faults
 * begin with the number of the part, from 0.
 */
export function mixed<Schema extends z.ZodType>(
  rules: MixedRules<Schema>,
): StreamedBodyReader<Mixed<z.output<Schema>>> {
  const { parts, imageTypes, imagesMaxBytes } = rules
  const maxBytes = imagesMaxBytes + OVERHEAD_BYTES
  return {
    kind: 'mixed',
    documented: {
      required: true,
      description: doc('The metadata as JSON, and then any number of images'),
      schema: parts,
      mediaTypes: [MIXED_TYPE],
      partTypes: { first: [FORMATS.json.mediaType], others: imageTypes },
    },
    requireMediaType: (headers) => requireType(headers, MIXED_TYPE),
    maxBytes,
    tooLarge: () => contentTooLarge('body', maxBytes),
    async readStream(stream, { headers }) {
      const { boundary = '' } = parse(headers.get('Content-Type') ?? '').parameters
      const receiver = new Parts(rules)
      try {
        await readParts(stream, boundary, receiver, maxBytes)
      } catch (error) {
        throw error instanceof MalformedMultipart ? malformed(error, receiver.count) : error
      }
      return await receiver.finish()
    },
  }
}

/** @throws MalformedMultipart; ProblemError 413; the error of the stream */
async function readParts(
  stream: AsyncIterable<Uint8Array>,
  boundary: string,
  receiver: Parts<z.ZodType>,
  maxBytes: number,
): Promise<void> {
  const reader = new MultipartReader(boundary, receiver, HEAD_MAX_BYTES)
  let length = 0
  // The loop cancels the stream if it ends early.
  for await (const chunk of stream) {
    length += chunk.byteLength
    if (length > maxBytes) throw contentTooLarge('body', maxBytes)
    for (let at = 0; at < chunk.byteLength; at += PIECE_BYTES) {
      reader.write(chunk.subarray(at, at + PIECE_BYTES))
      // So that no more is held than a piece.
      await receiver.settle()
    }
  }
  reader.end()
  await receiver.settle()
}

function malformed({ message, at }: MalformedMultipart, partCount: number): ProblemError {
  // The fault is before the content of the next part, or has no place.
  const faults = at === undefined ? [] : [{ pointer: pointerTo([partCount]), detail: message }]
  return new ProblemError('malformed-body', `The body is not a complete ${MIXED_TYPE} body: ${message}.`, { faults })
}

/** What becomes of the content of a part. */
interface OpenPart {
  /** @throws ProblemError 413 */
  take(content: Uint8Array): void
  end(): void
}

interface PartType {
  /** In lower case, without its parameters; empty if the part has none. */
  type: string
  charset: string | undefined
}

interface ReceivedDocument extends PartType {
  bytes: Uint8Array
}

type ReadDocument<Document> = { document: Document } | { faults: Fault[] }

/** Gets the parts of a body. Faults are collected, so that the response names all of them. */
class Parts<Schema extends z.ZodType> implements PartReceiver {
  readonly #rules: MixedRules<Schema>
  readonly #faults: Fault[] = []
  readonly #images: MeasuredImage[] = []
  /** Work that must end before more is read. */
  #pending: Promise<void>[] = []
  #current: OpenPart | undefined
  #document: ReceivedDocument | undefined
  /** The bytes of all images so far. */
  #imageBytes = 0
  /** How many parts have begun. */
  count = 0

  constructor(rules: MixedRules<Schema>) {
    this.#rules = rules
  }

  /** @throws ProblemError 400 if there are too many images: millions of parts could follow */
  begin(fields: readonly PartField[]): void {
    const index = this.count++
    const { imagesMax } = this.#rules
    if (index > imagesMax) {
      this.#note(index, `is more than the ${imagesMax} images that are possible`)
      throw this.#refusal(this.#readDocument(undefined))
    }
    const head = this.#readHead(fields, index)
    // Without the document, nothing of the first part is kept, whatever its size.
    if (index > 0) this.#current = this.#beginImage(index, head)
    else this.#current = isJson(head.type) ? this.#beginDocument(head) : undefined
  }

  take(content: Uint8Array): void {
    this.#current?.take(content)
  }

  end(): void {
    this.#current?.end()
  }

  async settle(): Promise<void> {
    const pending = this.#pending
    this.#pending = []
    await Promise.all(pending)
  }

  /** @throws ProblemError 400 */
  async finish(): Promise<ReadBody<Mixed<z.output<Schema>>>> {
    const read = this.#readDocument(this.#images.length)
    if ('faults' in read || this.#faults.length > 0) throw this.#refusal(read)
    const body = { document: read.document, images: this.#images }
    // A retry may have another boundary.
    return { body, content: JSON.stringify(body) }
  }

  #refusal(read: ReadDocument<unknown>): ProblemError {
    const faults = [...('faults' in read ? read.faults : []), ...this.#faults]
    return new ProblemError('invalid-body', 'The body has missing or invalid parts.', { faults })
  }

  #note(index: number, detail: string): void {
    this.#faults.push({ pointer: pointerTo([index]), detail })
  }

  /** Notes what is wrong with the fields of a part. */
  #readHead(fields: readonly PartField[], index: number): PartType {
    const valuesOf = (name: string) => fields.filter((field) => field[0] === name).map(([, value]) => value)
    const [value = '', ...others] = valuesOf('content-type')
    const { type, parameters } = parse(value)
    const { imageTypes } = this.#rules
    if (others.length > 0) this.#note(index, 'has more than one Content-Type')
    else if (index === 0) {
      if (!isJson(type)) this.#note(index, `must be ${FORMATS.json.mediaType}`)
    } else if (!imageTypes.includes(type)) this.#note(index, `must have one of these types: ${imageTypes.join(', ')}`)
    if (valuesOf('content-transfer-encoding').some((encoding) => !/^(?:binary|8bit|7bit)$/i.test(encoding)))
      this.#note(index, 'must have no Content-Transfer-Encoding but binary, 8bit or 7bit')
    return { type, charset: parameters.charset }
  }

  #beginDocument(partType: PartType): OpenPart {
    const bytes = new Uint8Array(DOCUMENT_MAX_BYTES)
    let length = 0
    return {
      take(content) {
        if (length + content.byteLength > DOCUMENT_MAX_BYTES)
          throw contentTooLarge('part with the metadata', DOCUMENT_MAX_BYTES)
        bytes.set(content, length)
        length += content.byteLength
      },
      end: () => {
        this.#document = { ...partType, bytes: bytes.subarray(0, length) }
      },
    }
  }

  #beginImage(index: number, { type }: PartType): OpenPart {
    const { imageMaxBytes, imagesMaxBytes } = this.#rules
    const measure = new Measure((work) => this.#pending.push(work))
    let fileSize = 0
    return {
      take: (content) => {
        fileSize += content.byteLength
        this.#imageBytes += content.byteLength
        if (fileSize > imageMaxBytes) throw contentTooLarge(`image at ${pointerTo([index])}`, imageMaxBytes)
        if (this.#imageBytes > imagesMaxBytes) throw contentTooLarge('images together', imagesMaxBytes)
        measure.take(content)
      },
      end: () => {
        if (fileSize === 0) this.#note(index, 'is empty')
        this.#pending.push(this.#keep(index, type, fileSize, measure))
      },
    }
  }

  async #keep(index: number, declaredType: string, fileSize: number, measure: Measure): Promise<void> {
    this.#images[index - 1] = { declaredType, ...(await measure.end()), fileSize }
  }

  #readDocument(imageCount: number | undefined): ReadDocument<z.output<Schema>> {
    if (!this.#document) {
      // That the first part is something else is already noted.
      if (this.count > 0) return { faults: [] }
      return { faults: [{ pointer: '/0', detail: 'is missing: the first part must be the metadata as JSON' }] }
    }
    const { charset, bytes } = this.#document
    const { document: schema, inspect } = this.#rules
    try {
      const sent = FORMATS.json.parse(FORMATS.json.decode(bytes, charset)).value
      requireSafeInput(sent, [])
      return { document: requireValid(schema, sent, inspect(sent, imageCount)) }
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      const { faults, message } = error
      const found = faults.length > 0 ? faults : [{ pointer: '', detail: message }]
      return { faults: found.map(({ pointer, detail }) => ({ pointer: `/0${pointer}`, detail })) }
    }
  }
}

/** As everywhere, a document without a type is read as JSON. */
function isJson(type: string): boolean {
  return type === '' || FORMATS.json.reads(type)
}

/** Measures an image in pieces. */
class Measure {
  readonly #hash = new PiecewiseSha256()
  readonly #note: (work: Promise<void>) => void
  /** The beginning of the image. */
  readonly #start = new Uint8Array(SNIFFED_BYTES)
  #startBytes = 0
  /** What was not hashed yet, because the content can come in millions of pieces. */
  #rest: Uint8Array = new Uint8Array(PIECE_BYTES)
  #restBytes = 0

  /** @param note Gets the work that goes on */
  constructor(note: (work: Promise<void>) => void) {
    this.#note = note
  }

  take(content: Uint8Array): void {
    if (this.#startBytes < SNIFFED_BYTES) this.#takeStart(content)
    let left = content
    for (let room = PIECE_BYTES - this.#restBytes; left.byteLength >= room; room = PIECE_BYTES) {
      this.#rest.set(left.subarray(0, room), this.#restBytes)
      this.#restBytes = PIECE_BYTES
      this.#note(this.#hash.write(this.#takeRest()))
      left = left.subarray(room)
    }
    this.#rest.set(left, this.#restBytes)
    this.#restBytes += left.byteLength
  }

  #takeStart(content: Uint8Array): void {
    const start = content.subarray(0, SNIFFED_BYTES - this.#startBytes)
    this.#start.set(start, this.#startBytes)
    this.#startBytes += start.byteLength
  }

  async end(): Promise<{ mediaType?: string; sha256: string }> {
    const mediaType = sniffImage(this.#start.subarray(0, this.#startBytes))?.mimeType
    const written = this.#hash.write(this.#takeRest())
    const digest = await this.#hash.end()
    await written
    return { ...(mediaType !== undefined && { mediaType }), sha256: digest.toHex() }
  }

  #takeRest(): Uint8Array {
    const rest = this.#rest.subarray(0, this.#restBytes)
    this.#rest = new Uint8Array(PIECE_BYTES)
    this.#restBytes = 0
    return rest
  }
}
