// The figures of planets, for the explorer: its page and its script both show them. This file runs in browsers too.

/** A figure that can be an axis of the picture and a column of the table. */
export interface Figure {
  label: string
  /** As a word; empty if the figure has none. */
  unit: string
  /** Short, for headers of columns. */
  symbol: string
  /** Figures that span orders of magnitude are shown on logarithmic axes. */
  isLogarithmic: boolean
}

export const FIGURES = {
  period: {
    label: 'Orbital period',
    unit: 'days',
    symbol: 'days',
    isLogarithmic: true,
  },
  axis: {
    label: 'Semi-major axis',
    unit: 'astronomical units',
    symbol: 'au',
    isLogarithmic: true,
  },
  radius: { label: 'Radius', unit: 'Earth radii', symbol: 'Earth = 1', isLogarithmic: true },
  mass: { label: 'Mass', unit: 'Earth masses', symbol: 'Earth = 1', isLogarithmic: true },
  temperature: { label: 'Temperature', unit: 'kelvin', symbol: 'K', isLogarithmic: true },
  gravity: { label: 'Gravity', unit: 'Earth gravities', symbol: 'Earth = 1', isLogarithmic: true },
  eccentricity: { label: 'Eccentricity', unit: '', symbol: '', isLogarithmic: false },
  habitability: {
    label: 'Habitability',
    unit: 'index from 0 to 1',
    symbol: '0 to 1',
    isLogarithmic: false,
  },
  year: { label: 'Year of discovery', unit: '', symbol: '', isLogarithmic: false },
} as const satisfies Record<string, Figure>

export type FigureName = keyof typeof FIGURES

// The keys of an object literal are its names.
export const FIGURE_NAMES = Object.keys(FIGURES) as readonly FigureName[]

/** The figures in the table. The others are on the page of a planet. */
export const TABLE_FIGURES = ['period', 'axis', 'radius', 'mass', 'temperature', 'habitability', 'year'] as const

/** A figure as people read it. A dash, if it is not known. */
export function writeFigure(name: FigureName, value: number | null): string {
  if (value === null) return '–'
  return name === 'year' ? String(value) : value.toLocaleString('en-US', { maximumSignificantDigits: 4 })
}

/** The label of a figure with its unit, as the title of an axis. */
export function titleOf(name: FigureName): string {
  const { label, unit } = FIGURES[name]
  return unit === '' ? label : `${label} (${unit})`
}

/** A number of planets as people read it. */
export function writeCount(count: number): string {
  return count.toLocaleString('en-US')
}
