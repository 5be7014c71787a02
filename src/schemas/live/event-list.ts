import * as z from 'zod'
import { doc } from '#doc'
import { EXAMPLE_ORIGIN } from '../../domain/example-origin.ts'
import { DateTime } from '../fields.ts'
import { PageQuery, pageOf } from '../page.ts'
import { EVENT_TYPES } from './catalogue.ts'
import { EventMetadata } from './parts.ts'

// Events over HTTP. Each type of event has its own payload, which the AsyncAPI document describes. The OpenAPI document
// has one schema for all types: a union of them would add 90 schemas, and 25 KB, to it.

const ASYNCAPI = `[the AsyncAPI document](${EXAMPLE_ORIGIN}/asyncapi.json)`

const EXAMPLE_ID = '019bc210-3240-7000-a168-2f0000000001'

const EventName = z
  .enum(EVENT_TYPES)
  .meta({ id: 'EventName', description: doc('The type of an event'), examples: ['planet.created'] })

const EXAMPLE = {
  eventId: EXAMPLE_ID,
  eventType: 'planet.created',
  timestamp: '2026-01-15T14:30:00.000Z',
  planet: { id: 4, name: 'Mars' },
  metadata: { source: 'rest-api', userId: 1 },
}

/** An event of any type. */
export const EventDocument = z
  .object({
    eventId: z.uuid().meta({
      description: doc('The id of the event, a UUID of version 7. It is the same on every transport.'),
      examples: [EXAMPLE_ID],
    }),
    eventType: EventName,
    timestamp: DateTime.meta({ description: doc('When the event happened'), examples: [EXAMPLE.timestamp] }),
    metadata: EventMetadata.optional(),
  })
  // Generated classes keep these members only if the schema describes them.
  .catchall(z.unknown().meta({ description: doc('A member of events of this type') }))
  .meta({
    id: 'Event',
    description: doc(`An event. Its other members depend on its type: ${ASYNCAPI} describes them.`),
    examples: [EXAMPLE],
  })

const Page = pageOf(EventDocument)

/** Only the `meta` of these pages can have a `gap`. */
export const EventPage = Page.extend({
  meta: Page.shape.meta
    .extend({
      gap: z
        .literal(true)
        .meta({
          description: doc(
            'Present if the log no longer contains the event that `after` names. The page then begins with the oldest event of the log.',
          ),
        })
        .optional(),
    })
    .meta({ id: 'EventPageMeta' }),
}).meta({
  id: 'EventPage',
  examples: [{ data: [EXAMPLE], meta: { limit: 10, offset: 0, total: 1, next: null } }],
})

export const EventListQuery = PageQuery.extend({
  after: z
    .uuid('must be the id of an event')
    .meta({
      description: doc(
        'The list begins after the event with this id. If you send the id of the last event that you have, no event is missed or repeated.',
      ),
      examples: [EXAMPLE_ID],
    })
    .optional(),
})
export type EventListQuery = z.infer<typeof EventListQuery>

export const EventPath = z.object({
  eventId: z.uuid().meta({ description: doc('The id of the event'), examples: [EXAMPLE_ID] }),
})

/** A request for an event on demand. */
export const EventTrigger = z
  .strictObject({
    type: EventName,
    payload: z
      .record(z.string(), z.unknown())
      .meta({
        description: doc(
          `The members of the event, as ${ASYNCAPI} describes them for its type. If absent, the example in that document is sent. \`eventId\`, \`eventType\`, \`timestamp\` and \`metadata\` are ignored.`,
        ),
      })
      .optional(),
  })
  .meta({ id: 'EventTrigger', description: doc('An event on demand'), examples: [{ type: 'user.profile_updated' }] })

export type EventTrigger = z.infer<typeof EventTrigger>
