/**
 * A character that XML 1.0 does not allow (section 2.2, Char): most control characters, lone surrogates, U+FFFE and
 * U+FFFF.
 */
const UNSERIALISABLE = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u
const UNSERIALISABLE_ALL = new RegExp(UNSERIALISABLE, 'gu')

/**
 * Finds a character that can be written in JSON but not in XML. Such characters must never be stored.
 *
 * @returns Its name, such as `U+0000`; undefined if the text has none
 */
export function findUnserialisable(text: string): string | undefined {
  const codePoint = UNSERIALISABLE.exec(text)?.[0].codePointAt(0)
  return codePoint === undefined ? undefined : `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`
}

/** Replaces every character that cannot be written in XML with U+FFFD. */
export function replaceUnserialisable(text: string): string {
  return text.replaceAll(UNSERIALISABLE_ALL, '\uFFFD')
}

/** Length of a text in code points, not in UTF-16 units. */
export function countCodePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

const UTF_8 = new TextEncoder()

/** Maximum number of bytes that one UTF-16 code unit takes in UTF-8. */
export const CODE_UNIT_MAX_BYTES = 3

/** Length of a text in bytes of UTF-8, which is its size in the database. */
export function countBytes(text: string): number {
  return UTF_8.encode(text).byteLength
}

/**
 * Decodes UTF-8. A byte-order mark is kept.
 *
 * @param isCut Whether the bytes may end within a character, which is then omitted
 * @returns Undefined if the bytes are not UTF-8
 */
export function decodeUtf8(bytes: Uint8Array, isCut = false): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut })
  } catch {
    return undefined
  }
}

/** Whether a text is percent-encoded UTF-8. Otherwise it would be read as another text. */
export function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Characters beyond ASCII at which some programs split lines: next line, line separator and paragraph separator. */
const UNICODE_LINE_BREAK = /[\u0085\u2028\u2029]/g

/**
 * Escapes the line breaks that `JSON.stringify` leaves as they are. The result has the same meaning, and is one line
 * for every reader.
 *
 * @param json JSON without white space between its tokens
 */
export function escapeLineBreaks(json: string): string {
  return json.replace(UNICODE_LINE_BREAK, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * Writes a list as part of a sentence: "A, B, and C" or, as a disjunction, "A, B, or C". The formatter is created for
 * each list and not when the Worker starts, because the first one takes 15 ms of CPU time.
 */
export function writeList(items: readonly string[], type: 'conjunction' | 'disjunction' = 'conjunction'): string {
  return new Intl.ListFormat('en', { type }).format(items)
}

/** Escapes what is not ASCII, as JSON does in its texts. @param json JSON */
export function escapeNonAscii(json: string): string {
  return json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
