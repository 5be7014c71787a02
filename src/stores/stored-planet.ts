import { eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import { build, type Placeholders, prepare, type ResultOf, rowOf, rowsOf } from '../db/port.ts'
import { celestialBodies, planets, users } from '../db/tables.ts'
import { countBytes } from '../lib/text.ts'
import type { StoredSatellite } from './satellites.ts'

/** A planet as it is stored, with its creator, its satellites in their order, and their sizes, to write it again. */
export type WritablePlanet = ResultOf<ReturnType<typeof selectPlanet>>[number]

/** A planet as it is stored, with its creator, and its satellites in their order. */
export type StoredPlanet = Omit<WritablePlanet, 'satellites'> & { satellites: StoredSatellite[] }

export const CREATOR_OF_PLANET = rowOf(
  { id: users.id, name: users.name, renamedAt: users.renamedAt },
  sql`from ${users} where ${users.id} = ${planets.creatorId}`,
)

const IN_ORDER = sql`from ${celestialBodies} where ${celestialBodies.planetId} = ${planets.id} order by ${celestialBodies.position}`

const SATELLITE = { id: celestialBodies.id, properties: celestialBodies.properties }

export const SATELLITES_OF_PLANET = rowsOf(SATELLITE, IN_ORDER)

/** The size of what a planet document cannot contain, in bytes. A satellite that the planet keeps, keeps it too. */
const hiddenBytes = sql<number>`coalesce(octet_length(${celestialBodies.extras}), 0) + ${celestialBodies.satelliteBytes}`

const { satelliteBytes: _satelliteBytes, bytes: _bytes, ...columns } = getTableColumns(planets)

const WITH_PARTS = {
  ...columns,
  creator: CREATOR_OF_PLANET.column().as('creator'),
  satellites: rowsOf({ ...SATELLITE, hiddenBytes }, IN_ORDER)
    .column()
    .as('satellites'),
}

const planetById = prepare(({ id }: Placeholders<{ id: number }>) =>
  build.select(WITH_PARTS).from(planets).where(eq(planets.id, id)),
)

const planetsById = prepare(({ ids }: Placeholders<{ ids: string }>) =>
  build
    .select(WITH_PARTS)
    .from(planets)
    .where(inArray(planets.id, sql`(select value from json_each(${ids}))`)),
)

/** The query for several planets, in no order. Ids that no planet has are ignored. */
export function selectPlanets(ids: readonly number[]) {
  return planetsById({ ids: JSON.stringify(ids) })
}

/** The query for one planet, to await or to put into a batch: a list with one item or none. */
export function selectPlanet(id: number) {
  return planetById({ id })
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
