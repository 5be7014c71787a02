// Numbers in documents are doubles (IEEE 754). A number that would silently become 0 or infinity is rejected.

/**
 * The value that replaces a number which no double can represent. Schemas reject infinity, so the caller gets an error.
 * JSON.parse also reads 1e400 as infinity.
 */
const NO_DOUBLE = Number.POSITIVE_INFINITY

/**
 * Whether a number would be written as 0 after it was read as a double, although it is not 0: 1e-400, or -0, which
 * would lose its sign.
 *
 * @param number Text of the number in JSON or XML
 */
function becomesZero(number: string): boolean {
  if (Number(number) !== 0) return false
  const [significand = ''] = number.split(/e/i, 1)
  return significand.startsWith('-') || /[1-9]/.test(significand)
}

/**
 * The double nearest to a number; infinity if the number is too large for a double, or would become 0 or lose its sign.
 */
export function toDouble(number: string): number {
  return becomesZero(number) ? NO_DOUBLE : Number(number)
}
