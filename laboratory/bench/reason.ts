/** A piece of a reason: a text, or code. */
export interface ReasonPiece {
  isCode: boolean
  text: string
}

/** A reason, in which code stands between backticks. Backticks in quotation marks are those of the caller. */
export function readReason(reason: string): ReasonPiece[] {
  const pieces = reason.matchAll(/`(`|[^`]+)`|(?:"(?:[^"\\]|\\.)*"|[^`])+|`/g)
  return [...pieces].map(([text, code]) => ({ isCode: code !== undefined, text: code ?? text }))
}
