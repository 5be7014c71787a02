import { eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { deliveries, events, refusedCallbacks, webhooks } from '../../db/tables.ts'
import { targetHostOf } from '../../domain/target-host.ts'
import type { EventName } from '../../schemas/events.ts'

// The statements that write the outbox (events and their deliveries). They are part of the batch that makes the change
// that the event reports, so either both the change and the event are stored, or neither.

/** An event to store. */
export interface EventDraft {
  type: EventName
  planetId: number | SQL | null
  /** JSON: the exact text that is signed and sent. */
  body: string | SQL
}

/** The receiver of an event. */
export interface Receiver {
  userId: number
  /** Null for a planet's own callback. */
  webhookId: number | null
  url: string
  /** Origin of the service as seen by whoever registered the URL. */
  origin: string
}

const newestEvent = sql`(select max(${events.id}) from ${events})`
const ALWAYS = sql`true`
const NEVER = sql`false`

/**
 * Creates a message id (Standard Webhooks). It contains no dot, because dots separate the parts of signed content
 * (`id.timestamp.body`). No JSON body begins with `msg_`, so the signature of a body is never valid for such content.
 * The id contains the event's name, because the id is signed and the header with the event is not.
 */
export function makeMessageId(event: EventName): string {
  return `msg_${event}_${crypto.randomUUID().replaceAll('-', '')}`
}

/**
 * The statements that store an event and its delivery to one receiver. The second returns the message for the queue.
 *
 * @param receiver Undefined if there is none; the statements then write nothing
 * @param condition If it is false, the statements write nothing
 */
export function insertEventFor(
  db: Database,
  event: EventDraft,
  receiver: Receiver | undefined,
  now: Date,
  condition: SQL = ALWAYS,
) {
  const isStored = receiver ? condition : NEVER
  const { userId, webhookId, url, origin } = receiver ?? { userId: 0, webhookId: null, url: '', origin: '' }
  const time = now.getTime()
  return [
    insertEvent(db, event, null, now, isStored),
    db
      .insert(deliveries)
      .select(sql`
        select null, ${newestEvent}, ${event.type}, ${event.planetId}, ${makeMessageId(event.type)}, ${userId}, ${webhookId}, ${url}, ${origin}, 'pending',
          ${time}, ${time}, null, 0, null, ${receiver ? targetHostOf(url, origin) : null}, null, null
        where ${isStored}`)
      .returning({ delivery: deliveries.id }),
  ] as const
}

/**
 * The statement that stores an event for all subscribers as one row, which the queue consumer expands into deliveries.
 * So the statement costs the same for any number of subscribers. If there is no active subscription, it writes nothing.
 * It returns the message for the queue.
 */
export function insertEventForSubscribers(db: Database, event: EventDraft, now: Date) {
  const hasSubscribers = sql`exists (select 1 from ${webhooks} where ${webhooks.status} = 'active')`
  return insertEvent(db, event, 0, now, hasSubscribers).returning({ event: events.id })
}

/**
 * The statement that stores an event if a condition is true.
 *
 * @param expandedTo Id of the last subscription that has its delivery, so 0 for a new event; null for an event that is
 * not for subscribers
 */
function insertEvent(
  db: Database,
  { type, planetId, body }: EventDraft,
  expandedTo: number | null,
  now: Date,
  condition: SQL,
) {
  return db
    .insert(events)
    .select(sql`select null, ${type}, ${planetId}, ${body}, ${now.getTime()}, ${expandedTo} where ${condition}`)
}

/** Whether a URL still wants callbacks about a planet. */
export function isWelcome(planetId: number, url: string): SQL {
  return sql`not exists (
    select 1 from ${refusedCallbacks} where ${eq(refusedCallbacks.planetId, planetId)} and ${eq(refusedCallbacks.url, url)})`
}
