import { eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import type { Value } from '../../db/prepared.ts'
import { deliveries, events, refusedCallbacks, webhooks } from '../../db/tables.ts'
import type { CallTarget } from '../../domain/target-host.ts'
import { newUuid } from '../../lib/ids.ts'
import type { EventName } from '../../schemas/events.ts'

// The statements that write the outbox (events and their deliveries). They are part of the batch that makes the change
// that the event reports, so either both the change and the event are stored, or neither.

/** An event to store. */
export interface EventDraft {
  type: EventName
  planetId: Value<number | null>
  /** JSON: the exact text that is signed and sent. */
  body: Value<string>
  /** The id of the event in the log; null if the log has none. */
  liveId: Value<string | null>
}

/** The receiver of an event. */
export interface Receiver extends CallTarget {
  userId: number
  /** Null for a planet's own callback. */
  webhookId: number | null
}

const newestEvent = sql`(select max(${events.id}) from ${events})`
const ALWAYS = sql`true`
const NEVER = sql`false`

/**
 * Creates a message id (Standard Webhooks). It contains no dot, because a dot is the separator in signed content. It
 * contains the event's name, because the id is signed and the header with the event's name is not.
 *
 * `webhook-signature` signs content that begins with this id, and `x-signature` signs only the body. No JSON document
 * begins like a message id, so a signature of one kind is never valid as the other (domain/webhook-signature.ts).
 */
export function makeMessageId(event: EventName): string {
  return `msg_${event}_${newUuid('message').replaceAll('-', '')}`
}

/** The parts of a delivery to one receiver, besides the event. */
export interface DeliveryFields extends Receiver {
  messageId: string
}

/** The fields of a new delivery, with a new message id. */
export function makeDeliveryFields(type: EventName, receiver: Receiver): DeliveryFields {
  const { userId, webhookId, url, origin, host } = receiver
  return { messageId: makeMessageId(type), userId, webhookId, url, origin, host }
}

/**
 * The statements that store an event and its delivery to one receiver. The second statement returns the message for the
 * queue.
 *
 * @param receiver Undefined if there is no receiver; the statements then write nothing
 * @param condition If it is false, the statements write nothing
 */
export function insertEventFor(
  db: Database,
  event: EventDraft,
  receiver: Receiver | undefined,
  now: Date,
  condition: SQL = ALWAYS,
) {
  const { type, planetId } = event
  const isStored = receiver ? condition : NEVER
  const fields = makeDeliveryFields(type, receiver ?? NOBODY)
  const time = now.getTime()
  return [
    insertEvent(db, { ...event, time, expandedTo: null }, isStored),
    insertDelivery(db, { type, planetId, time, ...fields }, isStored),
  ] as const
}

/** Fills in the statements that write nothing, because there is no receiver. */
const NOBODY: Receiver = { userId: 0, webhookId: null, url: '', origin: '', host: '' }

/** Fields whose values can be SQL or placeholders. */
type PreparedFields<Fields> = { readonly [Name in keyof Fields]: Value<Fields[Name]> }

/**
 * The statement that stores the delivery of the newest event, if a condition is true. It returns the message for the
 * queue.
 */
export function insertDelivery(
  db: Database,
  {
    type,
    planetId,
    time,
    ...fields
  }: PreparedFields<DeliveryFields & { type: EventName; planetId: number | null; time: number }>,
  condition: SQL,
) {
  const { messageId, userId, webhookId, url, origin, host } = fields
  return db
    .insert(deliveries)
    .select(sql`
      select null as id, ${newestEvent}, ${type}, ${planetId}, ${messageId}, ${userId}, ${webhookId}, ${url}, ${origin}, 'pending' as status,
        ${time} as created_at, ${time} as next_attempt_at, null as leased_until, 0 as retries, null as ended_at, ${host},
        null as waiting_for, null as waiting_since
      where ${condition}`)
    .returning({ delivery: deliveries.id })
}

const hasSubscribers = sql`exists (select 1 from ${webhooks} where ${webhooks.status} = 'active')`

/**
 * The statement that stores an event for all subscribers as one row, which the queue consumer expands into deliveries.
 * So the statement costs the same for any number of subscribers. If there is no active subscription, it writes nothing.
 * It returns the message for the queue.
 *
 * @param time When the event happened, in milliseconds since 1970
 */
export function insertEventForSubscribers(db: Database, event: EventDraft, time: Value<number>) {
  return insertEvent(db, { ...event, time, expandedTo: 0 }, hasSubscribers).returning({ event: events.id })
}

/** The columns of an event that is written. */
interface EventFields {
  type: EventName
  planetId: number | null
  /** JSON: the exact text that is signed and sent. */
  body: string
  /** The id of the event in the log; null if the log has none. */
  liveId: string | null
  /** When the event happened, in milliseconds since 1970. */
  time: number
  /**
   * For an event to subscribers: the id of the last subscription whose delivery exists, in the order of ids. It is 0
   * for a new event. Null for any other event, and after the last subscription.
   */
  expandedTo: number | null
}

/** The statement that stores an event if a condition is true. */
export function insertEvent(
  db: Database,
  { type, planetId, body, liveId, time, expandedTo }: PreparedFields<EventFields>,
  condition: SQL,
) {
  return db
    .insert(events)
    .select(sql`select null as id, ${type}, ${planetId}, ${body}, ${time}, ${expandedTo}, ${liveId} where ${condition}`)
}

/** SQL: whether a URL still wants callbacks about a planet. */
export function isCallbackWanted(planetId: number, url: string): SQL {
  return sql`not exists (
    select 1 from ${refusedCallbacks} where ${eq(refusedCallbacks.planetId, planetId)} and ${eq(refusedCallbacks.url, url)})`
}
