import { type AnyColumn, and, asc, eq, exists, getTableColumns, not, sql } from 'drizzle-orm'
import { build, type Database, type ResultOf, rowIfAny, rowOf, rowsOf, type Session, write } from '../../db/port.ts'
import { attempts, deliveries, events, refusedCallbacks, webhooks, webhookTests } from '../../db/tables.ts'
import type { DeliveryQuery } from '../../schemas/delivery.ts'
import { readPage } from '../cut-page.ts'
import { ATTEMPTS_MAX } from './attempts.ts'
import { hasNoLease, ITS_EVENT, ITS_TEST, SECRET_OF_DELIVERY, WEBHOOK_OF_DELIVERY } from './leases.ts'

export type StoredDelivery = Awaited<ReturnType<typeof listDeliveries>>['rows'][number]

/** A page of the list of a user's deliveries in the order of their ids, and the total number. One round trip. */
export async function listDeliveries(db: Database, userId: number, query: DeliveryQuery) {
  const { status, event, planetId, limit, offset } = query
  const isSelected = and(
    eq(deliveries.userId, userId),
    status === undefined ? undefined : eq(deliveries.status, status),
    event === undefined ? undefined : eq(deliveries.event, event),
    planetId === undefined ? undefined : eq(deliveries.planetId, planetId),
  )
  const { eventId: _eventId, userId: _userId, origin: _origin, host: _host, ...columns } = getTableColumns(deliveries)
  const rows = build
    .select({
      ...columns,
      liveId: events.liveId,
      test: { defect: webhookTests.defect, verdict: webhookTests.verdict, reason: webhookTests.reason },
      attempts: build.$count(attempts, eq(attempts.deliveryId, deliveries.id)),
    })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .leftJoin(webhookTests, eq(webhookTests.deliveryId, deliveries.id))
    .where(isSelected)
    .orderBy(asc(deliveries.id))
    .limit(limit)
    .offset(offset)
  return await readPage(db, deliveries, isSelected, rows)
}

/** A delivery of a user, with its event, its subscription and its newest attempts, newest first. */
export type FoundDelivery = ResultOf<ReturnType<typeof selectDelivery>>[number]

/** One round trip. */
export async function findDelivery(db: Database, userId: number, id: number): Promise<FoundDelivery | undefined> {
  const [delivery] = await db.read(selectDelivery(userId, id))
  return delivery
}

const NEWEST_ATTEMPTS = rowsOf(
  getTableColumns(attempts),
  sql`from ${attempts} where ${attempts.deliveryId} = ${deliveries.id} order by ${attempts.id} desc limit ${ATTEMPTS_MAX}`,
)

/** The query for a delivery of a user: a list with one item or none. */
function selectDelivery(userId: number, id: number) {
  return build
    .select({
      ...getTableColumns(deliveries),
      payload: rowOf({ body: events.body, liveId: events.liveId }, ITS_EVENT).column().as('payload'),
      webhook: WEBHOOK_OF_DELIVERY.column().as('webhook'),
      test: rowIfAny(getTableColumns(webhookTests), ITS_TEST).column().as('test'),
      attempts: NEWEST_ATTEMPTS.column().as('attempts'),
    })
    .from(deliveries)
    .where(and(eq(deliveries.id, id), eq(deliveries.userId, userId)))
}

/** The query for a delivery, its subscription and its owner's signing secret: a list with one item or none. */
export function selectDeliveryByMessage(messageId: string) {
  return build
    .select({
      ...getTableColumns(deliveries),
      webhook: WEBHOOK_OF_DELIVERY.column().as('webhook'),
      signingSecret: SECRET_OF_DELIVERY.column().as('signing_secret'),
    })
    .from(deliveries)
    .where(eq(deliveries.messageId, messageId))
}

/** SQL: whether a delivery is a test of its receiver. */
export const isTest = exists(
  build.select({ id: webhookTests.deliveryId }).from(webhookTests).where(eq(webhookTests.deliveryId, deliveries.id)),
)

/**
 * The values that make a delivery due again, at the current URL of its subscription, and the condition under which a
 * redelivery is possible. If the delivery had ended, its retry schedule starts again. If it waits in the line of a
 * host, because the limit of calls is reached, it keeps its position.
 *
 * A redelivery is not possible if a worker has a lease on the delivery, if it is a test, if its subscription may not be
 * called, or (for the callback of a planet) if the receiver has refused callbacks about the planet.
 */
export function prepareRedelivery(now: Date) {
  const isItsSubscription = sql`${webhooks.id} = ${deliveries.webhookId}`
  const subscriptionColumn = (column: AnyColumn) => sql`(select ${column} from ${webhooks} where ${isItsSubscription})`
  const isWaiting = sql`(${deliveries.status} = 'pending' and ${deliveries.waitingFor} is not null)`
  // Pings may also go to paused or disabled subscriptions.
  const mayBeCalled = sql`exists (
    select 1 from ${webhooks}
    where ${isItsSubscription} and (${webhooks.status} = 'active' or ${deliveries.event} = 'ping'))`
  const isRefused = sql`exists (
    select 1 from ${refusedCallbacks}
    where ${refusedCallbacks.planetId} = ${deliveries.planetId} and ${refusedCallbacks.url} = ${deliveries.url})`
  const changes = {
    status: 'pending' as const,
    url: sql`coalesce(${subscriptionColumn(webhooks.url)}, ${deliveries.url})`,
    origin: sql`coalesce(${subscriptionColumn(webhooks.origin)}, ${deliveries.origin})`,
    host: sql`coalesce(${subscriptionColumn(webhooks.host)}, ${deliveries.host})`,
    nextAttemptAt: sql`iif(${isWaiting}, null, ${now.getTime()})`,
    waitingFor: sql`iif(${isWaiting}, ${deliveries.waitingFor}, null)`,
    waitingSince: sql`iif(${isWaiting}, ${deliveries.waitingSince}, null)`,
    retries: sql`iif(${deliveries.status} = 'pending', ${deliveries.retries}, 0)`,
    endedAt: null,
  }
  return {
    changes,
    isPossible: and(
      hasNoLease(now),
      not(isTest),
      sql`iif(${deliveries.webhookId} is null, not ${isRefused}, ${mayBeCalled})`,
    ),
  }
}

/**
 * Makes a delivery of a user due again, if that is possible (see `prepareRedelivery`), and reads it. Both happen in one
 * transaction, so the delivery shows why it was not possible. One round trip.
 *
 * @returns Whether the delivery is due again, and the delivery; undefined if the user has no such delivery
 */
export async function redeliver(
  session: Session,
  userId: number,
  id: number,
  now: Date,
): Promise<{ isDue: boolean; delivery: FoundDelivery } | undefined> {
  const { changes, isPossible } = prepareRedelivery(now)
  const [updated, [delivery]] = await write(session, [
    build
      .update(deliveries)
      .set(changes)
      .where(and(eq(deliveries.id, id), eq(deliveries.userId, userId), isPossible))
      .returning({ id: deliveries.id }),
    selectDelivery(userId, id),
  ])
  return delivery && { isDue: updated.length > 0, delivery }
}
