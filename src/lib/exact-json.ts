// JSON that is passed on. A number is kept as its text wherever a double would not be written in the same way again.

/** A number that is written as it came (the proposal "JSON.parse source text access", which the runtime has). */
export interface RawNumber {
  readonly rawJSON: string
}

/** What a JSON text can hold, with each number so that none of its digits is lost. */
export type JsonValue = string | number | boolean | null | RawNumber | JsonValue[] | { [name: string]: JsonValue }

declare global {
  interface JSON {
    parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): JsonValue
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
  }
}

/** Levels of objects and lists; a text with more is not read, as elsewhere in the service. */
export const LEVELS_MAX = 64

/**
 * Reads a JSON text (RFC 8259), of duplicate keys the last, so that `JSON.stringify` writes every number as it came.
 *
 * @returns Undefined where it is none, or too deep
 */
export function parseExactJson(text: string): JsonValue | undefined {
  if (levelsOf(text) > LEVELS_MAX) return undefined
  try {
    return JSON.parse(text, keepNumber)
  } catch {
    return undefined
  }
}

function keepNumber(_: string, value: unknown, { source = '' }: { source?: string }): unknown {
  return typeof value === 'number' && String(value) !== source ? JSON.rawJSON(source) : value
}

/** Counted by hand, because a text that is no JSON must not cost more than one that is. */
function levelsOf(text: string): number {
  let levels = 0
  let deepest = 0
  let isInString = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (character === '"') isInString = !isInString
    else if (isInString) index += character === '\\' ? 1 : 0
    else if (character === '[' || character === '{') deepest = Math.max(deepest, ++levels)
    else if (character === ']' || character === '}') levels--
  }
  return deepest
}
