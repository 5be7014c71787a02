import * as z from 'zod'
import { doc } from '#doc'
import { DateTime, Id, list } from '../fields.ts'
import { PlanetProperties } from '../planet.ts'
import { Orbit, SATELLITES_MAX, satelliteFields } from '../satellite.ts'
import { User } from '../user.ts'

// The planets, satellites and users in events. They have the same members as in JSON responses, except that a member
// whose value is null is left out: the public AsyncAPI document (`@scalar/galaxy`) does not allow null. As in that
// document, few members are required, because an event on demand need not be about a planet that exists. The AsyncAPI
// document names these schemas without `Live`.

const { name, ...optionalProperties } = PlanetProperties.shape

/** The schema of the values of a property except null and undefined. */
function withoutNull<Value extends z.ZodType>(property: z.ZodOptional<z.ZodNullable<Value>>): Value {
  return property.unwrap().unwrap()
}

export const LiveUser = z
  .object({ id: Id.optional(), name: User.shape.name })
  .meta({ id: 'LiveUser', description: doc('A user') })

/**
 * The type of `orbit.planet`: only the required members of a planet, so that the type of `LivePlanet` does not contain
 * itself. The schema allows a whole planet, as in the public document.
 */
interface OrbitedPlanet {
  id: number
  name: string
}

export const LiveSatellite = z
  .object({
    id: Id.optional(),
    ...satelliteFields,
    description: withoutNull(satelliteFields.description)
      .meta({ examples: ['The inner of two moons'] })
      .optional(),
    orbit: z
      .object({
        get planet(): z.ZodOptional<z.ZodType<OrbitedPlanet>> {
          return LivePlanet.optional()
        },
        ...Orbit.shape,
      })
      .meta({
        id: 'LiveOrbit',
        description: doc(
          'The orbit. `planet` is present if the satellite belongs to a planet. Only its `id` and `name` are required.',
        ),
      })
      .optional(),
  })
  .meta({ id: 'LiveSatellite', description: doc('A satellite of a planet, or a satellite without a planet') })

export const LivePlanet = z
  .object({
    id: Id,
    name,
    ...optionalProperties,
    description: withoutNull(optionalProperties.description)
      .meta({ examples: ['The red planet'] })
      .optional(),
    image: withoutNull(optionalProperties.image)
      .meta({ description: doc('Usually a URL. For an uploaded image, the URL of the upload') })
      .optional(),
    satellites: list(LiveSatellite, SATELLITES_MAX).optional(),
    creator: LiveUser.optional(),
    lastUpdated: DateTime.meta({ examples: ['2024-01-15T14:30:00.000Z'] }).optional(),
  })
  .meta({
    id: 'LivePlanet',
    description: doc('A planet, as GET returns it in JSON, without the members that are null'),
  })

/** The planet or satellite that an event of the celestial channel is about. */
export const LiveCelestialBody = z
  .object({
    type: z.enum(['planet', 'satellite']).meta({ description: doc('The kind of body') }),
    planet: LivePlanet.optional(),
    satellite: LiveSatellite.optional(),
  })
  .meta({ id: 'LiveCelestialBody', description: doc('A planet or a satellite, in the member that `type` names') })

/** The planet of an event that is mainly about something else. */
export const NamedPlanet = z.object({ id: Id.optional(), name: name.optional() })

export type LivePlanet = z.infer<typeof LivePlanet>
export type LiveSatellite = z.infer<typeof LiveSatellite>
export type LiveCelestialBody = z.infer<typeof LiveCelestialBody>
export type LiveUser = z.infer<typeof LiveUser>
