import { findUnserialisable, replaceUnserialisable } from '../lib/text.ts'

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** White space (XML 1.0, section 2.3), which is less than `\s`. */
export const SPACE = '[ \\t\\r\\n]'

/** A reference to a character, which is all that a document without a DOCTYPE can refer to (XML 1.0, section 4.1). */
export const REFERENCE = '&(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9A-Fa-f]+);'

/**
 * Puts the characters in the place of the references to them.
 *
 * @param text in which each `&` begins a `REFERENCE`
 * @returns undefined where one refers to what is no character
 */
export function resolveReferences(text: string): string | undefined {
  let isWhole = true
  const resolved = text.replaceAll(/&(?:#x([0-9A-Fa-f]+)|#([0-9]+)|([a-z]+));/g, (_, hexadecimal, decimal, name) => {
    if (name !== undefined) return NAMED[name] ?? ''
    const codePoint = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16)
    const character = codePoint > 0x10_ff_ff ? '\0' : String.fromCodePoint(codePoint)
    if (findUnserialisable(character)) isWhole = false
    return character
  })
  return isWhole ? resolved : undefined
}

/**
 * Writes a text as the content of an element. A carriage return would be read as a line feed (XML 1.0, section 2.11); what
 * XML cannot carry at all becomes U+FFFD, which only an error that repeats a request can need.
 */
export function escapeText(text: string): string {
  return replaceUnserialisable(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;')
}
