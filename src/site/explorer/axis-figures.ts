import { MEASUREMENTS } from '../measurements.ts'

// The figures of planets in the explorer. The page and its script use this file, so it runs in browsers too.

/** A figure that can be an axis of the picture and a column of the table. */
export interface Figure {
  label: string
  /** The unit; empty if the figure has none. */
  unit: string
  /** The unit in the header of a column, in a short form. An index has its range instead. Empty if there is neither. */
  shortUnit: string
  /** Whether the axis is logarithmic, because the figure spans orders of magnitude. */
  isLogarithmic: boolean
}

/** The unit of figures that are relative to Earth. */
const EARTH = 'Earth = 1'

/** Registry: the figures that can be an axis. */
export const FIGURES = {
  period: { ...MEASUREMENTS.period, shortUnit: MEASUREMENTS.period.unit, isLogarithmic: true },
  axis: { ...MEASUREMENTS.axis, shortUnit: MEASUREMENTS.axis.unit, isLogarithmic: true },
  radius: { ...MEASUREMENTS.radius, shortUnit: EARTH, isLogarithmic: true },
  mass: { ...MEASUREMENTS.mass, shortUnit: EARTH, isLogarithmic: true },
  temperature: { ...MEASUREMENTS.temperature, shortUnit: MEASUREMENTS.temperature.unit, isLogarithmic: true },
  gravity: { ...MEASUREMENTS.gravity, shortUnit: EARTH, isLogarithmic: true },
  eccentricity: { ...MEASUREMENTS.eccentricity, shortUnit: '', isLogarithmic: false },
  habitability: { ...MEASUREMENTS.habitability, shortUnit: '0 to 1', isLogarithmic: false },
  year: { label: 'Year of discovery', unit: '', shortUnit: '', isLogarithmic: false },
} as const satisfies Record<string, Figure>

export type FigureName = keyof typeof FIGURES

// The cast is safe, because an object literal has only the keys of its type.
export const FIGURE_NAMES = Object.keys(FIGURES) as readonly FigureName[]

/** The figures in the table. The others are on the page of a planet. */
export const TABLE_FIGURES = ['period', 'axis', 'radius', 'mass', 'temperature', 'habitability', 'year'] as const

/** A figure as people read it; a dash if the figure is not known. */
export function writeFigure(name: FigureName, value: number | null): string {
  if (value === null) return '–'
  return name === 'year' ? String(value) : value.toLocaleString('en-US', { maximumSignificantDigits: 4 })
}

/** The label of a figure with its unit, as the title of an axis. */
export function titleOf(name: FigureName): string {
  const { label, unit } = FIGURES[name]
  return unit === '' ? label : `${label} (${unit})`
}

export function writeCount(count: number): string {
  return count.toLocaleString('en-US')
}
