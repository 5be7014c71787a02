import { and, eq, inArray, isNotNull, isNull, lt, notExists, sql } from 'drizzle-orm'
import type { Database, Session } from '../../db/client.ts'
import { build } from '../../db/statements.ts'
import { deliveries, events, refusedCallbacks } from '../../db/tables.ts'
import { write } from '../../db/write.ts'

// Removes deliveries, events and refused callbacks when their retention time is over.

const REMOVALS_PER_STEP = 500
const STEPS_MAX = 20

/**
 * Removes, in bounded steps, deliveries that ended before a time, with their attempts. Also removes events from before
 * this time that no delivery refers to any more, and refused callbacks of planets that were gone before this time.
 */
export async function removeEndedDeliveries(session: Session, before: Date): Promise<void> {
  for (let step = 0; step < STEPS_MAX; step++) {
    const [removedDeliveries, removedEvents, removedRefusals] = await write(session, [
      build
        .delete(deliveries)
        .where(inArray(deliveries.id, selectEndedDeliveries(session.db, before)))
        .returning({ id: deliveries.id }),
      build
        .delete(events)
        .where(inArray(events.id, selectUnusedEvents(session.db, before)))
        .returning({ id: events.id }),
      build
        .delete(refusedCallbacks)
        .where(sql`rowid in ${selectEndedRefusals(before)}`)
        .returning({ id: refusedCallbacks.planetId }),
    ])
    // Nothing is left if no kind has reached its maximum.
    if (Math.max(removedDeliveries.length, removedEvents.length, removedRefusals.length) < REMOVALS_PER_STEP) return
  }
}

function selectEndedDeliveries(db: Database, before: Date) {
  const hasEnded = and(isNotNull(deliveries.endedAt), lt(deliveries.endedAt, before))
  return db.select({ id: deliveries.id }).from(deliveries).where(hasEnded).limit(REMOVALS_PER_STEP)
}

function selectUnusedEvents(db: Database, before: Date) {
  const deliveriesOfEvent = db.select({ id: deliveries.id }).from(deliveries).where(eq(deliveries.eventId, events.id))
  const getsNoMoreDeliveries = isNull(events.expandedTo)
  const isUnused = and(lt(events.createdAt, before), getsNoMoreDeliveries, notExists(deliveriesOfEvent))
  return db.select({ id: events.id }).from(events).where(isUnused).limit(REMOVALS_PER_STEP)
}

function selectEndedRefusals(before: Date) {
  const hasEnded = and(isNotNull(refusedCallbacks.endedAt), lt(refusedCallbacks.endedAt, before))
  return sql`(select rowid from ${refusedCallbacks} where ${hasEnded} limit ${REMOVALS_PER_STEP})`
}
