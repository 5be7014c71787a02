import type * as z from 'zod'
import { EXAMPLE_REQUEST_ID } from './parts.ts'

/** The channels on which events arrive. */
export type EventChannelName = 'planetEvents' | 'userEvents' | 'systemEvents' | 'celestialBodyEvents'

/** A row of the catalogue: a type of event, as the AsyncAPI document describes it. */
export interface LiveEventSpec {
  /** The name of its message in the AsyncAPI document. */
  message: string
  /** The channel on which it arrives. */
  channel: EventChannelName
  /** Who may see it: anybody who may read planets, or only the user whom it is about. */
  audience: 'anybody' | 'user'
  /** Whether anyone may make it with POST /events in the common world. In a universe, its owner may make all types. */
  isTriggeredByAnyone: boolean
  title: string
  summary: string
  description: string
  payload: z.ZodObject
  /** The example of the document, which POST /events sends if the caller gives no payload. */
  example: EventExample
}

interface EventExample {
  name: string
  summary: string
  payload: { eventId: string; eventType: string; timestamp: string; [member: string]: unknown }
}

/** The common first members of examples. */
export function exampleHead<Type extends string>(eventType: Type, eventId: string, timestamp: string) {
  return { eventId, eventType, timestamp }
}

/** The user in examples. */
export const MARC = { id: 1, name: 'Marc' }

/** The planet in examples that name one. */
export const MARS = { id: 4, name: 'Mars' }

const REQUEST = { requestId: EXAMPLE_REQUEST_ID, correlationId: EXAMPLE_REQUEST_ID }

/** The metadata of an example that a request caused. */
export const FROM_REQUEST = { source: 'rest-api', userId: MARC.id, ...REQUEST }

/** The metadata of an example that an anonymous caller caused. */
export const FROM_STRANGER = { source: 'rest-api', ...REQUEST }

/** The metadata of an example of an event that only POST /events creates. */
export const FROM_TRIGGER = { source: 'trigger', userId: MARC.id, ...REQUEST }
