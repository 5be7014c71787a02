import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { findNewestPlace, readLog } from '../../src/changes/read-log.ts'
import { openD1, openSession } from '../../src/db/port.ts'
import { eventsOf, type LiveEvent } from '../../src/events/events-of.ts'
import { countBytes } from '../../src/lib/text.ts'
import { type EventType, LIVE_EVENTS } from '../../src/schemas/live/catalogue.ts'

const ROWS_MAX = 1000

/** The rows that the log got while something was done, and their events. Every event is compared with its schema. */
export async function logOf(act: () => Promise<unknown>) {
  const { db } = openSession({ database: openD1(env.DB), hub: undefined }, 'first-primary')
  const before = await findNewestPlace(db)
  await act()
  const rows = await readLog(db, before, ROWS_MAX)
  const events = rows.flatMap(eventsOf)
  events.forEach(expectDocumentedEvent)
  for (const { bytes, body, details } of rows) expect(bytes).toBe(countBytes(body) + countBytes(details))
  return { rows: rows.filter(({ eventCount }) => eventCount > 0), events }
}

/** The types of events that something causes, in their order. */
export async function typesOf(act: () => Promise<unknown>): Promise<string[]> {
  return (await logOf(act)).events.map(({ eventType }) => eventType)
}

/** Compares an event with the schema of its type, without any other member. */
export function expectDocumentedEvent(event: LiveEvent): void {
  const { payload } = LIVE_EVENTS[event.eventType as EventType]
  expect(payload.parse(event)).toEqual(event)
}
