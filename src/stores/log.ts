import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import type { Value } from '../db/prepared.ts'
import { log } from '../db/tables.ts'
import { eventIdPrefix, makeSalt } from '../domain/event-id.ts'
import { countEvents } from '../events/events-of.ts'
import type { Happening, LogRow } from '../events/happening.ts'
import { type KeepReply, keepNothing } from './kept-replies.ts'
import { isKept, newestPlace } from './read-log.ts'

// The log of what has happened. A row is written in the same batch as the change that it reports, so that neither is
// stored without the other.

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

/** The body of the newest row, which callbacks send. */
export const newestBody = sql<string>`(select ${log.body} from ${log} order by ${log.place} desc limit 1)`

/** The size of all rows that were ever written, in bytes. A new row adds its own size. */
export const bytesSoFar = readNewest(log.bytesUntil)

/** The number of all events for everybody that were ever written. A new row adds its own events. */
export const publicEventsSoFar = readNewest(log.publicUntil)

/** The number of all events of a user that were ever written. */
function privateEventsSoFar(userId: Value<number | null>): SQL<number> {
  return sql`coalesce(
    (select ${log.privateUntil} from ${log} where ${log.userId} = ${userId} order by ${log.place} desc limit 1), 0)`
}

/** The value of the newest row in a column that contains a running total; 0 if there is no row. */
function readNewest(column: typeof log.bytesUntil | typeof log.publicUntil): SQL<number> {
  return sql`coalesce((select ${column} from ${log} order by ${log.place} desc limit 1), 0)`
}

/**
 * SQL for the id of an event in the newest row. In a batch that writes a row, this is the row that was just written.
 *
 * @param idPrefix The id without its last ten digits, which are the place of the row (`eventIdPrefix`)
 */
export function newestEventId(idPrefix: Value<string>): SQL<string> {
  return sql`${idPrefix} || printf('%010x', ${newestPlace})`
}

/**
 * The columns of the row for a happening, without its body.
 *
 * @param about `userId` is the only user who may see the events of the row; null if everybody may
 */
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

/** The id of a row's first event without the place of the row. Callbacks report this event. */
export function firstEventIdPrefix({ time, salt }: Pick<NewRow, 'time' | 'salt'>): string {
  return eventIdPrefix({ time, salt, index: 0 })
}

type RowValues = { readonly [Name in keyof NewRow]: Value<NewRow[Name]> }

/**
 * The statement that writes a row, if a condition is true.
 *
 * @param row The values of the row. A value that only the database knows is SQL
 */
export function insertLogRow(db: Database, row: RowValues, condition: SQL = sql`true`) {
  const { kind, userId, planetId, eventCount, time, salt, body, details } = row
  return db.insert(log).select(sql`
    select null as place, ${kind}, new.user_id, ${planetId}, new.count, ${time}, ${salt},
      ${bytesSoFar} + octet_length(new.body) + octet_length(new.details) as bytes_until,
      ${publicEventsSoFar} + iif(new.user_id is null, new.count, 0) as public_until,
      iif(new.user_id is null, 0, ${privateEventsSoFar(userId)} + new.count) as private_until, new.body, new.details
    from (select ${userId} as user_id, ${eventCount} as count, ${body} as body, ${details} as details) as new
    where ${condition}`)
}

/** The statement that writes a happening whose body is known before the write, if a condition is true. */
export function insertHappening(
  db: Database,
  happening: Happening,
  about: { userId?: number | null; planetId?: number | null; now: Date },
  condition?: SQL,
) {
  return insertLogRow(db, { ...draftRow(happening, about), body: JSON.stringify(happening.body) }, condition)
}

/**
 * Writes a happening that comes with no other change of the database. One round trip.
 *
 * @param keep Keeps the reply, with the id of the first event of the happening
 * @returns The row of the happening
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
    insertLogRow(db, { ...draft, body: JSON.stringify(happening.body) }).returning(),
    ...keep(db, eventIds),
  ])
  if (!row) throw new Error('the database returned no row for a happening that it stored')
  return row
}

/**
 * The statement that removes the events that only this user may see. Two kinds stay: that a credential has ended, and
 * that the account was deleted. The newest row of the log stays too, so that its place is not used again.
 */
export function removePrivateEvents(db: Database, userId: number) {
  const isOfUser = and(eq(log.userId, userId), sql`${log.kind} not in ('user_deleted', 'credential_ended')`)
  return db.delete(log).where(and(isOfUser, sql`${log.place} < ${newestPlace}`))
}

const REMOVALS_PER_STEP = 500
const STEPS_MAX = 40

/**
 * Removes, in bounded steps, the rows outside the limits of the log (`isKept`). The newest row stays, so that no place
 * is used again.
 */
export async function trimLog(db: Database, now: Date): Promise<void> {
  for (let step = 0; step < STEPS_MAX; step++) {
    // Each step looks only at the oldest rows. If the last of these rows is kept, all newer rows are kept too.
    const oldest = sql`select ${log.place} from ${log} order by ${log.place} limit ${REMOVALS_PER_STEP}`
    const isOutdated = sql`not (${isKept(now.getTime())}) and ${log.place} < ${newestPlace}`
    const removed = await db
      .delete(log)
      .where(sql`${log.place} in (${oldest}) and ${isOutdated}`)
      .returning({ place: log.place })
    if (removed.length < REMOVALS_PER_STEP) return
  }
}
