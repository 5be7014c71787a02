import type { LiveEvent } from '../events/events-of.ts'
import type { LogRow } from '../events/happening.ts'
import type { LogIndexRow } from '../stores/read-log.ts'

/** An event within the log: the place of its row, and its number within the row. */
export interface Position {
  place: number
  index: number
  /** Whether this is the oldest row that was found. Then older rows, which the log has dropped, were not missed. */
  isBeginning?: true
}

/** The number of an event that comes after all events of a row. */
export const WHOLE_ROW = 4096
/** The position before the oldest row of the log. */
export const BEGINNING: Position = { place: 0, index: WHOLE_ROW, isBeginning: true }

/** The log of a world. Each function is one round trip. Events that are no longer in the log are never returned. */
export interface LogSource {
  /** How many rows `readAfter` returns, unless there are fewer. */
  readonly rowsAtOnce: number
  /** The next rows after a place, in order. */
  readAfter(place: number): Promise<LogRow[]>
  /** The index of all rows. */
  readIndex(): Promise<LogIndexRow[]>
  readRows(places: readonly number[]): Promise<LogRow[]>
  /** The place of the newest row, 0 if there never was one. */
  findNewestPlace(): Promise<number>
  /** Where an event is. @returns Undefined if the log does not have it */
  locate(eventId: string): Promise<Position | undefined>
  /** The events of a row, in the order of the log. */
  eventsOf(row: LogRow): LiveEvent[]
}
