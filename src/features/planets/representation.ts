import type { PlanetInput, PlanetProperties } from '../../schemas/planet.ts'
import type { SatelliteInput } from '../../schemas/satellite.ts'
import type { WritablePlanet } from '../../stores/stored-planet.ts'

/** The properties of a planet that the client sets. Satellites are left out, because they are stored separately. */
export function propertiesOf(input: PlanetInput): PlanetProperties {
  const { id: _id, creator: _creator, lastUpdated: _lastUpdated, satellites: _satellites, ...properties } = input
  return properties
}

/** A satellite to write: one that the planet already has, or a new one, whose id is null. */
export interface SatelliteDraft {
  id: number | null
  properties: SatelliteInput
  /** See `selectPlanet`. */
  hiddenBytes: number
}

/**
 * Gives each satellite of a request the id of the planet's satellite with the same name. If several satellites have the
 * same name, their ids are used in order, each once. Satellites without an id are new.
 *
 * @param input Undefined if the request has no list
 */
export function draftSatellites(
  input: PlanetInput['satellites'] = [],
  existing: WritablePlanet['satellites'] = [],
): SatelliteDraft[] {
  const unusedByName = Map.groupBy(existing, ({ properties }) => properties.name)
  return input.map((properties) => {
    const { id, hiddenBytes } = unusedByName.get(properties.name)?.shift() ?? { id: null, hiddenBytes: 0 }
    return { id, properties, hiddenBytes }
  })
}

export function countNew(drafts: readonly SatelliteDraft[]): number {
  return drafts.filter(({ id }) => id === null).length
}

/** Gives the new satellites their ids. */
export function numberSatellites(
  drafts: readonly SatelliteDraft[],
  ids: { next(table: 'bodies'): number },
): WritablePlanet['satellites'] {
  return drafts.map(({ id, ...satellite }) => ({ id: id ?? ids.next('bodies'), ...satellite }))
}
