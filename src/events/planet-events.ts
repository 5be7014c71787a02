import type { Planet } from '../schemas/planet.ts'
import type { Satellite } from '../schemas/satellite.ts'
import { changesFrom, findOldValues, satellitesById } from './changes.ts'
import type { EventContents } from './event-contents.ts'
import type { ContentOf, FieldChange, UploadedImage } from './happening.ts'

// The events of planets and other celestial bodies. A happening can cause events on two channels: `planet.*`,
// `satellite.*`, `atmosphere.*` and `image.*` on the channel of the planet, and `celestial_body.*` on the channel of
// all celestial bodies.

/** The explosion of every planet. It has the highest intensity (0 to 10), because nothing is left of the planet. */
const EXPLOSION = { type: 'artificial', intensity: 10 }

export const PLANET_EVENTS = {
  planet_created: ({ body: planet }: ContentOf<'planet_created'>): EventContents[] => {
    const satellites = planet.satellites ?? []
    return [
      { eventType: 'planet.created', members: { planet } },
      ...satellites.map((satellite) => satelliteDiscovered(satellite, planet)),
      celestialBodyCreated({ planet }),
      ...satellites.map((satellite) => celestialBodyCreated({ satellite: withPlanet(satellite, planet) })),
    ]
  },
  planet_updated: ({ body: planet, details }: ContentOf<'planet_updated'>): EventContents[] => {
    const { old, image, uploader } = details
    const changes = changesFrom(old, planet)
    const { discovered, celestialBodyEvents } = compareSatellites(planet, old)
    return [
      { eventType: 'planet.updated', members: { planet }, changes },
      ...('atmosphere' in old ? [atmosphereChanged(planet)] : []),
      ...discovered.map((satellite) => satelliteDiscovered(satellite, planet)),
      ...(image ? [imageUploaded(planet, image, uploader)] : []),
      celestialBodyUpdated({ planet }, changes),
      ...celestialBodyEvents,
    ]
  },
  planet_deleted: ({ body: { id, name }, details: { reason } }: ContentOf<'planet_deleted'>): EventContents[] => [
    {
      eventType: 'planet.deleted',
      members: { planetId: id, planetName: name, ...(reason !== undefined && { reason }) },
    },
  ],
  planet_exploded: ({ body: planet }: ContentOf<'planet_exploded'>): EventContents[] => [
    { eventType: 'planet.exploded', members: { planet, explosion: EXPLOSION } },
  ],
  satellites_created: ({ body: satellites }: ContentOf<'satellites_created'>): EventContents[] =>
    satellites.map((satellite) => celestialBodyCreated({ satellite: withoutEmptyReference(satellite) })),
}

/**
 * Compares the satellites of a planet with their earlier values.
 *
 * @returns The new satellites, and the `celestial_body.*` events of the new and the changed satellites
 */
function compareSatellites(planet: Planet, old: Record<string, unknown>) {
  if (!('satellites' in old)) return { discovered: [], celestialBodyEvents: [] }
  const previous = satellitesById(old.satellites)
  const current = planet.satellites ?? []
  const celestialBodyEvents = current.flatMap((satellite) => {
    const before = previous.get(satellite.id)
    const satelliteInEvent = withPlanet(satellite, planet)
    if (!before) return [celestialBodyCreated({ satellite: satelliteInEvent })]
    const oldValues = findOldValues(before, satellite)
    if (Object.keys(oldValues).length === 0) return []
    return [celestialBodyUpdated({ satellite: satelliteInEvent }, changesFrom(oldValues, satellite))]
  })
  return { discovered: current.filter(({ id }) => !previous.has(id)), celestialBodyEvents }
}

function satelliteDiscovered(satellite: Satellite, planet: Planet): EventContents {
  return { eventType: 'satellite.discovered', members: { satellite: withPlanet(satellite, planet) } }
}

function atmosphereChanged({ id, name, atmosphere }: Planet): EventContents {
  return { eventType: 'atmosphere.changed', members: { planet: { id, name }, atmosphere: atmosphere ?? [] } }
}

function imageUploaded({ id, name }: Planet, image: UploadedImage, uploader: object | undefined): EventContents {
  return { eventType: 'image.uploaded', members: { planet: { id, name }, image, ...(uploader && { uploader }) } }
}

/** A celestial body in events: a planet or a satellite, in the member that has the name of its type. */
type ShownBody = { planet: Planet } | { satellite: object }

function withType(body: ShownBody): object {
  return 'planet' in body ? { type: 'planet', ...body } : { type: 'satellite', ...body }
}

function celestialBodyCreated(body: ShownBody): EventContents {
  return { eventType: 'celestial_body.created', members: { celestialBody: withType(body) } }
}

function celestialBodyUpdated(body: ShownBody, changes: FieldChange[]): EventContents {
  return { eventType: 'celestial_body.updated', members: { celestialBody: withType(body) }, changes }
}

/** A satellite with a reference to its planet, even if the satellite has no orbit. */
function withPlanet(satellite: Satellite, { id, name }: Planet): object {
  return { ...satellite, orbit: { planet: { id, name }, ...satellite.orbit } }
}

/** A satellite that belongs to no planet. Its orbit loses the empty reference to a planet. */
function withoutEmptyReference({ orbit, ...satellite }: Satellite): object {
  if (!orbit) return satellite
  const { planet: _planet, ...orbitWithoutPlanet } = orbit
  return Object.keys(orbitWithoutPlanet).length === 0 ? satellite : { ...satellite, orbit: orbitWithoutPlanet }
}
