import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { bodies, planets } from '../db/tables.ts'
import type { SatelliteInput } from '../schemas/satellite.ts'

// The statements about satellites for the batch of their planet's write, or of their host's. Each is one for any number of
// them: D1 allows 100 bound values in a statement, and a list in JSON is one.

/** A satellite to be written: an existing one of this planet by its id, or a new one. */
export interface SatelliteDraft {
  id: number | null
  properties: SatelliteInput
}

/** A satellite as the database has it. */
export interface StoredSatellite {
  id: number
  properties: SatelliteInput
}

/**
 * Writes a planet's satellites in their order. They have its creator and its time.
 *
 * @param planetId Id of the planet, or the query that finds it
 */
export function writeSatellites(db: Database, planetId: SQL, drafts: readonly SatelliteDraft[]) {
  return db
    .insert(bodies)
    .select(sql`
      select json_extract(value, '$.id'), planet.id, null, key, planet.creator_id, planet.last_updated,
        json_extract(value, '$.properties.type'), json_extract(value, '$.properties'), null, false
      from ${planets} as planet, json_each(${JSON.stringify(drafts)})
      where planet.id = ${planetId} order by key`)
    .onConflictDoUpdate({
      target: bodies.id,
      set: {
        position: sql`excluded.position`,
        type: sql`excluded.type`,
        properties: sql`excluded.properties`,
        lastUpdated: sql`excluded.last_updated`,
      },
    })
    .returning({ id: bodies.id, position: bodies.position })
}

/** Deletes the satellites of a planet that the drafts do not name by id. */
export function deleteOtherSatellites(db: Database, planetId: number, drafts: readonly SatelliteDraft[]) {
  const kept = JSON.stringify(drafts.flatMap(({ id }) => id ?? []))
  return db
    .delete(bodies)
    .where(sql`${bodies.planetId} = ${planetId} and ${bodies.id} not in (select value from json_each(${kept}))`)
}

/** The satellites as they now are: what was to be written, with the ids that the database gave. */
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
