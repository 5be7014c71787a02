import * as z from 'zod'
import { doc } from '#doc'
import { DateTime } from '../fields.ts'
import { LivePlanet } from './bodies.ts'

/** The names of events in streams over HTTP: what follows the dot in a type, such as `created` in `planet.created`. */
export const STREAM_EVENTS = ['created', 'updated', 'deleted', 'exploded'] as const

export type StreamEvent = (typeof STREAM_EVENTS)[number]

const GalaxyMessage = z
  .object({
    lang: z.string().meta({ description: doc('The language of the text (BCP 47)'), examples: ['en'] }),
    value: z.string().meta({ description: doc('The text'), examples: ['Mars was created.'] }),
  })
  .meta({ id: 'GalaxyMessage', description: doc('A short text for people') })

/** Registry: what has happened to a planet, in words that follow its name. */
const SENTENCES: Readonly<Record<StreamEvent, string>> = {
  created: 'was created',
  updated: 'was changed',
  deleted: 'was deleted',
  exploded: 'exploded',
}

/** What a person reads about an event of a planet. */
export function noteOn(event: StreamEvent, planetName: string): z.infer<typeof GalaxyMessage> {
  return { lang: 'en', value: `${planetName} ${SENTENCES[event]}.` }
}

/** An item of the streams of `GET /planets/events`. */
export const PlanetStreamItem = z
  .object({
    id: z.uuid().meta({ description: doc('The `eventId` of the event') }),
    event: z.enum(STREAM_EVENTS).meta({ id: 'PlanetStreamEvent', description: doc('What has happened') }),
    planet: LivePlanet.meta({ description: doc('The planet, or its last state if it was deleted or exploded') }),
    note: GalaxyMessage.meta({ description: doc('The event in a sentence, with the name of the planet') }),
    occurredAt: DateTime.meta({ description: doc('The `timestamp` of the event') }),
  })
  .meta({
    id: 'PlanetStreamItem',
    description: doc('An event of a planet'),
    examples: [
      {
        id: '019bc210-3240-7000-a168-2f0000000001',
        event: 'created',
        planet: { id: 4, name: 'Mars' },
        note: noteOn('created', 'Mars'),
        occurredAt: '2026-01-15T14:30:00.000Z',
      },
    ],
  })

export type PlanetStreamItem = z.infer<typeof PlanetStreamItem>
