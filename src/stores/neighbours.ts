import { sql } from 'drizzle-orm'
import { build, type Database, type Placeholders, prepare } from '../db/port.ts'
import { planets } from '../db/tables.ts'

/** The ids of the planets before and after a planet; null if there is none. */
export interface Neighbours {
  previous: number | null
  next: number | null
}

const neighboursOf = prepare(({ id }: Placeholders<{ id: number }>) =>
  build
    .select({
      previous: sql<number | null>`(select max(${planets.id}) from ${planets} where ${planets.id} < ${id})`,
      next: sql<number | null>`(select min(${planets.id}) from ${planets} where ${planets.id} > ${id})`,
    })
    .from(sql`(select 1)`),
)

/** Finds the planets beside an id in the order of ids. One round trip. */
export async function findNeighbours(db: Database, id: number): Promise<Neighbours> {
  const [row] = await db.read(neighboursOf({ id }))
  return row ?? { previous: null, next: null }
}
