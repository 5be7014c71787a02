import { and, asc, eq, gt, inArray, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { type Placeholders, prepare, type Value } from '../db/prepared.ts'
import { log } from '../db/tables.ts'
import { eventIdPrefix, makeSalt, parseEventId, timeInId } from '../domain/event-id.ts'
import { LOG_BYTES_MAX, LOG_HOURS, LOG_ROWS_MAX } from '../domain/limits.ts'
import { countEvents } from '../events/events-of.ts'
import type { Happening, LogRow } from '../events/happening.ts'
import { HOUR_MS } from '../lib/time.ts'
import { type KeepReply, keepNothing } from './kept-replies.ts'

// The log of what has happened. A row is written in the same batch as the change that it reports, so that there is
// never one without the other.

/** The columns of a row that is written. */
interface NewRow {
  kind: Happening['kind']
  userId: number | null
  planetId: number | null
  eventCount: number
  time: number
  salt: number
  body: string
  details: string
}

/** The place of the newest row. In a batch that writes a row, it is that of this row. */
export const newestPlace = sql<number>`(select max(${log.place}) from ${log})`

/** The body of the newest row, which callbacks send. */
export const newestBody = sql<string>`(select ${log.body} from ${log} order by ${log.place} desc limit 1)`

/** The size of all rows that were ever written. A new row adds its own. */
export const previousBytes = sql<number>`coalesce((select ${log.bytesUntil} from ${log} order by ${log.place} desc limit 1), 0)`

/** The id of the event with this number in the newest row, as SQL. In a batch that writes a row, it is one of its ids. */
export function newestEventId(idPrefix: Value<string>): SQL<string> {
  return sql`${idPrefix} || printf('%010x', ${newestPlace})`
}

/** The values of the statement that writes a happening, except its body. */
export function draftRow(
  happening: Happening,
  { userId = null, planetId = null, now }: { userId?: number | null; planetId?: number | null; now: Date },
): Omit<NewRow, 'body'> {
  return {
    kind: happening.kind,
    userId,
    planetId,
    eventCount: countEvents(happening),
    time: now.getTime(),
    salt: makeSalt(),
    details: JSON.stringify(happening.details),
  }
}

/** The beginning of the id of a row's first event, which is the event that callbacks report. */
export function firstEventIdPrefix({ time, salt }: Pick<NewRow, 'time' | 'salt'>): string {
  return eventIdPrefix({ time, salt, index: 0 })
}

type RowValues = { readonly [Name in keyof NewRow]: Value<NewRow[Name]> }

/**
 * The statement that writes a row, if a condition is true.
 *
 * @param row Its values. Those that only the database knows are SQL
 */
export function insertRow(db: Database, row: RowValues, condition: SQL = sql`true`) {
  const { kind, userId, planetId, eventCount, time, salt, body, details } = row
  return db.insert(log).select(sql`
    select null as place, ${kind}, ${userId}, ${planetId}, ${eventCount}, ${time}, ${salt},
      ${previousBytes} + octet_length(new.body) + octet_length(new.details), new.body, new.details
    from (select ${body} as body, ${details} as details) as new
    where ${condition}`)
}

/** The statement that writes a happening whose body is known, if a condition is true. */
export function insertHappening(
  db: Database,
  happening: Happening,
  about: { userId?: number | null; planetId?: number | null; now: Date },
  condition?: SQL,
) {
  return insertRow(db, { ...draftRow(happening, about), body: JSON.stringify(happening.body) }, condition)
}

/**
 * Writes a happening that changes nothing else. One round trip.
 *
 * @param keep Keeps the reply, with the id of its first event
 * @returns Its row
 */
export async function writeHappening(
  db: Database,
  happening: Happening,
  about: { userId?: number | null; planetId?: number | null; now: Date },
  keep: KeepReply = keepNothing,
): Promise<LogRow> {
  const draft = draftRow(happening, about)
  const eventIds = sql`json_array(${newestEventId(firstEventIdPrefix(draft))})`
  const [[row]] = await db.batch([
    insertRow(db, { ...draft, body: JSON.stringify(happening.body) }).returning(),
    ...keep(db, eventIds),
  ])
  if (!row) throw new Error('the database returned no row for a happening that it stored')
  return row
}

/**
 * The statement that removes the events of a user that only the user may see, except that the account was deleted, and
 * except the newest row, so that its place is not used again.
 */
export function forgetUser(db: Database, userId: number) {
  const isOfUser = and(eq(log.userId, userId), sql`${log.kind} not in ('user_deleted', 'credential_ended')`)
  return db.delete(log).where(and(isOfUser, sql`${log.place} < ${newestPlace}`))
}

// Reading.

const ROW = {
  place: log.place,
  kind: log.kind,
  userId: log.userId,
  planetId: log.planetId,
  eventCount: log.eventCount,
  createdAt: log.createdAt,
  salt: log.salt,
}
const WHOLE_ROW = { ...ROW, body: log.body, details: log.details }

/** A row without its texts. */
export type LogIndexRow = Omit<LogRow, 'body' | 'details'>

/** Rows that readers no longer find may still be stored until the next sweep. */
function isKept(now: Value<number>): SQL {
  return sql`${log.place} > ${newestPlace} - ${sql.raw(String(LOG_ROWS_MAX))}
    and ${log.createdAt} > ${now} - ${sql.raw(String(LOG_HOURS * HOUR_MS))}
    and ${log.bytesUntil} > (select ${log.bytesUntil} from ${log} order by ${log.place} desc limit 1) - ${sql.raw(String(LOG_BYTES_MAX))}`
}

const nextRows = prepare((db, { after, limit }: Placeholders<{ after: number; limit: number }>) =>
  db.select(WHOLE_ROW).from(log).where(gt(log.place, after)).orderBy(asc(log.place)).limit(limit),
)

/**
 * The next rows after a place, in the order of the log, for those who follow it. Also rows that readers no longer find, so
 * that nobody misses any who is only late. One round trip.
 *
 * @param limit Maximum number of rows; there are more if this many are returned. A row has at most about 1 MiB
 */
export async function readLog(db: Database, after: number, limit: number): Promise<LogRow[]> {
  return await nextRows(db, { after, limit })
}

const nextIndexRows = prepare((db, { after, now }: Placeholders<{ after: number; now: number }>) =>
  db
    .select(ROW)
    .from(log)
    .where(and(gt(log.place, after), isKept(now)))
    .orderBy(asc(log.place))
    .limit(LOG_ROWS_MAX),
)

/** All rows after a place, without their texts. One round trip. */
export async function readLogIndex(db: Database, after: number, now: Date): Promise<LogIndexRow[]> {
  return await nextIndexRows(db, { after, now: now.getTime() })
}

/** The rows at these places that the log still has, in its order. One round trip. */
export async function readLogRows(db: Database, places: readonly number[], now: Date): Promise<LogRow[]> {
  return await db
    .select(WHOLE_ROW)
    .from(log)
    .where(
      and(inArray(log.place, sql`(select value from json_each(${JSON.stringify(places)}))`), isKept(now.getTime())),
    )
    .orderBy(asc(log.place))
}

const newest = prepare((db) => db.select({ place: sql<number>`coalesce(${newestPlace}, 0)` }).from(sql`(select 1)`))

/** The query for the place of the newest row, to await or to put into a batch: a list with one item, 0 if there is no row. */
export function selectNewestPlace(db: Database) {
  return newest(db, {})
}

/** The place of the newest row; 0 if there has never been one. One round trip. */
export async function findNewestPlace(db: Database): Promise<number> {
  const [row] = await selectNewestPlace(db)
  return row?.place ?? 0
}

/** Where an event is in the log. */
export interface LocatedEvent {
  row: LogRow
  /** Its number among the events of the row, from 0. */
  index: number
}

/** Finds an event by its id. One round trip. @returns Undefined if it is not, or no longer, in the log */
export async function locateEvent(db: Database, id: string, now: Date): Promise<LocatedEvent | undefined> {
  const named = parseEventId(id)
  if (!named) return undefined
  const { place, time, salt, index } = named
  const [row] = await db
    .select(WHOLE_ROW)
    .from(log)
    .where(and(eq(log.place, place), eq(log.salt, salt), isKept(now.getTime())))
  const isMeant = row && index < row.eventCount && timeInId(row.createdAt.getTime()) === time
  return isMeant ? { row, index } : undefined
}

const REMOVALS_PER_STEP = 500
const STEPS_MAX = 40

/** Removes, in bounded steps, the rows that readers no longer find. The newest row stays, so that no place is used again. */
export async function trimLog(db: Database, now: Date): Promise<void> {
  for (let step = 0; step < STEPS_MAX; step++) {
    // Only the oldest rows are looked at, because all newer ones are kept if the last of these is.
    const oldest = sql`select ${log.place} from ${log} order by ${log.place} limit ${REMOVALS_PER_STEP}`
    const isOutdated = sql`not (${isKept(now.getTime())}) and ${log.place} < ${newestPlace}`
    const removed = await db
      .delete(log)
      .where(sql`${log.place} in (${oldest}) and ${isOutdated}`)
      .returning({ place: log.place })
    if (removed.length < REMOVALS_PER_STEP) return
  }
}

/** Which events a reader may see, and where a list of them begins. */
export interface EventWindow {
  /** The user whose own events are in the list, too; null for none. */
  userId: number | null
  /** The event after which the list begins; undefined for the oldest one. */
  after: { place: number; index: number } | undefined
  limit: number
  offset: number
}

/** The maximum size of the rows that a page is made of, in bytes. */
const PAGE_ROWS_MAX_BYTES = 2 * 1024 * 1024

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
  const { place: firstPlace, index } = after ?? { place: 0, index: -1 }
  /** How many events come before the part: those up to `after`, and the offset. */
  const start = index + 1 + offset
  const isVisible = sql`${log.eventCount} > 0 and ${log.place} >= ${firstPlace}
    and (${log.userId} is null or ${log.userId} = ${userId}) and ${isKept(now.getTime())}`
  const sizes = sql`
    select place, event_count as number, sum(event_count) over (order by place) as until,
      bytes_until - lag(bytes_until) over (order by place) as bytes
    from ${log} where ${isVisible}`
  const part = sql`
    select place, until - number as before, sum(coalesce(bytes, 0)) over (order by place) - coalesce(bytes, 0) as bytes_before
    from (${sizes}) where until > ${start} and until - number < ${start + limit}`
  const [[counted], rows] = await db.batch([
    db
      .select({ total: sql<number>`coalesce(sum(${log.eventCount}), 0)` })
      .from(log)
      .where(isVisible),
    db
      .select({ ...WHOLE_ROW, before: sql<number>`part.before` })
      .from(log)
      .innerJoin(sql`(${part}) as part`, sql`part.place = ${log.place} and part.bytes_before < ${PAGE_ROWS_MAX_BYTES}`)
      .orderBy(asc(log.place)),
  ])
  const [first] = rows
  const total = Math.max((counted?.total ?? 0) - (index + 1), 0)
  return { rows, skipped: first ? Math.max(start - first.before, 0) : 0, total }
}
