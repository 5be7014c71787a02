import { joinBytes } from './mixed.ts'

// Compressed bodies, as clients send them and as nobody should.

export type Format = ConstructorParameters<typeof CompressionStream>[0]

/** Compresses with the runtime's own encoder. */
export async function compress(body: BodyInit, format: Format = 'gzip'): Promise<Uint8Array<ArrayBuffer>> {
  const { body: stream } = new Response(body)
  const compressed = (stream ?? new Blob().stream()).pipeThrough(new CompressionStream(format))
  return new Uint8Array(await new Response(compressed).arrayBuffer())
}

/** Bytes that no encoder makes smaller, and which a decoder makes less than a hundred times larger. */
export function makeNoise(length: number): Uint8Array<ArrayBuffer> {
  const noise = new Uint8Array(length)
  // The runtime makes no more at once.
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(noise.subarray(at, at + 65_536))
  return noise
}

/** A bomb: each of its bytes decodes to about a thousand. */
export const makeBomb = (decodedBytes: number): Promise<Uint8Array<ArrayBuffer>> =>
  compress(new Uint8Array(decodedBytes))

/** The bytes of gzip before and after the deflated ones: a head without fields, and the checksum with the length. */
const [HEAD_BYTES, TAIL_BYTES] = [10, 8]
/** Where `gzipWithFields` has the checksum of the head. */
const HEAD_CHECKSUM_AT = 35

/** The same text as gzip with every optional field of its head (RFC 1952, section 2.3.1). */
export async function gzipWithFields(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const plain = await compress(text)
  const ALL_FIELDS = 0b11111
  const head = joinBytes([
    plain.slice(0, HEAD_BYTES).with(3, ALL_FIELDS),
    Uint8Array.of(3, 0, 1, 2, 3),
    'body.json\0',
    'a comment\0',
  ])
  const checksum = crc32(head)
  return joinBytes([head, Uint8Array.of(checksum & 0xff, (checksum >> 8) & 0xff), plain.slice(HEAD_BYTES)])
}

/** Bit by bit (RFC 1952, section 8). */
function crc32(bytes: Uint8Array): number {
  let remainder = 0xffffffff
  for (const byte of bytes) {
    remainder ^= byte
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb88320 : 0)
  }
  return ~remainder
}

/** What is not one stream of gzip, and why. */
export async function brokenGzips(text: string): Promise<readonly (readonly [string, Uint8Array<ArrayBuffer>])[]> {
  const good = await compress(text)
  const flip = (at: number) => good.with(at, (good.at(at) ?? 0) ^ 1)
  const fields = await gzipWithFields(text)
  return [
    ['plain text', joinBytes([text])],
    ['zlib', await compress(text, 'deflate')],
    ['raw deflate', await compress(text, 'deflate-raw')],
    ['cut after its head', good.slice(0, HEAD_BYTES)],
    ['cut in its head', good.slice(0, 5)],
    ['cut before its checksum', good.slice(0, -TAIL_BYTES)],
    ['cut by a byte', good.slice(0, -1)],
    ['a wrong checksum', flip(-TAIL_BYTES)],
    ['a wrong length', flip(-1)],
    ['a wrong checksum of its head', fields.with(HEAD_CHECKSUM_AT, (fields.at(HEAD_CHECKSUM_AT) ?? 0) ^ 1)],
    ['a byte after its end', joinBytes([good, 'x'])],
    ['a zero after its end', joinBytes([good, '\0'])],
    ['a second member', joinBytes([good, good])],
    ['an empty member before it', joinBytes([await compress(''), good])],
    ['an empty member after it', joinBytes([good, await compress('')])],
  ]
}
