import { asc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { type Placeholders, prepare } from '../db/prepared.ts'
import { celestialBodies, planets } from '../db/tables.ts'
import { countBytes } from '../lib/text.ts'
import type { StoredSatellite } from './satellites.ts'

/** A planet as it is stored, with its creator, its satellites in their order, and their sizes, to write it again. */
export type WritablePlanet = Awaited<ReturnType<typeof selectPlanet>>[number]

/** A planet as it is stored, with its creator, and its satellites in their order. */
export type StoredPlanet = Omit<WritablePlanet, 'satellites'> & { satellites: StoredSatellite[] }

const WITH_PARTS = {
  creator: { columns: { id: true, name: true, renamedAt: true } },
  satellites: {
    orderBy: asc(celestialBodies.position),
    columns: { id: true, properties: true },
    extras: {
      /** The size of what a planet document cannot contain, in bytes. A satellite that the planet keeps, keeps it too. */
      hiddenBytes:
        sql<number>`coalesce(octet_length(${celestialBodies.extras}), 0) + ${celestialBodies.satelliteBytes}`.as(
          'hidden_bytes',
        ),
    },
  },
} as const

const planetById = prepare((db, { id }: Placeholders<{ id: number }>) => selectWhere(db, eq(planets.id, id), 1))

const planetsById = prepare((db, { ids }: Placeholders<{ ids: string }>) =>
  selectWhere(db, inArray(planets.id, sql`(select value from json_each(${ids}))`)),
)

function selectWhere(db: Database, where: SQL, limit?: number) {
  return db.query.planets.findMany({ columns: { satelliteBytes: false, bytes: false }, where, limit, with: WITH_PARTS })
}

/** The query for several planets, in no order. Ids that no planet has are ignored. */
export function selectPlanets(db: Database, ids: readonly number[]) {
  return planetsById(db, { ids: JSON.stringify(ids) })
}

/** The query for one planet, to await or to put into a batch: a list with one item or none. */
export function selectPlanet(db: Database, id: number) {
  return planetById(db, { id })
}

/** The size of the satellites of a planet or another body in the database, in bytes. */
export function countSatelliteBytes({ satellites }: Pick<WritablePlanet, 'satellites'>): number {
  return satellites.reduce((sum, { properties, hiddenBytes }) => sum + bytesOfJson(properties) + hiddenBytes, 0)
}

/**
 * The size of a planet or another celestial body with its satellites in the database, in bytes. It is what the columns
 * `bytes` count.
 */
export function countBodyBytes(
  planet: Pick<WritablePlanet, 'satellites'> & { properties: object; extras: object | null },
): number {
  return bytesOfJson(planet.properties) + (planet.extras ? bytesOfJson(planet.extras) : 0) + countSatelliteBytes(planet)
}

/** The size of a value in a JSON column, in bytes. */
export function bytesOfJson(value: object): number {
  return countBytes(JSON.stringify(value))
}
