import type { Planet } from '../schemas/planet.ts'
import type { Satellite } from '../schemas/satellite.ts'
import { changesFrom, findOldValues, satellitesOf } from './changes.ts'
import type { EventContents } from './event-contents.ts'
import type { FieldChange, Happenings, UploadedImage } from './happening.ts'

// The events of planets and other celestial bodies. The planet's channel gets `planet.*` and what belongs to it. The
// channel of celestial bodies gets the same happening as `celestial_body.*`.

type Given<Name extends keyof Happenings> = Happenings[Name]

/** The intensity of an explosion, on a scale from 0 to 10: nothing is left of the planet. */
const EXPLOSION = { type: 'artificial', intensity: 10 }

export const PLANET_EVENTS = {
  planet_created: ({ body: planet }: Given<'planet_created'>): EventContents[] => {
    const satellites = planet.satellites ?? []
    return [
      { eventType: 'planet.created', members: { planet } },
      ...satellites.map((satellite) => satelliteDiscovered(satellite, planet)),
      bodyCreated({ planet }),
      ...satellites.map((satellite) => bodyCreated({ satellite: withPlanet(satellite, planet) })),
    ]
  },
  planet_updated: ({ body: planet, details }: Given<'planet_updated'>): EventContents[] => {
    const { before, image, uploader } = details
    const old = details.old ?? findOldValues(before ?? {}, planet)
    const changes = changesFrom(old, planet)
    const { discovered, satelliteEvents } = compareSatellites(planet, old)
    return [
      { eventType: 'planet.updated', members: { planet }, changes },
      // An upload does not change the atmosphere, so the event of the image can be the last one.
      ...('atmosphere' in old ? [atmosphereChanged(planet)] : []),
      ...discovered.map((satellite) => satelliteDiscovered(satellite, planet)),
      ...(image ? [imageUploaded(planet, image, uploader)] : []),
      bodyUpdated({ planet }, changes),
      ...satelliteEvents,
    ]
  },
  planet_deleted: ({ body: { id, name }, details: { reason } }: Given<'planet_deleted'>): EventContents[] => [
    {
      eventType: 'planet.deleted',
      members: { planetId: id, planetName: name, ...(reason !== undefined && { reason }) },
    },
  ],
  planet_exploded: ({ body: planet }: Given<'planet_exploded'>): EventContents[] => [
    { eventType: 'planet.exploded', members: { planet, explosion: EXPLOSION } },
  ],
  satellites_created: ({ body }: Given<'satellites_created'>): EventContents[] =>
    body.map((satellite) => bodyCreated({ satellite: withoutEmptyReference(satellite) })),
}

/** The satellites that are new, and the events of those that are new or changed. */
function compareSatellites(planet: Planet, old: Record<string, unknown>) {
  if (!('satellites' in old)) return { discovered: [], satelliteEvents: [] }
  const previous = satellitesOf(old.satellites)
  const current = planet.satellites ?? []
  const satelliteEvents = current.flatMap((satellite) => {
    const before = previous.get(satellite.id)
    const shown = withPlanet(satellite, planet)
    if (!before) return [bodyCreated({ satellite: shown })]
    const oldValues = findOldValues(before, satellite)
    if (Object.keys(oldValues).length === 0) return []
    return [bodyUpdated({ satellite: shown }, changesFrom(oldValues, satellite))]
  })
  return { discovered: current.filter(({ id }) => !previous.has(id)), satelliteEvents }
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

/** A celestial body in events: a planet or a satellite, under the name of its type. */
type ShownBody = { planet: Planet } | { satellite: object }

function present(body: ShownBody): object {
  return 'planet' in body ? { type: 'planet', ...body } : { type: 'satellite', ...body }
}

function bodyCreated(body: ShownBody): EventContents {
  return { eventType: 'celestial_body.created', members: { celestialBody: present(body) } }
}

function bodyUpdated(body: ShownBody, changes: FieldChange[]): EventContents {
  return { eventType: 'celestial_body.updated', members: { celestialBody: present(body) }, changes }
}

/** A satellite with a reference to its planet, even if its orbit is not shown. */
function withPlanet(satellite: Satellite, { id, name }: Planet): object {
  return { ...satellite, orbit: { planet: { id, name }, ...satellite.orbit } }
}

/** A satellite without a planet. Its orbit has no empty reference. */
function withoutEmptyReference({ orbit, ...satellite }: Satellite): object {
  if (!orbit) return satellite
  const { planet: _planet, ...rest } = orbit
  return Object.keys(rest).length === 0 ? satellite : { ...satellite, orbit: rest }
}
