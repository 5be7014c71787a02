import { findNewestPlace, locateEvent, readLog, readLogIndex, readLogRows } from '../changes/read-log.ts'
import type { Database } from '../db/port.ts'
import { eventsOf } from '../events/events-of.ts'
import { type LogSource, positionOf } from './log-source.ts'

/** How many rows are read at once. A row has at most about 1 MiB. */
const ROWS_AT_ONCE = 16

export function logOf(open: () => Database, now: () => Date): LogSource {
  return {
    rowsAtOnce: ROWS_AT_ONCE,
    readAfter: (place) => readLog(open(), place, ROWS_AT_ONCE),
    // The first place is 1, so these are all rows.
    readIndex: () => readLogIndex(open(), 0, now()),
    readRows: (places) => readLogRows(open(), places, now()),
    findNewestPlace: () => findNewestPlace(open()),
    async locate(eventId) {
      const event = await locateEvent(open(), eventId, now())
      return event && positionOf(event.row, event.index)
    },
    eventsOf,
  }
}
