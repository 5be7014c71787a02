import { eq, gte, type SQL, sql } from 'drizzle-orm'
import { build, type Database } from '../../db/port.ts'
import { celestialBodies, planets } from '../../db/tables.ts'
import { type BodyType, isPlanetType } from '../../schemas/celestial-body.ts'
import { cutPage, readPage } from '../../stores/cut-page.ts'
import {
  joinContents,
  planetsOf,
  selectCelestialBodiesPage,
  selectPlanetPage,
  type Window,
} from '../../stores/pages.ts'
import { bytesOf } from '../../stores/planets.ts'
import { idAtOffset, PLANET_ID_MAX, totalOf } from '../../stores/ranks.ts'
import { insertHostedSatellites, place } from '../../stores/satellites.ts'
import type { StoredCelestialBody } from '../../stores/stored-celestial-body.ts'
import { countSatelliteBytes, type StoredPlanet, type WritablePlanet } from '../../stores/stored-planet.ts'

// Celestial bodies that are not planets, and lists of all celestial bodies.

/** The statements that store a satellite or a star with its satellites. */
export function insertCelestialBody(body: NewCelestialBody) {
  const { id, planetId, position, creatorId, lastUpdated, type, properties, extras, listsSatellites, satellites } = body
  const satelliteBytes = countSatelliteBytes(body)
  const values = {
    id,
    planetId,
    position,
    creatorId,
    lastUpdated,
    type,
    properties,
    extras,
    listsSatellites,
    satelliteBytes,
  }
  return [build.insert(celestialBodies).values(values), insertHostedSatellites(body, place(satellites))]
}

/** A satellite or a star to insert. */
export type NewCelestialBody = Pick<
  StoredCelestialBody,
  'id' | 'planetId' | 'position' | 'creatorId' | 'lastUpdated' | 'type' | 'properties' | 'extras' | 'listsSatellites'
> &
  Pick<WritablePlanet, 'satellites'>

export interface CelestialBodiesPage {
  planets: StoredPlanet[]
  others: StoredCelestialBody[]
  total: number
}

/**
 * A page of the list of all celestial bodies in the order of their ids, planets first, cut at PAGE_MAX_BYTES. One round
 * trip, and the cost does not grow with the offset.
 */
export async function listCelestialBodies(
  db: Database,
  { limit, offset }: Required<Window>,
): Promise<CelestialBodiesPage> {
  const planetsTotal = totalOf('planets')
  const othersOffset = sql`max(${offset} - ${planetsTotal}, 0)`
  const reachesOthers = sql`${offset + limit} > ${planetsTotal}`
  const [[counted], planetRows, otherRows] = await db.batch([
    build.select({ planets: planetsTotal, others: totalOf('bodies') }).from(sql`(select 1)`),
    selectPlanetPage(gte(planets.id, idAtOffset('planets', offset)), { limit }),
    // If the page ends before the other bodies, the bound is null, which no id reaches. `reachesOthers` is part of the
    // bound, because SQLite would test a separate condition for each row.
    selectCelestialBodiesPage(
      gte(celestialBodies.id, sql`iif(${reachesOthers}, ${idAtOffset('bodies', othersOffset)}, null)`),
      { limit },
    ),
  ])
  const total = (counted?.planets ?? 0) + (counted?.others ?? 0)
  const readPlanets = planetsOf(planetRows)
  const sentPlanets = cutPage(readPlanets, bytesOf)
  // If the page ends within its planets, the other bodies are on later pages.
  const endsWithinPlanets = sentPlanets.length < readPlanets.length
  const sentOthers = endsWithinPlanets ? [] : fillPage(otherRows, sentPlanets, limit)
  return { planets: joinContents(sentPlanets), others: joinContents(sentOthers), total }
}

/** The other bodies that fit on a page of a list after its planets. */
function fillPage<Row extends { bytes: number }>(
  otherRows: readonly Row[],
  sentPlanets: readonly { bytes: number }[],
  limit: number,
) {
  // `cutPage` keeps the first item of a page even if it is too large. Undefined says that there is no item yet.
  const planetBytes = sentPlanets.length > 0 ? sentPlanets.reduce((sum, { bytes }) => sum + bytes, 0) : undefined
  return cutPage(otherRows.slice(0, limit - sentPlanets.length), bytesOf, planetBytes)
}

/**
 * A page of the list of celestial bodies of one type in the order of their ids, and their number, which is counted in
 * an index. One round trip.
 */
export async function listCelestialBodiesOfType(
  db: Database,
  type: BodyType,
  window: Required<Window>,
): Promise<CelestialBodiesPage> {
  return isPlanetType(type)
    ? await listPlanetsWhere(db, sql`${planets.properties} ->> '$.type' = ${type}`, window)
    : await listOthersWhere(db, eq(celestialBodies.type, type), window)
}

async function listPlanetsWhere(db: Database, where: SQL, window: Window): Promise<CelestialBodiesPage> {
  const { rows, total } = await readPage(db, planets, where, selectPlanetPage(where, window), ({ planet }) =>
    bytesOf(planet),
  )
  return { planets: joinContents(planetsOf(rows)), others: [], total }
}

async function listOthersWhere(db: Database, where: SQL, window: Window): Promise<CelestialBodiesPage> {
  const query = selectCelestialBodiesPage(where, window)
  const { rows, total } = await readPage(db, celestialBodies, where, query, bytesOf)
  return { planets: [], others: joinContents(rows), total }
}

/** Whether an id is in the range of planet ids. */
export function isPlanetId(id: number): boolean {
  return id <= PLANET_ID_MAX
}
