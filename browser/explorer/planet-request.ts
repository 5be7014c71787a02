import type { ShownRequest } from '../../src/design/shown-request.ts'
import type { PlanetField, PlanetQuery, PlanetSort } from '../../src/schemas/planet-query.ts'
import { FIGURES } from '../../src/site/explorer/axis-figures.ts'
import { COLUMNS, type ColumnName, ROWS_PER_PAGE } from '../../src/site/explorer/columns.ts'
import { KIND_NAMES } from '../../src/site/explorer/planets.ts'
import { urlOf } from '../lib/base.ts'
import { searchedText } from './filters.ts'
import type { State } from './url-state.ts'

// The request for a page of the table. The API takes the same query in three ways, and the person chooses one.

/** How the query is sent. */
export type Dress = 'parameters' | 'search' | 'query'

/** Where a page begins. */
export type Place = { offset: number } | { cursor: string }

type Query = Partial<PlanetQuery>

/** What the table shows of a planet, beside its id. */
const FIELDS: PlanetField[] = ['name', 'type', 'tags', 'habitabilityIndex', 'discoveredAt', 'physicalProperties']

/** The columns by which the API sorts. */
const SORTS: Partial<Record<ColumnName, { ascending: PlanetSort; descending: PlanetSort }>> = {
  name: { ascending: 'name', descending: '-name' },
  habitability: { ascending: 'habitabilityIndex', descending: '-habitabilityIndex' },
}

/** Registry: the ways in which the query can be sent, and their labels. */
export const DRESSES: Readonly<Record<Dress, { label: string; write: (query: Query) => ShownRequest }>> = {
  parameters: { label: 'GET /planets', write: asParameters },
  search: { label: 'GET /planets/search', write: asQueryString },
  query: { label: 'QUERY /planets', write: asContent },
}

/** The request for a page of the table that a state describes. */
export function requestOf(
  { filters, sort }: Pick<State, 'filters' | 'sort'>,
  place: Place,
  dress: Dress,
): ShownRequest {
  const { habitabilityMin } = filters
  const name = searchedText(filters.name)
  const kinds = chosenKinds(filters)
  const order = sort && SORTS[sort.column]
  return DRESSES[dress].write({
    ...(name !== '' && { name }),
    ...(kinds.length > 0 && { type: kinds.filter((kind) => kind !== 'unknown') }),
    ...(habitabilityMin > 0 && { minHabitabilityIndex: habitabilityMin }),
    ...(order && { sort: sort.isDescending ? order.descending : order.ascending }),
    fields: FIELDS,
    limit: ROWS_PER_PAGE,
    ...('offset' in place && place.offset === 0 ? {} : place),
  })
}

/**
 * What a state asks for that the API cannot do, in words such as `filter by host star`. Only then the table is made from
 * the planets that the page has loaded for its picture. The picture itself is made from them always: it needs the
 * figures of all planets at once, and follows each key, while a page of the API has at most 100 planets.
 */
export function listLacks({ filters, sort }: Pick<State, 'filters' | 'sort'>): string[] {
  const { host, method, from, to } = filters
  const column = COLUMNS.find(({ name }) => name === sort?.column)
  return [
    ...(searchedText(host) === '' ? [] : ['filter by host star']),
    ...(method === '' ? [] : ['filter by discovery method']),
    ...(from === undefined && to === undefined ? [] : [`filter by ${FIGURES.year.label.toLowerCase()}`]),
    ...(chosenKinds(filters).includes('unknown') ? ['find planets without a type'] : []),
    ...(column && !SORTS[column.name] ? [`sort by ${column.label.toLowerCase()}`] : []),
  ]
}

/** The request with which the page has loaded all planets. */
export function catalogueRequest(): ShownRequest {
  return { method: 'GET', url: urlOf('/catalogue'), headers: [] }
}

/** A request as a text that can be copied: the method and the address, then headers and content if there are any. */
export function writeRequest({ method, url, headers, body }: ShownRequest): string {
  const lines = [`${method} ${url}`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  return body && 'text' in body ? [...lines, '', body.text].join('\n') : lines.join('\n')
}

/** If every kind is chosen, that is the same as none. */
function chosenKinds({ kinds }: State['filters']): State['filters']['kinds'] {
  return kinds.length === KIND_NAMES.length ? [] : kinds
}

function asParameters({ type = [], fields = [], ...others }: Query): ShownRequest {
  const { limit, offset, cursor, ...filter } = others
  const query = new URLSearchParams()
  const add = (members: object) => {
    for (const [name, value] of Object.entries(members)) if (value !== undefined) query.append(name, String(value))
  }
  add(filter)
  for (const kind of type) query.append('type', kind)
  add({ fields: fields.join(), limit, offset, cursor })
  // A comma needs no escape in a query (RFC 3986, section 3.4), and is easier to read.
  return read(`/planets?${query.toString().replaceAll('%2C', ',')}`)
}

function asQueryString(query: Query): ShownRequest {
  return read(`/planets/search?${encodeURIComponent(JSON.stringify(query))}`)
}

function asContent(query: Query): ShownRequest {
  const headers = [['Content-Type', 'application/json']] as const
  return { method: 'QUERY', url: urlOf('/planets'), headers, body: { text: JSON.stringify(query) } }
}

function read(path: string): ShownRequest {
  return { method: 'GET', url: urlOf(path), headers: [] }
}
