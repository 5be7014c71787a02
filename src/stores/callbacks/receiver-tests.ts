import { and, eq, getTableColumns, gt, isNull, lte, notExists, sql } from 'drizzle-orm'
import type { Requirement } from '../../changes/change.ts'
import type { DeliveryDraft } from '../../changes/outbox.ts'
import { build, type Database, type Session, write } from '../../db/port.ts'
import { deliveries, events, webhookChecks, webhooks, webhookTests } from '../../db/tables.ts'
import type { CheckResult, Defect, TestVerdict } from '../../domain/receiver-tests.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { EventName } from '../../schemas/events.ts'
import type { StoredWebhook } from '../webhooks.ts'
import type { LeasedDelivery } from './leases.ts'

// Tests of receivers are deliveries with a row in `webhook_tests`. All deliveries of a check are stored at once, so that
// there is room for them, and become due one after another.

export type StoredCheck = typeof webhookChecks.$inferSelect

/** How many checks are kept for a subscription. */
const CHECKS_MAX = 10
/** How long a check is kept after its creation. */
const KEPT_MS = DAY_MS
const REMOVALS_PER_SWEEP = 500

export interface PlannedTest {
  /** Taken before the write. */
  deliveryId: number
  messageId: string
  defect: Defect
}

/** What the tests have in common. */
export interface TestPlan extends Omit<DeliveryDraft, 'messageId'> {
  event: EventName
  /** JSON, from which each test makes its body. */
  payload: string
  /** Null for a test of its own. */
  checkId: string | null
}

/** The statements that store tests, in ascending order of their ids. The first of them is due. */
export function insertTests(plan: TestPlan, tests: readonly PlannedTest[], now: Date) {
  const { event, payload, userId, webhookId, url, origin, host, checkId } = plan
  const rows = sql`json_each(${JSON.stringify(tests)})`
  const time = now.getTime()
  // The ids of the events follow one another, because one statement stores them.
  const eventId = sql`(select max(${events.id}) from ${events}) - ${tests.length - 1} + test.key`
  return [
    build.insert(events).select(sql`
      select null as id, ${event}, null as planet_id, ${payload}, ${time}, null as expanded_to, null as live_id from ${rows}`),
    build.insert(deliveries).select(sql`
      select test.value ->> 'deliveryId', ${eventId}, ${event}, null as planet_id, test.value ->> 'messageId', ${userId},
        ${webhookId}, ${url}, ${origin}, 'pending' as status, ${time} as created_at,
        iif(test.key = 0, ${time}, null) as next_attempt_at, null as leased_until, 0 as retries, null as ended_at, ${host},
        null as waiting_for, null as waiting_since
      from ${rows} as test order by test.key`),
    build.insert(webhookTests).select(sql`
      select test.value ->> 'deliveryId', test.value ->> 'defect', null as verdict, null as reason, null as first_call_at,
        ${checkId} from ${rows} as test`),
  ] as const
}

/**
 * The statements that store a check. The oldest checks of its subscription give way to it.
 *
 * @param refusal The error if another check of the subscription is running
 * @returns Them, and what they require
 */
export function insertCheck(check: StoredCheck, refusal: Error) {
  const isOfWebhook = eq(webhookChecks.webhookId, check.webhookId)
  const running = build
    .select({ id: webhookChecks.id })
    .from(webhookChecks)
    .where(and(isOfWebhook, isNull(webhookChecks.endedAt)))
  const surplus = sql`(
    select ${webhookChecks.id} from ${webhookChecks} where ${isOfWebhook}
    order by ${webhookChecks.createdAt} desc, rowid desc limit -1 offset ${CHECKS_MAX - 1})`
  const requires: Requirement[] = [{ holds: notExists(running), otherwise: refusal }]
  return {
    requires,
    statements: [
      build.delete(webhookChecks).where(sql`${webhookChecks.id} in ${surplus}`),
      build.insert(webhookChecks).values(check),
    ] as const,
  }
}

/** A check, and the key of its subscription. */
export type FoundCheck = StoredCheck & Pick<StoredWebhook, 'publicKey'>

/** One round trip. @returns Undefined if the user's subscription has no such check, or no longer */
export async function findCheck(
  db: Database,
  userId: number,
  { webhookId, checkId }: { webhookId: number; checkId: string },
  now: Date,
): Promise<FoundCheck | undefined> {
  const isKept = gt(webhookChecks.createdAt, new Date(now.getTime() - KEPT_MS))
  const [found] = await db.read(
    build
      .select({ ...getTableColumns(webhookChecks), publicKey: webhooks.publicKey })
      .from(webhookChecks)
      .innerJoin(webhooks, eq(webhooks.id, webhookChecks.webhookId))
      .where(
        and(eq(webhookChecks.id, checkId), eq(webhookChecks.webhookId, webhookId), eq(webhooks.userId, userId), isKept),
      ),
  )
  return found
}

/** What a check knows after a call, or at its end. */
export interface CheckStep {
  results: CheckResult[]
  hasEnded: boolean
}

/** What a test knows after a call. */
export interface TestStep {
  /** Null if another call follows. */
  verdict: TestVerdict | null
  reason: string | null
  firstCallAt: Date | null
  /** Undefined if the test is one of its own. */
  check: CheckStep | undefined
}

/**
 * The statements that record a call of a test, within the batch that ends its lease, before the lease is given up: a
 * worker that has lost the lease changes nothing. If the test has a verdict, the next one of its check becomes due.
 */
export function recordTest(delivery: LeasedDelivery, { check, ...columns }: TestStep, now: Date) {
  const { id, test } = delivery
  const hasLease = stillHasLease(delivery)
  const update = build
    .update(webhookTests)
    .set(columns)
    .where(and(eq(webhookTests.deliveryId, id), hasLease))
  if (!check || !test) return [update]
  return [
    update,
    recordCheck(delivery, check, now),
    ...(columns.verdict !== null && !check.hasEnded && test.nextId !== null
      ? [makeDue(test.nextId, delivery, now)]
      : []),
  ]
}

/** The statement that records what a check knows. If it ends the check, a trigger removes what is not sent. */
export function recordCheck(delivery: LeasedDelivery, { results, hasEnded }: CheckStep, now: Date) {
  return build
    .update(webhookChecks)
    .set({ results, endedAt: hasEnded ? now : null })
    .where(
      and(eq(webhookChecks.id, delivery.test?.checkId ?? ''), isNull(webhookChecks.endedAt), stillHasLease(delivery)),
    )
}

function makeDue(nextId: number, delivery: LeasedDelivery, now: Date) {
  return build
    .update(deliveries)
    .set({ nextAttemptAt: now })
    .where(and(eq(deliveries.id, nextId), eq(deliveries.status, 'pending'), stillHasLease(delivery)))
}

/** SQL: whether the lease of a worker has not passed to another one, and nobody has cancelled the delivery. */
function stillHasLease({ id, leasedUntil }: LeasedDelivery) {
  return sql`exists (
    select 1 from ${deliveries} as leased
    where leased.id = ${id} and leased.leased_until = ${leasedUntil.getTime()} and leased.status <> 'cancelled')`
}

/** The checks that began before a time and are still running, unless a call of them is being made. */
export async function listOverdueChecks(
  db: Database,
  begunUntil: Date,
  now: Date,
  limit: number,
): Promise<StoredCheck[]> {
  return await db.read(
    build
      .select()
      .from(webhookChecks)
      .where(and(isNull(webhookChecks.endedAt), lte(webhookChecks.createdAt, begunUntil), isIdle(now)))
      .limit(limit),
  )
}

/** SQL: whether no worker makes a call of a check. */
function isIdle(now: Date) {
  return sql`not exists (
    select 1 from ${webhookTests} as test join ${deliveries} as delivery on delivery.id = test.delivery_id
    where test.check_id = ${webhookChecks.id} and delivery.leased_until >= ${now.getTime()})`
}

/** Ends checks with these results, unless they have changed since they were read. One round trip. */
export async function endChecks(
  session: Session,
  ended: readonly { read: StoredCheck; results: CheckResult[] }[],
  now: Date,
): Promise<void> {
  const statements = ended.map(({ read, results }) =>
    build
      .update(webhookChecks)
      .set({ results, endedAt: now })
      .where(
        and(
          eq(webhookChecks.id, read.id),
          eq(webhookChecks.results, read.results),
          isNull(webhookChecks.endedAt),
          isIdle(now),
        ),
      ),
  )
  await write(session, statements)
}

/** Removes checks that have been kept long enough. Their deliveries stay in the log. */
export async function removeOldChecks(session: Session, now: Date): Promise<void> {
  const old = build
    .select({ id: webhookChecks.id })
    .from(webhookChecks)
    .where(lte(webhookChecks.createdAt, new Date(now.getTime() - KEPT_MS)))
    .limit(REMOVALS_PER_SWEEP)
  await write(session, [build.delete(webhookChecks).where(sql`${webhookChecks.id} in ${old}`)])
}
