import { asc, type SQL, sql } from 'drizzle-orm'
import { isKept, newestPlace, WHOLE_ROW } from '../../changes/read-log.ts'
import { build, type Database } from '../../db/port.ts'
import { log } from '../../db/tables.ts'
import type { LogRow } from '../../events/happening.ts'

// The log as a list of the events that a reader may see. Each row of the log stores two running totals: the number of
// events for everybody, and the number of events for the user of the row, both in all rows up to this row. With these
// totals, the list is counted without reading it, and a binary search of about twenty steps finds the first row of a
// page. Only the rows of the page are read one after the other.

/** A part of the list of the events that a reader may see. */
export interface EventWindow {
  /** The reader, whose own events are in the list too. Null if the list has only the events for everybody. */
  userId: number | null
  /** The log must have this event. Undefined if the list begins with the oldest event. */
  after: { place: number; index: number } | undefined
  limit: number
  offset: number
}

/** Maximum size of the rows of a page, without its first row, in bytes. */
const PAGE_ROWS_MAX_BYTES = 2 * 1024 * 1024

/**
 * Maximum number of places (positions in the log) that a page covers. So a page is shorter than its limit if the reader
 * may not see many of the rows in between. A page is never empty, because the reader may see its first row.
 */
export const PAGE_PLACES_MAX = 1000

/** The rows that contain a part of the list of events. */
export interface EventRows {
  rows: LogRow[]
  /** How many events of the first row come before this part of the list. */
  skipped: number
  total: number
}

/** Reads the rows of a part of the list of events, in the order of the log. One round trip. */
export async function listEventRows(
  db: Database,
  { userId, after, limit, offset }: EventWindow,
  now: Date,
): Promise<EventRows> {
  /** How many events of the first row of the list come before the list: the event `after`, and the events before it. */
  const excluded = after ? after.index + 1 : 0
  /** How many events come before the page, counted from the first row of the list. */
  const start = excluded + offset
  const { until, isVisible } = describeView(userId)
  // The search assumes that the times of rows grow with their places. If the clocks of two writers differ, the list
  // begins a little earlier or later.
  const oldest = findFirst(sql`select min(place) from log`, isKept(now.getTime()))
  const firstPlace = after ? sql`${after.place}` : sql`(${oldest})`
  // `list_start` is the first row of the list, and `page_start` is the first row of the page. `before` is the number of
  // events that the reader may see before a row. The reader may always see `page_start`: it is the first row at which
  // the number of visible events exceeds `start`.
  const isAfterStart = sql`${until} - (select before from list_start) > ${start}`
  // The places of the page are found by a separate query, so that SQLite stops at the last of these places. `left join`
  // returns a row with `total` even if the page is empty.
  const page = sql`(
    with
      list_start as materialized (
        select log.place, ${until} - iif(${isVisible}, log.event_count, 0) as before
        from log where log.place = ${firstPlace}),
      page_start as materialized (
        select log.place, log.bytes_until as bytes, ${until} - log.event_count as before
        from log where log.place = (${findFirst(sql`select place from list_start`, isAfterStart)})),
      page as (
        select log.place from log
        where log.place >= (select place from page_start) and log.place < (select place from page_start) + ${PAGE_PLACES_MAX}
          and (log.place = (select place from page_start) or log.bytes_until - (select bytes from page_start) < ${PAGE_ROWS_MAX_BYTES})
          and ${isVisible}
        order by log.place limit ${limit})
    select page.place, (select before from page_start) - list_start.before as before,
      (select ${until} from log where log.place = ${newestPlace}) - list_start.before as total
    from list_start left join page) as page`
  const rows = await db.read(
    build
      .select({ row: WHOLE_ROW, before: sql<number | null>`page.before`, total: sql<number>`page.total` })
      .from(page)
      .leftJoin(log, sql`${log.place} = page.place`)
      .orderBy(asc(log.place)),
  )
  const [first] = rows
  /**
   * How many events come before the first row of the page, counted from the first row of the list. If the page is
   * empty, `page_start` has no row, so `before` is null.
   */
  const beforePage = first?.before ?? start
  return {
    rows: rows.flatMap(({ row }) => row ?? []),
    skipped: start - beforePage,
    total: Math.max((first?.total ?? 0) - excluded, 0),
  }
}

/**
 * What a reader may see, as SQL about the row `log`. `isVisible`: whether the reader may see the events of the row.
 * `until`: how many events the reader may see in all rows up to this row.
 *
 * @param userId The reader; null for a reader who sees only the events for everybody
 */
function describeView(userId: number | null): { until: SQL<number>; isVisible: SQL } {
  if (userId === null)
    return { until: sql`log.public_until`, isVisible: sql`log.event_count > 0 and log.user_id is null` }
  const own = sql`from log as own where own.user_id = ${userId}`
  // If no own row comes before `log`, the oldest own row of the log says how many events there were before that row.
  const ownUntil = sql`coalesce(
    (select own.private_until ${own} and own.place <= log.place order by own.place desc limit 1),
    (select own.private_until - own.event_count ${own} order by own.place limit 1), 0)`
  return {
    until: sql`(log.public_until + ${ownUntil})`,
    isVisible: sql`log.event_count > 0 and (log.user_id is null or log.user_id = ${userId})`,
  }
}

/**
 * A binary search for the place of the first row that meets a condition. All later rows must meet the condition too. If
 * no row meets it, the result is the place after the newest row.
 *
 * @param from The query for the place at which the search begins
 * @param condition A condition about the row `log`
 */
function findFirst(from: SQL, condition: SQL): SQL {
  const middle = sql`(low + high) / 2`
  // A place can have no row, so each step tests the last row up to the middle.
  return sql`
    with recursive search(low, high) as (
      select (${from}), ${newestPlace} + 1
      union all
      select iif(${condition}, low, ${middle} + 1), iif(${condition}, ${middle}, high)
      from search join log on log.place = (select max(row.place) from log as row where row.place <= ${middle})
      where low < high)
    select low from search where low >= high`
}
