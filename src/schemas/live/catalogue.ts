import type * as z from 'zod'
import { atOrigin } from '../../domain/example-origin.ts'
import { keysOf } from '../../lib/objects.ts'
import { CELESTIAL_CHANNEL_EVENTS } from './celestial-catalogue.ts'
import { PLANET_CHANNEL_EVENTS } from './planet-catalogue.ts'
import type { EventChannelName, LiveEventSpec } from './spec.ts'
import { SYSTEM_CHANNEL_EVENTS } from './system-catalogue.ts'
import { USER_CHANNEL_EVENTS } from './user-catalogue.ts'

/** Registry: every type of event, in the order of the AsyncAPI document. */
export const LIVE_EVENTS = {
  ...PLANET_CHANNEL_EVENTS,
  ...USER_CHANNEL_EVENTS,
  ...SYSTEM_CHANNEL_EVENTS,
  ...CELESTIAL_CHANNEL_EVENTS,
} as const satisfies Record<string, LiveEventSpec>

export type EventType = keyof typeof LIVE_EVENTS

export const EVENT_TYPES: readonly EventType[] = keysOf(LIVE_EVENTS)

export type LiveEventOf<Type extends EventType> = z.infer<(typeof LIVE_EVENTS)[Type]['payload']>

export function eventTypesOf(channel: EventChannelName): EventType[] {
  return EVENT_TYPES.filter((type) => LIVE_EVENTS[type].channel === channel)
}

/** The documented example of an event, with the URLs of this service. */
export function exampleEvent(type: EventType, baseUrl: string): LiveEventOf<EventType> {
  const { payload, example }: LiveEventSpec = LIVE_EVENTS[type]
  const event: unknown = JSON.parse(atOrigin(JSON.stringify(example.payload), baseUrl))
  // `payload` is the schema of this type, so every value that it accepts is an event of this type.
  return payload.parse(event) as LiveEventOf<EventType>
}
