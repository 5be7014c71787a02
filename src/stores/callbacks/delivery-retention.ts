import { and, eq, inArray, isNotNull, isNull, lt, notExists, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { deliveries, events, refusedCallbacks } from '../../db/tables.ts'

// Removes deliveries when their retention time is over.

const REMOVALS_PER_STEP = 500
const STEPS_MAX = 20

/**
 * Removes, in bounded steps, what ended before a time: deliveries with their attempts, events that nothing refers to
 * any more, and refused callbacks of planets that are gone.
 */
export async function removeEndedDeliveries(db: Database, before: Date): Promise<void> {
  for (let step = 0; step < STEPS_MAX; step++) {
    const [ended, unused, refusals] = await db.batch([
      db
        .delete(deliveries)
        .where(inArray(deliveries.id, endedDeliveries(db, before)))
        .returning({ id: deliveries.id }),
      db
        .delete(events)
        .where(inArray(events.id, unusedEvents(db, before)))
        .returning({ id: events.id }),
      db
        .delete(refusedCallbacks)
        .where(sql`rowid in ${endedRefusals(before)}`)
        .returning({ id: refusedCallbacks.planetId }),
    ])
    if (Math.max(ended.length, unused.length, refusals.length) < REMOVALS_PER_STEP) return
  }
}

function endedDeliveries(db: Database, before: Date) {
  const isOver = and(isNotNull(deliveries.endedAt), lt(deliveries.endedAt, before))
  return db.select({ id: deliveries.id }).from(deliveries).where(isOver).limit(REMOVALS_PER_STEP)
}

function unusedEvents(db: Database, before: Date) {
  const isUsed = db.select({ id: deliveries.id }).from(deliveries).where(eq(deliveries.eventId, events.id))
  const isUnused = and(lt(events.createdAt, before), isNull(events.expandedTo), notExists(isUsed))
  return db.select({ id: events.id }).from(events).where(isUnused).limit(REMOVALS_PER_STEP)
}

function endedRefusals(before: Date) {
  const isOver = and(isNotNull(refusedCallbacks.endedAt), lt(refusedCallbacks.endedAt, before))
  return sql`(select rowid from ${refusedCallbacks} where ${isOver} limit ${REMOVALS_PER_STEP})`
}
