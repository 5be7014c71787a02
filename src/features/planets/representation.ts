import { imageUrl } from '../../domain/image-url.ts'
import type { Planet, PlanetInput, PlanetProperties } from '../../schemas/planet.ts'
import type { PlanetReference, Satellite } from '../../schemas/satellite.ts'
import { presentUser } from '../../schemas/user.ts'
import type { SatelliteDraft } from '../../stores/satellites.ts'
import type { StoredPlanet } from '../../stores/stored-planet.ts'

/** The members of a stored planet from which its representation is made. */
type ShownPlanet = Pick<
  StoredPlanet,
  'id' | 'properties' | 'satellites' | 'listsSatellites' | 'imageKey' | 'lastUpdated'
> & { creator: Parameters<typeof presentUser>[0] }

/**
 * A planet as the API shows it.
 *
 * @param imageBaseUrl The beginning of the URL of an uploaded image
 */
export function presentPlanet(planet: ShownPlanet, imageBaseUrl: string): Planet {
  const { id, properties, creator, imageKey, lastUpdated } = planet
  const reference = { id, name: properties.name }
  return {
    ...properties,
    id,
    ...(imageKey !== null && { image: imageUrl(imageBaseUrl, imageKey) }),
    ...(planet.listsSatellites && {
      satellites: planet.satellites.map((satellite) => presentSatellite(satellite, reference)),
    }),
    creator: presentUser(creator),
    lastUpdated: lastUpdated.toISOString(),
  }
}

/**
 * A satellite as the API shows it. It refers to its planet by id and name, because the whole planet would contain the
 * satellite again.
 *
 * @param planet Empty if the satellite belongs to no planet
 */
export function presentSatellite(
  { id, properties: { orbit, ...properties } }: StoredPlanet['satellites'][number],
  planet: PlanetReference,
): Satellite {
  return { id, ...properties, ...(orbit && { orbit: { planet, ...orbit } }) }
}

/** The properties of a planet that the client sets. Satellites are left out, because they are stored separately. */
export function propertiesOf(input: PlanetInput): PlanetProperties {
  const { id: _id, creator: _creator, lastUpdated: _lastUpdated, satellites: _satellites, ...properties } = input
  return properties
}

/**
 * Gives each satellite of a request the id of the planet's satellite with the same name. If several satellites have the
 * same name, their ids are used in order, each once. Satellites without an id are new.
 */
export function draftSatellites(
  input: PlanetInput['satellites'],
  existing: StoredPlanet['satellites'],
): SatelliteDraft[] | undefined {
  const unusedByName = Map.groupBy(existing, ({ properties }) => properties.name)
  return input?.map((properties) => ({ id: unusedByName.get(properties.name)?.shift()?.id ?? null, properties }))
}
