import type {
  BodyExtras,
  CelestialBody,
  CelestialBodyInput,
  OtherType,
  PlanetExtras,
} from '../../schemas/celestial-body.ts'
import type { PlanetInput } from '../../schemas/planet.ts'
import type { SatelliteInput } from '../../schemas/satellite.ts'
import { presentUser } from '../../schemas/user.ts'
import type { BodyDraft, BodyPage } from '../../stores/celestial-bodies.ts'
import type { StoredBody } from '../../stores/stored-celestial-body.ts'
import type { StoredPlanet } from '../../stores/stored-planet.ts'
import { draftSatellites, presentPlanet } from '../planets/representation.ts'

/** A planet as a celestial body: with what else it was given as one. */
export function presentPlanetAsBody(planet: StoredPlanet, baseUrl: string): CelestialBody {
  const { orbit, ...extras } = planet.extras ?? {}
  return { ...presentPlanet(planet, baseUrl), ...extras, ...(orbit && { orbit: { planet: {}, ...orbit } }) }
}

/** What the API shows of a satellite or a star. */
type ShownBody = Pick<
  StoredBody,
  'id' | 'type' | 'properties' | 'extras' | 'planet' | 'satellites' | 'listsSatellites' | 'lastUpdated'
> & { creator: Parameters<typeof presentUser>[0] }

/** A satellite or a star. It refers to its planet by id and name. */
export function presentBody(body: ShownBody): CelestialBody {
  const { orbit, type: _type, ...properties } = body.properties
  const reference = body.planet ? { id: body.planet.id, name: body.planet.name } : {}
  return {
    ...properties,
    ...body.extras,
    ...(body.type && { type: body.type }),
    id: body.id,
    ...(orbit && { orbit: { planet: reference, ...orbit } }),
    ...(body.listsSatellites && { satellites: body.satellites.map(presentHosted) }),
    creator: presentUser(body.creator),
    lastUpdated: body.lastUpdated.toISOString(),
  }
}

/** A satellite of what is no planet. */
function presentHosted({ id, properties: { orbit, ...properties } }: StoredBody['satellites'][number]) {
  return { id, ...properties, ...(orbit && { orbit: { planet: {}, ...orbit } }) }
}

/** A page's bodies in their order: planets have the lower ids. */
export function presentBodies({ planets, others }: BodyPage, baseUrl: string): CelestialBody[] {
  return [...planets.map((planet) => presentPlanetAsBody(planet, baseUrl)), ...others.map(presentBody)]
}

/** The part of a request that is a planet, and what no planet has. */
export function splitPlanet(input: CelestialBodyInput, type: PlanetInput['type']): [PlanetInput, PlanetExtras | null] {
  const { diameter, orbit, ...planet } = input
  const { planet: _planet, ...path } = orbit ?? {}
  const extras = { ...(diameter !== undefined && { diameter }), ...(orbit && { orbit: path }) }
  return [{ ...planet, type }, Object.keys(extras).length > 0 ? extras : null]
}

/** The part of a request that is a satellite, which a star is too, and what no satellite has. */
export function draftBody(input: CelestialBodyInput, type: OtherType): BodyDraft {
  const { name, description, diameter, orbit, satellites, ...rest } = input
  const { id: _id, creator: _creator, lastUpdated: _lastUpdated, type: _type, ...extras } = rest
  const { planet: _planet, ...path } = orbit ?? {}
  const properties: SatelliteInput = {
    name,
    ...(description !== undefined && { description }),
    ...(diameter !== undefined && { diameter }),
    ...(type !== 'star' && { type }),
    ...(orbit && { orbit: path }),
  }
  return { type, properties, extras: extras satisfies BodyExtras, satellites: draftSatellites(satellites, []) }
}
