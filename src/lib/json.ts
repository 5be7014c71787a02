import { parse } from 'lossless-json'
import { toDouble } from './doubles.ts'

/**
 * A number that `JSON.stringify` writes exactly as it was sent (ECMAScript proposal "JSON.parse source text access").
 */
interface RawNumber {
  readonly rawJSON: string
}

/** The value of a JSON text, in which every number has kept all its digits. */
export type JsonValue = string | number | boolean | null | RawNumber | JsonValue[] | { [name: string]: JsonValue }

declare global {
  interface JSON {
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
  }
}

/** Maximum number of `RawNumber`s in a text, because each of them takes many times the memory of its digits. */
const RAW_NUMBERS_MAX = 20_000
/** Maximum nesting of objects and arrays in every document that the service reads, in JSON or XML. */
export const LEVELS_MAX = 64

// A number that begins with -0, a number with a negative exponent, or a number with so many zeros after the point that
// it can be too small for a double.
const MAY_VANISH = /(?:^|[\s:,[])-0|\d[eE]-\d|\.0{300}/

/**
 * Whether a JSON text may have a number that a double would change to 0 or to -0. Also true for some texts without such
 * a number, for example if the number is in a string.
 */
export function mayHaveVanishingNumber(text: string): boolean {
  return MAY_VANISH.test(text)
}

/**
 * Parses a JSON text (RFC 8259). If a key is duplicated, its last value is used. A number that a double would change to
 * 0 or infinity becomes infinity, which no schema accepts.
 *
 * @throws SyntaxError; RangeError if the nesting is so deep that the stack overflows
 */
export function parseDoubles(text: string): unknown {
  return parse(text, undefined, { parseNumber: toDouble, onDuplicateKey: lastValue })
}

/**
 * Parses a JSON text (RFC 8259) so that every number can be written as it was sent. If a key is duplicated, its last
 * value is used.
 *
 * @returns Undefined if the text is not JSON, is nested too deeply, or needs too many `RawNumber`s
 */
export function parseExactJson(text: string): JsonValue | undefined {
  let rawNumberCount = 0
  const parseNumber = (number: string): number | RawNumber => {
    if (String(Number(number)) === number) return Number(number)
    rawNumberCount++
    if (rawNumberCount > RAW_NUMBERS_MAX) throw new RangeError('the text needs too many raw numbers')
    return JSON.rawJSON(number)
  }
  try {
    // The parser does not type its result, which consists of JSON types and the results of `parseNumber`.
    const value = parse(text, undefined, { parseNumber, onDuplicateKey: lastValue }) as JsonValue
    return isNestedDeeper(value, LEVELS_MAX) ? undefined : value
  } catch {
    return undefined
  }
}

/** The parser calls this function if a key is duplicated, and uses its result: the later value. */
function lastValue({ newValue }: { newValue: unknown }): unknown {
  return newValue
}

/** Whether objects and arrays are nested more than `levels` levels deep. */
function isNestedDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return false
  return levels === 0 || Object.values(value).some((member) => isNestedDeeper(member, levels - 1))
}
