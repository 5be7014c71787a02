import { doc } from '#doc'
import { EXAMPLE_ORIGIN } from '../../domain/example-origin.ts'
import {
  AtmosphereChangedEvent,
  ImageUploadedEvent,
  PlanetCreatedEvent,
  PlanetDeletedEvent,
  PlanetExplodedEvent,
  PlanetUpdatedEvent,
  SatelliteDiscoveredEvent,
} from './planet-events.ts'
import { CAUSED_BY_USER, CAUSED_ON_DEMAND, exampleHead, type LiveEventSpec, MARC, MARS } from './spec.ts'

const IN_CHANNEL = { channel: 'planetEvents', audience: 'anybody', isTriggerableByAnyone: false } as const

const CO2 = { compound: 'CO2', percentage: 95.3 }

/** Registry: the events of a planet. */
export const PLANET_CHANNEL_EVENTS = {
  'planet.created': {
    ...IN_CHANNEL,
    message: 'PlanetCreated',
    title: 'Planet created',
    summary: 'A planet was created.',
    description: doc('Sent for each new planet, whichever request creates it.'),
    payload: PlanetCreatedEvent,
    example: {
      name: 'Mars Discovery',
      summary: 'Mars was created',
      payload: {
        ...exampleHead('planet.created', '019bc210-3240-7000-a168-2f0000000001', '2026-01-15T14:30:00.000Z'),
        planet: {
          ...MARS,
          description: 'The red planet',
          type: 'terrestrial',
          habitabilityIndex: 0.68,
          physicalProperties: { mass: 0.107, radius: 0.532, gravity: 0.378 },
          atmosphere: [CO2],
          discoveredAt: '1610-01-07T00:00:00Z',
          creator: MARC,
        },
        metadata: CAUSED_BY_USER,
      },
    },
  },
  'planet.updated': {
    ...IN_CHANNEL,
    message: 'PlanetUpdated',
    title: 'Planet updated',
    summary: 'A planet was changed.',
    description: doc(
      'Sent after every change of a planet: PUT, the upload of an image, and a new satellite. `changes` is empty if the planet is the same as before.',
    ),
    payload: PlanetUpdatedEvent,
    example: {
      name: 'Mars Atmosphere Update',
      summary: 'Mars has nitrogen, too',
      payload: {
        ...exampleHead('planet.updated', '019bc22b-a980-7000-9a81-ba0000000002', '2026-01-15T15:00:00.000Z'),
        planet: { ...MARS, atmosphere: [CO2, { compound: 'N2', percentage: 2.7 }] },
        changes: [{ field: 'atmosphere', oldValue: [CO2], newValue: [CO2, { compound: 'N2', percentage: 2.7 }] }],
        metadata: CAUSED_BY_USER,
      },
    },
  },
  'planet.deleted': {
    ...IN_CHANNEL,
    message: 'PlanetDeleted',
    title: 'Planet deleted',
    summary: 'A planet was deleted.',
    description: doc(
      'Sent after DELETE, and also if the service itself deletes the planet (then with a `reason`). It is the last event of the planet.',
    ),
    payload: PlanetDeletedEvent,
    example: {
      name: 'Planet Destruction',
      summary: 'A planet was deleted (hopefully by accident!)',
      payload: {
        ...exampleHead('planet.deleted', '019bc247-20c0-7000-b3a0-d20000000003', '2026-01-15T15:30:00.000Z'),
        planetId: 999,
        planetName: 'Test Planet',
        reason: 'Experimental deletion',
        metadata: CAUSED_ON_DEMAND,
      },
    },
  },
  'planet.exploded': {
    ...IN_CHANNEL,
    message: 'PlanetExploded',
    title: 'Planet exploded',
    summary: 'A planet exploded.',
    description: doc(
      'Sent after POST /planets/{planetId}/explode, with the last state of the planet. It is the last event of the planet.',
    ),
    payload: PlanetExplodedEvent,
    example: {
      name: 'Supernova Event',
      summary: 'Krypton went supernova',
      payload: {
        ...exampleHead('planet.exploded', '019bc262-9800-7000-936b-4a0000000004', '2026-01-15T16:00:00.000Z'),
        planet: { id: 42, name: 'Krypton', type: 'super_earth' },
        explosion: {
          type: 'supernova',
          intensity: 9.8,
          energyReleased: '1.2e44',
          newCelestialBodies: [
            { type: 'asteroid', name: 'Krypton Fragment Alpha' },
            { type: 'asteroid', name: 'Krypton Fragment Beta' },
          ],
        },
        affectedObjects: [{ planetId: 41, distance: 1_500_000, impact: 'moderate' }],
        metadata: CAUSED_ON_DEMAND,
      },
    },
  },
  'satellite.discovered': {
    ...IN_CHANNEL,
    message: 'SatelliteDiscovered',
    title: 'Satellite discovered',
    summary: 'A planet has a new satellite.',
    description: doc(
      'Sent for each new satellite of a planet, after any request that adds satellites. The events have the order of `satellites` of the planet.',
    ),
    payload: SatelliteDiscoveredEvent,
    example: {
      name: 'New Moon Discovery',
      summary: 'Mars has a new moon',
      payload: {
        ...exampleHead('satellite.discovered', '019bc27e-0f40-7000-bd78-bf0000000005', '2026-01-15T16:30:00.000Z'),
        satellite: {
          id: 1_000_000_015,
          name: 'Deimos II',
          type: 'moon',
          diameter: 12.4,
          orbit: { planet: MARS, orbitalPeriod: 1.26, distance: 23460 },
        },
        discoveryMethod: 'telescope_observation',
        metadata: CAUSED_ON_DEMAND,
      },
    },
  },
  'atmosphere.changed': {
    ...IN_CHANNEL,
    message: 'AtmosphereChanged',
    title: 'Atmosphere changed',
    summary: 'The atmosphere of a planet was changed.',
    description: doc('Sent after `planet.updated` if a PUT changes the atmosphere.'),
    payload: AtmosphereChangedEvent,
    example: {
      name: 'Terraforming Progress',
      summary: 'Mars is being terraformed',
      payload: {
        ...exampleHead('atmosphere.changed', '019bc299-8680-7000-9766-600000000006', '2026-01-15T17:00:00.000Z'),
        planet: MARS,
        atmosphere: [CO2, { compound: 'O2', percentage: 2.1 }, { compound: 'N2', percentage: 2.6 }],
        change: { type: 'terraforming', progress: 0.15, estimatedCompletion: '2050-12-31T00:00:00Z' },
        metadata: CAUSED_ON_DEMAND,
      },
    },
  },
  'image.uploaded': {
    ...IN_CHANNEL,
    message: 'ImageUploaded',
    title: 'Image uploaded',
    summary: 'A planet has a new image.',
    description: doc('Sent after `planet.updated` if an image was uploaded.'),
    payload: ImageUploadedEvent,
    example: {
      name: 'Mars Photo Upload',
      summary: 'A new photo of Mars was uploaded',
      payload: {
        ...exampleHead('image.uploaded', '019bc2b4-fdc0-7000-9289-380000000007', '2026-01-15T17:30:00.000Z'),
        planet: MARS,
        image: {
          url: `${EXAMPLE_ORIGIN}/images/6f1b3f0e-8f5c-4f0e-9d0a-3c1f0b6f2a11.png`,
          fileSize: 2_048_576,
          mimeType: 'image/png',
          uploadedAt: '2026-01-15T17:30:00.000Z',
        },
        uploader: MARC,
        metadata: CAUSED_BY_USER,
      },
    },
  },
} as const satisfies Record<string, LiveEventSpec>
