import {
  AGE_MAX_HOURS,
  type Seed,
  TOKEN_SECONDS_MAX,
  type UniverseChanges,
  type UniverseState,
} from '../domain/universe.ts'
import { HOUR_MS, MINUTE_MS } from '../lib/time.ts'

// The record of a universe about itself: one row in an additional table of its own database.

/** A universe, as its own database stores it. Times are in milliseconds since 1970. */
export interface UniverseRecord {
  id: string
  seed: Seed
  /** After how many hours without a request it ends. */
  hours: number
  createdAt: number
  expiresAt: number
  /** Whether its owner has fixed `expiresAt`, so that requests do not move it. */
  isFixed: boolean
  /** Absent if its owner has not chosen it since the last reset. */
  tokenSeconds?: number
  resets: number
  /** When it was last reset; null if it never was. */
  resetAt: number | null
  /** Whether its end is recorded. From its expiry on, it has ended even without this (the function `hasEnded`). */
  hasEnded: boolean
  /** The number of migrations that its tables have. */
  migrations: number
}

/** A reset keeps this table. */
const RECORD_TABLE = 'universe_record'

/** @returns Undefined if there is no universe in this object */
export function readRecord(sql: SqlStorage): UniverseRecord | undefined {
  const exists = sql.exec(`select 1 from sqlite_master where name = '${RECORD_TABLE}'`).toArray().length > 0
  if (!exists) return undefined
  const [row] = sql.exec<{ record: string }>(`select record from ${RECORD_TABLE}`).toArray()
  return row && JSON.parse(row.record)
}

export function writeRecord(sql: SqlStorage, record: UniverseRecord): void {
  sql.exec(`create table if not exists ${RECORD_TABLE} (id integer primary key check (id = 1), record text not null)`)
  sql.exec(`insert or replace into ${RECORD_TABLE} (id, record) values (1, ?)`, JSON.stringify(record))
}

export function latestEndOf({ createdAt }: Pick<UniverseRecord, 'createdAt'>): number {
  return createdAt + AGE_MAX_HOURS * HOUR_MS
}

/**
 * The record after a request, which moves the end. The end is not moved by less than a minute, so that not every
 * request writes to the database.
 *
 * @returns The same object if nothing changes
 */
export function moveEnd(record: UniverseRecord, now: Date): UniverseRecord {
  if (record.isFixed) return record
  const expiresAt = Math.min(now.getTime() + record.hours * HOUR_MS, latestEndOf(record))
  return expiresAt - record.expiresAt < MINUTE_MS ? record : { ...record, expiresAt }
}

/** Whether a universe has ended, even if the alarm that removes it has not run yet. */
export function hasEnded(record: UniverseRecord, now: Date): boolean {
  return record.hasEnded || record.expiresAt <= now.getTime()
}

export function stateOf(record: UniverseRecord): UniverseState {
  const { id, seed, createdAt, expiresAt, isFixed, tokenSeconds = TOKEN_SECONDS_MAX } = record
  return { id, seed, createdAt: new Date(createdAt), expiresAt: new Date(expiresAt), isFixed, tokenSeconds }
}

/** The record after a change by the owner. */
export function changeRecord(record: UniverseRecord, { expiresAt, tokenSeconds }: UniverseChanges): UniverseRecord {
  return {
    ...record,
    ...(expiresAt && { expiresAt: expiresAt.getTime(), isFixed: true }),
    ...(tokenSeconds !== undefined && { tokenSeconds }),
  }
}

/** The record after a reset. */
export function resetRecord({ tokenSeconds: _, ...record }: UniverseRecord, now: Date): UniverseRecord {
  return { ...record, resets: record.resets + 1, resetAt: now.getTime() }
}
