import { eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { planetCounts, planets } from './tables.ts'

// An offset counts planets, the primary key knows ids, and deletions make them differ. `OFFSET n` would read n rows to
// throw them away. Instead triggers count the planets in every span of ids, and the start of a page is found by
// walking down from the widest span to the narrowest: at most 31 counts in each, however deep the page lies.
// The triggers in migrations/ name the same spans.
const SPANS = [32_768, 1_024, 32] as const
const WIDEST = SPANS[0]
const NARROWEST = SPANS[2]

/** The query for the number of planets: a sum over one count for each 32,768 ids. */
export function countPlanets(db: Database) {
  return db
    .select({ total: sql<number>`coalesce(sum(${planetCounts.planets}), 0)` })
    .from(planetCounts)
    .where(eq(planetCounts.span, WIDEST))
}

/** The id of the planet that `offset` others precede in the order of ids; null where there is none. */
export function idAtOffset(offset: number): SQL<number | null> {
  const steps = SPANS.map((span, depth) => descend(span, SPANS[depth - 1], offset))
  return sql`(
    with ${sql.join(steps, sql`, `)}
    select ${planets.id} from ${planets}
    where ${planets.id} >= (select bucket from ${step(NARROWEST)}) * ${NARROWEST}
    order by ${planets.id} limit 1 offset coalesce((select skip from ${step(NARROWEST)}), 0)
  )`
}

const step = (span: number) => sql.raw(`within_${span}`)

/** The bucket of `span` ids that holds the planet at `offset`, and how many planets of that bucket precede it. */
function descend(span: number, parent: number | undefined, offset: number): SQL {
  const skip = parent ? sql`(select skip from ${step(parent)})` : sql`${offset}`
  const perParent = parent && parent / span
  const within = parent
    ? sql`and bucket >= (select bucket from ${step(parent)}) * ${perParent} and bucket < ((select bucket from ${step(parent)}) + 1) * ${perParent}`
    : sql``
  return sql`${step(span)} as (
    select bucket, ${skip} - upto + planets as skip
    from (select bucket, planets, sum(planets) over (order by bucket) as upto from planet_counts where span = ${span} ${within})
    where upto > ${skip} order by bucket limit 1
  )`
}
