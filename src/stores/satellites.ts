import { sql } from 'drizzle-orm'
import { build, type Placeholders, prepare } from '../db/port.ts'
import { celestialBodies } from '../db/tables.ts'
import type { SatelliteInput } from '../schemas/satellite.ts'

// The statements about satellites, for the batch that writes their planet or host (the star or satellite that they
// belong to). Each statement handles any number of satellites. D1 allows only 100 bound values in a statement, so the
// list is one value in JSON.

export interface StoredSatellite {
  id: number
  properties: SatelliteInput
}

/** The planet or the host of satellites. The satellites have its creator and the time of its last change. */
export interface SatelliteOwner {
  id: number
  creatorId: number
  lastUpdated: Date
}

/** The statement that inserts satellites of a planet, if there are any. @param satellites With their positions in its list */
export function insertSatellites(
  { id, creatorId, lastUpdated }: SatelliteOwner,
  satellites: readonly PlacedSatellite[],
) {
  if (satellites.length === 0) return []
  return [insertList({ planetId: id, hostId: null, creatorId, time: lastUpdated.getTime(), list: listOf(satellites) })]
}

/** The statement that inserts the satellites of a host. They belong to no planet. */
export function insertHostedSatellites(
  { id, creatorId, lastUpdated }: SatelliteOwner,
  satellites: readonly PlacedSatellite[],
) {
  return insertList({ planetId: null, hostId: id, creatorId, time: lastUpdated.getTime(), list: listOf(satellites) })
}

/** A satellite, and its position in the list of its planet or host, from 0. */
export interface PlacedSatellite extends StoredSatellite {
  position: number
}

export function place(satellites: readonly StoredSatellite[]): PlacedSatellite[] {
  return satellites.map(({ id, properties }, position) => ({ id, properties, position }))
}

function listOf(satellites: readonly PlacedSatellite[]): string {
  return JSON.stringify(satellites.map(({ id, properties, position }) => ({ id, properties, position })))
}

interface ListValues {
  planetId: number | null
  hostId: number | null
  creatorId: number
  time: number
  list: string
}

const insertList = prepare(({ planetId, hostId, creatorId, time, list }: Placeholders<ListValues>) =>
  build.insert(celestialBodies).select(sql`
      select value ->> '$.id', ${planetId}, ${hostId}, value ->> '$.position', ${creatorId}, ${time},
        value ->> '$.properties.type', value -> '$.properties', null as extras, false as lists_satellites,
        0 as satellite_bytes
      from json_each(${list}) order by key`),
)

const updateList = prepare(({ planetId, time, list }: Placeholders<Omit<ListValues, 'hostId' | 'creatorId'>>) =>
  build
    .update(celestialBodies)
    .set({
      position: sql`new.value ->> '$.position'`,
      type: sql`new.value ->> '$.properties.type'`,
      properties: sql`new.value -> '$.properties'`,
      lastUpdated: sql`${time}`,
    })
    .from(sql`json_each(${list}) as new`)
    // The plus keeps SQLite from the index of planets. With it, SQLite would read the list again for each satellite.
    .where(sql`${celestialBodies.id} = new.value ->> '$.id' and +${celestialBodies.planetId} = ${planetId}`),
)

/** The statement that updates satellites that a planet already has, if there are any. */
export function updateSatellites({ id, lastUpdated }: SatelliteOwner, satellites: readonly PlacedSatellite[]) {
  if (satellites.length === 0) return []
  return [updateList({ planetId: id, time: lastUpdated.getTime(), list: listOf(satellites) })]
}

const deleteOthers = prepare(({ planetId, kept }: Placeholders<{ planetId: number; kept: string }>) =>
  build
    .delete(celestialBodies)
    .where(
      sql`${celestialBodies.planetId} = ${planetId} and ${celestialBodies.id} not in (select value from json_each(${kept}))`,
    ),
)

/** The statement that deletes the satellites of a planet that are not in its list. */
export function deleteOtherSatellites(planetId: number, satellites: readonly StoredSatellite[]) {
  return deleteOthers({ planetId, kept: JSON.stringify(satellites.map(({ id }) => id)) })
}
