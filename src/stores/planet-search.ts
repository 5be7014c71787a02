import { eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { cutPage, SMALL_MAX_BYTES } from '../db/pages.ts'
import { totalOf } from '../db/ranks.ts'
import { PLANETS_SEARCH, planets } from '../db/tables.ts'
import { PAGE_MAX_BYTES } from '../schemas/page.ts'
import type { PlanetQuery, PlanetSort } from '../schemas/planet-query.ts'
import { joinContents, planetRow } from './pages.ts'
import { bytesOf } from './planets.ts'
import type { StoredPlanet } from './stored-planet.ts'

// A filter passes over all planets twice: once to count, and once for the page. Both passes read only an index with
// everything that they need. What a page shows is read for its planets alone.

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

/** A page of the planets that match a filter. */
export interface FoundPlanets {
  rows: (StoredPlanet & { position: PlanetPosition })[]
  /** How many planets match. */
  total: number
  /** How many of them come before the page. */
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

/**
 * A page of the planets that match a filter, cut at PAGE_MAX_BYTES. One round trip.
 *
 * @param limit The maximum number of planets of the page
 */
export async function searchPlanets(
  db: Database,
  filter: PlanetFilter,
  limit: number,
  start: PageStart,
): Promise<FoundPlanets> {
  const order = filter.sort && ORDERS[filter.sort]
  const [[counts], rows] = await db.batch([
    countMatches(db, filter, order, start),
    pageOf(db, filter, order, limit, start),
  ])
  return {
    rows: joinContents(cutPage(rows, bytesOf)).map(({ key, ...row }) => ({
      ...row,
      position: { key: order && key, id: row.id },
    })),
    total: counts?.total ?? 0,
    offset: 'offset' in start ? start.offset : (counts?.before ?? 0),
  }
}

function countMatches(db: Database, filter: PlanetFilter, order: Order | undefined, start: PageStart) {
  const conditions = matches(filter)
  const isBefore = 'offset' in start ? sql`false` : sql`not ${isAfter(order, start.after)}`
  const before = sql<number>`count(*) filter (where ${isBefore})`.as('before')
  // The number of all planets is known without a pass.
  if (conditions.length === 0 && 'offset' in start)
    return db.select({ total: totalOf('planets').as('total'), before }).from(sql`(select 1)`)
  return db
    .select({ total: sql<number>`count(*)`.as('total'), before })
    .from(ALL)
    .where(all(conditions))
}

function pageOf(db: Database, filter: PlanetFilter, order: Order | undefined, limit: number, start: PageStart) {
  const conditions = [...matches(filter), ...('after' in start ? [isAfter(order, start.after)] : [])]
  const offset = 'offset' in start ? start.offset : 0
  const ids = db
    .$with('page', { pageId: sql<number>`page_id`.as('page_id') })
    .as(sql`select id as page_id from ${inOrder(order, all(conditions))} limit ${limit} offset ${offset}`)
  // The cross join keeps the order of the page: SQLite never changes the order of its loops.
  return db
    .with(ids)
    .select({
      ...planetRow(mayKeepFoundRow),
      key: sql<string | number | null>`${order?.key ?? sql`null`}`.as('key'),
    })
    .from(ids)
    .crossJoin(planets)
    .where(eq(planets.id, sql`page_id`))
}

/** Whether `cutPage` may keep a row, as `mayKeepRow` says for lists in order of id. */
const mayKeepFoundRow = sql`(planets.bytes <= ${SMALL_MAX_BYTES} or planets.id in (
  select id from (
    select measured.id, measured.bytes, sum(measured.bytes) over (rows unbounded preceding) as running
    from page cross join planets as measured where measured.id = page_id)
  where running <= ${PAGE_MAX_BYTES} or running = bytes))`

/**
 * The ids that meet a condition, in order. If SQLite saw a limit with the order, it would keep the best rows in a tree
 * and look at it for each row, which costs as many rows again. The second part of the query, which is empty, makes it
 * sort all of them at once and read only those that are needed.
 */
function inOrder(order: Order | undefined, where: SQL): SQL {
  if (!order) return sql`(select planets.id from ${ALL} where ${where} order by planets.id)`
  return sql`(
    select planets.id, ${order.key} as place from ${ALL} where ${where}
    union all select null, null where false order by place ${directionOf(order)}, id)`
}

const directionOf = ({ isDescending }: Order) => (isDescending ? sql`desc` : sql`asc`)

/** Whether a planet comes after a position. */
function isAfter(order: Order | undefined, { key, id }: PlanetPosition): SQL {
  if (!order) return sql`planets.id > ${id}`
  const beyond = order.isDescending ? sql`<` : sql`>`
  return sql`(${order.key} ${beyond} ${key} or (${order.key} = ${key} and planets.id > ${id}))`
}

/** What a planet must meet. */
function matches({ name, types, minHabitabilityIndex }: PlanetFilter): SQL[] {
  return [
    ...(name === '' ? [] : [sql`instr(${LOWER_NAME}, lower(${name})) > 0`]),
    ...(types.length === 0 ? [] : [sql`${TYPE} in ${types}`]),
    ...(minHabitabilityIndex === undefined ? [] : [sql`${INDEX} >= ${minHabitabilityIndex}`]),
  ]
}

const all = (conditions: readonly SQL[]) =>
  conditions.length === 0 ? sql`true` : sql.join([...conditions], sql` and `)
