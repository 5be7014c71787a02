import { writeFigure } from '../../src/site/explorer/axis-figures.ts'

// The ticks of an axis: round numbers, at most as many as there is room for.

/** From this exponent on, a power of ten is written as a power, because the number would be too long. */
const POWERS_FROM = 6
/** How much a computed power of ten may differ from the exact one, as a fraction. */
const ROUNDING_ERROR_MAX = 1e-9
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** An axis that shows less than this has the ticks of a linear axis, because round numbers are almost evenly spaced. */
const LINEAR_BELOW_DECADES = 0.7

/** The multiples of powers of ten that are round. */
const ROUND_MULTIPLES = [1, 2, 5]

/**
 * The values of a logarithmic axis that get a line.
 *
 * @param from Decimal logarithm
 * @param to Decimal logarithm
 */
export function listLogarithmicTicks(from: number, to: number, countMax: number): number[] {
  const decades = to - from
  if (decades < LINEAR_BELOW_DECADES) return listLinearTicks(10 ** from, 10 ** to, countMax)
  const multiples = decades * ROUND_MULTIPLES.length <= countMax ? ROUND_MULTIPLES : [1]
  const exponentStep = Math.max(1, Math.ceil(decades / countMax))
  const ticks: number[] = []
  for (let exponent = Math.floor(from / exponentStep) * exponentStep; exponent <= to; exponent += exponentStep) {
    ticks.push(...multiples.map((multiple) => multiple * 10 ** exponent))
  }
  return ticks.filter((tick) => Math.log10(tick) >= from && Math.log10(tick) <= to)
}

/** The values of a linear axis that get a line. */
export function listLinearTicks(from: number, to: number, countMax: number): number[] {
  const stepMin = (to - from) / Math.max(1, countMax)
  const power = 10 ** Math.floor(Math.log10(stepMin))
  const step = power * (ROUND_MULTIPLES.find((multiple) => multiple * power >= stepMin) ?? 10)
  const first = Math.ceil(from / step)
  const count = Math.floor(to / step) - first + 1
  return Array.from({ length: Math.max(0, count) }, (_, index) => (first + index) * step)
}

export function writeTick(value: number, isYear: boolean): string {
  if (isYear) return Number.isInteger(value) ? String(value) : ''
  const exponent = Math.round(Math.log10(value))
  const isPower = value > 0 && Math.abs(value / 10 ** exponent - 1) < ROUNDING_ERROR_MAX
  if (isPower && exponent >= POWERS_FROM)
    return `10${[...String(exponent)].map((digit) => SUPERSCRIPTS[Number(digit)]).join('')}`
  // All figures but the year are written in the same way.
  return writeFigure('radius', value)
}
