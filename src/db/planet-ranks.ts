import { eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { planetCounts } from './tables.ts'

// An offset counts planets, the primary key knows ids, and deletions make them differ. `OFFSET n` would read n rows to
// throw them away. Instead triggers (migrations/) count the planets in every span of 8, 64, … 32,768 ids, and the start
// of a page is found by a walk over these counts: past the buckets that lie before it, then down into the one that holds
// it. That reads at most 8 counts of each span, however deep the page lies.
const FANOUT = 8
const WIDEST = FANOUT ** 5

/** The query for the number of planets: a sum over one count for each 32,768 ids. */
export function countPlanets(db: Database) {
  return db
    .select({ total: sql<number>`coalesce(sum(${planetCounts.planets}), 0)` })
    .from(planetCounts)
    .where(eq(planetCounts.span, WIDEST))
}

/**
 * The id of the planet that `offset` others precede in the order of ids; null where there is none.
 *
 * A step of the walk stands before a bucket with `skip` planets still to be passed. It ends in a bucket of one id: the
 * first id of the narrowest span that holds the planet. No bucket is missing between others, for ids are given in order.
 */
export function idAtOffset(offset: number): SQL<number | null> {
  return sql`(
    with recursive
      walk(span, bucket, skip) as (
        values (${WIDEST}, 0, ${offset})
        union all
        select
          iif(planets > skip, walk.span / ${FANOUT}, walk.span),
          iif(planets > skip, walk.bucket * ${FANOUT}, walk.bucket + 1),
          iif(planets > skip, skip, skip - planets)
        from walk cross join planet_counts as counts
        where counts.span = walk.span and counts.bucket = walk.bucket
      ),
      leaf(first_id, skip) as materialized (select bucket, skip from walk where span = 1)
    select id from planets
    where id >= (select first_id from leaf)
    order by id limit 1 offset coalesce((select skip from leaf), 0)
  )`
}
