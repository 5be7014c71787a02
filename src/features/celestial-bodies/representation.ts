import type { CelestialBody, CelestialBodyInput, NonPlanetExtras, NonPlanetType } from '../../schemas/celestial-body.ts'
import type { PlanetInput } from '../../schemas/planet.ts'
import { presentPlanet, presentSatellite } from '../../schemas/present-planet.ts'
import type { SatelliteInput } from '../../schemas/satellite.ts'
import { presentUser } from '../../schemas/user.ts'
import type { StoredCelestialBody } from '../../stores/stored-celestial-body.ts'
import type { StoredPlanet } from '../../stores/stored-planet.ts'
import type { NewPlanet } from '../planets/create-planet.ts'
import type { CelestialBodiesPage } from './queries.ts'

/** A planet as `/celestial-bodies` shows it: with `diameter` and `orbit`, which `/planets` does not show. */
export function presentPlanetAsCelestialBody(planet: StoredPlanet, imageBaseUrl: string): CelestialBody {
  const { orbit, ...extras } = planet.extras ?? {}
  // The schema requires `orbit.planet`. It is empty, because a planet orbits no planet.
  return { ...presentPlanet(planet, imageBaseUrl), ...extras, ...(orbit && { orbit: { planet: {}, ...orbit } }) }
}

/** The members of a stored satellite or star from which its representation is made. */
export type ShownCelestialBody = Pick<
  StoredCelestialBody,
  'id' | 'type' | 'properties' | 'extras' | 'planet' | 'satellites' | 'listsSatellites' | 'lastUpdated'
> & { creator: Parameters<typeof presentUser>[0] }

/** A satellite or a star as the API shows it. A satellite refers to its planet by id and name. */
export function presentCelestialBody(body: ShownCelestialBody): CelestialBody {
  const { orbit, type: _type, ...properties } = body.properties
  const planetReference = body.planet ? { id: body.planet.id, name: body.planet.name } : {}
  return {
    ...properties,
    ...body.extras,
    ...(body.type && { type: body.type }),
    id: body.id,
    ...(orbit && { orbit: { planet: planetReference, ...orbit } }),
    ...(body.listsSatellites && { satellites: body.satellites.map((satellite) => presentSatellite(satellite, {})) }),
    creator: presentUser(body.creator),
    lastUpdated: body.lastUpdated.toISOString(),
  }
}

/** The bodies of a page of the list, in order of id. Planets come first because they have the lower ids. */
export function presentCelestialBodies(
  { planets, others }: CelestialBodiesPage,
  imageBaseUrl: string,
): CelestialBody[] {
  return [
    ...planets.map((planet) => presentPlanetAsCelestialBody(planet, imageBaseUrl)),
    ...others.map(presentCelestialBody),
  ]
}

/** Splits a request body into the input of `/planets`, and the members (`extras`) that planets do not have there. */
export function splitPlanet(body: CelestialBodyInput, type: PlanetInput['type']): NewPlanet {
  const { diameter, orbit, ...planet } = body
  const { planet: _planet, ...orbitWithoutPlanet } = orbit ?? {}
  const extras = { ...(diameter !== undefined && { diameter }), ...(orbit && { orbit: orbitWithoutPlanet }) }
  return { input: { ...planet, type }, extras: Object.keys(extras).length > 0 ? extras : null }
}

export interface CelestialBodyDraft {
  type: NonPlanetType
  properties: SatelliteInput
  extras: NonPlanetExtras
  /** Undefined if the client sent no list. */
  satellites: SatelliteInput[] | undefined
}

/**
 * Splits a request body for a satellite or a star. `properties` are the members that a satellite has in the list of its
 * planet; a star has them too. `extras` are the members that only a celestial body has.
 */
export function draftCelestialBody(input: CelestialBodyInput, type: NonPlanetType): CelestialBodyDraft {
  const { name, description, diameter, orbit, satellites, ...others } = input
  // The service sets these members itself.
  const { id: _id, creator: _creator, lastUpdated: _lastUpdated, type: _type, ...extras } = others
  const { planet: _planet, ...orbitWithoutPlanet } = orbit ?? {}
  const properties: SatelliteInput = {
    name,
    ...(description !== undefined && { description }),
    ...(diameter !== undefined && { diameter }),
    ...(type !== 'star' && { type }),
    ...(orbit && { orbit: orbitWithoutPlanet }),
  }
  return { type, properties, extras: extras satisfies NonPlanetExtras, satellites }
}
