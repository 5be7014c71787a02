import type { FieldParameter } from './field.ts'
import { type Part, quote, report } from './part.ts'
import { type Bytes, findInvalid, plainText, type Slice, type Text, TextBuilder, toBytes, toText } from './text.ts'

// The encodings of texts. The names are those of IANA, with the aliases that senders use.

/** `utf-16` needs a byte order mark, which says which one of the two it is. */
export type Charset = 'utf-8' | 'utf-16' | 'utf-16be' | 'utf-16le' | 'us-ascii' | 'iso-8859-1' | 'windows-1252'

/** Registry: the names of the encodings that are read, in lower case. */
const NAMES: Readonly<Record<string, Charset | undefined>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'utf-16': 'utf-16',
  'utf-16be': 'utf-16be',
  'utf-16le': 'utf-16le',
  'us-ascii': 'us-ascii',
  ascii: 'us-ascii',
  'iso-8859-1': 'iso-8859-1',
  'iso_8859-1': 'iso-8859-1',
  latin1: 'iso-8859-1',
  l1: 'iso-8859-1',
  'windows-1252': 'windows-1252',
  cp1252: 'windows-1252',
}

/** The encoding with this name, or undefined if it is not read. */
export function charsetOf(name: Bytes): Charset | undefined {
  const key = name.toLowerCase()
  return Object.hasOwn(NAMES, key) ? NAMES[key] : undefined
}

/** The characters of windows-1252 from 0x80 to 0x9F, where it differs from ISO-8859-1. */
const WINDOWS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

/** The encoding that a byte order mark says, and the mark. */
export interface Mark {
  charset: 'utf-8' | 'utf-16be' | 'utf-16le'
  length: number
}

const MARKS = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xfe\xff', 'utf-16be'],
  ['\xff\xfe', 'utf-16le'],
] as const

/** The byte order mark that is at an offset, if there is one. */
export function markAt(bytes: Bytes, start: number): Mark | undefined {
  const found = MARKS.find(([mark]) => bytes.startsWith(mark, start))
  return found && { charset: found[1], length: found[0].length }
}

/**
 * Decodes a text. If its bytes are not legal, the first that is not is noted, and the text ends there (in UTF-8, the
 * bytes stay as they are).
 *
 * @param what What has the text, in a sentence
 */
export function decodeText(part: Part, slice: Slice, charset: Charset, what: string): Text {
  const { received } = part
  const [start, end] = slice
  const refuse = (at: number) => report(part, 'fail', at, `${what} is not in ${charset.toUpperCase()} here.`)
  if (charset === 'utf-8') {
    const invalid = findInvalid(received.slice(start, end))
    if (invalid >= 0) refuse(start + invalid)
    return plainText(received, slice)
  }
  const text = new TextBuilder()
  if (!charset.startsWith('utf-16')) {
    for (let at = start; at < end; at++) {
      const byte = received.charAt(at)
      const isHigh = byte >= '\x80'
      if (isHigh && charset === 'us-ascii') {
        refuse(at)
        return text.build(at)
      }
      const isMoved = isHigh && byte < '\xa0' && charset === 'windows-1252'
      text.add(toBytes(isMoved ? WINDOWS.charAt(byte.charCodeAt(0) - 0x80) : byte), at)
    }
    return text.build(end)
  }
  const mark = charset === 'utf-16' ? markAt(received, start) : undefined
  // Without a mark, the first byte is the higher one (RFC 2781, 4.3).
  const isLittle = (mark?.charset ?? charset) === 'utf-16le'
  const [high, low] = isLittle ? [1, 0] : [0, 1]
  const unitAt = (at: number) =>
    String.fromCharCode(received.charCodeAt(at + high) * 256 + received.charCodeAt(at + low))
  let at = start + (mark?.length ?? 0)
  while (at < end) {
    const unit = at + 2 <= end ? unitAt(at) : '\ud800'
    const character = /[\ud800-\udbff]/.test(unit) && at + 4 <= end ? unit + unitAt(at + 2) : unit
    if (!character.isWellFormed()) {
      refuse(at)
      return text.build(at)
    }
    text.add(toBytes(character), at)
    at += 2 * character.length
  }
  return text.build(end)
}

/** The encoding that a parameter names. One that is not read is noted. @param what What has it, in a sentence */
export function requireCharset(part: Part, parameter: FieldParameter, what: string): Charset | undefined {
  const charset = charsetOf(parameter.value)
  if (!charset) report(part, 'fail', parameter.at, `The charset ${quote(parameter.value)} of ${what} is not read.`)
  return charset
}

/** A text as characters, and the offset in the part of each of its UTF-16 units. */
export interface Characters {
  value: string
  at: (index: number) => number
}

/** The characters of a text in UTF-8. What is no UTF-8 becomes U+FFFD. */
export function charactersOf(text: Text): Characters {
  const value = toText(text.value)
  const offsets: number[] = []
  let bytes = 0
  for (const character of value) {
    for (let unit = 0; unit < character.length; unit++) offsets.push(text.at(bytes))
    bytes += bytesOf(character.codePointAt(0) ?? 0)
  }
  return { value, at: (index) => offsets[index] ?? text.at(text.value.length) }
}

/** How many bytes a character has in UTF-8 (RFC 3629, section 3). */
const bytesOf = (code: number): number => (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4)
