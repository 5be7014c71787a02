import {
  createTableRelationsHelpers,
  type ExtractTablesWithRelations,
  extractTablesRelationalConfig,
  type RelationalSchemaConfig,
} from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { DrizzleD1Database, SQLiteD1Session } from 'drizzle-orm/d1'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { guardWrites, type QuerySession, type WriteGuard } from './guarded-session.ts'
import * as tables from './tables.ts'

export type Database = DrizzleD1Database<typeof tables> & { $client: D1Database }

/** A query that can be awaited, or added to a batch to share a round trip. */
export type BatchQuery = BatchItem<'sqlite'>

/** The database as one request sees it: it reads its own writes, whichever replica responds. */
export interface Session {
  db: Database
  /** The latest state that this session has seen, for `X-D1-Bookmark`; null before its first query. */
  bookmark(): string | null
  /** From now on, each write of this session runs only if the guard allows it. */
  guard(guard: WriteGuard): void
}

/** Starts a session at any replica, even if the replica lags behind the primary. */
export const ANY_STATE = 'first-unconstrained'

/** Where a session starts: at the primary, at any replica, or at a replica that has reached a bookmark. */
export type SessionStart = 'first-primary' | typeof ANY_STATE | (string & {})

/** Opens a session (D1 Sessions API). It sends nothing until its first query. */
export function openSession(d1: D1Database, start: SessionStart): Session {
  const session = d1.withSession(start)
  let currentGuard: WriteGuard | undefined
  const guardedSession = guardWrites(session, () => currentGuard)
  return {
    db: createDatabase(guardedSession),
    bookmark: () => session.getBookmark(),
    guard: (guard) => {
      currentGuard = guard
    },
  }
}

// `drizzle()` would derive this configuration from the tables for each session. That takes longer than most queries, so
// it is done once.
type RelationalTables = ExtractTablesWithRelations<typeof tables>
const dialect = new SQLiteAsyncDialect()
const { tables: relationalTables, tableNamesMap } = extractTablesRelationalConfig<RelationalTables>(
  tables,
  createTableRelationsHelpers,
)
const schema: RelationalSchemaConfig<RelationalTables> = { fullSchema: tables, schema: relationalTables, tableNamesMap }

/** Drizzle for a session: what `drizzle()` returns, from parts that all sessions share. */
export function createDatabase(session: QuerySession): Database {
  const $client = asDatabase(session)
  const db = new DrizzleD1Database<typeof tables>(
    'async',
    dialect,
    new SQLiteD1Session($client, dialect, schema),
    schema,
  )
  return Object.assign(db, { $client })
}

/**
 * Drizzle expects a D1Database but calls only `prepare` and `batch`, which a session has too. Its types do not include
 * sessions yet, so this cast is needed.
 */
function asDatabase(session: QuerySession): D1Database {
  return session as unknown as D1Database
}
