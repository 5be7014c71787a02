import { findUnserialisable, replaceUnserialisable } from '../lib/text.ts'

/** The characters that every document can write with a name, such as `&amp;` (XML 1.0, section 4.6). */
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** The first line of a document. */
export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

export const CODE_POINT_MAX = 0x10_ff_ff

/** Pattern for a white-space character (XML 1.0, section 2.3). `\s` would match more characters. */
export const SPACE = '[ \\t\\r\\n]'

/** Pattern for the equals sign of an attribute or of a part of the XML declaration (XML 1.0, section 2.8, Eq). */
export const EQUALS = `${SPACE}*=${SPACE}*`

/**
 * Pattern for a reference to a character. A document without a DOCTYPE can have no other references (XML 1.0, section
 * 4.1).
 */
export const REFERENCE = '&(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9A-Fa-f]+);'

/**
 * Replaces character references with the characters.
 *
 * @param text A text in which each `&` begins a `REFERENCE`
 * @returns Undefined if a reference does not name a valid character
 */
export function resolveReferences(text: string): string | undefined {
  let areAllValid = true
  const resolved = text.replaceAll(/&(?:#x([0-9A-Fa-f]+)|#([0-9]+)|([a-z]+));/g, (_, hexadecimal, decimal, name) => {
    if (name !== undefined) return NAMED[name] ?? ''
    const codePoint = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16)
    // NUL is rejected below, like any other character that XML does not allow.
    const character = codePoint > CODE_POINT_MAX ? '\0' : String.fromCodePoint(codePoint)
    if (findUnserialisable(character)) areAllValid = false
    return character
  })
  return areAllValid ? resolved : undefined
}

/**
 * Writes a text as the content of an element. A carriage return is escaped, because it would be read as a line feed
 * (XML 1.0, section 2.11). A character that XML does not allow becomes U+FFFD. That happens only in errors that quote
 * the request, because such characters are not stored.
 */
export function escapeText(text: string): string {
  return replaceUnserialisable(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;')
}

/** Writes a text as the value of an attribute. A line break would be read as a space (XML 1.0, section 3.3.3). */
export function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')
}
