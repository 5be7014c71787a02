import type { LogIndexRow } from '../changes/read-log.ts'
import { EVENTS_PER_ROW_MAX } from '../domain/event-id.ts'
import type { LiveEvent } from '../events/events-of.ts'
import type { SizedLogRow } from '../events/happening.ts'

export interface Position {
  /** The place (sequence number) of the row of the event. */
  place: number
  /** The number of the event within the row, from 0. */
  index: number
  /** Whether the position is before the oldest row. Then rows that the log has dropped do not count as missed. */
  isBeginning?: true
}

/** An index after the last event of any row. A position with this index is after the whole row. */
export const AFTER_LAST_EVENT = EVENTS_PER_ROW_MAX

export const BEGINNING: Position = { place: 0, index: AFTER_LAST_EVENT, isBeginning: true }

/**
 * The position of an event. That of the last event of a row is after the whole row, so that the row is not read again.
 *
 * @param index The number of the event within the row, from 0
 */
export function positionOf({ place, eventCount }: Pick<SizedLogRow, 'place' | 'eventCount'>, index: number): Position {
  return { place, index: index < eventCount - 1 ? index : AFTER_LAST_EVENT }
}

/** The log of a world. Each function that reads is one round trip. Rows that the log has dropped are never returned. */
export interface LogSource {
  /** How many rows `readAfter` returns at most. If it returns fewer, there are no more. */
  readonly rowsAtOnce: number
  /** The first rows after a place, in order. */
  readAfter(place: number): Promise<SizedLogRow[]>
  /** All rows without their long texts, to find rows before reading them (`LogIndex`). */
  readIndex(): Promise<LogIndexRow[]>
  readRows(places: readonly number[]): Promise<SizedLogRow[]>
  /** The place of the newest row; 0 if the log never had a row. */
  findNewestPlace(): Promise<number>
  /** The position of an event; undefined if the log does not have the event. */
  locate(eventId: string): Promise<Position | undefined>
  /** The events of a row, in the order in which sockets get them. */
  eventsOf(row: SizedLogRow): LiveEvent[]
}
