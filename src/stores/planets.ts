import { and, eq, gt, gte, type SQL, sql } from 'drizzle-orm'
import type { Requirement } from '../changes/change.ts'
import { LostRace } from '../changes/requirements.ts'
import { build, type Database, type Placeholders, prepare } from '../db/port.ts'
import { planets } from '../db/tables.ts'
import { cutPage } from './cut-page.ts'
import { showImage } from './images.ts'
import { joinContents, planetOfPage, planetsOf, selectPlanetPage } from './pages.ts'
import { idAtOffset, planetsUpTo, totalOf } from './ranks.ts'
import { deleteOtherSatellites, insertSatellites, place, updateSatellites } from './satellites.ts'
import { countSatelliteBytes, type StoredPlanet, type WritablePlanet } from './stored-planet.ts'

/**
 * A page of the list of all planets in the order of their ids, cut at PAGE_MAX_BYTES, and the total number of planets.
 * One round trip.
 */
export async function listPlanets(
  db: Database,
  window: { limit: number; offset: number },
): Promise<{ rows: StoredPlanet[]; total: number }> {
  const rows = await db.read(planetPage(window))
  return { rows: joinContents(cutPage(planetsOf(rows), bytesOf)), total: rows[0]?.total ?? 0 }
}

const planetPage = prepare(({ limit, offset }: Placeholders<{ limit: number; offset: number }>) => {
  const where = gte(planets.id, idAtOffset('planets', offset))
  // The list and the total are one statement, because two take longer. If the page is empty, there is one row. SQLite
  // never changes the order of the loops of a left join, so the planets come in the order of their ids. An `order by`
  // would make it read all of them first.
  return build
    .select({ total: totalOf('planets').as('total'), planet: planetOfPage(where, { limit }).column().as('planet') })
    .from(sql`(select 1)`)
    .leftJoin(planets, where)
    .limit(limit)
})

/** A page after the planet with an id, and how many planets come before the page. One round trip. */
export async function listPlanetsAfter(
  db: Database,
  { limit, after }: { limit: number; after: number },
): Promise<{ rows: StoredPlanet[]; total: number; offset: number }> {
  const offset = sql<number>`${planetsUpTo(after)}`.as('offset')
  const [counts, rows] = await db.batch([
    build.select({ total: totalOf('planets').as('total'), offset }).from(sql`(select 1)`),
    selectPlanetPage(gt(planets.id, after), { limit }),
  ])
  const page = joinContents(cutPage(planetsOf(rows), bytesOf))
  return { rows: page, total: counts[0]?.total ?? 0, offset: counts[0]?.offset ?? 0 }
}

/** Size of a planet or another celestial body and its satellites in the database, in bytes. */
export function bytesOf({ bytes }: { bytes: number }): number {
  return bytes
}

export const FIRST_VERSION = 1

/**
 * The statements that store a new planet with its satellites. If it shows an upload, the row of the upload is no orphan
 * any more.
 */
export function insertPlanet(planet: WritablePlanet) {
  const { imageKey } = planet
  return [
    insertRow(rowOf(planet)),
    ...insertSatellites(planet, place(planet.satellites)),
    ...(imageKey === null ? [] : [showImage(imageKey)]),
  ]
}

/** The statements that store a planet over an earlier version. The change requires that it is `unchanged`. */
export function updatePlanet(before: WritablePlanet, planet: WritablePlanet) {
  const keptIds = new Set(before.satellites.map(({ id }) => id))
  const satellites = place(planet.satellites)
  return [
    build.update(planets).set(changingColumns(planet)).where(eq(planets.id, planet.id)),
    deleteOtherSatellites(planet.id, planet.satellites),
    ...updateSatellites(
      planet,
      satellites.filter(({ id }) => keptIds.has(id)),
    ),
    ...insertSatellites(
      planet,
      satellites.filter(({ id }) => !keptIds.has(id)),
    ),
  ]
}

/** For a planet whose own properties stay as they are. The change requires that it is `unchanged`. */
export function updatePlanetOnly(planet: WritablePlanet) {
  // To set the properties would write an index, even if they are the same.
  const { properties: _properties, ...columns } = changingColumns(planet)
  return build.update(planets).set(columns).where(eq(planets.id, planet.id))
}

/** The columns that can change. To set the others would make SQLite check every reference to the planet. */
function changingColumns(planet: WritablePlanet) {
  const { id: _id, creatorId: _creatorId, extras: _extras, ...columns } = rowOf(planet)
  return columns
}

/** The statement that deletes a planet and its satellites. It returns the key of the upload that the planet showed. */
export function deletePlanet(id: number) {
  return build.delete(planets).where(eq(planets.id, id)).returning({ imageKey: planets.imageKey })
}

type PlanetRow = ReturnType<typeof rowOf>

const insertRow = prepare((row: Placeholders<PlanetRow>) => {
  const { id, creatorId, version, lastUpdated, properties, listsSatellites, imageKey, extras, satelliteBytes } = row
  return build
    .insert(planets)
    .values({ id, creatorId, version, lastUpdated, properties, listsSatellites, imageKey, extras, satelliteBytes })
})

function rowOf(planet: WritablePlanet) {
  const { id, creatorId, version, lastUpdated, properties, listsSatellites, imageKey, extras } = planet
  const satelliteBytes = countSatelliteBytes(planet)
  return { id, creatorId, version, lastUpdated, properties, listsSatellites, imageKey, extras, satelliteBytes }
}

/** What a change requires that depends on a planet as it was read. */
export function unchanged({ id, version }: Pick<StoredPlanet, 'id' | 'version'>): Requirement {
  return requirePlanet(sql`${and(eq(planets.id, id), eq(planets.version, version))}`, new LostRace())
}

/** What a change requires that needs any version of a planet. @param otherwise What `commit` throws if it was deleted */
export function existing({ id }: Pick<StoredPlanet, 'id'>, otherwise: Error): Requirement {
  return requirePlanet(eq(planets.id, id), otherwise)
}

function requirePlanet(where: SQL, otherwise: Error): Requirement {
  return { holds: sql`exists (select 1 from ${planets} where ${where})`, otherwise }
}
