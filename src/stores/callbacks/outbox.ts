import { eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { deliveries, events, refusedCallbacks, webhooks } from '../../db/tables.ts'
import { targetHostOf } from '../../domain/target-host.ts'
import type { EventName } from '../../schemas/events.ts'

// The statements that write the outbox, for the batch of whatever they tell of: both are there, or neither is.

/** Something that happened, to be told. */
export interface EventDraft {
  type: EventName
  planetId: number | SQL | null
  /** JSON: the exact text that is signed and sent. */
  body: string | SQL
}

/** Who is told, and where. */
export interface Receiver {
  userId: number
  /** Null of a planet's own callback. */
  webhookId: number | null
  url: string
  /** Origin of the service as the one saw it who gave the URL. */
  origin: string
}

const newestEvent = sql`(select max(${events.id}) from ${events})`
const ALWAYS = sql`true`
const NEVER = sql`false`

/**
 * The id of a message (Standard Webhooks): it has no dot, and no body begins like it. It names the event, because it is
 * signed, and the header of the event's name is not.
 */
export function makeMessageId(event: EventName): string {
  return `msg_${event}_${crypto.randomUUID().replaceAll('-', '')}`
}

/**
 * The statements that tell one receiver of an event. The second gives the message for the queue.
 *
 * @param receiver Undefined where nobody is told: then they write nothing
 * @param condition Of both
 */
export function insertEventFor(
  db: Database,
  event: EventDraft,
  receiver: Receiver | undefined,
  now: Date,
  condition: SQL = ALWAYS,
) {
  const holds = receiver ? condition : NEVER
  const { userId, webhookId, url, origin } = receiver ?? { userId: 0, webhookId: null, url: '', origin: '' }
  const time = now.getTime()
  return [
    insertEvent(db, event, null, now, holds),
    db
      .insert(deliveries)
      .select(sql`
        select null, ${newestEvent}, ${event.type}, ${event.planetId}, ${makeMessageId(event.type)}, ${userId}, ${webhookId}, ${url}, ${origin}, 'pending',
          ${time}, ${time}, null, 0, null, ${receiver ? targetHostOf(url, origin) : null}, null, null
        where ${holds}`)
      .returning({ delivery: deliveries.id }),
  ] as const
}

/**
 * The statement that tells all subscribers of an event, by one row that the consumer expands to them: so many subscribers
 * cost what one does. Where there is none it writes nothing. It gives the message for the queue.
 */
export function insertEventForSubscribers(db: Database, event: EventDraft, now: Date) {
  const hasSubscribers = sql`exists (select 1 from ${webhooks} where ${webhooks.status} = 'active')`
  return insertEvent(db, event, 0, now, hasSubscribers).returning({ event: events.id })
}

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

/** Whether a URL still wants to hear of a planet. */
export function isWelcome(planetId: number, url: string): SQL {
  return sql`not exists (
    select 1 from ${refusedCallbacks} where ${eq(refusedCallbacks.planetId, planetId)} and ${eq(refusedCallbacks.url, url)})`
}
