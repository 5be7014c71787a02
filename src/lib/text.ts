/** The first character that XML 1.0 (section 2.2, Char) cannot carry: most controls, lone surrogates, U+FFFE, U+FFFF. */
const UNSERIALISABLE = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u
const UNSERIALISABLE_ALL = new RegExp(UNSERIALISABLE, 'gu')

/**
 * Finds a character that could not be written in every format of the service, so that nothing like it is ever stored.
 *
 * @returns Its name, such as `U+0000`, or undefined where the text has none.
 */
export function findUnserialisable(text: string): string | undefined {
  const codePoint = UNSERIALISABLE.exec(text)?.[0].codePointAt(0)
  return codePoint === undefined ? undefined : `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`
}

/** Puts U+FFFD in the place of every character that could not be written in every format. */
export function replaceUnserialisable(text: string): string {
  return text.replaceAll(UNSERIALISABLE_ALL, '\uFFFD')
}

/** Length of a text as its readers count it: in code points, not UTF-16 units. */
export function countCodePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

const UTF_8 = new TextEncoder()

/** Length of a text in bytes of UTF-8, as the database has it. */
export function countBytes(text: string): number {
  return UTF_8.encode(text).byteLength
}

/**
 * The text of bytes, with its byte-order mark, if it has one.
 *
 * @param isCut Whether the bytes may end within a character, which is then left out
 * @returns Undefined where they are no UTF-8
 */
export function decodeUtf8(bytes: Uint8Array, isCut = false): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut })
  } catch {
    return undefined
  }
}
