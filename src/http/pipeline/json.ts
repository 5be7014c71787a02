import { ProblemError } from '../../domain/problems.ts'
import { mayHaveVanishingNumber, parseDoubles } from '../../lib/json.ts'
import { nestedTooDeeply } from '../body/input-safety.ts'

/**
 * A number that is too small for a double becomes infinity instead of 0. So it is rejected and not changed, because no
 * schema accepts infinity.
 *
 * @throws ProblemError 400
 */
export function parseJson(text: string): unknown {
  if (text.trim() === '') throw new ProblemError('malformed-body', 'The body is empty. Send a JSON document.')
  const value = parseStrictly(text)
  // Most texts have no such number. For them, the result of the engine's parser suffices, which is many times faster.
  if (!mayHaveVanishingNumber(text)) return value
  try {
    return parseDoubles(text)
  } catch (error) {
    if (error instanceof RangeError) throw nestedTooDeeply()
    throw error
  }
}

/** Parses with the engine's parser, because its errors contain the line and the column. */
function parseStrictly(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ProblemError('malformed-body', `The body is not valid JSON: ${explainSyntaxError(error, text)}.`)
  }
}

/**
 * Describes the error and its position. The engine's message is not sent, because it also quotes the body, which may be
 * long or secret.
 */
function explainSyntaxError(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : ''
  if (/^(Unexpected end|Unterminated)/.test(message)) return 'it ends too early'
  // The message can end with `in JSON at position 5 (line 1 column 6)`.
  const [, position, offset] = /JSON at (position (\d+)(?: \(line \d+ column \d+\))?)$/.exec(message) ?? []
  if (offset !== undefined && Number(offset) >= text.trimEnd().length) return 'it ends too early'
  return position ? `unexpected character at ${position}` : 'unexpected character'
}
