// JSON that is passed on. A number is kept as its text wherever a double would not be written in the same way again.

/** A number that `JSON.stringify` writes as it came (the proposal "JSON.parse source text access"). */
export interface RawNumber {
  readonly rawJSON: string
}

/** What a JSON text can hold, with each number so that none of its digits is lost. */
export type JsonValue = string | number | boolean | null | RawNumber | JsonValue[] | { [name: string]: JsonValue }

declare global {
  interface JSON {
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
  }
}

/** Numbers that are kept apart: each takes many times the memory of its text. */
const MARKS_MAX = 20_000
/** Levels of objects and lists; a text with more is not read, as elsewhere in the service. */
const LEVELS_MAX = 64

/**
 * Reads a JSON text (RFC 8259), of duplicate keys the last, so that every number can be written again as it came.
 *
 * @returns Undefined where it is none, too deep, or has too many numbers that have to be kept apart
 */
export function parseExactJson(text: string): JsonValue | undefined {
  const mark = makeMark(text)
  let marks = 0
  // A list of the mark and the text can stand only where a number can, so what is not JSON does not become JSON.
  const markNumber = (number: string) => {
    if (isKept(number) || ++marks > MARKS_MAX) return number
    return `["${mark}","${number}"]`
  }
  const { levels, rewritten: marked } = rewriteNumbers(text, markNumber)
  if (levels > LEVELS_MAX || marks > MARKS_MAX) return undefined
  try {
    const value: JsonValue = JSON.parse(marked)
    return marked === text ? value : restoreNumbers(value, mark)
  } catch {
    return undefined
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/**
 * Rewrites each number of a JSON text. A reviver of `JSON.parse` sees the texts of numbers too, but takes a second for a
 * megabyte of them.
 */
export function rewriteNumbers(
  text: string,
  rewrite: (number: string) => string,
): { levels: number; rewritten: string } {
  let rewritten = ''
  let copied = 0
  let level = 0
  let levels = 0
  let isInString = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? ''
    if (character === '"') isInString = !isInString
    else if (isInString) index += character === '\\' ? 1 : 0
    else if (character === '[' || character === '{') levels = Math.max(levels, ++level)
    else if (character === ']' || character === '}') level--
    else if (character === '-' || (character >= '0' && character <= '9')) {
      const number = numberAt(text, index)
      const replacement = rewrite(number)
      if (replacement !== number) {
        rewritten += text.slice(copied, index) + replacement
        copied = index + number.length
      }
      index += number.length - 1
    }
  }
  return { levels, rewritten: rewritten + text.slice(copied) }
}

/** A mark that the text does not have: a short one, which the engine keeps once however often it stands there. */
function makeMark(text: string): string {
  for (;;) {
    const mark = crypto.randomUUID().slice(0, MARK_LENGTH)
    if (!text.includes(mark)) return mark
  }
}

const MARK_LENGTH = 8

/** The number that begins at a place; of what is none the first character. */
function numberAt(text: string, index: number): string {
  NUMBER.lastIndex = index
  return NUMBER.exec(text)?.[0] ?? text.charAt(index)
}

/** Whether a double is written as this number; the minus alone is none. */
function isKept(number: string): boolean {
  return number === '-' || String(Number(number)) === number
}

/** In place, because a large document would else be there twice. */
function restoreNumbers(value: JsonValue, mark: string): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) return restoreMembers(value, mark)
  if (value[0] === mark) return JSON.rawJSON(String(value[1]))
  for (const [index, item] of value.entries()) value[index] = restoreNumbers(item, mark)
  return value
}

function restoreMembers(members: object, mark: string): JsonValue {
  // Object.fromEntries takes __proto__ for a name like any other.
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, restoreNumbers(value, mark)]))
}
