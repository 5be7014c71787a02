import { eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { bodies, bodyCounts, planetCounts, planets } from './tables.ts'

// An offset counts rows, the primary key knows ids, and deletions make them differ. `OFFSET n` would read n rows to
// throw them away. Instead triggers (migrations/) count the rows in every span of 8, 64, … 32,768 ids, and the start
// of a page is found by a walk over these counts: past the buckets that lie before it, then down into the one that holds
// it. That reads at most 8 counts of each span, however deep the page lies.
const FANOUT = 8
const WIDEST = FANOUT ** 5

/** Ids up to this one are of planets, those above of all other celestial bodies: so an id alone says what it names. */
export const PLANET_ID_MAX = 1_000_000_000

/** Rows that are counted: where they are, where their counts are, and the id that counts as 0. */
const RANKED = {
  planets: { rows: planets, counts: planetCounts, counted: planetCounts.planets, origin: 0 },
  bodies: { rows: bodies, counts: bodyCounts, counted: bodyCounts.bodies, origin: PLANET_ID_MAX },
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
 * A step of the walk stands before a bucket with `skip` rows still to be passed. It ends in a bucket of one id: the
 * first id of the narrowest span that holds the row. No bucket is missing between others, for ids are given in order.
 */
export function idAtOffset(ranked: Ranked, offset: number | SQL): SQL<number | null> {
  const { rows, counts, counted, origin } = RANKED[ranked]
  const countedName = sql.identifier(counted.name)
  return sql`(
    with recursive
      walk(span, bucket, skip) as (
        values (${WIDEST}, 0, ${offset})
        union all
        select
          iif(${countedName} > skip, walk.span / ${FANOUT}, walk.span),
          iif(${countedName} > skip, walk.bucket * ${FANOUT}, walk.bucket + 1),
          iif(${countedName} > skip, skip, skip - ${countedName})
        from walk cross join ${counts} as counts
        where counts.span = walk.span and counts.bucket = walk.bucket
      ),
      leaf(first_id, skip) as materialized (select bucket + ${origin}, skip from walk where span = 1)
    select id from ${rows}
    where id >= (select first_id from leaf)
    order by id limit 1 offset coalesce((select skip from leaf), 0)
  )`
}
