import { eq, getTableColumns, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { build, type ResultOf, rowIfAny, rowOf, rowsOf } from '../db/port.ts'
import { celestialBodies, planets, users } from '../db/tables.ts'

/** A satellite or a star as it is stored, with its creator, its planet and its satellites. */
export type StoredCelestialBody = ResultOf<ReturnType<typeof selectCelestialBody>>[number]

const { satelliteBytes: _satelliteBytes, bytes: _bytes, ...storedColumns } = getTableColumns(celestialBodies)

/** The stored columns of a celestial body, without those that only count bytes. */
export const BODY_COLUMNS = storedColumns

export const CREATOR_OF_BODY = rowOf(
  { id: users.id, name: users.name, renamedAt: users.renamedAt },
  sql`from ${users} where ${users.id} = ${celestialBodies.creatorId}`,
)

/** Only the name of the planet is read. Otherwise, each satellite of a list would bring the whole planet with it. */
export const PLANET_OF_BODY = rowIfAny(
  { id: planets.id, name: sql<string>`${planets.properties} ->> '$.name'` },
  sql`from ${planets} where ${planets.id} = ${celestialBodies.planetId}`,
)

const hosted = alias(celestialBodies, 'hosted')

/** The satellites of a celestial body in their order. */
export const SATELLITES_OF_BODY = rowsOf(
  { id: hosted.id, properties: hosted.properties },
  sql`from ${celestialBodies} as ${hosted} where ${hosted.hostId} = ${celestialBodies.id} order by ${hosted.position}`,
)

const WITH_ALL = {
  ...storedColumns,
  creator: CREATOR_OF_BODY.column().as('creator'),
  planet: PLANET_OF_BODY.column().as('planet'),
  satellites: SATELLITES_OF_BODY.column().as('satellites'),
}

/** The query for a satellite or a star: a list with one item or none. */
export function selectCelestialBody(id: number) {
  return build.select(WITH_ALL).from(celestialBodies).where(eq(celestialBodies.id, id))
}
