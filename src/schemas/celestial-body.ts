import * as z from 'zod'
import { doc } from '#doc'
import { DateTime, Id, Ignored, IgnoredDateTime, IgnoredId, idParameter, list } from './fields.ts'
import { PageQuery, pageOf } from './page.ts'
import { PLANET_TYPE_DESCRIPTIONS, PLANET_TYPE_NAMES, PlanetProperties } from './planet.ts'
import {
  Orbit,
  SATELLITE_TYPE_DESCRIPTIONS,
  SATELLITE_TYPE_NAMES,
  SATELLITES_MAX,
  Satellite,
  SatelliteInput,
  SatelliteOrbit,
  satelliteFields,
} from './satellite.ts'
import { User } from './user.ts'

export const PLANET_TYPES = PlanetProperties.shape.type.unwrap().options
export const SATELLITE_TYPES = satelliteFields.type.unwrap().options

const BODY_TYPES = [...PLANET_TYPES, ...SATELLITE_TYPES, 'star'] as const

const type = z.enum(BODY_TYPES).meta({
  id: 'CelestialBodyKind',
  description: doc(
    'The type: one of the five planet types, a moon, an asteroid, a comet or a star. A request without a type creates a planet. A satellite that was created with its planet may have no type.',
  ),
  examples: ['moon'],
  'x-enum-varnames': [...PLANET_TYPE_NAMES, ...SATELLITE_TYPE_NAMES, 'Star'],
  'x-enum-descriptions': [
    ...Object.values(PLANET_TYPE_DESCRIPTIONS),
    ...Object.values(SATELLITE_TYPE_DESCRIPTIONS),
    'Shines with its own light',
  ],
})

const { type: _type, name, ...planetFields } = PlanetProperties.shape
const { diameter } = satelliteFields

/** The properties of a celestial body: all properties of planets and of satellites. */
const fields = { name, type: type.optional(), diameter, ...planetFields }

const OrbitInput = Orbit.extend({
  planet: z
    .looseObject({ id: Id.optional() })
    .refine((planet) => planet.id !== undefined || Object.keys(planet).length === 0, {
      path: ['id'],
      error: 'is required, unless the object is empty',
    })
    .meta({
      id: 'PlanetChoice',
      description: doc(
        'The planet that a moon, an asteroid or a comet belongs to. Its `id` is required, its other members are ignored. If the body belongs to no planet, it is empty or absent.',
      ),
    })
    .optional(),
}).meta({ id: 'CelestialBodyOrbitInput', description: doc('The orbit of a celestial body in a request') })

const EXAMPLE = {
  name: 'Deimos',
  type: 'moon',
  diameter: 12.4,
  description: 'The outer of two moons',
  tags: ['solar-system'],
} as const
const ORBIT = { orbitalPeriod: 1.263, distance: 23460 }

/** An unknown property is rejected. */
export const CelestialBodyInput = z
  .strictObject({
    ...fields,
    orbit: OrbitInput.optional(),
    satellites: list(SatelliteInput, SATELLITES_MAX).optional(),
    id: IgnoredId,
    creator: Ignored,
    lastUpdated: IgnoredDateTime,
  })
  .meta({
    id: 'CelestialBodyInput',
    description: doc('A celestial body in a request'),
    // Such a body is JSON, but the size of its XML counts, because a response may have it.
    xml: { name: 'celestialBody' },
    examples: [
      { ...EXAMPLE, orbit: ORBIT },
      { name: 'Sol', type: 'star' },
      { name: 'Arrakis', type: 'terrestrial' },
    ],
  })

export const CelestialBody = z
  .object({
    id: Id.meta({
      'x-variable': 'celestialBodyId',
      description: doc('Ids up to 1,000,000,000 belong to planets, higher ids to all other bodies'),
    }),
    ...fields,
    orbit: SatelliteOrbit.optional(),
    satellites: z.array(Satellite).optional(),
    creator: User.optional(),
    lastUpdated: DateTime.meta({ examples: ['2024-01-15T14:30:00.000Z'] }),
  })
  .meta({
    id: 'CelestialBody',
    description: doc('A planet, a satellite or a star'),
    xml: { name: 'celestialBody' },
    examples: [
      {
        id: 1_000_000_001,
        ...EXAMPLE,
        orbit: { planet: { id: 4, name: 'Mars' }, ...ORBIT },
        creator: { id: 1, name: 'Marc' },
        lastUpdated: '2024-01-15T14:30:00.000Z',
      },
    ],
  })

export const CelestialBodyPage = pageOf(CelestialBody).meta({
  id: 'CelestialBodyPage',
  description: doc('A page of celestial bodies'),
  xml: { name: 'celestialBodies' },
  examples: [
    {
      data: [
        {
          id: 1,
          name: 'Mars',
          type: 'terrestrial',
          creator: { id: 1, name: 'Marc' },
          lastUpdated: '2024-01-15T14:30:00.000Z',
        },
      ],
      meta: { limit: 1, offset: 0, total: 5424, next: '/celestial-bodies?limit=1&offset=1' },
    },
  ],
})

export const CelestialBodyQuery = PageQuery.extend({
  type: type.meta({ description: doc('Only bodies of this type'), examples: ['moon'] }).optional(),
})

export const CelestialBodyPath = z.object({ celestialBodyId: idParameter(doc('The ID of the celestial body')) })

/** Properties of a planet that only /celestial-bodies reads and writes. /planets does not have them. */
const PlanetExtras = z.object({ diameter, orbit: Orbit.optional() })

/**
 * Properties of satellites and stars that only /celestial-bodies reads and writes. The items of `satellites` do not
 * have them. `description` is left out, because those items have it, too.
 */
const NonPlanetExtras = z.object(planetFields).omit({ description: true })

type PlanetType = (typeof PLANET_TYPES)[number]
export type NonPlanetType = Exclude<BodyType, PlanetType>

/** Whether this type, in a request, means a planet. A request without a type means a planet, too. */
export function isPlanetType(value: BodyType | undefined): value is PlanetType | undefined {
  return value === undefined || PLANET_TYPES.some((name) => name === value)
}

/** Whether a body of this type is a satellite or a star. */
export function isNonPlanetType(value: unknown): value is NonPlanetType {
  return value === 'star' || SATELLITE_TYPES.some((name) => name === value)
}

export type BodyType = (typeof BODY_TYPES)[number]
export type CelestialBody = z.infer<typeof CelestialBody>
export type CelestialBodyInput = z.infer<typeof CelestialBodyInput>
export type CelestialBodyQuery = z.infer<typeof CelestialBodyQuery>
export type PlanetExtras = z.infer<typeof PlanetExtras>
export type NonPlanetExtras = z.infer<typeof NonPlanetExtras>
