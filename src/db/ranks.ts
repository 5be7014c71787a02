import { eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { celestialBodyCounts, planetCounts } from './tables.ts'

// An offset counts rows, the primary key knows ids, and deletions make them differ. `OFFSET n` would read n rows to
// throw them away. Instead triggers (migrations/) count the rows in every span of 64, 512, 4,096 and 32,768 ids, and the
// narrowest counts have a bit for each id that there is. The start of a page is found by a walk over these counts: past the
// buckets that lie before it, then down into the one that holds it, and there to the byte and the bit. That reads at most 8
// counts of each span, however deep the page lies, and no row.
const FANOUT = 8
const NARROWEST = FANOUT ** 2
const WIDEST = FANOUT ** 5

/** How many bits are set in the lowest byte of `present`. */
const BITS_OF_BYTE = sql.raw(`(${Array.from({ length: 8 }, (_, place) => `(present >> ${place} & 1)`).join(' + ')})`)

/** Ids up to this one are of planets, those above of all other celestial bodies: so an id alone says what it names. */
export const PLANET_ID_MAX = 1_000_000_000

/** Where the counts of rows are, and the id that counts as 0. */
const RANKED = {
  planets: { counts: planetCounts, counted: planetCounts.planets, origin: 0 },
  bodies: { counts: celestialBodyCounts, counted: celestialBodyCounts.bodies, origin: PLANET_ID_MAX },
} as const

type Ranked = keyof typeof RANKED

/** The number of rows: a sum over one count for each 32,768 ids. */
export function totalOf(ranked: Ranked): SQL<number> {
  const { counts, counted } = RANKED[ranked]
  // By their bare names: a relational query takes every column that it is given for one of its own table.
  return sql`(select coalesce(sum(${sql.identifier(counted.name)}), 0) from ${counts} where span = ${WIDEST})`
}

/** The query for the number of planets. */
export function countPlanets(db: Database) {
  return db
    .select({ total: sql<number>`coalesce(sum(${planetCounts.planets}), 0)` })
    .from(planetCounts)
    .where(eq(planetCounts.span, WIDEST))
}

/**
 * The id of the row that `offset` others precede in the order of ids; null where there is none.
 *
 * A step of the walk stands before a bucket with `skip` rows still to be passed. It ends inside a bucket of the narrowest
 * span, with that bucket's bits: of these it passes bytes, then bits. No bucket is missing between others, for ids are given in order.
 */
export function idAtOffset(ranked: Ranked, offset: number | SQL): SQL<number | null> {
  const { counts, counted, origin } = RANKED[ranked]
  const countedName = sql.identifier(counted.name)
  return sql`(
    with recursive
      walk(span, bucket, skip, present) as (
        values (${WIDEST}, 0, ${offset}, 0)
        union all
        select
          iif(${countedName} > skip, walk.span / ${FANOUT}, walk.span),
          iif(${countedName} > skip, walk.bucket * ${FANOUT}, walk.bucket + 1),
          iif(${countedName} > skip, skip, skip - ${countedName}),
          counts.present
        from walk cross join ${counts} as counts
        where counts.span = walk.span and counts.bucket = walk.bucket
      ),
      bytes(id, skip, present) as (
        select bucket * ${NARROWEST / FANOUT} + ${origin}, skip, present from walk where span < ${NARROWEST}
        union all
        select id + 8, skip - ${BITS_OF_BYTE}, present >> 8 from bytes where present <> 0 and skip >= ${BITS_OF_BYTE}
      ),
      bits(id, skip, present) as (
        select id, skip, present from bytes where skip < ${BITS_OF_BYTE}
        union all
        select id + 1, skip - (present & 1), present >> 1 from bits where skip > 0 or not present & 1
      )
    select id from bits where skip = 0 and present & 1
  )`
}
