import { and, asc, eq, isNotNull, lt, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { deliveries, events } from '../db/tables.ts'

/**
 * Makes the deliveries of an event to the next of its subscribers: those that have been active since. Done twice
 * it goes on where it was. One round trip.
 *
 * @returns The ids of the deliveries, and whether there are more subscribers
 */
export async function expandEvent(
  db: Database,
  id: number,
  subscribersMax: number,
  now: Date,
): Promise<{ made: number[]; hasMore: boolean }> {
  const time = now.getTime()
  const [made, [event]] = await db.batch([
    db
      .insert(deliveries)
      .select(sql`
        select null, event.id, event.type, event.planet_id, 'msg_' || event.type || '_' || lower(hex(randomblob(16))), webhook.user_id, webhook.id, webhook.url,
          webhook.origin, 'pending', ${time}, ${time}, null, 0, null
        from events as event
          join webhooks as webhook on webhook.status = 'active' and webhook.id > event.expanded_to
          join users as subscriber on subscriber.id = webhook.user_id
        where event.id = ${id}
          and webhook.active_since <= event.created_at
          and exists (select 1 from json_each(webhook.events) where value = event.type)
          and subscriber.suspended_at is null
        order by webhook.id
        limit ${subscribersMax}`)
      .onConflictDoNothing()
      .returning({ id: deliveries.id }),
    // As many as there may be in a step: there may be more. Otherwise these were the last.
    db
      .update(events)
      .set({
        expandedTo: sql`(
          select iif(count(*) = ${subscribersMax}, max(${deliveries.webhookId}), null) from ${deliveries}
          where ${deliveries.eventId} = ${events.id} and ${deliveries.webhookId} > ${events.expandedTo})`,
      })
      .where(and(eq(events.id, id), isNotNull(events.expandedTo)))
      .returning({ expandedTo: events.expandedTo }),
  ])
  return { made: made.map((delivery) => delivery.id), hasMore: event !== undefined && event.expandedTo !== null }
}

/** Ids of events that are older than a time and still have subscribers to be told. */
export async function listEventsToExpand(db: Database, before: Date, limit: number): Promise<number[]> {
  const rows = await db
    .select({ id: events.id })
    .from(events)
    .where(and(isNotNull(events.expandedTo), lt(events.createdAt, before)))
    .orderBy(asc(events.id))
    .limit(limit)
  return rows.map(({ id }) => id)
}
