// Texts and JSON as literals of programming languages.

/**
 * Characters that cannot be seen, or that change how their neighbours are shown, such as a change of the direction of
 * writing. Copying from a page may lose them.
 */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Writes a character as an escape sequence, which is the same in JavaScript, Python and Go. */
function escapeCharacter(character: string): string {
  return SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Writes what cannot be seen as escape sequences. @param kept Characters that stay as they are */
export function escapeUnseen(text: string, kept = '', writeEscape = escapeCharacter): string {
  return text.replaceAll(UNSEEN, (character) => (kept.includes(character) ? character : writeEscape(character)))
}

type Mark = '"' | "'"

/** A text between quotes, in JavaScript, Python or Go. */
export function quote(text: string, mark: Mark): string {
  return mark + escapeUnseen(text.replaceAll('\\', '\\\\').replaceAll(mark, `\\${mark}`)) + mark
}

/** A text between the usual quotes of a language, or between the others if the text contains only the usual ones. */
export function quoteEither(text: string, usual: Mark): string {
  const other = usual === '"' ? "'" : '"'
  return quote(text, text.includes(usual) && !text.includes(other) ? other : usual)
}

/** Whether a text is easier to read in several lines than with escape sequences. */
export function hasLines(text: string): boolean {
  return text.includes('\n')
}

/** Whether a text has characters, other than line breaks, that should be escape sequences. */
export function hasUnseen(text: string, kept = '\n'): boolean {
  return escapeUnseen(text, kept) !== text
}

/** Whether a text is JSON that keeps its meaning in a program: numbers as they are, and members in their order. */
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
  return text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
}

/** Indents all lines of a text but the first. */
export function indentRest(text: string, indentation: string): string {
  return text.replaceAll('\n', `\n${indentation}`)
}

/** The UTF-8 bytes of a text as a text with a character for each. Some libraries take header values only like this. */
export function toByteString(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text))
}

/** Encodes the name of a field or a file in a form as browsers do (HTML, multipart form data). */
export function encodeFormName(name: string): string {
  return name.replaceAll(/["\r\n]/g, encodeURIComponent)
}
