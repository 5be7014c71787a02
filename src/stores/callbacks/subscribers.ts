import { and, asc, count, eq, isNotNull, lt, type SQL, sql } from 'drizzle-orm'
import { build, type Database, type Session, write } from '../../db/port.ts'
import { deliveries, events, users } from '../../db/tables.ts'
import type { AccountLimits } from '../../env.ts'

/**
 * Creates the deliveries of an event for its next subscribers. A subscription gets the event if it became active before
 * the event and is still active. A repeated call continues where the previous call ended. If the log of a subscriber is
 * full, its oldest ended deliveries are deleted, so that a full log does not stop a subscription. If none of the oldest
 * deliveries in the log has ended, the subscriber misses the event. One round trip.
 *
 * @returns The ids of the deliveries, and whether there are more subscribers
 */
export async function expandEvent(
  session: Session,
  id: number,
  subscribersMax: number,
  limits: AccountLimits,
  now: Date,
): Promise<{ deliveryIds: number[]; hasMore: boolean }> {
  const time = now.getTime()
  const nextSubscriptions = selectNextSubscriptions(id, subscribersMax)
  // The same form as that of `makeMessageId` (outbox.ts). Only the database knows how many ids are needed.
  const messageId = sql`'msg_' || event.type || '_' || lower(hex(randomblob(16)))`
  const [, newDeliveries, , [event]] = await write(session, [
    makeRoom(nextSubscriptions, limits),
    build
      .insert(deliveries)
      .select(sql`
        select null as id, event.id, event.type, event.planet_id, ${messageId}, webhook.user_id, webhook.id,
          webhook.url, webhook.origin, 'pending' as status, ${time} as created_at, ${time} as next_attempt_at,
          null as leased_until, 0 as retries, null as ended_at, webhook.host, null as waiting_for,
          null as waiting_since
        from (${nextSubscriptions}) as next
          cross join webhooks as webhook on webhook.id = next.id
          cross join users as subscriber on subscriber.id = webhook.user_id
          cross join events as event on event.id = ${id}
        where subscriber.deliveries_used + next.rank <= ${limits.deliveries}
        order by webhook.id`)
      .onConflictDoNothing()
      .returning({ id: deliveries.id }),
    chargeSubscribers(id),
    // If the step had `subscribersMax` subscribers, there may be more. Otherwise these were the last.
    build
      .update(events)
      .set({ expandedTo: sql`(select iif(count(*) = ${subscribersMax}, max(id), null) from (${nextSubscriptions}))` })
      .where(and(eq(events.id, id), isNotNull(events.expandedTo)))
      .returning({ expandedTo: events.expandedTo }),
  ])
  const deliveryIds = newDeliveries.map((delivery) => delivery.id)
  return { deliveryIds, hasMore: event !== undefined && event.expandedTo !== null }
}

/**
 * The query for the next subscriptions that get an event, each with its rank among the subscriptions of the same user.
 *
 * Queries that join this query say `cross join`, because SQLite then keeps the written order of the tables. In the
 * order that SQLite chooses, it would read every account, or every subscription.
 */
function selectNextSubscriptions(eventId: number, subscribersMax: number): SQL {
  return sql`
    select id, user_id, row_number() over (partition by user_id order by id) as rank from (
      select webhook.id, webhook.user_id
      from events as event
        join webhooks as webhook on webhook.status = 'active' and webhook.id > event.expanded_to
        join users as subscriber on subscriber.id = webhook.user_id
      where event.id = ${eventId}
        and webhook.active_since <= event.created_at
        and exists (select 1 from json_each(webhook.events) where value = event.type)
        and subscriber.suspended_at is null
      order by webhook.id
      limit ${subscribersMax})`
}

/** Maximum number of deliveries of one account that are deleted in a step. */
const REMOVALS_MAX = 10
/** How many of the oldest deliveries of an account are searched for ended deliveries. */
const SEARCHED_MAX = 1000

/**
 * The statement that deletes the oldest ended deliveries of subscribers whose delivery logs have no room for their next
 * deliveries. `excess` is the number of deliveries by which a log would exceed its limit, and `oldest.key` is the index
 * of a delivery in the list `oldestEnded`.
 */
function makeRoom(nextSubscriptions: SQL, limits: AccountLimits) {
  const oldestEnded = sql`
    select json_group_array(id) from (
      select id from (select id, ended_at from deliveries where user_id = crowded.id order by id limit ${SEARCHED_MAX})
      where ended_at is not null order by id limit ${REMOVALS_MAX})`
  return build.delete(deliveries).where(sql`${deliveries.id} in (
    select oldest.value
    from (
      select subscriber.id, subscriber.deliveries_used + next.number - ${limits.deliveries} as excess
      from (select user_id, max(rank) as number from (${nextSubscriptions}) group by user_id) as next
        cross join users as subscriber on subscriber.id = next.user_id) as crowded
      join json_each((${oldestEnded})) as oldest
    where crowded.excess > 0 and oldest.key < crowded.excess)`)
}

/**
 * The statement that charges each subscriber for the deliveries of this step. These are the deliveries of subscriptions
 * after `expandedTo`, where the previous step ended.
 */
function chargeSubscribers(eventId: number) {
  const previousEnd = sql`(select ${events.expandedTo} from ${events} where ${events.id} = ${eventId})`
  const newDeliveries = build
    .select({ userId: deliveries.userId, count: count().as('number') })
    .from(deliveries)
    .where(and(eq(deliveries.eventId, eventId), sql`${deliveries.webhookId} > ${previousEnd}`))
    .groupBy(deliveries.userId)
    .as('new_deliveries')
  return build
    .update(users)
    .set({ deliveriesUsed: sql`${users.deliveriesUsed} + ${newDeliveries.count}` })
    .from(newDeliveries)
    .where(eq(users.id, newDeliveries.userId))
}

/** Lists the ids of events that were created before a time and may still have subscribers without a delivery. */
export async function listEventsToExpand(db: Database, before: Date, limit: number): Promise<number[]> {
  const rows = await db.read(
    build
      .select({ id: events.id })
      .from(events)
      .where(and(isNotNull(events.expandedTo), lt(events.createdAt, before)))
      .orderBy(asc(events.id))
      .limit(limit),
  )
  return rows.map(({ id }) => id)
}
