import type * as z from 'zod'
import { EXAMPLE_REQUEST_ID } from './parts.ts'

/** The channels on which events arrive. */
export type EventChannelName = 'planetEvents' | 'userEvents' | 'systemEvents' | 'celestialBodyEvents'

/** A row of the catalogue: a type of event, as the AsyncAPI document describes it. */
export interface LiveEventSpec {
  /** The name of its message in the AsyncAPI document. */
  message: string
  /** The channel on which the event arrives. */
  channel: EventChannelName
  /** Who may see the event: anybody who may read planets, or only the user whom the event is about. */
  audience: 'anybody' | 'user'
  /**
   * Whether any user may make the event with POST /events in the common world. In a universe, the owner may make events
   * of all types.
   */
  isTriggerableByAnyone: boolean
  title: string
  summary: string
  description: string
  payload: z.ZodObject
  /** The example in the AsyncAPI document. POST /events sends it if the caller gives no payload. */
  example: EventExample
}

interface EventExample {
  name: string
  summary: string
  payload: { eventId: string; eventType: string; timestamp: string; [member: string]: unknown }
}

/** The first members of every example of an event. */
export function exampleHead<Type extends string>(eventType: Type, eventId: string, timestamp: string) {
  return { eventId, eventType, timestamp }
}

/** The user in examples. */
export const MARC = { id: 1, name: 'Marc' }

/** The planet in most examples. */
export const MARS = { id: 4, name: 'Mars' }

const REQUEST = { requestId: EXAMPLE_REQUEST_ID, correlationId: EXAMPLE_REQUEST_ID }

/** The metadata of an example event that a request of a known user caused. */
export const FROM_REQUEST = { source: 'rest-api', userId: MARC.id, ...REQUEST }

/** The metadata of an example event that an anonymous caller caused. */
export const FROM_STRANGER = { source: 'rest-api', ...REQUEST }

/** The metadata of an example event that only POST /events creates. */
export const FROM_TRIGGER = { source: 'trigger', userId: MARC.id, ...REQUEST }
