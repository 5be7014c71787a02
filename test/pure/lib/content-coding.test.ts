import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Coding,
  codingsOf,
  DecodesToTooMuch,
  decodeBytes,
  decodeStream,
  NotDecodable,
  RATIO_MAX,
  soleCodingOf,
} from '../../../src/lib/content-coding.ts'
import { brokenGzips, compress, gzipWithFields, makeBomb, makeNoise } from '../../support/compress.ts'
import { eachRow } from '../../support/each-row.ts'
import { joinBytes } from '../../support/mixed.ts'

const MEBIBYTE = 1024 * 1024
const NO_LIMIT = 100 * MEBIBYTE
const TEXT = '{"name":"Größe 火星 🪐"}'

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

interface Streamed {
  pieceBytes?: number
  maxBytes?: number
  declaredBytes?: number
  coding?: Coding
}

/** Decodes a body that arrives in pieces. Also says how many encoded bytes were read, and the most that came at once. */
async function decodeInPieces(
  encoded: Uint8Array,
  { pieceBytes = 1000, maxBytes = NO_LIMIT, declaredBytes = 0, coding = 'gzip' }: Streamed = {},
) {
  let read = 0
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (read >= encoded.length) return controller.close()
        const piece = encoded.slice(read, read + pieceBytes)
        read += piece.length
        controller.enqueue(piece)
      },
    },
    { highWaterMark: 0 },
  )
  const pieces: Uint8Array[] = []
  const outcome = await (async () => {
    for await (const piece of decodeStream(stream, coding, maxBytes, declaredBytes)) pieces.push(piece)
  })().catch((error: unknown) => error)
  const largest = Math.max(0, ...pieces.map(({ length }) => length))
  return { outcome, decoded: joinBytes(pieces), read, largest }
}

describe('a body is decoded', () => {
  it('whole and in pieces, whatever the coding', () =>
    eachRow(
      [
        ['gzip', 'gzip'],
        ['x-gzip', 'gzip'],
        ['deflate', 'deflate'],
      ],
      async ([coding, format]) => {
        const encoded = await compress(TEXT, format)
        expect(textOf(decodeBytes(encoded, coding, NO_LIMIT))).toBe(TEXT)
        for (const pieceBytes of [1, 7, 1000]) {
          expect(textOf((await decodeInPieces(encoded, { pieceBytes, coding })).decoded)).toBe(TEXT)
        }
      },
    ))

  it('if the head of gzip has every optional field', async () => {
    expect(textOf(decodeBytes(await gzipWithFields(TEXT), 'gzip', NO_LIMIT))).toBe(TEXT)
  })

  it('and no bytes stay no bytes', async () => {
    expect(decodeBytes(new Uint8Array(), 'gzip', NO_LIMIT)).toHaveLength(0)
    expect(await decodeInPieces(new Uint8Array())).toMatchObject({ outcome: undefined, decoded: new Uint8Array() })
    expect(decodeBytes(await compress('', 'deflate'), 'deflate', NO_LIMIT)).toHaveLength(0)
  })

  it('as zlib does it, and whatever zlib refuses is refused', () => {
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 400 }), fc.uint8Array({ maxLength: 400, max: 3 }))
    const level = fc.integer({ min: 0, max: 9 })
    const strategy = fc.integer({ min: 0, max: 4 })
    const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { maxLength: 2 })
    const isGzip = fc.boolean()
    fc.assert(
      fc.property(bytes, level, strategy, changes, isGzip, (plain, level, strategy, changes, isGzip) => {
        const encoded = new Uint8Array((isGzip ? gzipSync : deflateSync)(plain, { level, strategy }))
        for (const [at, change] of changes) {
          const index = at % encoded.length
          encoded[index] = (encoded[index] ?? 0) ^ change
        }
        const expected = resultOf(() => new Uint8Array((isGzip ? gunzipSync : inflateSync)(encoded)))
        const most = RATIO_MAX * encoded.length
        if (expected && expected.length > most) return
        expect(resultOf(() => decodeBytes(encoded, isGzip ? 'gzip' : 'deflate', NO_LIMIT))).toEqual(expected)
      }),
      { numRuns: 2000 },
    )
  })
})

/** Undefined if the bytes are refused. */
function resultOf(decode: () => Uint8Array): Uint8Array | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}

it('what is not one stream of its coding is refused, whole and in pieces', async () => {
  await eachRow(await brokenGzips(TEXT), async ([, encoded]) => {
    expect(() => decodeBytes(encoded, 'gzip', NO_LIMIT)).toThrow(NotDecodable)
    for (const pieceBytes of [1, 1000])
      expect((await decodeInPieces(encoded, { pieceBytes })).outcome).toBeInstanceOf(NotDecodable)
  })
  const raw = await compress(TEXT, 'deflate-raw')
  expect(() => decodeBytes(raw, 'deflate', NO_LIMIT)).toThrow(NotDecodable)
})

describe('at most so many bytes are decoded:', () => {
  it('the limit', async () => {
    const noise = makeNoise(100_000)
    const encoded = await compress(noise)
    const most = encoded.length
    expect(decodeBytes(encoded, 'gzip', most)).toEqual(noise)
    expect((await decodeInPieces(encoded, { maxBytes: most })).decoded).toEqual(noise)
    const short = noise.length - 1
    expect(() => decodeBytes(encoded, 'gzip', short)).toThrow(DecodesToTooMuch)
    expect((await decodeInPieces(encoded, { maxBytes: short })).outcome).toBeInstanceOf(DecodesToTooMuch)
  })

  it('a hundred for each encoded one, and one more is refused', async () => {
    const { fits, doesNot } = await findEdgeOfRatio()
    expect(decodeBytes(fits, 'deflate', NO_LIMIT)).toHaveLength(RATIO_MAX * fits.length)
    expect(() => decodeBytes(doesNot, 'deflate', NO_LIMIT)).toThrow(DecodesToTooMuch)
    for (const pieceBytes of [1, 1000]) {
      const options = { pieceBytes, coding: 'deflate' } as const
      expect((await decodeInPieces(fits, options)).decoded).toHaveLength(RATIO_MAX * fits.length)
      expect((await decodeInPieces(doesNot, options)).outcome).toBeInstanceOf(DecodesToTooMuch)
    }
  })

  it('a hundred for each that has arrived, so that a bomb ends early and is never held', async () => {
    const bomb = await makeBomb(50 * MEBIBYTE)
    expect(bomb.length * 1000).toBeLessThan(51 * MEBIBYTE)
    const declared = await decodeInPieces(bomb, { declaredBytes: bomb.length, maxBytes: MEBIBYTE })
    expect(declared.outcome).toBeInstanceOf(DecodesToTooMuch)
    expect(declared.decoded.length).toBeLessThanOrEqual(MEBIBYTE)
    expect(declared.read).toBeLessThan(4000)
    expect(declared.largest).toBeLessThanOrEqual(16 * 1024)
    const chunked = await decodeInPieces(bomb)
    expect(chunked.outcome).toBeInstanceOf(DecodesToTooMuch)
    expect(chunked.decoded.length).toBeLessThanOrEqual(RATIO_MAX * bomb.length)
  })

  it('for the whole body: a dense beginning waits for the rest', async () => {
    const body = joinBytes([new Uint8Array(2 * MEBIBYTE), makeNoise(50_000)])
    const encoded = await compress(body)
    expect(RATIO_MAX * encoded.length).toBeGreaterThan(body.length)
    for (const declaredBytes of [0, encoded.length]) {
      const { decoded } = await decodeInPieces(encoded, { declaredBytes })
      // `toEqual` would compare millions of numbers.
      expect(Buffer.from(decoded).equals(body)).toBe(true)
    }
  })

  it('and no more encoded ones than the limit are read', async () => {
    const { outcome, read } = await decodeInPieces(await compress(makeNoise(MEBIBYTE)), { maxBytes: 10_000 })
    expect(outcome).toBeInstanceOf(DecodesToTooMuch)
    expect(read).toBeLessThanOrEqual(12_000)
  })
})

/** Zeros, and as many of which one does not fit any more. */
async function findEdgeOfRatio() {
  for (let length = 100; length < 10_000; length += 100) {
    const [fits, doesNot] = await Promise.all([length, length + 1].map((n) => compress(new Uint8Array(n), 'deflate')))
    if (fits && doesNot && fits.length * RATIO_MAX === length && doesNot.length === fits.length)
      return { fits, doesNot }
  }
  throw new Error('no zeros are a hundred times their compressed bytes')
}

describe('a Content-Encoding', () => {
  it('names codings in any case, and identity and empty items are none', () =>
    eachRow(
      [
        [null, []],
        ['', []],
        [' , ', []],
        ['Identity', []],
        ['GZip', ['gzip']],
        ['identity, gzip', ['gzip']],
        ['deflate,,X-GZIP', ['deflate', 'x-gzip']],
        ['*', ['*']],
      ],
      ([header, names]) => expect(codingsOf(header)).toEqual(names),
    ))

  it('is taken if it is one that is known', () =>
    eachRow(
      [
        [null, 'none'],
        ['gzip', 'gzip'],
        ['deflate', 'deflate'],
        ['gzip, gzip', 'unknown'],
        ['br', 'unknown'],
        ['constructor', 'unknown'],
      ],
      ([header, coding]) => expect(soleCodingOf(header)).toBe(coding),
    ))
})
