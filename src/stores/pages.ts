import { asc, getTableColumns, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { build, together } from '../db/port.ts'
import { celestialBodies, planets } from '../db/tables.ts'
import { mayKeepRow } from './cut-page.ts'
import { CREATOR_OF_BODY, PLANET_OF_BODY, SATELLITES_OF_BODY } from './stored-celestial-body.ts'
import { CREATOR_OF_PLANET, SATELLITES_OF_PLANET } from './stored-planet.ts'

// Pages of the lists of planets and of other celestial bodies. Only one column of a row can be large: `contents`. The
// queries return null as the `contents` of large rows that `cutPage` omits (`mayKeepRow`). The Worker gets at most 2
// MiB, however large the documents are: 1 MiB of rows before the cut, and 1 MiB of small rows after it.

/** A part of a list in the order of ids. */
export interface Window {
  limit: number
  offset?: number
}

type PreparedWindow = { [Name in keyof Window]: Window[Name] | Placeholder }

const PLANET_CONTENTS = together({
  properties: planets.properties,
  creator: CREATOR_OF_PLANET,
  satellites: SATELLITES_OF_PLANET,
})

const BODY_CONTENTS = together({
  properties: celestialBodies.properties,
  extras: celestialBodies.extras,
  creator: CREATOR_OF_BODY,
  planet: PLANET_OF_BODY,
  satellites: SATELLITES_OF_BODY,
})

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

/**
 * A row of planets for `joinContents`, as one value, because Drizzle takes longer for ten columns than JSON does.
 *
 * @param isKept Whether the row may belong to the page
 */
export function planetRow(isKept: SQL) {
  // A row without contents is one that `cutPage` omits.
  const contents = PLANET_CONTENTS.when(isKept) as typeof PLANET_CONTENTS
  return together({ ...planetColumns, contents })
}

function planetRowOfPage(where: SQL, { limit, offset = 0 }: PreparedWindow) {
  const idsAndSizes = sql`select id, bytes from planets where ${where} order by id limit ${limit} offset ${offset}`
  return planetRow(mayKeepRow(idsAndSizes))
}

/** A row of a page of the planets that match a condition; null if a table that is joined has a row without a planet. */
export function planetOfPage(where: SQL, window: PreparedWindow) {
  return planetRowOfPage(where, window).when(sql`${planets.id} is not null`)
}

/** The query for a page of the planets that match a condition. Pass its planets to `cutPage`, then to `joinContents`. */
export function selectPlanetPage(where: SQL, { limit, offset = 0 }: PreparedWindow) {
  return build
    .select({ planet: planetRowOfPage(where, { limit, offset }).column().as('planet') })
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
export function selectCelestialBodiesPage(where: SQL, { limit, offset = 0 }: Window) {
  const idsAndSizes = sql`select id, bytes from bodies where ${where} order by id limit ${limit} offset ${offset}`
  return build
    .select({ ...bodyColumns, contents: BODY_CONTENTS.when(mayKeepRow(idsAndSizes)).column().as('contents') })
    .from(celestialBodies)
    .where(where)
    .orderBy(asc(celestialBodies.id))
    .limit(limit)
    .offset(offset)
}

/** The planets of the rows of `selectPlanetPage`. Other tables that are joined can have rows without a planet. */
export function planetsOf<Planet>(rows: readonly { planet: Planet | null }[]): Planet[] {
  return rows.flatMap(({ planet }) => planet ?? [])
}

/** The rows of a page after `cutPage`, with the members of `contents` beside the other columns. */
export function joinContents<Row, Contents>(rows: readonly (Row & { contents: Contents })[]) {
  return rows.map(({ contents, ...row }) => ({ ...row, ...contents }))
}
