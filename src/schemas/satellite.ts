import * as z from 'zod'
import { doc } from '#doc'
import { Id, Measurement, text } from './fields.ts'

/**
 * Names and descriptions of the satellite types, in the order of the types, for tools that read the OpenAPI document.
 */
export const SATELLITE_TYPE_NAMES = ['Moon', 'Asteroid', 'Comet']
export const SATELLITE_TYPE_DESCRIPTIONS = {
  moon: 'In orbit around a planet',
  asteroid: 'Made of rock, mostly found between Mars and Jupiter',
  comet: 'Made of ice, with a tail when it is near a star',
}

/** Maximum number of satellites of one planet, star or satellite. */
export const SATELLITES_MAX = 100

/** The properties of a satellite that the client sets. */
export const satelliteFields = {
  name: text(1, 200).meta({ examples: ['Phobos'] }),
  description: text(0, 10_000)
    .nullable()
    .meta({ examples: ['The inner of two moons', null] })
    .optional(),
  diameter: Measurement.meta({ description: doc('Diameter in kilometers'), examples: [22.2] }).optional(),
  type: z
    .enum(['moon', 'asteroid', 'comet'])
    .meta({
      id: 'SatelliteKind',
      examples: ['moon'],
      'x-enum-varnames': SATELLITE_TYPE_NAMES,
      'x-enum-descriptions': Object.values(SATELLITE_TYPE_DESCRIPTIONS),
    })
    .optional(),
}

/** The orbit of a satellite, without its planet. */
export const Orbit = z.object({
  orbitalPeriod: Measurement.meta({ description: doc('Orbital period in Earth days'), examples: [0.319] }).optional(),
  distance: Measurement.meta({
    description: doc('Average distance from the planet in kilometers'),
    examples: [9376],
  }).optional(),
})

/** The planet that a satellite belongs to. */
export const PlanetReference = z
  .object({
    id: Id.optional(),
    name: z
      .string()
      .meta({ examples: ['Mars'] })
      .optional(),
  })
  .meta({
    id: 'PlanetReference',
    description: doc(
      'The planet that the satellite belongs to. An empty object if the satellite belongs to no planet.',
    ),
  })

export const SatelliteOrbit = z
  .object({ planet: PlanetReference, ...Orbit.shape })
  .meta({ id: 'SatelliteOrbit', description: doc('The orbit of a satellite') })

const PHOBOS = { name: 'Phobos', description: 'The inner of two moons', diameter: 22.2, type: 'moon' } as const
const ORBIT = { orbitalPeriod: 0.319, distance: 9376 }
/** The examples of a satellite, in a request and in a response. Examples of planets contain them. */
export const SATELLITE_INPUT_EXAMPLE = { ...PHOBOS, orbit: ORBIT }
export const SATELLITE_EXAMPLE = {
  id: 1_000_000_001,
  ...PHOBOS,
  orbit: { planet: { id: 1, name: 'Mars' }, ...ORBIT },
}

const SatelliteOrbitInput = z
  .object(Orbit.shape)
  .meta({ id: 'SatelliteOrbitInput', description: doc('The orbit of a satellite in a request') })

/** `id`, `orbit.planet` and unknown properties are ignored. */
export const SatelliteInput = z.object({ ...satelliteFields, orbit: SatelliteOrbitInput.optional() }).meta({
  id: 'SatelliteInput',
  description: doc('A satellite in a request. Properties that are not listed here are ignored.'),
  xml: { name: 'satellite' },
  examples: [SATELLITE_INPUT_EXAMPLE],
})

export const Satellite = z
  .object({
    id: Id,
    ...satelliteFields,
    orbit: SatelliteOrbit.optional(),
  })
  .meta({
    id: 'Satellite',
    description: doc('A satellite of a planet'),
    xml: { name: 'satellite' },
    examples: [SATELLITE_EXAMPLE],
  })

export type PlanetReference = z.infer<typeof PlanetReference>
export type Satellite = z.infer<typeof Satellite>
export type SatelliteInput = z.infer<typeof SatelliteInput>
