import * as z from 'zod'
import { doc } from '#doc'
import { Id, Measurement } from './fields.ts'
import { PhysicalProperties, PlanetProperties, Temperature } from './planet.ts'

const { name, type, habitabilityIndex, tags } = PlanetProperties.shape
const { mass, radius, gravity } = PhysicalProperties.shape
const { average } = Temperature.shape

/** The column of a property: the values of all planets. The value of a planet without the property is null. */
function columnOf<Value extends z.ZodType>(property: z.ZodOptional<Value>) {
  return z.array(property.unwrap().nullable())
}

const orbitalPeriod = Measurement.meta({ description: doc('Orbital period in days'), examples: [686.98] })
const semiMajorAxis = Measurement.meta({
  description: doc('Semi-major axis of the orbit in astronomical units'),
  examples: [1.52371243],
})
const eccentricity = Measurement.meta({ description: doc('Eccentricity of the orbit'), examples: [0.09336511] })
const discoveredYear = z
  .number()
  .int()
  .min(0)
  .max(9999)
  .meta({ description: doc('The year of `discoveredAt`'), examples: [2008] })

const Columns = z
  .object({
    id: z.array(Id),
    name: z.array(name),
    // Generators do not take `PlanetKind` or null in a list, which is a union without a name.
    type: columnOf(type).meta({
      description: doc('The type of each planet: a value of `PlanetKind`'),
      items: { type: ['string', 'null'] },
    }),
    mass: columnOf(mass),
    radius: columnOf(radius),
    gravity: columnOf(gravity),
    temperature: columnOf(average),
    orbitalPeriod: z.array(orbitalPeriod.nullable()),
    semiMajorAxis: z.array(semiMajorAxis.nullable()),
    eccentricity: z.array(eccentricity.nullable()),
    habitabilityIndex: columnOf(habitabilityIndex),
    discoveredYear: z.array(discoveredYear.nullable()),
    tags: z
      .array(tags.unwrap())
      .meta({ description: doc('The tags of each planet. The list of a planet without tags is empty') }),
  })
  .meta({
    id: 'CatalogueColumns',
    description: doc(
      'A list for each property. The values at the same position of all lists belong to the same planet. A value that is not known is null.',
    ),
  })

/** All planets of the catalogue, in columns. */
export const Catalogue = z
  .object({
    total: z
      .number()
      .int()
      .min(0)
      .meta({ description: doc('The number of planets'), examples: [5402] }),
    columns: Columns,
  })
  .meta({
    id: 'Catalogue',
    description: doc('The planets that come with the service, in columns'),
    examples: [
      {
        total: 2,
        columns: {
          id: [4, 10],
          name: ['Mars', '11 Com b'],
          type: ['terrestrial', 'gas_giant'],
          mass: [0.1074, 6166],
          radius: [0.5321, null],
          gravity: [0.379331, null],
          temperature: [227, null],
          orbitalPeriod: [686.98, 326.03],
          semiMajorAxis: [1.52371243, 1.29],
          eccentricity: [0.09336511, 0.231],
          habitabilityIndex: [0.697306, null],
          discoveredYear: [null, 2008],
          tags: [
            ['Sun', 'Solar System'],
            ['11 Com', 'RV', 'Confirmed planets'],
          ],
        },
      },
    ],
  })

export type Catalogue = z.infer<typeof Catalogue>
