import { and, asc, eq, gt, inArray, type SQL, sql } from 'drizzle-orm'
import { build, type Database, type Placeholders, prepare, type Value } from '../db/port.ts'
import { log } from '../db/tables.ts'
import { parseEventId, timeInId } from '../domain/event-id.ts'
import { LOG_BYTES_MAX, LOG_HOURS, LOG_ROWS_MAX } from '../domain/limits.ts'
import type { LogRow, SizedLogRow } from '../events/happening.ts'
import { HOUR_MS } from '../lib/time.ts'

// Reads the rows of the log (log.ts), by their places or by the id of an event.

/** The place of the newest row. In a batch that writes a row, this is the place of the written row. */
export const newestPlace = sql<number>`(select max(${log.place}) from ${log})`

const ROW_WITHOUT_TEXTS = {
  place: log.place,
  kind: log.kind,
  userId: log.userId,
  planetId: log.planetId,
  eventCount: log.eventCount,
  createdAt: log.createdAt,
  salt: log.salt,
}
export const WHOLE_ROW = { ...ROW_WITHOUT_TEXTS, body: log.body, details: log.details }

// SQLite knows it without reading the texts.
const bytes = sql<number>`octet_length(${log.body}) + octet_length(${log.details})`

/** A row without its two long texts, `body` and `details`. */
export type LogIndexRow = Omit<SizedLogRow, 'body' | 'details'>

/**
 * The condition for the rows that readers can find: those within the limits of the log for its number of rows, its age
 * and its size. The next sweep deletes the other rows.
 *
 * @param now In milliseconds since 1970
 */
export function isKept(now: Value<number>): SQL {
  const newestBytesUntil = sql`(select ${log.bytesUntil} from ${log} order by ${log.place} desc limit 1)`
  return sql`${log.place} > ${newestPlace} - ${literal(LOG_ROWS_MAX)}
    and ${log.createdAt} > ${now} - ${literal(LOG_HOURS * HOUR_MS)}
    and ${log.bytesUntil} > ${newestBytesUntil} - ${literal(LOG_BYTES_MAX)}`
}

/** A constant as a part of the SQL text, so that no call has to bind it. */
function literal(constant: number): SQL {
  return sql.raw(String(constant))
}

const nextRows = prepare(({ after, limit }: Placeholders<{ after: number; limit: number }>) =>
  build
    .select({ ...WHOLE_ROW, bytes })
    .from(log)
    .where(gt(log.place, after))
    .orderBy(asc(log.place))
    .limit(limit),
)

/**
 * The next rows after a place, in the order of the log, for a reader that follows the log. Rows outside the limits of
 * the log (`isKept`) are included as long as they are stored, so that a late reader misses nothing. One round trip.
 *
 * @param limit Maximum number of rows. If the result has this many rows, there may be more. A row has at most about 1
 * MiB
 */
export async function readLog(db: Database, after: number, limit: number): Promise<SizedLogRow[]> {
  return await db.read(nextRows({ after, limit }))
}

const nextIndexRows = prepare(({ after, now }: Placeholders<{ after: number; now: number }>) =>
  build
    .select({ ...ROW_WITHOUT_TEXTS, bytes })
    .from(log)
    .where(and(gt(log.place, after), isKept(now)))
    .orderBy(asc(log.place))
    .limit(LOG_ROWS_MAX),
)

/** All rows after a place that the log still has, without their long texts. One round trip. */
export async function readLogIndex(db: Database, after: number, now: Date): Promise<LogIndexRow[]> {
  return await db.read(nextIndexRows({ after, now: now.getTime() }))
}

/** The rows at these places that the log still has, in the order of the log. One round trip. */
export async function readLogRows(db: Database, places: readonly number[], now: Date): Promise<SizedLogRow[]> {
  return await db.read(
    build
      .select({ ...WHOLE_ROW, bytes })
      .from(log)
      .where(
        and(inArray(log.place, sql`(select value from json_each(${JSON.stringify(places)}))`), isKept(now.getTime())),
      )
      .orderBy(asc(log.place)),
  )
}

const newest = prepare(() => build.select({ place: sql<number>`coalesce(${newestPlace}, 0)` }).from(sql`(select 1)`))

/** The query for the place of the newest row: a list with one item, which is 0 if there is no row. */
export function selectNewestPlace() {
  return newest({})
}

/** The place of the newest row; 0 if there has never been one. One round trip. */
export async function findNewestPlace(db: Database): Promise<number> {
  const [row] = await db.read(selectNewestPlace())
  return row?.place ?? 0
}

export interface LocatedEvent {
  row: LogRow
  /** The number of the event among the events of the row, from 0. */
  index: number
}

/** One round trip. @returns Undefined if the log does not have it */
export async function locateEvent(db: Database, id: string, now: Date): Promise<LocatedEvent | undefined> {
  const parts = parseEventId(id)
  if (!parts) return undefined
  const { time, salt, index } = parts
  const [row] = await db.read(
    build
      .select(WHOLE_ROW)
      .from(log)
      .where(and(eq(log.salt, salt), isKept(now.getTime()))),
  )
  const hasEvent = row && index < row.eventCount && timeInId(row.createdAt.getTime()) === time
  return hasEvent ? { row, index } : undefined
}
