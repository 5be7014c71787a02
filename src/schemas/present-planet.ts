import { imageUrl } from '../domain/image-url.ts'
import type { Planet, PlanetProperties } from './planet.ts'
import type { PlanetReference, Satellite, SatelliteInput } from './satellite.ts'
import { presentUser } from './user.ts'

/** A satellite from which its representation is made. */
interface ShownSatellite {
  id: number
  properties: SatelliteInput
}

/** The members of a planet from which its representation is made. */
export interface ShownPlanet {
  id: number
  properties: PlanetProperties
  creator: Parameters<typeof presentUser>[0]
  /** The key of its upload; null if it shows none. */
  imageKey: string | null
  listsSatellites: boolean
  satellites: readonly ShownSatellite[]
  lastUpdated: Date
}

/**
 * A planet as the API shows it. Responses, events and callbacks all contain this representation.
 *
 * @param imageBaseUrl The beginning of the URL of an uploaded image, or a function that returns the URL for a key
 */
export function presentPlanet(planet: ShownPlanet, imageBaseUrl: string | ((key: string) => string)): Planet {
  const { id, properties, creator, imageKey, lastUpdated } = planet
  const reference = { id, name: properties.name }
  const urlOf = typeof imageBaseUrl === 'string' ? (key: string) => imageUrl(imageBaseUrl, key) : imageBaseUrl
  return {
    ...properties,
    id,
    ...(imageKey !== null && { image: urlOf(imageKey) }),
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
  { id, properties: { orbit, ...properties } }: ShownSatellite,
  planet: PlanetReference,
): Satellite {
  return { id, ...properties, ...(orbit && { orbit: { planet, ...orbit } }) }
}
