import type * as z from 'zod'
import { EXAMPLE_REQUEST_ID } from './parts.ts'

export type EventChannelName = 'planetEvents' | 'userEvents' | 'systemEvents' | 'celestialBodyEvents'

/** A row of the catalogue: a type of event, as the AsyncAPI document describes it. */
export interface LiveEventSpec {
  /** The name of the event's message in the AsyncAPI document. */
  message: string
  channel: EventChannelName
  /** Who may see the event: anybody who may read planets, or only the user whom the event is about. */
  audience: 'anybody' | 'user'
  /**
   * Whether every user may make the event with POST /events. If not, only the owner of a universe may make it, in that
   * universe.
   */
  isTriggerableByAnyone: boolean
  title: string
  summary: string
  description: string
  /** The schema of the whole event. */
  payload: z.ZodObject
  /** The example in the AsyncAPI document. POST /events sends it if the caller gives no payload. */
  example: EventExample
}

interface EventExample {
  name: string
  summary: string
  /** The whole event. */
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
export const CAUSED_BY_USER = { source: 'rest-api', userId: MARC.id, ...REQUEST }

/** The metadata of an example event that an anonymous caller caused. */
export const CAUSED_ANONYMOUSLY = { source: 'rest-api', ...REQUEST }

/**
 * The metadata of an example event that POST /events creates. For a type of event that the service never sends on its
 * own, or if the example has members that the service never sends on its own.
 */
export const CAUSED_ON_DEMAND = { source: 'trigger', userId: MARC.id, ...REQUEST }
