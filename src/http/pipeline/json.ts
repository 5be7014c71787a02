import { ProblemError } from '../../domain/problems.ts'
import { becomesZero } from '../../lib/doubles.ts'
import { rewriteNumbers } from '../../lib/exact-json.ts'

/** A number that JSON.parse reads as infinity, which no schema takes. */
const TOO_GREAT = '1e999'

/**
 * Reads a JSON text (RFC 8259). Of duplicate keys the last counts. A number that no double can hold becomes infinity.
 *
 * @throws ProblemError 400
 */
export function parseJson(text: string): unknown {
  if (text.trim() === '') throw new ProblemError('malformed-body', 'The body is empty. Send a JSON document.')
  try {
    // First as it was sent: only so the error of a broken text names the right position.
    const value: unknown = JSON.parse(text)
    const { rewritten } = rewriteNumbers(text, (number) => (becomesZero(number) ? TOO_GREAT : number))
    return rewritten === text ? value : JSON.parse(rewritten)
  } catch (error) {
    throw new ProblemError('malformed-body', `The body is not valid JSON: ${describe(error, text)}.`)
  }
}

/** What the parser says of the place. It quotes the body too, which may be long or secret: that is left out. */
function describe(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : ''
  if (/^(Unexpected end|Unterminated)/.test(message)) return 'it ends too early'
  const place = /JSON at (position \d+(?: \(line \d+ column \d+\))?)$/.exec(message)?.[1]
  if (Number(/\d+/.exec(place ?? '')?.[0]) >= text.trimEnd().length) return 'it ends too early'
  return place ? `unexpected character at ${place}` : 'unexpected character'
}
