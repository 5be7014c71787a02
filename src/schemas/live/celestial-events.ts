import * as z from 'zod'
import { doc } from '#doc'
import { HttpUrl, Id } from '../fields.ts'
import { LiveCelestialBody } from './bodies.ts'
import { Changes, headOf, TAIL } from './parts.ts'
import { DISCOVERY_METHODS } from './planet-events.ts'

// The payloads of the celestial channel. The events `orbital.collision` and `discovery.new` are only sent on demand.

const Discovery = z.object({
  method: z.enum(DISCOVERY_METHODS).optional(),
  observatory: z.string().optional(),
})

export const CelestialBodyCreatedEvent = z
  .object({
    ...headOf('celestial_body.created'),
    celestialBody: LiveCelestialBody,
    discovery: Discovery.meta({ description: doc('How the body was found. Only in events on demand.') }).optional(),
    ...TAIL,
  })
  .meta({ id: 'CelestialBodyCreatedEvent', description: doc('The new planet or satellite') })

export const CelestialBodyUpdatedEvent = z
  .object({ ...headOf('celestial_body.updated'), celestialBody: LiveCelestialBody, changes: Changes, ...TAIL })
  .meta({ id: 'CelestialBodyUpdatedEvent', description: doc('The current planet or satellite, and the changes') })

const Collision = z.object({
  type: z.enum(['asteroid_planet', 'planet_planet', 'satellite_planet', 'asteroid_asteroid']),
  severity: z.enum(['minor', 'moderate', 'major', 'catastrophic']),
  energy: z.string().meta({ description: doc('In joules, as a text such as 1.2e12') }),
})

const CollidingObject = z.object({
  type: z.enum(['planet', 'satellite']).optional(),
  id: Id.optional(),
  name: z.string().optional(),
  mass: z
    .number()
    .meta({ description: doc('In kilograms') })
    .optional(),
})

const Consequences = z.object({
  location: z.string().optional(),
  craterSize: z
    .number()
    .meta({ description: doc('In meters') })
    .optional(),
  atmosphericEffects: z.enum(['none', 'dust_cloud', 'atmospheric_heating', 'atmospheric_loss']).optional(),
})

export const OrbitalCollisionEvent = z
  .object({
    ...headOf('orbital.collision'),
    collision: Collision,
    objects: z
      .array(CollidingObject)
      .length(2, 'must have exactly 2 items')
      .meta({ description: doc('The two objects that collided') }),
    impact: Consequences.optional(),
    ...TAIL,
  })
  .meta({ id: 'OrbitalCollisionEvent', description: doc('The collision, and the two objects that collided') })

const Finding = z.object({
  type: z.enum(['habitable_planet', 'new_element', 'alien_life', 'wormhole', 'black_hole']),
  significance: z.enum(['low', 'medium', 'high', 'revolutionary']),
  description: z.string(),
})

const Research = z.object({
  method: z.string().optional(),
  observatory: z.string().optional(),
  paper: HttpUrl.optional(),
})

export const NewDiscoveryEvent = z
  .object({
    ...headOf('discovery.new'),
    discovery: Finding,
    celestialBody: LiveCelestialBody,
    research: Research.optional(),
    ...TAIL,
  })
  .meta({ id: 'NewDiscoveryEvent', description: doc('What was discovered, and where') })
