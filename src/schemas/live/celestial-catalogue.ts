import { doc } from '#doc'
import {
  CelestialBodyCreatedEvent,
  CelestialBodyUpdatedEvent,
  NewDiscoveryEvent,
  OrbitalCollisionEvent,
} from './celestial-events.ts'
import { CAUSED_BY_USER, CAUSED_ON_DEMAND, exampleHead, type LiveEventSpec, MARS } from './spec.ts'

const IN_CHANNEL = { channel: 'celestialBodyEvents', audience: 'anybody', isTriggerableByAnyone: false } as const

/** Registry: the events of all planets and satellites. */
export const CELESTIAL_CHANNEL_EVENTS = {
  'celestial_body.created': {
    ...IN_CHANNEL,
    message: 'CelestialBodyCreated',
    title: 'Celestial body created',
    summary: 'There is a new planet or satellite.',
    description: doc(
      'Sent for each new planet and each new satellite, after any request that creates planets or satellites.',
    ),
    payload: CelestialBodyCreatedEvent,
    example: {
      name: 'New Asteroid',
      summary: 'There is a new asteroid',
      payload: {
        ...exampleHead('celestial_body.created', '019bc3c7-a640-7000-81b9-550000000011', '2026-01-15T22:30:00.000Z'),
        celestialBody: {
          type: 'satellite',
          satellite: { id: 1_000_000_016, name: 'Asteroid X-2024', type: 'asteroid', diameter: 1.2 },
        },
        discovery: { method: 'telescope_observation', observatory: 'Hubble Space Telescope' },
        metadata: CAUSED_ON_DEMAND,
      },
    },
  },
  'celestial_body.updated': {
    ...IN_CHANNEL,
    message: 'CelestialBodyUpdated',
    title: 'Celestial body updated',
    summary: 'A planet or satellite was changed.',
    description: doc('Sent for each changed planet and each changed satellite, after any request that changes them.'),
    payload: CelestialBodyUpdatedEvent,
    example: {
      name: 'Orbit Update',
      summary: 'A moon has another orbit',
      payload: {
        ...exampleHead('celestial_body.updated', '019bc3e3-1d80-7000-8fee-070000000012', '2026-01-15T23:00:00.000Z'),
        celestialBody: {
          type: 'satellite',
          satellite: {
            id: 1_000_000_015,
            name: 'Deimos II',
            orbit: { planet: MARS, orbitalPeriod: 1.28, distance: 23500 },
          },
        },
        changes: [
          {
            field: 'orbit',
            oldValue: { planet: MARS, orbitalPeriod: 1.26, distance: 23460 },
            newValue: { planet: MARS, orbitalPeriod: 1.28, distance: 23500 },
          },
        ],
        metadata: CAUSED_BY_USER,
      },
    },
  },
  'orbital.collision': {
    ...IN_CHANNEL,
    message: 'OrbitalCollision',
    title: 'Orbital collision',
    summary: 'Two bodies collided.',
    description: doc('Only sent on demand (POST /events).'),
    payload: OrbitalCollisionEvent,
    example: {
      name: 'Asteroid Impact',
      summary: 'An asteroid hit Mars',
      payload: {
        ...exampleHead('orbital.collision', '019bc3fe-94c0-7000-9896-420000000013', '2026-01-15T23:30:00.000Z'),
        collision: { type: 'asteroid_planet', severity: 'minor', energy: '1.2e12' },
        objects: [
          { type: 'satellite', id: 1_000_000_017, name: 'Asteroid Y-2024', mass: 1_500_000_000_000 },
          { type: 'planet', ...MARS },
        ],
        impact: { location: 'Valles Marineris', craterSize: 150, atmosphericEffects: 'dust_cloud' },
        metadata: CAUSED_ON_DEMAND,
      },
    },
  },
  'discovery.new': {
    ...IN_CHANNEL,
    message: 'NewDiscovery',
    title: 'New discovery',
    summary: 'Something remarkable was discovered.',
    description: doc('Only sent on demand (POST /events).'),
    payload: NewDiscoveryEvent,
    example: {
      name: 'Habitable Planet',
      summary: 'A planet may be habitable',
      payload: {
        ...exampleHead('discovery.new', '019bc41a-0c00-7000-ab51-c40000000014', '2026-01-16T00:00:00.000Z'),
        discovery: {
          type: 'habitable_planet',
          significance: 'high',
          description: 'Earth-like planet with liquid water detected',
        },
        celestialBody: {
          type: 'planet',
          planet: {
            id: 50,
            name: 'Kepler-442b',
            type: 'super_earth',
            habitabilityIndex: 0.84,
            physicalProperties: { mass: 2.36, radius: 1.34, temperature: { average: 233 } },
          },
        },
        research: {
          method: 'transit_photometry',
          observatory: 'Kepler Space Telescope',
          paper: 'https://arxiv.org/abs/2401.15000',
        },
        metadata: CAUSED_ON_DEMAND,
      },
    },
  },
} as const satisfies Record<string, LiveEventSpec>
