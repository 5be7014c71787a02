import { asc, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { celestialBodies, planets } from '../db/tables.ts'

/** A satellite or a star as it is stored, with its creator, its planet and its satellites. */
export type StoredCelestialBody = Awaited<ReturnType<typeof selectCelestialBody>>[number]

const { satelliteBytes: _satelliteBytes, bytes: _bytes, ...storedColumns } = getTableColumns(celestialBodies)

/** The stored columns of a celestial body, without those that only count bytes. */
export const BODY_COLUMNS = storedColumns

/** Only the name of the planet is read. Otherwise, each satellite of a list would bring the whole planet with it. */
const nameOfPlanet = sql<string>`${planets.properties} ->> '$.name'`.as('name')

const WITH_ALL = {
  creator: { columns: { id: true, name: true, renamedAt: true } },
  planet: { columns: { id: true }, extras: { name: nameOfPlanet } },
  satellites: { orderBy: asc(celestialBodies.position), columns: { id: true, properties: true } },
} as const

/** The query for a satellite or a star: a list with one item or none. */
export function selectCelestialBody(db: Database, id: number) {
  const columns = { satelliteBytes: false, bytes: false } as const
  return db.query.celestialBodies.findMany({ columns, where: eq(celestialBodies.id, id), limit: 1, with: WITH_ALL })
}
