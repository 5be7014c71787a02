/** A piece of a text: words, or code. */
export interface TextPiece {
  isCode: boolean
  text: string
}

/** A text, in which code stands between backticks. Backticks in quotation marks are those of a caller. */
export function splitCode(text: string): TextPiece[] {
  const pieces = text.matchAll(/`(`|[^`]+)`|(?:"(?:[^"\\]|\\.)*"|[^`])+|`/g)
  return [...pieces].map(([words, code]) => ({ isCode: code !== undefined, text: code ?? words }))
}
