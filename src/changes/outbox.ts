import { type SQL, sql } from 'drizzle-orm'
import { build, type Placeholders, prepare, type Value } from '../db/port.ts'
import { deliveries, events, refusedCallbacks, webhooks } from '../db/tables.ts'
import type { CallTarget } from '../domain/target-host.ts'
import { newUuid } from '../lib/ids.ts'
import type { EventName } from '../schemas/events.ts'

// The statements that write the outbox: events and their deliveries.

export interface EventDraft {
  type: EventName
  planetId: number | null
  /** JSON: the exact text that is signed and sent. */
  body: string
  /** The id of the event in the log; null if the log has none. */
  liveId: string | null
  /** When it happened, in milliseconds since 1970. */
  time: number
}

export interface Receiver extends CallTarget {
  userId: number
  /** Null for a planet's own callback. */
  webhookId: number | null
}

/**
 * Creates a message id (Standard Webhooks). It contains no dot, because a dot is the separator in signed content. It
 * contains the event's name, because the id is signed and the header with the event's name is not.
 */
export function makeMessageId(event: EventName): string {
  return `msg_${event}_${newUuid('message').replaceAll('-', '')}`
}

export interface DeliveryDraft extends Receiver {
  messageId: string
}

/** The delivery to a receiver, with a new message id. */
export function makeDelivery(type: EventName, { userId, webhookId, url, origin, host }: Receiver): DeliveryDraft {
  return { messageId: makeMessageId(type), userId, webhookId, url, origin, host }
}

const hasSubscribers = sql`exists (select 1 from ${webhooks} where ${webhooks.status} = 'active')`

/**
 * The statement that stores an event for all subscribers as one row, which the queue consumer expands into deliveries.
 * So the statement costs the same for any number of subscribers. If there is no active subscription, it writes nothing.
 * It returns the message for the queue.
 */
export const insertAnnouncement = prepare((event: Placeholders<EventDraft>) =>
  // 0: no subscription has its delivery yet (`events.expandedTo`).
  insertEvent(event, 0, hasSubscribers).returning({ event: events.id }),
)

type CallDraft = EventDraft & Pick<Receiver, 'url'>

/** The statement that stores the event of a call, if its receiver wants it. */
export const insertCalledEvent = prepare((call: Placeholders<CallDraft>) =>
  insertEvent(call, null, isCallWanted(call.planetId, call.url)),
)

const newestEvent = sql`(select max(${events.id}) from ${events})`

/**
 * The statement that stores the delivery of a call, whose event the previous statement stored, if its receiver wants it.
 * It returns the message for the queue.
 */
export const insertDelivery = prepare((draft: Placeholders<CallDraft & DeliveryDraft>) => {
  const { type, planetId, time, messageId, userId, webhookId, url, origin, host } = draft
  return build
    .insert(deliveries)
    .select(sql`
      select null as id, ${newestEvent}, ${type}, ${planetId}, ${messageId}, ${userId}, ${webhookId}, ${url}, ${origin}, 'pending' as status,
        ${time} as created_at, ${time} as next_attempt_at, null as leased_until, 0 as retries, null as ended_at, ${host},
        null as waiting_for, null as waiting_since
      where ${isCallWanted(planetId, url)}`)
    .returning({ delivery: deliveries.id })
})

type Prepared<Draft> = { readonly [Name in keyof Draft]: Value<Draft[Name]> }

/** @param expandedTo See `events.expandedTo` */
function insertEvent(event: Prepared<EventDraft>, expandedTo: 0 | null, condition: SQL) {
  const { type, planetId, body, time, liveId } = event
  const expansion = expandedTo === null ? sql`null` : sql`${expandedTo}`
  return build
    .insert(events)
    .select(sql`select null as id, ${type}, ${planetId}, ${body}, ${time}, ${expansion}, ${liveId} where ${condition}`)
}

/** SQL: whether a URL still wants callbacks about a planet. It wants those that are about no planet. */
export function isCallWanted(planetId: Value<number | null>, url: Value<string>): SQL {
  return sql`not exists (
    select 1 from ${refusedCallbacks} where ${refusedCallbacks.planetId} = ${planetId} and ${refusedCallbacks.url} = ${url})`
}
