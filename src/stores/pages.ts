import { asc, getTableColumns, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { mayKeepRow } from '../db/pages.ts'
import { celestialBodies, planets } from '../db/tables.ts'
import type { StoredSatellite } from './satellites.ts'
import type { StoredCelestialBody } from './stored-celestial-body.ts'
import type { StoredPlanet } from './stored-planet.ts'

// Pages of the lists of planets and of other celestial bodies. Only one column of a row can be large: `contents`. Once
// the rows exceed 1 MiB (PAGE_MAX_BYTES), `cutPage` omits the rest of the page. So the queries return null as the
// `contents` of the large rows in this rest (`mayKeepRow`). The Worker gets at most 2 MiB, however large the documents
// are: 1 MiB of rows before the cut, and 1 MiB of small rows after it.

/** A part of a list in the order of ids. */
export interface Window {
  limit: number
  offset?: number
}

type PreparedWindow = { [Name in keyof Window]: Window[Name] | Placeholder }

type PlanetContents = Pick<StoredPlanet, 'properties' | 'creator' | 'satellites'>
type CelestialBodyContents = Pick<StoredCelestialBody, 'properties' | 'extras' | 'creator' | 'planet' | 'satellites'>

// The queries select `contents` instead of the large columns. They do not need the size of the satellites.
const {
  properties: _planetProperties,
  satelliteBytes: _planetSatelliteBytes,
  ...planetColumns
} = getTableColumns(planets)
const {
  properties: _bodyProperties,
  extras: _bodyExtras,
  satelliteBytes: _bodySatelliteBytes,
  ...bodyColumns
} = getTableColumns(celestialBodies)

/** The columns of a row of planets for `joinContents`. @param isKept Whether the row may belong to the page */
export function planetRow(isKept: SQL) {
  const contents = sql`case when ${isKept} then json_array(
    planets.properties,
    json((select json_array(id, name, renamed_at) from users where users.id = planets.creator_id)),
    json((select json_group_array(json_array(id, properties)) from (
      select id, properties from bodies where bodies.planet_id = planets.id order by bodies.position)))) end`
  return { ...planetColumns, contents: contents.mapWith(readPlanet).as('contents') }
}

/** The query for a page of the planets that match a condition. Pass its rows to `cutPage`, then to `joinContents`. */
export function selectPlanetPage(db: Database, where: SQL, { limit, offset = 0 }: PreparedWindow) {
  const idsAndSizes = sql`select id, bytes from planets where ${where} order by id limit ${limit} offset ${offset}`
  return db
    .select(planetRow(mayKeepRow(idsAndSizes)))
    .from(planets)
    .where(where)
    .orderBy(asc(planets.id))
    .limit(limit)
    .offset(offset)
}

/**
 * The query for a page of the other celestial bodies that match a condition. Pass its rows to `cutPage`, then to
 * `joinContents`.
 */
export function selectCelestialBodiesPage(db: Database, where: SQL, { limit, offset = 0 }: Window) {
  const idsAndSizes = sql`select id, bytes from bodies where ${where} order by id limit ${limit} offset ${offset}`
  const contents = sql`case when ${mayKeepRow(idsAndSizes)} then json_array(
    bodies.properties,
    bodies.extras,
    json((select json_array(id, name, renamed_at) from users where users.id = bodies.creator_id)),
    json((select json_array(id, properties ->> '$.name') from planets where planets.id = bodies.planet_id)),
    json((select json_group_array(json_array(id, properties)) from (
      select hosted.id, hosted.properties from bodies as hosted where hosted.host_id = bodies.id order by hosted.position)))) end`
  return db
    .select({ ...bodyColumns, contents: contents.mapWith(readCelestialBody).as('contents') })
    .from(celestialBodies)
    .where(where)
    .orderBy(asc(celestialBodies.id))
    .limit(limit)
    .offset(offset)
}

/** The rows of a page after `cutPage`, with the members of `contents` beside the other columns. */
export function joinContents<Row, Contents>(rows: readonly (Row & { contents: Contents })[]) {
  return rows.map(({ contents, ...row }) => ({ ...row, ...contents }))
}

type Creator = [id: number, name: string | null, renamedAt: number | null]
type Satellites = [id: number, properties: string][]

function readPlanet(text: string): PlanetContents {
  // The types are those of the `json_array` in `selectPlanetPage`.
  const [properties, creator, satellites]: [string, Creator, Satellites] = JSON.parse(text)
  return {
    properties: JSON.parse(properties),
    creator: readCreator(creator),
    satellites: satellites.map(readSatellite),
  }
}

function readCelestialBody(text: string): CelestialBodyContents {
  // The types are those of the `json_array` in `selectCelestialBodiesPage`.
  const [properties, extras, creator, planet, satellites]: [
    string,
    string | null,
    Creator,
    [id: number, name: string] | null,
    Satellites,
  ] = JSON.parse(text)
  return {
    properties: JSON.parse(properties),
    extras: extras && JSON.parse(extras),
    creator: readCreator(creator),
    planet: planet && { id: planet[0], name: planet[1] },
    satellites: satellites.map(readSatellite),
  }
}

function readCreator([id, name, renamedAt]: Creator): StoredPlanet['creator'] {
  return { id, name, renamedAt: renamedAt === null ? null : new Date(renamedAt) }
}

function readSatellite([id, properties]: Satellites[number]): StoredSatellite {
  return { id, properties: JSON.parse(properties) }
}
