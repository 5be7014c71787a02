import { asc, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { type Placeholders, prepare } from '../db/prepared.ts'
import { celestialBodies, planets } from '../db/tables.ts'

/** A planet as it is stored, with its creator, and its satellites in their order. */
export type StoredPlanet = Awaited<ReturnType<typeof selectPlanet>>[number]

const { satelliteBytes: _satelliteBytes, bytes: _bytes, ...storedColumns } = getTableColumns(planets)

/** The stored columns of a planet, without those that only count bytes. */
export const PLANET_COLUMNS = storedColumns

const WITH_PARTS = {
  creator: { columns: { id: true, name: true, renamedAt: true } },
  satellites: { orderBy: asc(celestialBodies.position), columns: { id: true, properties: true } },
} as const

const planetById = prepare((db, { id }: Placeholders<{ id: number }>) =>
  db.query.planets.findMany({
    columns: { satelliteBytes: false, bytes: false },
    where: eq(planets.id, id),
    limit: 1,
    with: WITH_PARTS,
  }),
)

const planetsById = prepare((db, { ids }: Placeholders<{ ids: string }>) =>
  db.query.planets.findMany({
    columns: { satelliteBytes: false, bytes: false },
    where: inArray(planets.id, sql`(select value from json_each(${ids}))`),
    with: WITH_PARTS,
  }),
)

/** The query for several planets, in no order. Ids that no planet has are ignored. */
export function selectPlanets(db: Database, ids: readonly number[]) {
  return planetsById(db, { ids: JSON.stringify(ids) })
}

/** The query for one planet, to await or to put into a batch: a list with one item or none. */
export function selectPlanet(db: Database, id: number) {
  return planetById(db, { id })
}
