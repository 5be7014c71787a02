import { Z_BUF_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END, ZStream, zlibInflate, zlibInflateInit2 } from 'pako'
import { type Bytes, joinBytes } from './bytes.ts'

/**
 * Registry: the content codings that are decoded (RFC 9110, section 8.4.1), with the `windowBits` by which zlib knows
 * the format: 31 is gzip alone (RFC 1952), and 15 is zlib (RFC 1950). `x-gzip` is an older name.
 */
const WINDOW_BITS = { gzip: 31, 'x-gzip': 31, deflate: 15 } as const

export type Coding = keyof typeof WINDOW_BITS

/** A decoded body has at most this many bytes for each encoded one. */
export const RATIO_MAX = 100

const PIECE_BYTES = 16 * 1024

/**
 * The names in a Content-Encoding, in lower case, in the order in which they were applied. `identity` means nothing, and
 * neither does an empty item (RFC 9110, section 5.6.1).
 */
export function codingsOf(contentEncoding: string | null): string[] {
  const names = (contentEncoding ?? '').split(',').map((name) => name.trim().toLowerCase())
  return names.filter((name) => name !== '' && name !== 'identity')
}

export function isCoding(name: string): name is Coding {
  return Object.hasOwn(WINDOW_BITS, name)
}

/** The coding of a body. Several are unknown, because nesting is how bombs hide. */
export function soleCodingOf(contentEncoding: string | null): Coding | 'none' | 'unknown' {
  const [name, ...others] = codingsOf(contentEncoding)
  if (name === undefined) return 'none'
  return others.length === 0 && isCoding(name) ? name : 'unknown'
}

/** The error for bytes that are not what their coding says. */
export class NotDecodable extends Error {
  override readonly name = 'NotDecodable'
}

/** The error for bytes of which more were decoded than may be. */
export class DecodesToTooMuch extends Error {
  override readonly name = 'DecodesToTooMuch'
}

/** Decodes one stream of a coding piece by piece, and no more of it than is asked for. */
class Decoder {
  readonly #zlib = new ZStream()
  #hasEnded = false

  constructor(coding: Coding) {
    zlibInflateInit2(this.#zlib, WINDOW_BITS[coding])
  }

  /**
   * Adds encoded bytes. Everything that was added before must have been taken.
   *
   * @throws NotDecodable if the stream has already ended
   */
  add(encoded: Uint8Array): void {
    if (this.#hasEnded && encoded.byteLength > 0) throw new NotDecodable('bytes follow the end')
    this.#zlib.input = encoded
    this.#zlib.next_in = 0
    this.#zlib.avail_in = encoded.byteLength
  }

  /**
   * The next decoded bytes: at most `maxBytes`, which must be positive. Empty if everything that was added is decoded.
   *
   * @throws NotDecodable
   */
  take(maxBytes: number): Bytes {
    if (this.#hasEnded) return new Uint8Array()
    const zlib = this.#zlib
    const output = new Uint8Array(Math.min(maxBytes, PIECE_BYTES))
    zlib.output = output
    zlib.next_out = 0
    zlib.avail_out = output.byteLength
    const status = zlibInflate(zlib, Z_NO_FLUSH)
    this.#hasEnded = status === Z_STREAM_END
    if (this.#hasEnded && zlib.avail_in > 0) throw new NotDecodable('bytes follow the end')
    // Z_BUF_ERROR: nothing more can be decoded without more bytes.
    const isValid = this.#hasEnded || status === Z_OK || status === Z_BUF_ERROR
    if (!isValid) throw new NotDecodable('the bytes are not valid')
    return output.subarray(0, zlib.next_out)
  }

  /** @throws NotDecodable if the stream is cut */
  end(): void {
    if (!this.#hasEnded) throw new NotDecodable('the end is missing')
  }
}

/**
 * Decodes a whole body. No bytes stay no bytes.
 *
 * @throws NotDecodable; DecodesToTooMuch if there are more than `maxBytes`, or more than `RATIO_MAX` for each encoded
 * one. At most one byte more than that is decoded
 */
export function decodeBytes(encoded: Uint8Array, coding: Coding, maxBytes: number): Bytes {
  if (encoded.byteLength === 0) return new Uint8Array()
  const most = Math.min(maxBytes, RATIO_MAX * encoded.byteLength)
  const decoder = new Decoder(coding)
  decoder.add(encoded)
  const pieces: Bytes[] = []
  let length = 0
  for (let piece = decoder.take(most + 1); piece.byteLength > 0; piece = decoder.take(most - length + 1)) {
    length += piece.byteLength
    if (length > most) throw new DecodesToTooMuch()
    pieces.push(piece)
  }
  decoder.end()
  return joinBytes(pieces)
}

/**
 * Decodes a body while it arrives, with the limits of `decodeBytes`. As long as nobody knows how many encoded bytes come,
 * what would exceed `RATIO_MAX` waits until more have arrived. If the caller ends early, the stream is cancelled.
 *
 * @param declaredBytes The length that the sender has declared; 0 if it has not
 * @throws NotDecodable, DecodesToTooMuch; the error of the stream
 */
export async function* decodeStream(
  stream: ReadableStream<Uint8Array>,
  coding: Coding,
  maxBytes: number,
  declaredBytes: number,
): AsyncGenerator<Bytes> {
  const source = new EncodedSource(stream, maxBytes, declaredBytes)
  const decoder = new Decoder(coding)
  let length = 0
  try {
    for (let encoded = await source.next(); encoded; encoded = await source.next()) {
      decoder.add(encoded)
      for (;;) {
        const piece = decoder.take(source.mostDecoded - length + 1)
        if (piece.byteLength === 0) break
        length += piece.byteLength
        await source.admit(length)
        yield piece
      }
    }
    if (!source.isEmpty) decoder.end()
  } finally {
    await source.cancel()
  }
}

/** Encoded bytes that arrive, and how many decoded ones they allow. */
class EncodedSource {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #maxBytes: number
  readonly #declaredBytes: number
  readonly #ahead: Uint8Array[] = []
  #arrivedBytes = 0

  constructor(stream: ReadableStream<Uint8Array>, maxBytes: number, declaredBytes: number) {
    this.#reader = stream.getReader()
    this.#maxBytes = maxBytes
    this.#declaredBytes = declaredBytes
  }

  get isEmpty(): boolean {
    return this.#arrivedBytes === 0
  }

  get mostDecoded(): number {
    return Math.min(this.#maxBytes, RATIO_MAX * Math.max(this.#arrivedBytes, this.#declaredBytes))
  }

  /** Undefined at the end. @throws DecodesToTooMuch if more than `maxBytes` have arrived */
  async next(): Promise<Uint8Array | undefined> {
    if (this.#ahead.length === 0) await this.#readAhead()
    return this.#ahead.shift()
  }

  /** Reads ahead until so many decoded bytes are allowed. @throws DecodesToTooMuch if they never are */
  async admit(decodedBytes: number): Promise<void> {
    while (decodedBytes > this.mostDecoded) {
      if (decodedBytes > this.#maxBytes || !(await this.#readAhead())) throw new DecodesToTooMuch()
    }
  }

  /** @returns Whether something has arrived */
  async #readAhead(): Promise<boolean> {
    const { done, value } = await this.#reader.read()
    if (done) return false
    this.#arrivedBytes += value.byteLength
    if (this.#arrivedBytes > this.#maxBytes) throw new DecodesToTooMuch()
    this.#ahead.push(value)
    return true
  }

  async cancel(): Promise<void> {
    // A stream that has failed cannot be cancelled. Its error was already thrown.
    await this.#reader.cancel().catch(() => {})
  }
}
