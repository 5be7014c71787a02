import { basePathOf } from '../../domain/base-url.ts'
import { isRepresentationWanted, makeValidators, tagContent, validatorHeaders } from '../../http/conditions.ts'
import { describePage, type PageMeta, pageHeaders } from '../../http/pagination.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { FORMATS } from '../../http/pipeline/formats.ts'
import { writeEnvelope, writeItems } from '../../http/pipeline/page-writer.ts'
import { reply, WrittenBody } from '../../http/pipeline/reply.ts'
import { definedEntries } from '../../lib/objects.ts'
import { type Planet, PlanetPage } from '../../schemas/planet.ts'
import type { PlanetField, PlanetQuery } from '../../schemas/planet-query.ts'
import { presentPlanet } from '../../schemas/present-planet.ts'
import { type FoundPlanets, type PlanetFilter, searchPlanets } from '../../stores/planet-search.ts'
import { listPlanets, listPlanetsAfter } from '../../stores/planets.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { requireSearchesLeft } from './search-limit.ts'

// The list of planets, whichever way a request says what it wants.

/** A query in its shortest form: what means the same is the same. */
interface Wanted {
  filter: PlanetFilter
  /** Empty: all members. */
  fields: readonly PlanetField[]
  limit: number
  offset: number | undefined
  cursor: string | undefined
}

/** Writes the URL of a page, without the base path. */
export type WriteUrl = (query: UrlQuery) => string

type UrlQuery = Partial<Omit<PlanetQuery, 'limit'>> & { limit: number }

/** As parameters of `GET /planets`. */
export const asParameters: WriteUrl = ({ type = [], fields, ...others }) => {
  const single = definedEntries({ ...others, fields: fields?.join() }).map(([name, value]) => [name, String(value)])
  const parameters = [...single, ...type.map((value) => ['type', value])]
  return `/planets?${new URLSearchParams(parameters.toSorted(inOrder))}`
}

/** The order of parameters in a URL: the filter, then the page. */
const PARAMETERS = ['name', 'type', 'minHabitabilityIndex', 'sort', 'fields', 'limit', 'offset', 'cursor']
const inOrder = ([a = '']: string[], [b = '']: string[]) => PARAMETERS.indexOf(a) - PARAMETERS.indexOf(b)

/** As JSON in the query string of `GET /planets/search`. */
export const asQueryString: WriteUrl = (query) => `/planets/search?${encodeURIComponent(JSON.stringify(query))}`

/**
 * The page of planets that a query asks for.
 *
 * @param writeUrl Writes the URLs of other pages
 * @returns The reply, and what the URL of this page says
 * @throws ProblemError 400 if the cursor is not one of this list, 412, or 429
 */
export async function replyPlanets(query: PlanetQuery, context: RequestContext, writeUrl: WriteUrl) {
  const wanted = simplify(query)
  const list = { filter: wanted.filter, services: context.services }
  const found = await find(wanted, list, context)
  const format = FORMATS[context.format]
  const shown = found.rows.map((row) => choose(presentPlanet(row, context.imageBaseUrl), wanted.fields))
  const items = writeItems(shown, PlanetPage, format)
  const last = found.rows[items.length - 1]
  const hasMore = last !== undefined && found.offset + items.length < found.total
  const nextCursor = hasMore ? await writeCursor(list, last.position) : null
  const basePath = basePathOf(context.baseUrl)
  const urlOf = (place: Pick<UrlQuery, 'offset' | 'cursor'>) => basePath + writeUrl({ ...filterOf(wanted), ...place })
  const { meta, headers } = describe(wanted, found, items.length, nextCursor, urlOf)
  const text = writeEnvelope(items, { meta: { ...meta, nextCursor } }, PlanetPage, format)
  const bytes = new TextEncoder().encode(text)
  const validators = makeValidators({ etag: await tagContent(bytes, context.format) }, context)
  if (!isRepresentationWanted(context.headers, validators, context.now))
    return reply(304, undefined, validatorHeaders(validators))
  return reply(200, new WrittenBody<PlanetPage>(context.format, bytes), {
    ...headers,
    ...validatorHeaders(validators),
  })
}

/** The URL of `GET /planets` for the same page as a query (RFC 10008: the equivalent resource). */
export function equivalentUrl(query: PlanetQuery, { baseUrl }: RequestContext): string {
  const wanted = simplify(query)
  const place = wanted.cursor === undefined ? { offset: wanted.offset ?? 0 } : { cursor: wanted.cursor }
  return baseUrl + asParameters({ ...filterOf(wanted), ...place })
}

function simplify({
  name = '',
  type = [],
  minHabitabilityIndex,
  sort,
  fields = [],
  limit,
  offset,
  cursor,
}: PlanetQuery): Wanted {
  return {
    filter: { name, types: [...new Set(type)].sort(), minHabitabilityIndex, sort },
    fields: [...new Set(fields)].sort(),
    limit,
    offset,
    cursor,
  }
}

/** What the URLs of all pages of a list say. */
function filterOf({ filter: { name, types, minHabitabilityIndex, sort }, fields, limit }: Wanted): UrlQuery {
  const members = {
    name: name === '' ? undefined : name,
    type: types.length === 0 ? undefined : [...types],
    minHabitabilityIndex,
    sort,
    fields: fields.length === 0 ? undefined : [...fields],
    limit,
  }
  return Object.fromEntries(definedEntries<unknown>(members)) as UrlQuery
}

/** Reads the planets of the page. A page without filter and order reads no other planets. */
async function find(
  wanted: Wanted,
  list: Parameters<typeof readCursor>[0],
  context: RequestContext,
): Promise<FoundPlanets> {
  const { filter, limit, offset = 0, cursor } = wanted
  const { db } = context.session
  const after = cursor === undefined ? undefined : await readCursor(list, cursor)
  const isFree = filter.name === '' && filter.types.length === 0 && filter.minHabitabilityIndex === undefined
  if (isFree && filter.sort === undefined) {
    const page = after
      ? await listPlanetsAfter(db, { limit, after: after.id })
      : { ...(await listPlanets(db, { limit, offset })), offset }
    return { ...page, rows: page.rows.map((row) => ({ ...row, position: { key: undefined, id: row.id } })) }
  }
  await requireSearchesLeft(context)
  return await searchPlanets(db, filter, limit, after ? { after } : { offset })
}

/** The members that a planet always has. */
const ALWAYS: readonly PlanetField[] = ['id', 'name', 'lastUpdated']

function choose(planet: Planet, fields: readonly PlanetField[]): Planet {
  if (fields.length === 0) return planet
  const chosen = Object.entries(planet).filter(([name]) => [...ALWAYS, ...fields].some((field) => field === name))
  // These members have all that the schema requires.
  return Object.fromEntries(chosen) as Planet
}

function describe(
  { limit, cursor }: Wanted,
  { total, offset }: FoundPlanets,
  count: number,
  nextCursor: string | null,
  urlOf: (place: { offset: number } | { cursor: string }) => string,
): { meta: PageMeta; headers: Record<string, string> } {
  if (cursor === undefined) return describePage((start) => urlOf({ offset: start }), { limit, offset }, count, total)
  const next = nextCursor === null ? null : urlOf({ cursor: nextCursor })
  const links = [`<${urlOf({ offset: 0 })}>; rel="first"`, ...(next === null ? [] : [`<${next}>; rel="next"`])]
  return { meta: { limit, offset, total, next }, headers: pageHeaders(links, { limit, offset, total }) }
}
