import { and, eq, type SQL, sql } from 'drizzle-orm'
import { build, news, type Placeholders, prepare, type Session, type Value, writeInSteps } from '../db/port.ts'
import { log } from '../db/tables.ts'
import { makeEventId, makeSalt } from '../domain/event-id.ts'
import { countEvents } from '../events/events-of.ts'
import type { Happening } from '../events/happening.ts'
import { isKept, newestPlace } from './read-log.ts'

// The log of what has happened. A row is written in the same batch as the change that it reports, so that neither is
// stored without the other.

export interface NewRow {
  kind: Happening['kind']
  userId: number | null
  planetId: number | null
  eventCount: number
  /** In milliseconds since 1970. */
  time: number
  salt: string
  /** JSON. */
  body: string
  /** JSON. */
  details: string
}

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

/** What a row says beside its happening. The salt is new unless it is given. */
type About = Partial<Pick<NewRow, 'userId' | 'planetId' | 'salt'>> & { now: Date }

export function makeRow(
  happening: Happening,
  { userId = null, planetId = null, salt = makeSalt(), now }: About,
): NewRow {
  return {
    kind: happening.kind,
    userId,
    planetId,
    eventCount: countEvents(happening),
    time: now.getTime(),
    salt,
    body: JSON.stringify(happening.body),
    details: JSON.stringify(happening.details),
  }
}

/** Callbacks report this event. */
export function firstEventId({ time, salt }: Pick<NewRow, 'time' | 'salt'>): string {
  return makeEventId({ time, salt, index: 0 })
}

type RowValues = { readonly [Name in keyof NewRow]: Value<NewRow[Name]> }

/** @param row The values of the row, or their placeholders */
function insertLogRow(row: RowValues, condition: SQL = sql`true`) {
  const { kind, userId, planetId, eventCount, time, salt, body, details } = row
  return news(
    build.insert(log).select(sql`
    select null as place, ${kind}, new.user_id, ${planetId}, new.count, ${time}, ${salt},
      ${bytesSoFar} + octet_length(new.body) + octet_length(new.details) as bytes_until,
      ${publicEventsSoFar} + iif(new.user_id is null, new.count, 0) as public_until,
      iif(new.user_id is null, 0, ${privateEventsSoFar(userId)} + new.count) as private_until, new.body, new.details
    from (select ${userId} as user_id, ${eventCount} as count, ${body} as body, ${details} as details) as new
    where ${condition}`),
  )
}

/** The statement that writes a happening, if a condition is true. */
export function insertHappening(happening: Happening, about: About, condition?: SQL) {
  return insertLogRow(makeRow(happening, about), condition)
}

const prepared = prepare((row: Placeholders<NewRow>) => insertLogRow(row))

export function insertRow(row: NewRow) {
  return news(prepared(row))
}

/**
 * The statement that removes the events that only this user may see. Two kinds stay: that a credential has ended, and
 * that the account was deleted. The newest row of the log stays too, so that its place is not used again.
 */
export function removePrivateEvents(userId: number) {
  const isOfUser = and(eq(log.userId, userId), sql`${log.kind} not in ('user_deleted', 'credential_ended')`)
  return build.delete(log).where(and(isOfUser, sql`${log.place} < ${newestPlace}`))
}

const TRIM_LIMITS = { rowsPerStep: 500, stepsMax: 40 }

/** Removes, in bounded steps, the rows outside the limits of the log (`isKept`). */
export async function trimLog(session: Session, now: Date): Promise<void> {
  // Each step looks only at the oldest rows. If the last of these rows is kept, all newer rows are kept too.
  const oldest = sql`select ${log.place} from ${log} order by ${log.place} limit ${TRIM_LIMITS.rowsPerStep}`
  const isOutdated = sql`not (${isKept(now.getTime())}) and ${log.place} < ${newestPlace}`
  await writeInSteps(session, TRIM_LIMITS, [
    build.delete(log).where(sql`${log.place} in (${oldest}) and ${isOutdated}`).returning({ place: log.place }),
  ])
}
