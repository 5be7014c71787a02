import * as z from 'zod'
import { doc } from '#doc'
import { EXAMPLE_ORIGIN } from '../domain/example-origin.ts'
import {
  DateTime,
  freeKeys,
  HttpUrl,
  Id,
  Ignored,
  IgnoredDateTime,
  IgnoredId,
  list,
  Measurement,
  text,
} from './fields.ts'
import { CursorPageMeta, pageOf } from './page.ts'
import { ProblemFault } from './problem.ts'
import { SATELLITE_EXAMPLE, SATELLITE_INPUT_EXAMPLE, SATELLITES_MAX, Satellite, SatelliteInput } from './satellite.ts'
import { User } from './user.ts'

const IMAGE_URL = `${EXAMPLE_ORIGIN}/images/6f1b3f0e-8f5c-4f0e-9d0a-3c1f0b6f2a11.png`

const positiveMeasurement = z.number().positive('must be greater than 0')

export const Temperature = z
  .object({
    min: Measurement.meta({ description: doc('Minimum temperature in Kelvin'), examples: [130] }).optional(),
    max: Measurement.meta({ description: doc('Maximum temperature in Kelvin'), examples: [308] }).optional(),
    average: Measurement.meta({ description: doc('Average temperature in Kelvin'), examples: [210] }).optional(),
  })
  .catchall(
    Measurement.meta({
      description: doc('Any other temperature in Kelvin'),
      'x-additionalPropertiesName': 'temperatureMetric',
    }),
  )
  .check(freeKeys)
  .meta({ id: 'Temperature', description: doc('Temperatures in Kelvin') })

export const PhysicalProperties = z
  .object({
    mass: positiveMeasurement.meta({ description: doc('Mass in Earth masses'), examples: [0.107] }).optional(),
    radius: positiveMeasurement.meta({ description: doc('Radius in Earth radii'), examples: [0.532] }).optional(),
    gravity: Measurement.meta({ description: doc('Surface gravity in Earth g'), examples: [0.378] }).optional(),
    temperature: Temperature.optional(),
  })
  .catchall(
    Measurement.meta({ description: doc('Any other measurement'), 'x-additionalPropertiesName': 'measurement' }),
  )
  .check(freeKeys)
  .meta({ id: 'PhysicalProperties', description: doc('Measurements of a body') })

const AtmosphereComponent = z
  .object({
    compound: z
      .string()
      .meta({ examples: ['CO2', 'N2'] })
      .optional(),
    percentage: z
      .number()
      .min(0, 'must be from 0 to 100')
      .max(100, 'must be from 0 to 100')
      .meta({ examples: [95.3] })
      .optional(),
  })
  .catchall(
    z.string().meta({
      description: doc('Any other property'),
      'x-additionalPropertiesName': 'atmosphericData',
    }),
  )
  .check(freeKeys)
  .meta({ id: 'AtmosphereComponent', description: doc('One of the substances of an atmosphere') })

/** Names and descriptions of the planet types, in the order of the types, for tools that read the OpenAPI document. */
export const PLANET_TYPE_NAMES = ['Terrestrial', 'GasGiant', 'IceGiant', 'Dwarf', 'SuperEarth']
export const PLANET_TYPE_DESCRIPTIONS = {
  terrestrial: 'Made of rock, such as Earth and Mars',
  gas_giant: 'Made of hydrogen and helium, such as Jupiter and Saturn',
  ice_giant: 'Made of water, ammonia and methane, such as Uranus and Neptune',
  dwarf: 'Round, but not alone in its orbit, such as Pluto',
  super_earth: 'Heavier than Earth, lighter than Neptune',
}

/**
 * The properties of a planet that the client sets, except its satellites. The service stores and returns these
 * properties unchanged.
 */
export const PlanetProperties = z.object({
  name: text(1, 200).meta({ examples: ['Mars', 'Jupiter', 'HD 40307g'] }),
  description: text(0, 10_000)
    .nullable()
    .meta({ examples: ['The red planet', null] })
    .optional(),
  type: z
    .enum(['terrestrial', 'gas_giant', 'ice_giant', 'dwarf', 'super_earth'])
    .meta({
      id: 'PlanetKind',
      examples: ['terrestrial'],
      'x-enum-varnames': PLANET_TYPE_NAMES,
      'x-enum-descriptions': Object.values(PLANET_TYPE_DESCRIPTIONS),
    })
    .optional(),
  habitabilityIndex: z
    .number()
    .min(0, 'must be from 0 to 1')
    .max(1, 'must be from 0 to 1')
    .meta({ description: doc('A score from 0 to 1 indicating potential habitability'), examples: [0.68] })
    .optional(),
  physicalProperties: PhysicalProperties.optional(),
  atmosphere: list(AtmosphereComponent, 50)
    .meta({ description: doc('What the atmosphere is made of') })
    .optional(),
  discoveredAt: DateTime.meta({ examples: ['1610-01-07T00:00:00Z'] }).optional(),
  image: text(0, 2048)
    .nullable()
    .meta({ description: doc('Usually a URL. For an uploaded image, the URL of the upload'), examples: [IMAGE_URL] })
    .optional(),
  tags: list(text(1, 100), 50)
    .meta({ examples: [['solar-system', 'rocky', 'explored']] })
    .optional(),
  successCallbackUrl: HttpUrl.meta({
    description: doc('The URL that the service calls when the operation succeeds'),
    examples: ['https://receiver.example/webhook'],
  }).optional(),
  failureCallbackUrl: HttpUrl.meta({
    description: doc('The URL that the service calls when the operation fails'),
    examples: ['https://receiver.example/webhook'],
  }).optional(),
})

const EXAMPLE = {
  name: 'Mars',
  description: 'The red planet',
  type: 'terrestrial',
  habitabilityIndex: 0.68,
  physicalProperties: {
    mass: 0.107,
    radius: 0.532,
    gravity: 0.378,
    temperature: { min: 130, max: 308, average: 210 },
    axialTilt: 25.19,
  },
  atmosphere: [
    { compound: 'CO2', percentage: 95.3 },
    { compound: 'N2', percentage: 2.7, note: 'with traces of argon' },
  ],
  discoveredAt: '1610-01-07T00:00:00Z',
  image: IMAGE_URL,
  tags: ['solar-system', 'rocky', 'explored'],
}

/** An unknown property is rejected. */
export const PlanetInput = z
  .strictObject({
    ...PlanetProperties.shape,
    satellites: list(SatelliteInput, SATELLITES_MAX).optional(),
    id: IgnoredId,
    creator: Ignored,
    lastUpdated: IgnoredDateTime,
  })
  .meta({
    id: 'PlanetInput',
    description: doc('A planet in a request'),
    xml: { name: 'planet' },
    examples: [{ ...EXAMPLE, satellites: [SATELLITE_INPUT_EXAMPLE] }, { name: 'Arrakis' }],
  })

export const Planet = z
  .object({
    id: Id.meta({ 'x-variable': 'planetId' }),
    ...PlanetProperties.shape,
    satellites: z.array(Satellite).optional(),
    creator: User.optional(),
    lastUpdated: DateTime.meta({ examples: ['2024-01-15T14:30:00.000Z'] }),
  })
  .meta({
    id: 'Planet',
    description: doc('A planet'),
    xml: { name: 'planet' },
    examples: [
      {
        id: 1,
        ...EXAMPLE,
        satellites: [SATELLITE_EXAMPLE],
        creator: { id: 1, name: 'Marc' },
        lastUpdated: '2024-01-15T14:30:00.000Z',
      },
    ],
  })

export const PlanetPage = pageOf(Planet)
  .extend({ meta: CursorPageMeta })
  .meta({
    id: 'PlanetPage',
    description: doc('A page of planets'),
    xml: { name: 'planets' },
    examples: [
      {
        data: [{ id: 1, name: 'Mars', creator: { id: 1, name: 'Marc' }, lastUpdated: '2024-01-15T14:30:00.000Z' }],
        meta: {
          limit: 1,
          offset: 0,
          total: 5402,
          next: '/planets?limit=1&offset=1',
          nextCursor: 'QH0iQpFM6ITHTRAyW251bGwsMV0',
        },
      },
    ],
  })

/** The members of a planet in a request, with any values, because a rejected planet can have invalid values. */
const anyPlanetMembers = Object.fromEntries(
  Object.keys(PlanetInput.shape).map((name) => [name, z.unknown().optional()]),
)

/** The body of a callback about a rejected planet: everything that was sent, and its faults. */
export const RefusedPlanet = z
  .looseObject({
    ...anyPlanetMembers,
    errors: z.array(ProblemFault).meta({ description: doc('What is wrong with the planet') }),
  })
  .meta({
    id: 'RefusedPlanet',
    description: doc('A planet as you sent it, and what is wrong with it'),
    examples: [{ name: '', errors: [{ pointer: '/name', detail: 'must have 1 to 200 characters' }] }],
  })

export type Planet = z.infer<typeof Planet>
export type PlanetPage = z.infer<typeof PlanetPage>
export type PlanetInput = z.infer<typeof PlanetInput>
export type PlanetProperties = z.infer<typeof PlanetProperties>
