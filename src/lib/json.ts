import { parse } from 'lossless-json'
import { toDouble } from './doubles.ts'

/** A number that `JSON.stringify` writes as it was sent (the proposal "JSON.parse source text access"). */
export interface RawNumber {
  readonly rawJSON: string
}

/** The value of a JSON text in which no number has lost a digit. */
export type JsonValue = string | number | boolean | null | RawNumber | JsonValue[] | { [name: string]: JsonValue }

declare global {
  interface JSON {
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
  }
}

/** Numbers that are kept as texts: each takes many times the memory of its text. */
const RAW_NUMBERS_MAX = 20_000
/** Levels of objects and arrays. A text with more is not parsed, as everywhere in the service. */
const LEVELS_MAX = 64

/**
 * Parses a JSON text (RFC 8259). Of duplicate keys, the last one counts. A number that a double would change into 0 or into
 * infinity becomes infinity, which no schema accepts.
 *
 * @throws SyntaxError; RangeError if the text is nested so deep that the stack ends
 */
export function parseDoubles(text: string): unknown {
  return parse(text, undefined, { parseNumber: toDouble, onDuplicateKey: lastValue })
}

/**
 * Parses a JSON text (RFC 8259) so that every number can be written as it was sent. Of duplicate keys, the last one counts.
 *
 * @returns Undefined if the text is not JSON, is nested too deep, or has too many numbers that a double would change
 */
export function parseExactJson(text: string): JsonValue | undefined {
  let rawNumbers = 0
  const parseNumber = (number: string): number | RawNumber => {
    if (String(Number(number)) === number) return Number(number)
    if (++rawNumbers > RAW_NUMBERS_MAX) throw new RangeError('the text has too many numbers that a double would change')
    return JSON.rawJSON(number)
  }
  try {
    // The parser knows no types of what it returns: these are those of JSON, and what `parseNumber` makes.
    const value = parse(text, undefined, { parseNumber, onDuplicateKey: lastValue }) as JsonValue
    return isNestedDeeper(value, LEVELS_MAX) ? undefined : value
  } catch {
    return undefined
  }
}

function lastValue({ newValue }: { newValue: unknown }): unknown {
  return newValue
}

function isNestedDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return false
  return levels === 0 || Object.values(value).some((member) => isNestedDeeper(member, levels - 1))
}
