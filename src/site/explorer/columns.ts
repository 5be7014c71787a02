import { FIGURES, type FigureName, TABLE_FIGURES, writeFigure } from './axis-figures.ts'
import { type CataloguePlanet, KINDS } from './planets.ts'

// The columns of the table of planets. This file runs in browsers too.

/** The columns of the table, by which it can be sorted. */
export type ColumnName = 'name' | 'kind' | 'host' | (typeof TABLE_FIGURES)[number]

export interface Column {
  name: ColumnName
  label: string
  /** The `shortUnit` of the figure; empty if there is none. */
  shortUnit: string
  /** Whether a narrow screen shows the column. */
  isEssential: boolean
}

const ESSENTIAL: readonly ColumnName[] = ['name', 'period', 'radius']

export const COLUMNS: readonly Column[] = [
  makeColumn('name', 'Planet', ''),
  makeColumn('kind', 'Type', ''),
  makeColumn('host', 'Host star', ''),
  ...TABLE_FIGURES.map((name) => makeColumn(name, FIGURES[name].label, FIGURES[name].shortUnit)),
]

/** The number of planets on a page of the table. */
export const ROWS_PER_PAGE = 50

export function cellOf(planet: CataloguePlanet, name: ColumnName): string {
  if (name === 'name') return planet.name
  if (name === 'kind') return KINDS[planet.kind]
  if (name === 'host') return planet.host || '–'
  return writeFigure(name, planet.figures[name])
}

/** The value by which planets are sorted in a column; null if the value of this planet is not known. */
export function sortKeyOf(planet: CataloguePlanet, name: ColumnName): string | number | null {
  if (name === 'name') return planet.name
  if (name === 'kind') return KINDS[planet.kind]
  if (name === 'host') return planet.host || null
  return planet.figures[name]
}

export function classOf({ name, isEssential }: Column): string {
  const alignment = isFigure(name) ? 'figure' : 'words'
  return isEssential ? alignment : `${alignment} wide-only`
}

function isFigure(name: ColumnName): name is Extract<ColumnName, FigureName> {
  return name !== 'name' && name !== 'kind' && name !== 'host'
}

function makeColumn(name: ColumnName, label: string, shortUnit: string): Column {
  return { name, label, shortUnit, isEssential: ESSENTIAL.includes(name) }
}
