import { describe, expect, it } from 'vitest'
import { decodeContent } from '../../../laboratory/content-coding.ts'
import { compress as encode, type Format, makeNoise } from '../../support/compress.ts'
import { eachRow } from '../../support/each-row.ts'

const KIB = 1024
const LIMIT = 256 * KIB

const text = new TextEncoder().encode('{"name":"blue"}')

describe('a body is decoded', () => {
  const codings: readonly (readonly [string, readonly Format[]])[] = [
    ['gzip', ['gzip']],
    ['GZip', ['gzip']],
    ['x-gzip', ['gzip']],
    ['deflate', ['deflate']],
    ['deflate, gzip', ['deflate', 'gzip']],
    ['gzip,gzip,gzip,gzip', ['gzip', 'gzip', 'gzip', 'gzip']],
    ['identity', []],
  ]
  it('by each coding that is known', () =>
    eachRow(codings, async ([name, formats]) => {
      let body = new Uint8Array(text)
      for (const format of formats) body = await encode(body, format)
      expect(decodeContent(body, name, LIMIT)).toEqual({ body: text, coding: 'decoded' })
    }))
})

it('a body without a coding, and none at all, stay as they are', () => {
  expect(decodeContent(text, null, LIMIT)).toEqual({ body: text })
  expect(decodeContent(text, ' ', LIMIT)).toEqual({ body: text })
  expect(decodeContent(new Uint8Array(), 'gzip', LIMIT)).toEqual({ body: new Uint8Array() })
})

it('a body with a coding that is not known stays as it is', () =>
  eachRow(['br', 'zstd', 'compress', 'constructor', 'gzip, br', 'gzip,gzip,gzip,gzip,gzip'], (name) => {
    expect(decodeContent(text, name, LIMIT)).toEqual({ body: text, coding: 'unknown' })
  }))

describe('a body that is not what its coding says is kept', () => {
  it.each<[string, string, () => Promise<Uint8Array>]>([
    ['plain text', 'gzip', async () => text],
    ['another format', 'gzip', () => encode(text, 'deflate')],
    ['a format without its head', 'deflate', () => encode(text, 'deflate-raw')],
    ['an end that is missing', 'gzip', async () => (await encode(text, 'gzip')).subarray(0, -4)],
    ['bytes after the end', 'gzip', async () => Uint8Array.of(...(await encode(text, 'gzip')), 1, 2, 3)],
    ['a wrong checksum', 'gzip', async () => (await encode(text, 'gzip')).with(-8, 7)],
    ['one coding of two', 'gzip, gzip', () => encode(text, 'gzip')],
  ])('%s', async (_, name, make) => {
    const body = await make()
    expect(decodeContent(body, name, LIMIT)).toEqual({ body, coding: 'broken' })
  })
})

describe('a decoded body', () => {
  it('has at most the bytes of the limit', async () => {
    const most = makeNoise(LIMIT)
    expect(decodeContent(await encode(most, 'gzip'), 'gzip', LIMIT)?.body).toEqual(most)
    const more = await encode(makeNoise(LIMIT + 1), 'gzip')
    expect(decodeContent(more, 'gzip', LIMIT)).toBeUndefined()
  })

  it('has at most a hundred bytes for each encoded one', async () => {
    const zeros = (length: number) => encode(new Uint8Array(length), 'deflate')
    // 30,000 bytes need 42, and 2,000 need 20.
    expect((await zeros(30_000)).length * 100).toBeLessThan(30_000)
    expect(decodeContent(await zeros(30_000), 'deflate', LIMIT)).toBeUndefined()
    expect((await zeros(1900)).length * 100).toBeGreaterThanOrEqual(1900)
    expect(decodeContent(await zeros(1900), 'deflate', LIMIT)?.body).toEqual(new Uint8Array(1900))
  })

  it('is not made whole if it is too large', async () => {
    const bomb = await encode(new Uint8Array(64 * KIB * KIB), 'gzip')
    expect(decodeContent(bomb, 'gzip', LIMIT)).toBeUndefined()
    expect(decodeContent(await encode(bomb, 'gzip'), 'gzip, gzip', LIMIT)).toBeUndefined()
  })
})
