import { and, asc, count, desc, eq, exists, gte, inArray, isNotNull, lte, not, or, type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { attempts, deliveries, users } from '../../src/db/tables.ts'
import { normaliseEmail } from '../../src/domain/email.ts'
import { isTest, prepareRedelivery } from '../../src/stores/callbacks/delivery-log.ts'
import type { DeliveryFilter } from './deliveries-arguments.ts'
import { inline } from './inline-sql.ts'

/** Only builds SQL. wrangler runs it. */
const db = drizzle(undefined as never)

/** Why deliveries are left out, in words. */
export const REASONS = {
  owner: 'of suspended or deleted accounts',
  subscription: 'of subscriptions that are deleted or not active',
  refused: 'whose receiver wants no more callbacks about the planet',
} as const

/**
 * Counts the selected deliveries: a row for each reason, and a row without a reason for those that can be sent again.
 */
export function countSql(filter: DeliveryFilter): string {
  const reason = sql<string | null>`case
    when ${mayBeSent(filter.until)} then null
    when ${isOwnerInactive()} then 'owner'
    when ${deliveries.webhookId} is not null then 'subscription'
    else 'refused' end`.as('reason')
  return inline(
    db
      .select({ reason, found: count().as('found') })
      .from(deliveries)
      .where(matches(filter))
      .groupBy(sql`1`),
  )
}

/** Lists the selected deliveries, newest first, with the error of their last attempt. */
export function listSql(filter: DeliveryFilter, limit: number): string {
  const error = db
    .select({ error: attempts.error })
    .from(attempts)
    .where(eq(attempts.deliveryId, deliveries.id))
    .orderBy(desc(attempts.id))
    .limit(1)
  const { id, endedAt, event, userId, url } = deliveries
  return inline(
    db
      .select({ id, endedAt: sql`${endedAt}`.as('ended'), event, userId, url, error: sql`(${error})`.as('error') })
      .from(deliveries)
      .where(matches(filter))
      .orderBy(desc(endedAt), desc(id))
      .limit(limit),
  )
}

/** Makes the oldest of the selected deliveries due again, and returns a row for each. */
export function replaySql(filter: DeliveryFilter, limit: number, now: Date): string {
  const oldest = db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(matches(filter), mayBeSent(now)))
    .orderBy(asc(deliveries.endedAt), asc(deliveries.id))
    .limit(limit)
  return inline(
    db
      .update(deliveries)
      .set(prepareRedelivery(now).changes)
      .where(inArray(deliveries.id, oldest))
      .returning({ id: deliveries.id }),
  )
}

/** Deliveries that end after the command has begun are not selected, so none is sent again twice. */
function matches({ status, host, user, since, until }: DeliveryFilter): SQL | undefined {
  return and(
    eq(deliveries.status, status),
    // A test fails on purpose, and is never sent again.
    not(isTest),
    lte(deliveries.endedAt, until),
    since && gte(deliveries.endedAt, since),
    host === undefined ? undefined : eq(deliveries.host, host),
    user === undefined
      ? undefined
      : inArray(deliveries.userId, db.select({ id: users.id }).from(users).where(isUser(user))),
  )
}

function isUser(user: string): SQL {
  return /^[1-9]\d*$/.test(user) ? eq(users.id, Number(user)) : eq(users.emailKey, normaliseEmail(user))
}

/** Redelivers only what the user could redeliver. */
function mayBeSent(now: Date): SQL | undefined {
  return and(prepareRedelivery(now).isPossible, sql`not ${isOwnerInactive()}`)
}

/** Whether the account is suspended, or deleted but not yet removed. */
function isOwnerInactive(): SQL {
  const isInactive = or(isNotNull(users.suspendedAt), isNotNull(users.deletedAt))
  return exists(
    db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, deliveries.userId), isInactive)),
  )
}
