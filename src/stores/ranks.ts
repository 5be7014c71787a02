import { type SQL, sql } from 'drizzle-orm'
import type { Value } from '../db/port.ts'
import { celestialBodyCounts, planetCounts, planets } from '../db/tables.ts'

// These queries find the first row of a page of a list. The page begins at an offset, which counts rows. The id of the
// first row does not follow from the offset, because deletions leave gaps between the ids. Triggers (migrations/) count
// the rows in every bucket of 64, 512, 4,096 and 32,768 ids (the span of the bucket). Each count of the narrowest span
// also has a bit for each existing id. A walk over these counts finds the start of a page: it passes the buckets before
// the start, descends into the bucket that contains it, and there finds the byte and the bit. Within one wide bucket it
// reads at most 8 counts of each span, and it never reads a row.
const FANOUT = 8
const NARROWEST = FANOUT ** 2
const WIDEST = FANOUT ** 5

/** How many bits are set in the lowest byte of `present`. */
const SET_BITS_OF_BYTE = sql.raw(`(${Array.from({ length: 8 }, (_, bit) => `(present >> ${bit} & 1)`).join(' + ')})`)

/** Ids up to this one belong to planets, higher ids to all other celestial bodies. */
export const PLANET_ID_MAX = 1_000_000_000

/** For each list: the table and column with the counts of its rows, and the id that is subtracted from all ids. */
const RANKED_LISTS = {
  planets: { counts: planetCounts, countColumn: planetCounts.planets, origin: 0 },
  bodies: { counts: celestialBodyCounts, countColumn: celestialBodyCounts.bodies, origin: PLANET_ID_MAX },
} as const

type RankedList = keyof typeof RANKED_LISTS

/** SQL for the number of rows: a sum over one count for each 32,768 ids. */
export function totalOf(list: RankedList): SQL<number> {
  const { counts, countColumn } = RANKED_LISTS[list]
  // Unqualified names, because a relational query would treat a column object as a column of its own table.
  return sql`(select coalesce(sum(${sql.identifier(countColumn.name)}), 0) from ${counts} where span = ${WIDEST})`
}

/** SQL for the number of planets with an id up to this one: those of the buckets before it, and of a part of the last. */
export function planetsUpTo(id: number): SQL<number> {
  const spans = [WIDEST, WIDEST / FANOUT, WIDEST / FANOUT ** 2, NARROWEST]
  const counts = spans.map((span) => {
    const wider = span * FANOUT
    const first = span === WIDEST ? 0 : Math.floor(id / wider) * FANOUT
    return sql`(select coalesce(sum(planets), 0) from ${planetCounts}
      where span = ${span} and bucket >= ${first} and bucket < ${Math.floor(id / span)})`
  })
  const rest = sql`(select count(*) from ${planets} where id between ${id - (id % NARROWEST)} and ${id})`
  return sql`${sql.join([...counts, rest], sql` + `)}`
}

/**
 * SQL for the id of the row at an offset in the order of ids; null if the list has no such row.
 *
 * Each row of `walk` is a bucket (`found`: its number, its count and `present`), with `skip` rows left to pass. If the
 * bucket has more than `skip` rows, the walk descends into the bucket. Otherwise the walk passes the bucket. Buckets of
 * ids that were never used have no count, so the walk looks for the next one that has. In a bucket of the narrowest
 * span, `bytes` passes bytes of `present` (8 ids each). Then `bits` passes single bits, until `skip` set bits are passed
 * and the next bit is set.
 */
export function idAtOffset(list: RankedList, offset: Value<number>): SQL<number | null> {
  const { counts, countColumn, origin } = RANKED_LISTS[list]
  const firstFrom = (span: SQL, bucket: SQL) => sql`(
    select json_array(bucket, ${sql.identifier(countColumn.name)}, present) from ${counts} as counts
    where counts.span = ${span} and counts.bucket >= ${bucket} order by counts.bucket limit 1)`
  const [bucket, count, present] = [sql`found ->> 0`, sql`found ->> 1`, sql`found ->> 2`]
  const descends = sql`${count} > skip`
  const nextSpan = sql`iif(${descends}, walk.span / ${FANOUT}, walk.span)`
  const nextBucket = sql`iif(${descends}, (${bucket}) * ${FANOUT}, (${bucket}) + 1)`
  return sql`(
    with recursive
      walk(span, skip, found) as (
        values (${WIDEST}, ${offset}, ${firstFrom(sql`${WIDEST}`, sql`0`)})
        union all
        select ${nextSpan}, iif(${descends}, skip, skip - (${count})), ${firstFrom(nextSpan, nextBucket)}
        from walk where found is not null and (span > ${NARROWEST} or not ${descends})
      ),
      bytes(id, skip, present) as (
        select (${bucket}) * ${NARROWEST} + ${origin}, skip, ${present} from walk where span = ${NARROWEST} and ${descends}
        union all
        select id + 8, skip - ${SET_BITS_OF_BYTE}, present >> 8 from bytes where present <> 0 and skip >= ${SET_BITS_OF_BYTE}
      ),
      bits(id, skip, present) as (
        select id, skip, present from bytes where skip < ${SET_BITS_OF_BYTE}
        union all
        select id + 1, skip - (present & 1), present >> 1 from bits where skip > 0 or not present & 1
      )
    select id from bits where skip = 0 and present & 1
  )`
}
