import { asc, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { log } from '../../db/tables.ts'
import type { LogRow } from '../../events/happening.ts'
import { isKept, newestPlace, WHOLE_ROW } from '../../stores/read-log.ts'

// The log as a list of the events that a reader may see. Each row has the number of events up to it: of those for
// everybody, and of those of its user. So the list is counted, and the begin of a page is found, by some twenty steps of a
// binary search, however long the log is. Only the rows of the page are read one after the other.

/** Which events a reader may see, and where a list of them begins. */
export interface EventWindow {
  /** The user whose own events are in the list, too; null for none. */
  userId: number | null
  /** The event after which the list begins; undefined for the oldest one. The log must have it. */
  after: { place: number; index: number } | undefined
  limit: number
  offset: number
}

/** The maximum size of the rows that a page is made of, besides its first row, in bytes. */
const PAGE_ROWS_MAX_BYTES = 2 * 1024 * 1024

/**
 * How many places a page covers. It is shorter if it meets too many rows that the reader may not see. It never is empty,
 * because its first row is one that the reader may see.
 */
export const PAGE_PLACES_MAX = 1000

/** A part of the list of events. */
export interface EventRows {
  rows: LogRow[]
  /** How many events of the first row come before the part. */
  skipped: number
  /** The number of events in the whole list. */
  total: number
}

/** The rows of a part of the events that a reader may see, in the order of the log. One round trip. */
export async function listEventRows(
  db: Database,
  { userId, after, limit, offset }: EventWindow,
  now: Date,
): Promise<EventRows> {
  /** How many events of its first row the list does not have. */
  const known = after ? after.index + 1 : 0
  const start = known + offset
  const { until, isVisible } = seenBy(userId)
  const oldest = findFirst(sql`select min(place) from log`, isKept(now.getTime()))
  const firstPlace = after ? sql`${after.place}` : sql`(${oldest})`
  const isAfterStart = sql`${until} - (select before from list) > ${start}`
  // Times grow with places, except for the differences between clocks, by which the list may begin earlier or later. The
  // places of the page are found by a query of their own, so that it stops at the last of them.
  const page = sql`(
    with
      list as materialized (
        select log.place as first, ${until} - iif(${isVisible}, log.event_count, 0) as before
        from log where log.place = ${firstPlace}),
      begin as materialized (
        select log.place, log.bytes_until as bytes, ${until} - log.event_count as until
        from log where log.place = (${findFirst(sql`select first from list`, isAfterStart)})),
      page as (
        select log.place from log
        where log.place >= (select place from begin) and log.place < (select place from begin) + ${PAGE_PLACES_MAX}
          and (log.place = (select place from begin) or log.bytes_until - (select bytes from begin) < ${PAGE_ROWS_MAX_BYTES})
          and ${isVisible}
        order by log.place limit ${limit})
    select page.place, (select until from begin) - list.before as before,
      (select ${until} from log where log.place = ${newestPlace}) - list.before as total
    from list left join page) as page`
  const rows = await db
    .select({ row: WHOLE_ROW, before: sql<number>`page.before`, total: sql<number>`page.total` })
    .from(page)
    .leftJoin(log, sql`${log.place} = page.place`)
    .orderBy(asc(log.place))
  const [first] = rows
  return {
    rows: rows.flatMap(({ row }) => row ?? []),
    skipped: start - (first?.before ?? start),
    total: Math.max((first?.total ?? 0) - known, 0),
  }
}

/** What a reader sees of the row `log`: whether its events, and how many events up to it. @param userId Null for nobody's own */
function seenBy(userId: number | null): { until: SQL<number>; isVisible: SQL } {
  if (userId === null)
    return { until: sql`log.public_until`, isVisible: sql`log.event_count > 0 and log.user_id is null` }
  const own = sql`from log as own where own.user_id = ${userId}`
  // Before the first own row that the log still has, the number is what that row began with.
  const ownUntil = sql`coalesce(
    (select own.private_until ${own} and own.place <= log.place order by own.place desc limit 1),
    (select own.private_until - own.event_count ${own} order by own.place limit 1), 0)`
  return {
    until: sql`(log.public_until + ${ownUntil})`,
    isVisible: sql`log.event_count > 0 and (log.user_id is null or log.user_id = ${userId})`,
  }
}

/**
 * The query for the place of the first row for which a condition is true, as it is for all later ones; one after the newest
 * row if it is true for none. It reads a few rows for each halving of the places.
 *
 * @param from The query for the place at which the search begins
 * @param isTrue About the row `log`
 */
function findFirst(from: SQL, isTrue: SQL): SQL {
  const middle = sql`(low + high) / 2`
  return sql`
    with recursive search(low, high) as (
      select (${from}), ${newestPlace} + 1
      union all
      select iif(${isTrue}, low, ${middle} + 1), iif(${isTrue}, ${middle}, high)
      from search join log on log.place = (select max(row.place) from log as row where row.place <= ${middle})
      where low < high)
    select low from search where low >= high`
}
