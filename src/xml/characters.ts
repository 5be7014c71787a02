import { findUnserialisable, replaceUnserialisable } from '../lib/text.ts'

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** White space (XML 1.0, section 2.3), which has fewer characters than `\s`. */
export const SPACE = '[ \\t\\r\\n]'

/** A character reference, the only kind that is possible in a document without a DOCTYPE (XML 1.0, section 4.1). */
export const REFERENCE = '&(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9A-Fa-f]+);'

/**
 * Replaces character references with the characters.
 *
 * @param text A text in which each `&` begins a `REFERENCE`
 * @returns Undefined if a reference does not name a valid character
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
