import { and, eq, inArray, isNotNull, isNull, lt, notExists, sql } from 'drizzle-orm'
import { build, type Session, writeInSteps } from '../../db/port.ts'
import { deliveries, events, refusedCallbacks } from '../../db/tables.ts'

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
      .where(inArray(deliveries.id, selectEndedDeliveries(before)))
      .returning({ id: deliveries.id }),
    build
      .delete(events)
      .where(inArray(events.id, selectUnusedEvents(before)))
      .returning({ id: events.id }),
    build
      .delete(refusedCallbacks)
      .where(sql`rowid in ${selectEndedRefusals(before)}`)
      .returning({ id: refusedCallbacks.planetId }),
  ])
}

function selectEndedDeliveries(before: Date) {
  const hasEnded = and(isNotNull(deliveries.endedAt), lt(deliveries.endedAt, before))
  return build.select({ id: deliveries.id }).from(deliveries).where(hasEnded).limit(LIMITS.rowsPerStep)
}

function selectUnusedEvents(before: Date) {
  const deliveriesOfEvent = build
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(eq(deliveries.eventId, events.id))
  const getsNoMoreDeliveries = isNull(events.expandedTo)
  const isUnused = and(lt(events.createdAt, before), getsNoMoreDeliveries, notExists(deliveriesOfEvent))
  return build.select({ id: events.id }).from(events).where(isUnused).limit(LIMITS.rowsPerStep)
}

function selectEndedRefusals(before: Date) {
  const hasEnded = and(isNotNull(refusedCallbacks.endedAt), lt(refusedCallbacks.endedAt, before))
  return sql`(select rowid from ${refusedCallbacks} where ${hasEnded} limit ${LIMITS.rowsPerStep})`
}
