import * as z from 'zod'
import { DateTime } from '../fields.ts'
import { LivePlanet } from './bodies.ts'

/** The names of events in streams over HTTP: what follows the dot in a type, such as `created` in `planet.created`. */
export const STREAM_EVENTS = ['created', 'updated', 'deleted', 'exploded'] as const

/** An item of the streams of `GET /planets/events`. */
export const PlanetStreamItem = z
  .object({
    id: z.uuid().meta({ description: 'The `eventId` of the event' }),
    event: z.enum(STREAM_EVENTS).meta({ id: 'PlanetStreamEvent', description: 'What has happened' }),
    planet: LivePlanet.meta({ description: 'The planet, or its last state if it was deleted or exploded' }),
    occurredAt: DateTime.meta({ description: 'The `timestamp` of the event' }),
  })
  .meta({
    id: 'PlanetStreamItem',
    description: 'An event of a planet',
    examples: [
      {
        id: '019bc210-3240-7000-a168-2f0000000001',
        event: 'created',
        planet: { id: 4, name: 'Mars' },
        occurredAt: '2026-01-15T14:30:00.000Z',
      },
    ],
  })

export type PlanetStreamItem = z.infer<typeof PlanetStreamItem>
