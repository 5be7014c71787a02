import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import { celestialBodies, planets } from '../../db/tables.ts'

// A planet and its event are written in one batch, and the body of the event is exactly what GET will send. But the ids
// of the planet and its satellites are not known before the batch runs. So the event is a template, and SQL fills in
// the ids. An example:
//
//   marked     {"id":"\u0000","name":"Arrakis","satellites":[{"id":"\u00000","name":"Krelln"}]}
//   template   ['{"id":', null, ',"name":"Arrakis","satellites":[{"id":', 0, ',"name":"Krelln"}]}']
//   filled     {"id":5403,"name":"Arrakis","satellites":[{"id":1000000023,"name":"Krelln"}]}

/**
 * Pieces of text. Null stands for the id of the planet, a number for the id of the satellite at this position (from 0).
 */
export type PlanetTemplate = readonly (string | number | null)[]

// A text from a client never contains U+0000, so a string that begins with it is a mark. In JSON, it is written \u0000.
const MARK = '\u0000'
/** A mark as JSON writes it, in quotes. The group is the position of a satellite; empty for the planet. */
const MARKED = /"\\u0000(\d*)"/

/** Marks the place of the id of the planet or host (a star or a free satellite). */
export const OWN_ID_MARK = MARK

/** Marks the place of the id of a satellite. @param position Its position in the planet's list, from 0 */
export function satelliteIdMark(position: number): string {
  return `${MARK}${position}`
}

/** Creates the template of a document that contains marks instead of ids. */
export function makeTemplate(marked: object): PlanetTemplate {
  // `split` by a pattern with a group returns the texts between the marks and, at odd indexes, the groups.
  const pieces = JSON.stringify(marked).split(MARKED)
  return pieces.map((piece, index) => (index % 2 === 0 ? piece : readMark(piece)))
}

function readMark(position: string): number | null {
  return position === '' ? null : Number(position)
}

/**
 * The id of the planet that was created last. Ids only grow, and a batch is a transaction. So in the batch that creates
 * a planet, this is its id.
 */
export const newestPlanet = sql<number>`(select max(${planets.id}) from ${planets})`

/**
 * The SQL expression for the text of a template, with the ids of a planet and its satellites.
 *
 * @param template The template in JSON, or its placeholder
 * @param planetId The planet; the newest one if absent
 */
export function fillTemplate(template: string | Placeholder, planetId: SQL | number = newestPlanet): SQL {
  return fill(template, planetId, sql`${celestialBodies.planetId} = ${planetId}`)
}

/**
 * The SQL expression for the text of a template, with the ids of a host (a star or a free satellite) and its
 * satellites.
 */
export function fillHostTemplate(template: string, hostId: SQL): SQL {
  return fill(template, hostId, sql`${celestialBodies.hostId} = ${hostId}`)
}

function fill(template: string | Placeholder, ownId: SQL | number, isOwnSatellite: SQL): SQL {
  return sql`(
    select group_concat(
      case type
        when 'text' then value
        when 'null' then ${ownId}
        else (select ${celestialBodies.id} from ${celestialBodies} where ${isOwnSatellite} and ${celestialBodies.position} = value)
      end, '' order by key)
    from json_each(${template}))`
}
