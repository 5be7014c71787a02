import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MalformedMultipart, MultipartReader, PART_HEAD_MAX_BYTES, type PartField } from '../../../src/lib/multipart.ts'
import { eachRow } from '../../support/each-row.ts'
import {
  ACCEPTED_BOUNDARIES,
  MULTIPART_BODIES,
  type RawPart,
  REFUSED_BOUNDARIES,
  UNFINISHED,
} from '../../support/multipart-forms.ts'
import { bytesOf } from '../../support/pictures.ts'

const latin1 = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes)

/** The parts of a body that arrives in pieces. @returns What is wrong with it, if it is malformed */
function read(pieces: readonly Uint8Array[], boundary = 'x'): RawPart[] | string {
  const parts: RawPart[] = []
  let fields: readonly PartField[] = []
  let content: string[] = []
  try {
    const reader = new MultipartReader(boundary, {
      begin(found) {
        fields = found
        content = []
      },
      take: (bytes) => void content.push(latin1(bytes)),
      end: () => void parts.push({ fields, content: content.join('') }),
    })
    for (const piece of pieces) reader.write(piece)
    reader.end()
    return parts
  } catch (error) {
    if (error instanceof MalformedMultipart) return error.message
    throw error
  }
}

const HELLO: RawPart = { fields: [], content: 'hello' }

describe('a multipart body', () => {
  it('is read, wherever it is split', () =>
    eachRow(MULTIPART_BODIES, ([, body, expected]) => {
      const bytes = bytesOf(body)
      expect(read([bytes])).toEqual(expected)
      for (let at = 0; at <= bytes.length; at++) {
        expect(read([bytes.subarray(0, at), bytes.subarray(at)]), `split at ${at}`).toEqual(expected)
      }
      expect(read(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected)
    }))

  it('of any parts is read as it was written, in any pieces', () => {
    // The characters of delimiters, so that many lines almost are one.
    const text = fc.string({ unit: fc.constantFrom(...'\r\n-x y'), maxLength: 40 })
    const content = text.filter(
      (value) => !/^(?:.*\r\n)?--x[ \t]*(?:\r\n|--|$)/s.test(`\r\n${value}`) && !hasDelimiter(value),
    )
    const field = fc.constantFrom<PartField>(['a', 'b'], ['content-type', 'text/plain; charset="x"'])
    const part = fc.record({ fields: fc.array(field, { maxLength: 3 }), content })
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), fc.array(fc.nat(20)), (parts, sizes) => {
        const body = parts.map(({ fields, content }) => {
          const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`)
          return `--x\r\n${lines.join('')}\r\n${content}\r\n`
        })
        expect(read(cut(bytesOf(`${body.join('')}--x--`), sizes))).toEqual(parts)
      }),
      { numRuns: 500 },
    )
  })

  it('of 1 MiB is read in a time in proportion to its size, whatever is in it', () =>
    eachRow(
      [
        ['many empty parts', '\r\n--x\r\n\r\n', 'x'],
        ['many lines that begin like a delimiter', '\r\n--xy', 'x'],
        ['a content of the last character of the boundary', 'a', 'a'.repeat(70)],
        ['lines that are almost the longest delimiter', `\r\n--${'a'.repeat(69)}`, 'a'.repeat(70)],
        ['white space after each delimiter', `\r\n--x${' '.repeat(16_000)}\r\n\r\n`, 'x'],
        ['large fields', `\r\n--x\r\n${'A: b\r\n'.repeat(2500)}\r\n`, 'x'],
      ],
      ([, text, boundary]) => {
        // A reader that takes a quadratic time would take much longer than a test may.
        const start = `--${boundary}\r\n\r\n`
        const bytes = bytesOf(`${start}${text.repeat(Math.ceil(2 ** 20 / text.length))}\r\n--${boundary}--`)
        expect(read([bytes], boundary)).toBeInstanceOf(Array)
        expect(read(cut(bytes.subarray(0, 2 ** 18), [1, 2, 3, 5]), boundary)).toBe(UNFINISHED)
      },
    ))
})

/** Whether a content has a delimiter of the boundary `x` after its first line. */
function hasDelimiter(content: string): boolean {
  return /\r\n--x(?:--|[ \t]*\r\n|[ \t]*$)/.test(`${content}\r\n`)
}

/** Cuts bytes into pieces of these sizes, again and again. */
function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  if (sizes.every((size) => size === 0)) return [bytes]
  const pieces: Uint8Array[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return pieces
}

describe('what a part has before its content', () => {
  const FIELD = 'A: \r\n\r\n'
  it.each([
    [0, 'a part'],
    [1, 'refused'],
  ])('of the maximum size and %i bytes is %s', (more) => {
    const padding = 'a'.repeat(PART_HEAD_MAX_BYTES - FIELD.length + more)
    const result = read([bytesOf(`--x\r\nA: ${padding}\r\n\r\nhello\r\n--x--`)])
    if (more === 0) expect(result).toEqual([{ fields: [['a', padding]], content: 'hello' }])
    else expect(result).toBe(`a part has more than ${PART_HEAD_MAX_BYTES} bytes before its content`)
  })
})

describe('a boundary', () => {
  it('with every boundary that RFC 2046 allows is accepted', () =>
    eachRow(ACCEPTED_BOUNDARIES, (boundary) => {
      expect(read([bytesOf(`--${boundary}\r\n\r\nhello\r\n--${boundary}--`)], boundary)).toEqual([HELLO])
    }))

  it('with any other boundary is refused', () =>
    eachRow(REFUSED_BOUNDARIES, (boundary) => {
      expect(read([bytesOf(`--${boundary}\r\n\r\nhello\r\n--${boundary}--`)], boundary)).toContain('1 to 70 characters')
    }))
})

it.each(['y', '-y', '  y'])('a line that only begins like a delimiter, with %j, comes in one call', (rest) => {
  const counts = { calls: 0, bytes: 0 }
  const reader = new MultipartReader('x', {
    begin: () => {},
    take(content) {
      counts.calls++
      counts.bytes += content.byteLength
    },
    end: () => {},
  })
  const line = `\r\n--x${rest}`
  reader.write(bytesOf(`--x\r\n\r\n${line.repeat(1000)}\r\n--x--`))
  reader.end()
  expect(counts).toEqual({ calls: 1000, bytes: 1000 * line.length })
})

it('an error of the receiver ends the reading', () => {
  const fail = () => {
    throw new Error('enough')
  }
  const reader = new MultipartReader('x', { begin: fail, take: fail, end: fail })
  expect(() => reader.write(bytesOf('--x\r\n\r\nhello\r\n--x--'))).toThrow('enough')
})
