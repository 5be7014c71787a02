import { eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { celestialBodies, planets, users } from '../../src/db/tables.ts'
import { GALAXY_USER_ID } from '../../src/domain/galaxy-user.ts'
import { propertiesOf } from '../../src/features/planets/representation.ts'
import type { PlanetInput } from '../../src/schemas/planet.ts'
import { PLANET_ID_MAX } from '../../src/stores/ranks.ts'
import { bytesOfJson } from '../../src/stores/stored-planet.ts'
import { inline } from './inline-sql.ts'

/** The account that owns the shipped planets. It has no e-mail address and no password, so nobody can sign in to it. */
const GALAXY = { id: GALAXY_USER_ID, name: 'Galaxy' }
/** The date of the catalogue from which data/planets.csv was taken. */
const CATALOGUE_DATE = new Date('2026-08-22T00:00:00Z')
// D1 accepts statements of up to 100 KB.
const ROWS_PER_STATEMENT = 100

/** The SQL that inserts the shipped planets into an empty database. Running it again changes no existing row. */
export function writePlanetsSql(shipped: readonly PlanetInput[]): string {
  const planetRows = shipped.map((planet, index) => ({
    id: index + 1,
    creatorId: GALAXY.id,
    lastUpdated: CATALOGUE_DATE,
    properties: propertiesOf(planet),
    listsSatellites: planet.satellites !== undefined,
    satelliteBytes: (planet.satellites ?? []).reduce((sum, satellite) => sum + bytesOfJson(satellite), 0),
  }))
  const satelliteRows = shipped
    .flatMap(({ satellites = [] }, index) =>
      satellites.map((properties, position) => ({
        planetId: index + 1,
        position,
        creatorId: GALAXY.id,
        lastUpdated: CATALOGUE_DATE,
        type: properties.type ?? null,
        properties,
        listsSatellites: false,
      })),
    )
    // The ids of celestial bodies come after all ids of planets.
    .map((row, index) => ({ id: PLANET_ID_MAX + index + 1, ...row }))
  // Without a database, because the statements are only written as text.
  const db = drizzle(undefined as never)
  const statements = [
    db
      .insert(users)
      .values({ ...GALAXY, createdAt: CATALOGUE_DATE })
      .onConflictDoNothing(),
    ...chunks(planetRows).map((rows) => db.insert(planets).values(rows).onConflictDoNothing()),
    ...chunks(satelliteRows).map((rows) => db.insert(celestialBodies).values(rows).onConflictDoNothing()),
    // Sets the totals of the account. They are counted and not incremented, so that they are right if this runs again.
    db
      .update(users)
      .set({
        bodiesUsed: sql`(select count(*) from ${planets} where ${planets.creatorId} = ${GALAXY.id})`,
        bodyBytesUsed: sql`(select coalesce(sum(${planets.bytes}), 0) from ${planets} where ${planets.creatorId} = ${GALAXY.id})`,
      })
      .where(eq(users.id, GALAXY.id)),
  ]
  return statements.map((statement) => `${inline(statement)};\n`).join('')
}

function chunks<Row>(rows: readonly Row[]): Row[][] {
  const count = Math.ceil(rows.length / ROWS_PER_STATEMENT)
  return Array.from({ length: count }, (_, i) => rows.slice(i * ROWS_PER_STATEMENT, (i + 1) * ROWS_PER_STATEMENT))
}
