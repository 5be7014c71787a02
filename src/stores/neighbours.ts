import { sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { type Placeholders, prepare } from '../db/prepared.ts'
import { planets } from '../db/tables.ts'

/** The ids of the planets before and after a planet; null if there is none. */
export interface Neighbours {
  previous: number | null
  next: number | null
}

const neighboursOf = prepare((db, { id }: Placeholders<{ id: number }>) =>
  db
    .select({
      previous: sql<number | null>`(select max(${planets.id}) from ${planets} where ${planets.id} < ${id})`,
      next: sql<number | null>`(select min(${planets.id}) from ${planets} where ${planets.id} > ${id})`,
    })
    .from(sql`(select 1)`),
)

/** Finds the planets beside an id in the order of ids. One round trip. */
export async function findNeighbours(db: Database, id: number): Promise<Neighbours> {
  const [row] = await neighboursOf(db, { id })
  return row ?? { previous: null, next: null }
}
