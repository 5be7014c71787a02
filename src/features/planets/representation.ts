import { imageUrl } from '../../domain/image-url.ts'
import type { Planet, PlanetInput, PlanetProperties } from '../../schemas/planet.ts'
import type { Satellite } from '../../schemas/satellite.ts'
import { presentUser } from '../../schemas/user.ts'
import type { SatelliteDraft } from '../../stores/satellites.ts'
import type { StoredPlanet } from '../../stores/stored-planet.ts'

/** What the API shows of a planet. */
type ShownPlanet = Pick<
  StoredPlanet,
  'id' | 'properties' | 'satellites' | 'listsSatellites' | 'imageKey' | 'lastUpdated'
> & { creator: Parameters<typeof presentUser>[0] }

/** A planet as the API shows it. */
export function presentPlanet(planet: ShownPlanet, baseUrl: string): Planet {
  const { id, properties, creator, imageKey, lastUpdated } = planet
  return {
    ...properties,
    id,
    ...(imageKey !== null && { image: imageUrl(baseUrl, imageKey) }),
    ...(planet.listsSatellites && { satellites: planet.satellites.map((one) => presentSatellite(one, planet)) }),
    creator: presentUser(creator),
    lastUpdated: lastUpdated.toISOString(),
  }
}

/** A satellite refers to its planet by id and name. With the planet itself the document would never end. */
function presentSatellite(satellite: StoredPlanet['satellites'][number], planet: ShownPlanet): Satellite {
  const { orbit, ...rest } = satellite.properties
  const reference = { id: planet.id, name: planet.properties.name }
  return { id: satellite.id, ...rest, ...(orbit && { orbit: { planet: reference, ...orbit } }) }
}

/** The properties of a planet that the client owns: without those that the service sets, and without satellites. */
export function propertiesOf(input: PlanetInput): PlanetProperties {
  const { id: _id, creator: _creator, lastUpdated: _lastUpdated, satellites: _satellites, ...properties } = input
  return properties
}

/**
 * Gives each satellite of a request the id of the planet's satellite with the same name. Each id is used once; if names
 * repeat, in order. The other satellites are new.
 */
export function draftSatellites(
  input: PlanetInput['satellites'],
  existing: StoredPlanet['satellites'],
): SatelliteDraft[] | undefined {
  const free = Map.groupBy(existing, ({ properties }) => properties.name)
  return input?.map((properties) => ({ id: free.get(properties.name)?.shift()?.id ?? null, properties }))
}
