import { and, eq, inArray, isNotNull, isNull, lt, notExists, sql } from 'drizzle-orm'
import type { Database, Session } from '../../db/client.ts'
import { build } from '../../db/statements.ts'
import { deliveries, events, refusedCallbacks } from '../../db/tables.ts'
import { writeInSteps } from '../../db/write.ts'

// Removes deliveries, events and refused callbacks when their retention time is over.

const LIMITS = { rowsPerStep: 500, stepsMax: 20 }

/**
 * Removes, in bounded steps, deliveries that ended before a time, with their attempts. Also removes events from before
 * this time that no delivery refers to any more, and refused callbacks of planets that were gone before this time.
 */
export async function removeEndedDeliveries(session: Session, before: Date): Promise<void> {
  await writeInSteps(session, LIMITS, [
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
}

function selectEndedDeliveries(db: Database, before: Date) {
  const hasEnded = and(isNotNull(deliveries.endedAt), lt(deliveries.endedAt, before))
  return db.select({ id: deliveries.id }).from(deliveries).where(hasEnded).limit(LIMITS.rowsPerStep)
}

function selectUnusedEvents(db: Database, before: Date) {
  const deliveriesOfEvent = db.select({ id: deliveries.id }).from(deliveries).where(eq(deliveries.eventId, events.id))
  const getsNoMoreDeliveries = isNull(events.expandedTo)
  const isUnused = and(lt(events.createdAt, before), getsNoMoreDeliveries, notExists(deliveriesOfEvent))
  return db.select({ id: events.id }).from(events).where(isUnused).limit(LIMITS.rowsPerStep)
}

function selectEndedRefusals(before: Date) {
  const hasEnded = and(isNotNull(refusedCallbacks.endedAt), lt(refusedCallbacks.endedAt, before))
  return sql`(select rowid from ${refusedCallbacks} where ${hasEnded} limit ${LIMITS.rowsPerStep})`
}
