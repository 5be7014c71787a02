// Numbers in documents are doubles (IEEE 754). A number that would silently become 0 or infinity is rejected.

/**
 * The value that replaces a number which no double can represent. Schemas reject infinity, so the caller gets an error.
 * JSON.parse also reads 1e400 as infinity.
 */
const NO_DOUBLE = Number.POSITIVE_INFINITY

/** The value that replaces -0, which would lose its sign. Schemas reject it too. JSON Patch compares it as 0. */
const NEGATIVE_ZERO = Number.NaN

/**
 * The double nearest to a number. It is infinity if the number is too large for a double or would become 0 (1e-400), and
 * NaN if the number is -0.
 *
 * @param number Text of the number in JSON or XML
 */
export function toDouble(number: string): number {
  const double = Number(number)
  if (double !== 0) return double
  const [significand = ''] = number.split(/e/i, 1)
  if (/[1-9]/.test(significand)) return NO_DOUBLE
  return significand.trim().startsWith('-') ? NEGATIVE_ZERO : 0
}
