import { z } from 'zod'
import { DateTime, freeKeys, HttpUrl, Id, list, Measurement, text } from './fields.ts'
import { Satellite, SatelliteInput } from './satellite.ts'
import { User } from './user.ts'

const positive = z.number().positive('must be greater than 0').meta({ format: 'float' })

const Temperature = z
  .object({
    min: Measurement.meta({ description: 'Minimum temperature in Kelvin', examples: [130] }).optional(),
    max: Measurement.meta({ description: 'Maximum temperature in Kelvin', examples: [308] }).optional(),
    average: Measurement.meta({ description: 'Average temperature in Kelvin', examples: [210] }).optional(),
  })
  .catchall(Measurement)
  .check(freeKeys)

const PhysicalProperties = z
  .object({
    mass: positive.meta({ description: 'Mass in Earth masses', examples: [0.107] }).optional(),
    radius: positive.meta({ description: 'Radius in Earth radii', examples: [0.532] }).optional(),
    gravity: Measurement.meta({ description: 'Surface gravity in Earth g', examples: [0.378] }).optional(),
    temperature: Temperature.optional(),
  })
  .catchall(Measurement)
  .check(freeKeys)

const AtmosphereItem = z
  .object({
    compound: z
      .string()
      .meta({ examples: ['CO2', 'N2'] })
      .optional(),
    percentage: z
      .number()
      .min(0, 'must be from 0 to 100')
      .max(100, 'must be from 0 to 100')
      .meta({ format: 'float', examples: [95.3] })
      .optional(),
  })
  .catchall(z.string())
  .check(freeKeys)

/** What the client owns of a planet, but for its satellites: stored as sent, returned as stored. */
export const PlanetProperties = z.object({
  name: text(1, 200).meta({ examples: ['Mars', 'Jupiter', 'HD 40307g'] }),
  description: text(0, 10_000)
    .nullable()
    .meta({ examples: ['The red planet'] })
    .optional(),
  type: z
    .enum(['terrestrial', 'gas_giant', 'ice_giant', 'dwarf', 'super_earth'])
    .meta({ examples: ['terrestrial'] })
    .optional(),
  habitabilityIndex: z
    .number()
    .min(0, 'must be from 0 to 1')
    .max(1, 'must be from 0 to 1')
    .meta({ format: 'float', description: 'A score from 0 to 1 indicating potential habitability', examples: [0.68] })
    .optional(),
  physicalProperties: PhysicalProperties.optional(),
  atmosphere: list(AtmosphereItem, 50).optional(),
  discoveredAt: DateTime.meta({ examples: ['1610-01-07T00:00:00Z'] }).optional(),
  image: text(0, 2048).nullable().optional(),
  tags: list(text(1, 100), 50)
    .meta({ examples: [['solar-system', 'rocky', 'explored']] })
    .optional(),
  successCallbackUrl: HttpUrl.meta({ description: 'URL which gets invoked upon a successful operation' }).optional(),
  failureCallbackUrl: HttpUrl.meta({ description: 'URL which gets invoked upon a failed operation' }).optional(),
})

/** Set by the server. Accepted and ignored in requests, so that what was read can be sent back. */
const ignored = z.unknown().optional()

/** A planet in a request. An unknown property is refused. */
export const PlanetInput = z
  .strictObject({
    ...PlanetProperties.shape,
    satellites: list(SatelliteInput, 100).optional(),
    id: ignored,
    creator: ignored,
    lastUpdated: ignored,
  })
  .meta({ id: 'PlanetInput', xml: { name: 'planet' } })

export const Planet = z
  .object({
    id: Id.meta({ readOnly: true }),
    ...PlanetProperties.shape,
    satellites: z.array(Satellite).optional(),
    creator: User.optional(),
    lastUpdated: DateTime.meta({ readOnly: true }),
  })
  .meta({ id: 'Planet', description: 'A planet', xml: { name: 'planet' } })

export type Planet = z.infer<typeof Planet>
export type PlanetInput = z.infer<typeof PlanetInput>
export type PlanetProperties = z.infer<typeof PlanetProperties>
