import { FIGURE_NAMES, type FigureName } from '../../src/site/explorer/axis-figures.ts'
import { COLUMNS, type ColumnName } from '../../src/site/explorer/columns.ts'
import { KIND_NAMES, METHODS } from '../../src/site/explorer/planets.ts'
import { type Filters, NO_FILTERS } from './filters.ts'
import type { View } from './view.ts'

// The state of the explorer as the query of its URL, so that a view can be shared and survives a reload. Default values
// are left out. Invalid values are ignored.

export interface State {
  x: FigureName
  y: FigureName
  filters: Filters
  /** What the picture shows; undefined if it shows everything. */
  view: View | undefined
  /** The id of the planet that has the focus in the picture. */
  planet: number | undefined
  sort: { column: ColumnName; isDescending: boolean } | undefined
  /** The number of planets before the page of the table. */
  offset: number
}

export const FIRST_STATE: State = {
  x: 'period',
  y: 'radius',
  filters: NO_FILTERS,
  view: undefined,
  planet: undefined,
  sort: undefined,
  offset: 0,
}

/** The maximum length of a searched text, in characters. */
const TEXT_MAX = 100
/** The significant digits of the corners of a view, so that the URL stays short. */
const VIEW_DIGITS = 6

export function readState(query: URLSearchParams): State {
  return {
    x: readOne(query.get('x'), FIGURE_NAMES) ?? FIRST_STATE.x,
    y: readOne(query.get('y'), FIGURE_NAMES) ?? FIRST_STATE.y,
    filters: readFilters(query),
    view: readView(query.get('view')),
    planet: readInteger(query.get('planet')),
    sort: readSort(query.get('sort')),
    offset: readInteger(query.get('offset')) ?? 0,
  }
}

function readFilters(query: URLSearchParams): Filters {
  const kinds = query.get('type')?.split(',')
  const habitabilityMin = Number(query.get('habitable'))
  return {
    kinds: KIND_NAMES.filter((kind) => kinds?.includes(kind)),
    name: query.get('q')?.slice(0, TEXT_MAX) ?? '',
    host: query.get('host')?.slice(0, TEXT_MAX) ?? '',
    method: readOne(query.get('method'), Object.keys(METHODS)) ?? '',
    from: readInteger(query.get('from')),
    to: readInteger(query.get('to')),
    habitabilityMin: habitabilityMin > 0 && habitabilityMin <= 1 ? habitabilityMin : 0,
  }
}

/** The query of a state, with a question mark; empty for the default state. */
export function writeState({ x, y, filters, view, planet, sort, offset }: State): string {
  const entries: [string, string | number | undefined][] = [
    ['x', x === FIRST_STATE.x ? '' : x],
    ['y', y === FIRST_STATE.y ? '' : y],
    ['type', filters.kinds.join()],
    ['q', filters.name],
    ['host', filters.host],
    ['method', filters.method],
    ['from', filters.from],
    ['to', filters.to],
    ['habitable', filters.habitabilityMin || ''],
    ['view', view && writeView(view)],
    ['planet', planet],
    ['sort', sort && `${sort.isDescending ? '-' : ''}${sort.column}`],
    ['offset', offset || ''],
  ]
  const query = new URLSearchParams()
  for (const [name, value] of entries) if (value !== undefined && value !== '') query.set(name, String(value))
  // A comma needs no escape in a query (RFC 3986, section 3.4), and is easier to read.
  const text = query.toString().replaceAll('%2C', ',')
  return text === '' ? '' : `?${text}`
}

function readOne<Name extends string>(text: string | null, names: readonly Name[]): Name | undefined {
  return names.find((name) => name === text)
}

function readInteger(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

function readSort(text: string | null): State['sort'] {
  const isDescending = text?.startsWith('-') ?? false
  const column = readOne(
    text?.replace(/^-/, '') ?? null,
    COLUMNS.map(({ name }) => name),
  )
  return column && { column, isDescending }
}

function readView(text: string | null): View | undefined {
  const [x0, x1, y0, y1, ...others] = text?.split(',').map(readNumber) ?? []
  if (x0 === undefined || x1 === undefined || y0 === undefined || y1 === undefined || others.length > 0)
    return undefined
  const areFinite = [x0, x1, y0, y1].every(Number.isFinite)
  return areFinite && x0 < x1 && y0 < y1 ? { x0, x1, y0, y1 } : undefined
}

/** NaN for an empty text, which `Number` would read as 0. */
function readNumber(text: string): number {
  return text === '' ? Number.NaN : Number(text)
}

function writeView({ x0, x1, y0, y1 }: View): string {
  return [x0, x1, y0, y1].map((corner) => Number(corner.toPrecision(VIEW_DIGITS))).join()
}
