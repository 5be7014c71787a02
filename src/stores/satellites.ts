import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { celestialBodies, planets } from '../db/tables.ts'
import { countBytes } from '../lib/text.ts'
import type { SatelliteInput } from '../schemas/satellite.ts'

// The statements about satellites, for the batch that writes their planet or host (the star or satellite that they
// belong to). Each statement handles any number of satellites. D1 allows only 100 bound values in a statement, so the
// list is one value in JSON.

/** A satellite to write: an existing one of this planet by its id, or a new one. */
export interface SatelliteDraft {
  id: number | null
  properties: SatelliteInput
}

/** A satellite as it is stored. */
export interface StoredSatellite {
  id: number
  properties: SatelliteInput
}

/**
 * SQL for a JSON array with the id of a planet or host, followed by the ids of its satellites in their order.
 * (Positions of satellites begin at 0, so the position -1 comes first.)
 *
 * @param id The id of the planet or host
 * @param belongsTo The column of the satellites that contains this id
 */
export function idsWithSatellites(
  id: SQL,
  belongsTo: typeof celestialBodies.planetId | typeof celestialBodies.hostId,
): SQL {
  return sql`(
    select json_group_array(id) from (
      select ${id} as id, -1 as position
      union all
      select ${celestialBodies.id}, ${celestialBodies.position} from ${celestialBodies}
      where ${belongsTo} = ${id}
      order by position))`
}

/**
 * The statement that writes a planet's satellites in their order. The satellites get the planet's creator and the time
 * of the planet's last change.
 *
 * @param planetId Id of the planet, or a query for it
 * @param drafts The list of drafts in JSON, or its placeholder
 */
export function writeSatellites(db: Database, planetId: SQL, drafts: string | Placeholder) {
  return db
    .insert(celestialBodies)
    .select(sql`
      select json_extract(value, '$.id'), planet.id, null as host_id, key as position, planet.creator_id, planet.last_updated,
        json_extract(value, '$.properties.type'), json_extract(value, '$.properties'), null as extras,
        false as lists_satellites, 0 as satellite_bytes
      from ${planets} as planet, json_each(${drafts})
      where planet.id = ${planetId} order by key`)
    .onConflictDoUpdate({
      target: celestialBodies.id,
      set: {
        position: sql`excluded.position`,
        type: sql`excluded.type`,
        properties: sql`excluded.properties`,
        lastUpdated: sql`excluded.last_updated`,
      },
    })
    .returning({ id: celestialBodies.id, position: celestialBodies.position })
}

/** The size of the drafts in the database, in bytes. Existing satellites can be larger, see `satelliteBytesAfter`. */
export function countSatelliteBytes(drafts: readonly SatelliteDraft[]): number {
  return drafts.reduce((sum, { properties }) => sum + countBytes(JSON.stringify(properties)), 0)
}

/**
 * The size of the planet's satellites in the database once the drafts are written, in bytes. Existing satellites can
 * have data that a planet document cannot contain. The drafts do not have this data, but the size includes it.
 */
export function satelliteBytesAfter(planetId: number, drafts: readonly SatelliteDraft[]): SQL<number> {
  const extraBytes = sql`coalesce(octet_length(${celestialBodies.extras}), 0) + ${celestialBodies.satelliteBytes}`
  return sql`${countSatelliteBytes(drafts)} + (
    select coalesce(sum(${extraBytes}), 0) from ${celestialBodies}
    where ${celestialBodies.planetId} = ${planetId} and ${celestialBodies.id} in (select value from json_each(${keptIds(drafts)})))`
}

/** The ids of the existing satellites that the drafts keep, as a JSON array. */
function keptIds(drafts: readonly SatelliteDraft[]): string {
  return JSON.stringify(drafts.flatMap(({ id }) => id ?? []))
}

/** The statement that deletes the satellites of a planet that the drafts do not name by id. */
export function deleteOtherSatellites(db: Database, planetId: number, drafts: readonly SatelliteDraft[]) {
  const keptSatellites = sql`(select value from json_each(${keptIds(drafts)}))`
  return db
    .delete(celestialBodies)
    .where(sql`${celestialBodies.planetId} = ${planetId} and ${celestialBodies.id} not in ${keptSatellites}`)
}

/** The satellites as they are stored: the drafts with the ids that the database returned. */
export function numberSatellites(
  drafts: readonly SatelliteDraft[],
  written: readonly { id: number; position: number }[],
): StoredSatellite[] {
  const ids = new Map(written.map(({ id, position }) => [position, id]))
  return drafts.map(({ properties }, position) => {
    const id = ids.get(position)
    if (id === undefined) throw new Error('the database returned no id for a satellite that it stored')
    return { id, properties }
  })
}
