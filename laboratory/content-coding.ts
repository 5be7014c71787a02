import type { Arrived } from './case.ts'

type Format = ConstructorParameters<typeof DecompressionStream>[0]

/** Content codings that are decoded, with the formats of the runtime (RFC 9110, 8.4.1). `x-gzip` is an older name. */
const FORMATS: Readonly<Record<string, Format | undefined>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
}

/** How many codings one after the other are decoded. Each can make the body larger again. */
const CODINGS_MAX = 4
/** How often a decoded body may be as large as the encoded one. */
export const RATIO_MAX = 100
/**
 * A decoder makes at most about a thousand bytes of one, and does not wait until they are read. So it is given few bytes
 * at once. With 256, it is some 8 MiB ahead of the reader at most (measured in workerd).
 */
const PIECE_BYTES = 256

/**
 * Decodes a body as its Content-Encoding says.
 *
 * @returns The body and what became of it; undefined if the decoded body has more than `maxBytes`, or more than 100
 * bytes for each encoded one
 */
export async function decodeContent(
  body: Uint8Array,
  contentEncoding: string | null,
  maxBytes: number,
): Promise<Pick<Arrived, 'body' | 'coding'> | undefined> {
  const codings = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '')
  if (codings.length === 0 || body.length === 0) return { body }
  if (
    codings.length > CODINGS_MAX ||
    codings.some((coding) => !Object.hasOwn(FORMATS, coding) && coding !== 'identity')
  )
    return { body, coding: 'unknown' }
  const limit = Math.min(maxBytes, RATIO_MAX * body.length)
  let decoded = body
  // They were applied in this order, so they are undone in the other one.
  for (const coding of codings.reverse()) {
    const format = FORMATS[coding]
    const next = format ? await decode(decoded, format, limit) : decoded
    if (next === 'too-large') return undefined
    if (next === 'broken') return { body, coding: 'broken' }
    decoded = next
  }
  return { body: decoded, coding: 'decoded' }
}

async function decode(bytes: Uint8Array, format: Format, limit: number): Promise<Uint8Array | 'broken' | 'too-large'> {
  const { readable, writable } = new DecompressionStream(format)
  const writer = writable.getWriter()
  const reader = readable.getReader()
  let isOver = false
  const write = async () => {
    for (let at = 0; at < bytes.length && !isOver; at += PIECE_BYTES) {
      await writer.write(bytes.slice(at, at + PIECE_BYTES))
    }
    await writer.close()
  }
  const pieces: Uint8Array[] = []
  const read = async () => {
    let length = 0
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.byteLength
      if (length > limit) {
        isOver = true
        await reader.cancel()
        return
      }
      pieces.push(next.value)
    }
  }
  const [written, received] = await Promise.allSettled([write(), read()])
  if (isOver) return 'too-large'
  if (written.status === 'rejected' || received.status === 'rejected') return 'broken'
  const decoded = new Uint8Array(pieces.reduce((length, piece) => length + piece.byteLength, 0))
  let at = 0
  for (const piece of pieces) {
    decoded.set(piece, at)
    at += piece.byteLength
  }
  return decoded
}
