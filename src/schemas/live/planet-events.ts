import * as z from 'zod'
import { doc } from '#doc'
import { DateTime, HttpUrl, Id } from '../fields.ts'
import { PlanetProperties } from '../planet.ts'
import { LivePlanet, LiveSatellite, LiveUser, NamedPlanet } from './bodies.ts'
import { Changes, headOf, TAIL } from './parts.ts'

// The payloads of the channel of a planet. If the service itself never sends a member, the description of the member
// says that it is only in events on demand (POST /events).

/** How a celestial body was found. The service itself never sends this. */
export const DISCOVERY_METHODS = [
  'telescope_observation',
  'space_probe',
  'mathematical_prediction',
  'collision_remnant',
] as const

export const PlanetCreatedEvent = z
  .object({ ...headOf('planet.created'), planet: LivePlanet, ...TAIL })
  .meta({ id: 'PlanetCreatedEvent', description: doc('The new planet') })

export const PlanetUpdatedEvent = z
  .object({ ...headOf('planet.updated'), planet: LivePlanet, changes: Changes, ...TAIL })
  .meta({ id: 'PlanetUpdatedEvent', description: doc('The current planet, and the changes') })

export const PlanetDeletedEvent = z
  .object({
    ...headOf('planet.deleted'),
    planetId: Id,
    planetName: PlanetProperties.shape.name,
    reason: z
      .string()
      .meta({
        description: doc(
          'Why the service itself deleted the planet. Absent after DELETE /planets/{planetId}. An event on demand can contain any text.',
        ),
      })
      .optional(),
    ...TAIL,
  })
  .meta({ id: 'PlanetDeletedEvent', description: doc('The id and the name of the deleted planet') })

const Explosion = z.object({
  type: z.enum(['supernova', 'nova', 'collision', 'artificial']),
  intensity: z
    .number()
    .min(0)
    .max(10)
    .meta({ description: doc('From 0 to 10') }),
  energyReleased: z
    .string()
    .meta({ description: doc('In joules, as a text such as 1.2e44. Only in events on demand.') })
    .optional(),
  newCelestialBodies: z
    .array(
      z.object({
        type: z.enum(['asteroid', 'comet', 'planet']).optional(),
        name: z.string().optional(),
      }),
    )
    .meta({ description: doc('The bodies that remained of the planet. Only in events on demand.') })
    .optional(),
})

const AffectedObject = z.object({
  planetId: Id.optional(),
  distance: z
    .number()
    .meta({ description: doc('In kilometers') })
    .optional(),
  impact: z.enum(['none', 'minor', 'moderate', 'severe']).optional(),
})

export const PlanetExplodedEvent = z
  .object({
    ...headOf('planet.exploded'),
    planet: LivePlanet,
    explosion: Explosion,
    affectedObjects: z
      .array(AffectedObject)
      .meta({ description: doc('Other planets that the explosion hit. Only in events on demand.') })
      .optional(),
    ...TAIL,
  })
  .meta({ id: 'PlanetExplodedEvent', description: doc('The last state of the planet, and the explosion') })

export const SatelliteDiscoveredEvent = z
  .object({
    ...headOf('satellite.discovered'),
    satellite: LiveSatellite,
    discoveryMethod: z
      .enum(DISCOVERY_METHODS)
      .meta({ description: doc('How the satellite was found. Only in events on demand.') })
      .optional(),
    ...TAIL,
  })
  .meta({
    id: 'SatelliteDiscoveredEvent',
    description: doc('The new satellite. `satellite.orbit.planet` is its planet.'),
  })

const AtmosphereChange = z.object({
  type: z.enum(['terraforming', 'natural', 'pollution', 'atmospheric_loss']).optional(),
  progress: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: doc('From 0 to 1') })
    .optional(),
  estimatedCompletion: DateTime.optional(),
})

export const AtmosphereChangedEvent = z
  .object({
    ...headOf('atmosphere.changed'),
    planet: NamedPlanet,
    atmosphere: PlanetProperties.shape.atmosphere.unwrap(),
    change: AtmosphereChange.meta({ description: doc('The cause. Only in events on demand.') }).optional(),
    ...TAIL,
  })
  .meta({ id: 'AtmosphereChangedEvent', description: doc('The new composition of the atmosphere') })

const UploadedImage = z.object({
  url: HttpUrl.meta({ description: doc('The `imageUrl` of the response to the upload') }),
  fileSize: z.int().meta({ description: doc('In bytes') }),
  mimeType: z.string().meta({ examples: ['image/png'] }),
  uploadedAt: DateTime,
})

export const ImageUploadedEvent = z
  .object({
    ...headOf('image.uploaded'),
    planet: NamedPlanet,
    image: UploadedImage,
    uploader: LiveUser.optional(),
    ...TAIL,
  })
  .meta({ id: 'ImageUploadedEvent', description: doc('The image, the planet that it shows, and who uploaded it') })
