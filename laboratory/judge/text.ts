/**
 * Bytes, as a string with a character (U+0000 to U+00FF) for each byte. So an index is an offset in bytes, and regular
 * expressions work on what is no UTF-8.
 */
export type Bytes = string

/** A decoded text, and where each of its bytes came from. */
export interface Text {
  value: Bytes
  /** The offset in the part that is judged. `at(value.length)` is the end of the text. */
  at: (index: number) => number
}

/** A range of a part: the offset of its first byte, and the one after its last. */
export type Slice = readonly [start: number, end: number]

/** More arguments than this may be too many for one call. */
const CODES_AT_ONCE = 8192

export function fromCodes(codes: Uint8Array | readonly number[]): Bytes {
  const pieces: string[] = []
  for (let i = 0; i < codes.length; i += CODES_AT_ONCE) {
    // To spread a typed array takes several times as long.
    pieces.push(Reflect.apply(String.fromCharCode, undefined, codes.slice(i, i + CODES_AT_ONCE)))
  }
  return pieces.join('')
}

/** The UTF-8 of a text. A lone surrogate becomes U+FFFD. */
export const toBytes = (text: string): Bytes => fromCodes(new TextEncoder().encode(text))

export function toCodes(bytes: Bytes): Uint8Array {
  const codes = new Uint8Array(bytes.length)
  for (let i = 0; i < bytes.length; i++) codes[i] = bytes.charCodeAt(i)
  return codes
}

/** The text of UTF-8. What is no UTF-8 becomes U+FFFD. */
export function toText(bytes: Bytes): string {
  return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(toCodes(bytes))
}

/** Whether a code is that of a byte inside a character of UTF-8, and not its first. */
export const isContinuation = (code: number): boolean => (code & 0xc0) === 0x80

/** The index of the first character of UTF-8 in which a text differs from the expected one, or -1. */
export function findDifference(actual: Bytes, expected: Bytes): number {
  if (actual === expected) return -1
  let index = 0
  while (index < expected.length && actual.charCodeAt(index) === expected.charCodeAt(index)) index++
  while (isContinuation(expected.charCodeAt(index))) index--
  return index
}

/** The index of the first character that is no UTF-8 (RFC 3629), or -1. */
export const findInvalid = (bytes: Bytes): number => findDifference(bytes, toBytes(toText(bytes)))

/** A text that is written as it is. */
export const plainText = (bytes: Bytes, [start, end]: Slice): Text => ({
  value: bytes.slice(start, end),
  at: (index) => start + index,
})

/** A text that grows piece by piece, each from one place. */
export class TextBuilder {
  readonly #pieces: Bytes[] = []
  readonly #starts: number[] = []

  add(bytes: Bytes, at: number): void {
    this.#pieces.push(bytes)
    for (let i = 0; i < bytes.length; i++) this.#starts.push(at)
  }

  /** @param end The offset of the end of the text */
  build(end: number): Text {
    const starts = this.#starts
    return { value: this.#pieces.join(''), at: (index) => starts[index] ?? end }
  }
}

const SPACE = /[ \t\r\n]/

export function trim(bytes: Bytes, [start, end]: Slice): Slice {
  let [first, last] = [start, end]
  while (first < last && SPACE.test(bytes.charAt(first))) first++
  while (last > first && SPACE.test(bytes.charAt(last - 1))) last--
  return [first, last]
}

/** The ranges between separators, one by one. There is at least one, which may be empty. @param separator With `g` */
export function* split(bytes: Bytes, [start, end]: Slice, separator: RegExp): Generator<Slice> {
  let from = start
  for (const match of bytes.slice(start, end).matchAll(separator)) {
    yield [from, start + match.index]
    from = start + match.index + match[0].length
  }
  yield [from, end]
}
