import { writeFigure } from '../../src/site/explorer/axis-figures.ts'

// The ticks of an axis: round numbers, at most as many as there is room for.

/** A power of ten as people write it, if it is too long as a number. */
const POWERS_FROM = 6
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/**
 * The values of a logarithmic axis that get a line.
 *
 * @param from Decimal logarithm
 * @param to Decimal logarithm
 */
export function listLogarithmicTicks(from: number, to: number, countMax: number): number[] {
  const decades = to - from
  // In such a small part of a decade, round numbers are as far apart as on a linear axis.
  if (decades < 0.7) return listLinearTicks(10 ** from, 10 ** to, countMax)
  const mantissas = decades * 3 <= countMax ? [1, 2, 5] : [1]
  const step = Math.max(1, Math.ceil(decades / countMax))
  const ticks: number[] = []
  for (let exponent = Math.floor(from / step) * step; exponent <= to; exponent += step) {
    ticks.push(...mantissas.map((mantissa) => mantissa * 10 ** exponent))
  }
  return ticks.filter((tick) => Math.log10(tick) >= from && Math.log10(tick) <= to)
}

/** The values of a linear axis that get a line. */
export function listLinearTicks(from: number, to: number, countMax: number): number[] {
  const rough = (to - from) / Math.max(1, countMax)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5].find((multiple) => multiple * power >= rough) ?? 10)
  const first = Math.ceil(from / step)
  const count = Math.floor(to / step) - first + 1
  return Array.from({ length: Math.max(0, count) }, (_, index) => (first + index) * step)
}

/** A tick as people read it. */
export function writeTick(value: number, isYear: boolean): string {
  if (isYear) return Number.isInteger(value) ? String(value) : ''
  const exponent = Math.round(Math.log10(value))
  const isPower = value > 0 && Math.abs(value / 10 ** exponent - 1) < 1e-9
  if (isPower && exponent >= POWERS_FROM)
    return `10${[...String(exponent)].map((digit) => SUPERSCRIPTS[Number(digit)]).join('')}`
  return writeFigure('radius', value)
}
