import { eq, type SQL, sql } from 'drizzle-orm'
import { build, type Database } from '../db/port.ts'
import { PLANETS_SEARCH, planets } from '../db/tables.ts'
import { PAGE_MAX_BYTES } from '../schemas/page.ts'
import type { PlanetQuery, PlanetSort } from '../schemas/planet-query.ts'
import { cutPage, SMALL_MAX_BYTES } from './cut-page.ts'
import { joinContents, planetRow, planetsOf } from './pages.ts'
import { bytesOf } from './planets.ts'
import { totalOf } from './ranks.ts'
import type { StoredPlanet } from './stored-planet.ts'

// A filter reads an index of all planets once, whatever it finds. What it finds is read once more in its order, which
// counts it and finds the page. What a page shows is read for its planets alone.

/** Which planets are wanted, and their order. */
export interface PlanetFilter {
  /** A part of the name; ASCII letters match without case. Empty: every name. */
  name: string
  /** Empty: every planet. */
  types: readonly NonNullable<PlanetQuery['type']>[number][]
  /** The lowest habitability index; undefined: every planet. */
  minHabitabilityIndex: number | undefined
  /** Undefined: in order of id. */
  sort: PlanetSort | undefined
}

/** The place of a planet in an order: what it is sorted by, and its id. */
export interface PlanetPosition {
  /** Undefined in the order of id. */
  key: string | number | null | undefined
  id: number
}

/** Where a page begins: after so many planets, or after a position. */
export type PageStart = { offset: number } | { after: PlanetPosition }

export interface FoundPlanets {
  rows: (StoredPlanet & { position: PlanetPosition })[]
  /** How many planets match. */
  total: number
  offset: number
}

// As the index has them (db/tables.ts). SQLite finds an index only by the same expressions.
const NAME = sql`(planets.properties ->> '$.name')`
const TYPE = sql`(planets.properties ->> '$.type')`
const INDEX = sql`(planets.properties ->> '$.habitabilityIndex')`
const ALL = sql`planets indexed by ${sql.identifier(PLANETS_SEARCH)}`

/** `lower` changes ASCII letters only, and SQLite compares the bytes of UTF-8: the order of code points. */
const LOWER_NAME = sql`lower(${NAME})`

/** An order: what is compared before the id, and whether the highest comes first. */
interface Order {
  key: SQL
  isDescending: boolean
}

/** Registry: the orders. A planet without index has one beyond the others, which are from 0 to 1, so it comes last. */
const ORDERS: Readonly<Record<PlanetSort, Order>> = {
  name: { key: LOWER_NAME, isDescending: false },
  '-name': { key: LOWER_NAME, isDescending: true },
  habitabilityIndex: { key: sql`coalesce(${INDEX}, 2)`, isDescending: false },
  '-habitabilityIndex': { key: sql`coalesce(${INDEX}, -1)`, isDescending: true },
}

/** A page of the planets that match a filter, cut at PAGE_MAX_BYTES. One round trip. */
export async function searchPlanets(
  db: Database,
  filter: PlanetFilter,
  limit: number,
  start: PageStart,
): Promise<FoundPlanets> {
  const order = filter.sort && ORDERS[filter.sort]
  const [found, page] = findPage(filter, order, limit, start)
  const rows = await db.read(
    build
      .with(found, page)
      .select({
        total: sql<number>`found.total`,
        before: sql<number>`found.before`,
        planet: planetRow(mayKeepFoundRow).when(sql`${planets.id} is not null`).column().as('planet'),
        key: sql<string | number | null>`${order?.key ?? sql`null`}`.as('key'),
      })
      .from(found)
      // SQLite never changes the order of the loops of a left join, so the planets keep the order of the page. Without
      // planets, there is one row.
      .leftJoin(page, sql`true`)
      .leftJoin(planets, eq(planets.id, sql`page.page_id`)),
  )
  const [first] = rows
  return {
    rows: joinContents(cutPage(planetsOf(rows), bytesOf)).map((row, index) => ({
      ...row,
      position: { key: order && rows[index]?.key, id: row.id },
    })),
    total: first?.total ?? 0,
    offset: 'offset' in start ? start.offset : (first?.before ?? 0),
  }
}

/** An id as two characters, of at most 3 bytes of UTF-8 each: the code points of surrogates begin at 55,296. */
const ID_RADIX = 55_000
const ID_AS_TEXT = sql.raw(`char(id / ${ID_RADIX} + 1, id % ${ID_RADIX} + 1)`)
const idAt = (text: SQL) => sql`(unicode(${text}) - 1) * ${ID_RADIX} + unicode(substr(${text}, 2)) - 1`

/** As many ids are joined to one text at most. The strings of D1 have at most 2,000,000 bytes. */
const JOINED_MAX = Math.floor(2_000_000 / 6)

/**
 * `found` is one row: how many planets match, how many of them come before a position, and the ids of the page as a text.
 * `page` is a row for each of these ids.
 *
 * To find a page by OFFSET and to count besides would be a pass more, because OFFSET reads what it skips. So the ids of
 * all that match are joined to one text, of which the page is a part. If there are too many planets for a text, OFFSET
 * finds the page. It also does in a list that is sorted but not filtered: how many there are is known without a pass.
 */
function findPage(filter: PlanetFilter, order: Order | undefined, limit: number, start: PageStart) {
  const conditions = matches(filter)
  const offset = 'offset' in start ? start.offset : 0
  const isBeyond = 'after' in start ? isAfter(order, start.after) : sql`true`
  const isCounted = conditions.length > 0 || 'after' in start
  const isJoined = isCounted ? sql`${totalOf('planets')} <= ${JOINED_MAX}` : sql`false`
  const ordered = inOrder(order, conditions)
  const found = isCounted
    ? sql`select count(*) as total, count(*) filter (where not ${isBeyond}) as before,
        substr(group_concat(${ID_AS_TEXT}, '') filter (where ${isBeyond} and ${isJoined}), ${2 * offset + 1}, ${2 * limit})
          as ids
      from ${ordered}`
    : sql`select ${totalOf('planets')} as total, 0 as before, null as ids`
  const positions = JSON.stringify(Array.from({ length: limit }, (_, position) => position))
  const page = sql`
    select ${idAt(sql`substr(ids, 2 * value + 1, 2)`)} as page_id
    from found cross join json_each(${positions}) where 2 * value < length(ids)
    union all
    select id from (select id from ${ordered} where ${isBeyond} limit iif(${isJoined}, 0, ${limit}) offset ${offset})`
  return [build.$with('found', {}).as(found), build.$with('page', {}).as(page)] as const
}

/** Whether `cutPage` may keep a row, as `mayKeepRow` says for lists in order of id. */
const mayKeepFoundRow = sql`(planets.bytes <= ${SMALL_MAX_BYTES} or planets.id in (
  select id from (
    select measured.id, measured.bytes, sum(measured.bytes) over (rows unbounded preceding) as running
    from page cross join planets as measured where measured.id = page_id)
  where running <= ${PAGE_MAX_BYTES} or running = bytes))`

/**
 * The ids of the planets that meet all conditions, in order, and what they are sorted by. If SQLite saw a limit with the
 * order, it would keep the best rows in a tree and look at it for each row, which costs as many rows again. The second
 * part of the query, which is empty, makes it sort all of them at once and read only those that are needed.
 */
function inOrder(order: Order | undefined, conditions: readonly SQL[]): SQL {
  const where = conditions.length === 0 ? sql`true` : sql.join([...conditions], sql` and `)
  if (!order) return sql`(select planets.id, null as place from ${ALL} where ${where} order by planets.id)`
  return sql`(
    select planets.id, ${order.key} as place from ${ALL} where ${where}
    union all select null, null where false order by place ${directionOf(order)}, id)`
}

const directionOf = ({ isDescending }: Order) => (isDescending ? sql`desc` : sql`asc`)

function isAfter(order: Order | undefined, { key, id }: PlanetPosition): SQL {
  if (!order) return sql`id > ${id}`
  const beyond = order.isDescending ? sql`<` : sql`>`
  return sql`(place ${beyond} ${key} or (place = ${key} and id > ${id}))`
}

function matches({ name, types, minHabitabilityIndex }: PlanetFilter): SQL[] {
  return [
    ...(name === '' ? [] : [sql`instr(${LOWER_NAME}, lower(${name})) > 0`]),
    ...(types.length === 0 ? [] : [sql`${TYPE} in ${types}`]),
    ...(minHabitabilityIndex === undefined ? [] : [sql`${INDEX} >= ${minHabitabilityIndex}`]),
  ]
}
