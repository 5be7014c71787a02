// Texts and JSON as literals of programming languages.

/**
 * Characters that cannot be seen, or that change how the characters beside them are shown (for example in which
 * direction). A copy from a page may lose them.
 */
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Writes a character as an escape sequence, which is the same in JavaScript, Python and Go. */
function escapeCharacter(character: string): string {
  return SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Writes the characters of INVISIBLE as escape sequences. @param kept Characters that stay as they are */
export function escapeInvisible(text: string, kept = '', writeEscape = escapeCharacter): string {
  return text.replaceAll(INVISIBLE, (character) => (kept.includes(character) ? character : writeEscape(character)))
}

type QuotationMark = '"' | "'"

/** A text between quotation marks, in JavaScript, Python or Go. */
export function quote(text: string, mark: QuotationMark): string {
  return mark + escapeInvisible(text.replaceAll('\\', '\\\\').replaceAll(mark, `\\${mark}`)) + mark
}

/**
 * A text between the usual quotation marks of a language, or between the other kind if this saves escapes: if the text
 * contains the usual mark and not the other one.
 */
export function quoteEither(text: string, usual: QuotationMark): string {
  const other = usual === '"' ? "'" : '"'
  return quote(text, text.includes(usual) && !text.includes(other) ? other : usual)
}

/** Whether a text has several lines, so that a literal with several lines is easier to read. */
export function hasLines(text: string): boolean {
  return text.includes('\n')
}

/** Whether a text has characters of INVISIBLE. @param kept Characters that do not count */
export function hasInvisible(text: string, kept: string): boolean {
  return escapeInvisible(text, kept) !== text
}

/**
 * Parses a JSON object or array (or null), if JSON.stringify writes the value exactly as the text has it, apart from
 * white space: the same numbers and escape sequences, and the members in the same order.
 *
 * @returns Undefined if the text is not such a JSON text, or if it contains `__proto__`: in an object literal of
 * JavaScript, this name sets the prototype
 */
export function parseFaithfully(text: string): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isFaithful =
      typeof value === 'object' && !text.includes('__proto__') && compact(text) === JSON.stringify(value)
    return isFaithful ? { value } : undefined
  } catch {
    return undefined
  }
}

/** JSON without white space between its tokens. */
function compact(text: string): string {
  // Each match is a string, which stays, or white space, which does not.
  return text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
}

/** Indents all lines of a text but the first. */
export function indentRest(text: string, indentation: string): string {
  return text.replaceAll('\n', `\n${indentation}`)
}

/**
 * A text in which each character stands for one byte of the UTF-8 of `text`. Some libraries accept header values only
 * in this form.
 */
export function toByteString(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text))
}

/** Encodes the name of a field or a file in a form as browsers do (HTML, multipart form data). */
export function encodeFormName(name: string): string {
  return name.replaceAll(/["\r\n]/g, encodeURIComponent)
}
