import * as z from 'zod'
import { doc } from '#doc'
import { DateTime, Id } from '../fields.ts'

// Parts that the payloads of all events share.

export const EXAMPLE_REQUEST_ID = '5b7f3e0c-9c1d-4a47-8d0e-2f6a1b3c4d5e'

/** Where an event comes from. */
export const EventMetadata = z
  .object({
    source: z
      .string()
      .meta({
        description: doc('`rest-api`: a request caused it. `trigger`: POST /events created it.'),
        examples: ['rest-api'],
      })
      .optional(),
    userId: Id.meta({ description: doc('The user who sent the request. Absent if the user is not known.') }).optional(),
    requestId: z
      .string()
      .meta({
        description: doc('The `X-Request-ID` of the request. All events of one request have the same value.'),
        examples: [EXAMPLE_REQUEST_ID],
      })
      .optional(),
    correlationId: z
      .string()
      .meta({ description: doc('The same as `requestId`'), examples: [EXAMPLE_REQUEST_ID] })
      .optional(),
    // This member is here because the public document (`@scalar/galaxy`) has it.
    severity: z
      .enum(['info', 'warning', 'error', 'critical'])
      .meta({ id: 'EventSeverity', description: doc('How serious the event is. This service never sends it.') })
      .optional(),
  })
  .meta({ id: 'EventMetadata', description: doc('Where an event comes from') })

/** A changed member of a planet, a satellite or a user. */
export const FieldChange = z
  .object({
    field: z.string().meta({ description: doc('The name of the member'), examples: ['habitabilityIndex'] }),
    oldValue: z.unknown().meta({ description: doc('The previous value. Null if the member was absent.') }),
    newValue: z.unknown().meta({ description: doc('The new value. Null if the member is absent.') }),
  })
  .meta({ id: 'FieldChange', description: doc('A member that has changed') })

/** The changed members of a planet, a satellite or a user. */
export const Changes = z.array(FieldChange).meta({ description: doc('The changed members. Empty if nothing changed.') })

const eventId = z.uuid().meta({
  description: doc('The id of the event, a UUID of version 7. It is the same on every transport.'),
  examples: ['019bc210-3240-7000-a168-2f0000000001'],
})
const timestamp = DateTime.meta({ description: doc('When the event happened'), examples: ['2026-01-15T14:30:00.000Z'] })

/** The first members of every event. As in the public document, `eventType` is an enum with one value. */
export function headOf<Type extends string>(type: Type) {
  return { eventId, eventType: z.enum([type]).meta({ description: doc('The type of the event') }), timestamp }
}

/** The last member of every event. */
export const TAIL = { metadata: EventMetadata.optional() }

/** A duration (ISO 8601), such as PT60S. */
export const Duration = z.iso.duration('must be a duration of ISO 8601, such as PT60S')

export type EventMetadata = z.infer<typeof EventMetadata>
export type FieldChange = z.infer<typeof FieldChange>
