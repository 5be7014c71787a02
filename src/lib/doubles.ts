// Numbers of documents are doubles (IEEE 754). What a double would silently turn into another value is refused.

/** In the place of a number that no double can hold. Schemas refuse it, as they refuse 1e400, which JSON.parse reads as this. */
const NO_DOUBLE = Number.POSITIVE_INFINITY

/**
 * Tells whether a double would turn a number into 0 (1e-400), or would lose its sign when it is written (-0).
 *
 * @param number As JSON or XML writes it
 */
function becomesZero(number: string): boolean {
  if (Number(number) !== 0) return false
  const [significand = ''] = number.split(/e/i, 1)
  return significand.startsWith('-') || /[1-9]/.test(significand)
}

/** The double nearest to a number; infinity if the number is too great for one, or becomes 0. */
export function toDouble(number: string): number {
  return becomesZero(number) ? NO_DOUBLE : Number(number)
}
