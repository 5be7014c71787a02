import type { LogIndexRow } from '../changes/read-log.ts'
import type { LiveEvent } from '../events/events-of.ts'
import type { SizedLogRow } from '../events/happening.ts'
import type { Subscription } from '../events/subscription.ts'
import type { LiveCelestialBody } from '../schemas/live/bodies.ts'
import { LIVE_EVENTS } from '../schemas/live/catalogue.ts'
import type { EventChannelName } from '../schemas/live/spec.ts'

// Decides which events a subscription gets. A topic is a channel, or a channel of one planet or user. An event is
// offered to all subscriptions of its topics. Then `wants` applies the filters of each subscription.

/** The types of events that streams over HTTP get. */
const STREAMED = /^planet\./

export const STREAM_TOPIC = topicOf({ channel: 'planetStream', subject: null })

const CHANNEL_OF: ReadonlyMap<string, EventChannelName> = new Map(
  Object.entries(LIVE_EVENTS).map(([type, { channel }]) => [type, channel]),
)

export function topicOf({ channel, subject }: Pick<Subscription, 'channel' | 'subject'>): string {
  return subject === null ? channel : `${channel} ${subject}`
}

export function topicsOf(row: LogIndexRow, event: LiveEvent): string[] {
  const channel = CHANNEL_OF.get(event.eventType)
  if (channel === undefined) return []
  if (channel === 'planetEvents') {
    const topics = row.planetId === null ? [] : [topicOf({ channel, subject: row.planetId })]
    return STREAMED.test(event.eventType) ? [...topics, STREAM_TOPIC] : topics
  }
  if (channel === 'userEvents') return row.userId === null ? [] : [topicOf({ channel, subject: row.userId })]
  return [channel]
}

/**
 * Whether a subscription gets an event: the event has the topic of the subscription, and passes the filters of the
 * subscription.
 */
export function isFor(subscription: Subscription, row: SizedLogRow, event: LiveEvent): boolean {
  return topicsOf(row, event).includes(topicOf(subscription)) && wants(subscription, row, event)
}

/** Whether an event of the topic of a subscription passes the filters of the subscription. */
export function wants(subscription: Subscription, row: SizedLogRow, event: LiveEvent): boolean {
  const { eventTypes, userId, hearsOwnEvents } = subscription
  if (row.userId !== null && !(row.userId === userId && hearsOwnEvents)) return false
  if (eventTypes && !eventTypes.some((type) => type === event.eventType)) return false
  return subscription.channel !== 'celestialBodyEvents' || isWantedBody(subscription, event)
}

/**
 * Whether a row may have an event for a subscription. This can be true for a row without such an event, because the
 * index does not contain the events.
 */
export function mayWant({ channel, subject, userId }: Subscription, row: LogIndexRow): boolean {
  if (row.userId !== null && row.userId !== userId) return false
  if (row.kind === 'credential_ended') return false
  const isPrivate = row.userId !== null
  if (channel === 'userEvents') return isPrivate
  // Only rows of these kinds have events of the system.
  if (channel === 'systemEvents') return row.kind === 'triggered' || row.kind === 'rate_limited'
  return !isPrivate && (channel !== 'planetEvents' || row.planetId === subject)
}

function isWantedBody({ bodyType, minHabitability }: Subscription, event: LiveEvent): boolean {
  const { celestialBody, objects = [] } = bodiesIn(event)
  if (minHabitability !== null) {
    const habitability = celestialBody?.planet?.habitabilityIndex
    if (habitability === undefined || habitability < minHabitability) return false
  }
  if (bodyType === null) return true
  // The type of a satellite, such as `asteroid`, also decides.
  const typed = [...objects, celestialBody, celestialBody?.satellite]
  return typed.some((object) => object?.type === bodyType)
}

/** The members with the bodies that an event is about. */
interface BodyMembers {
  celestialBody?: LiveCelestialBody
  /** The two objects of a collision. */
  objects?: readonly { type?: string }[]
}

function bodiesIn(event: LiveEvent): BodyMembers {
  // The cast is safe, because the schemas of all types of events (schemas/live) declare these members like this.
  return event as BodyMembers
}
