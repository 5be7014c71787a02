import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { satellites } from '../db/tables.ts'
import type { SatelliteInput } from '../schemas/satellite.ts'

// The statements about satellites for the batch of their planet's write. Each is one for any number of them: D1 allows
// 100 bound values in a statement, and a list in JSON is one.

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
 * Writes a planet's satellites in their order.
 *
 * @param planetId Id of the planet, or the query that finds it
 */
export function writeSatellites(db: Database, planetId: SQL, drafts: readonly SatelliteDraft[]) {
  return db
    .insert(satellites)
    .select(sql`
      select json_extract(value, '$.id'), ${planetId}, key, json_extract(value, '$.properties')
      from json_each(${JSON.stringify(drafts)}) where true order by key`)
    .onConflictDoUpdate({
      target: satellites.id,
      set: { position: sql`excluded.position`, properties: sql`excluded.properties` },
    })
    .returning({ id: satellites.id, position: satellites.position })
}

/** Deletes the satellites of a planet that the drafts do not name by id. */
export function deleteOtherSatellites(db: Database, planetId: number, drafts: readonly SatelliteDraft[]) {
  const kept = JSON.stringify(drafts.flatMap(({ id }) => id ?? []))
  return db
    .delete(satellites)
    .where(sql`${satellites.planetId} = ${planetId} and ${satellites.id} not in (select value from json_each(${kept}))`)
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
