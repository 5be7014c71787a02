import {
  createTableRelationsHelpers,
  type ExtractTablesWithRelations,
  extractTablesRelationalConfig,
  type RelationalSchemaConfig,
} from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { DrizzleD1Database, SQLiteD1Session } from 'drizzle-orm/d1'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { guardWrites, type QuerySession, runGuard, type WriteGuard } from './guarded-session.ts'
import { RELATIONAL_TABLES } from './tables.ts'

type RelationalTables = typeof RELATIONAL_TABLES
type Relations = ExtractTablesWithRelations<RelationalTables>

export type Database = DrizzleD1Database<RelationalTables> & { $client: D1Database }

/** A query that can be awaited, or added to a batch to share a round trip. */
export type BatchQuery = BatchItem<'sqlite'>

/** The database as one request sees it: it reads its own writes, whichever replica responds. */
export interface Session {
  db: Database
  /**
   * The latest state that this session has seen, for `X-D1-Bookmark`. Before the first query, it is the bookmark with
   * which the session started, or null.
   */
  bookmark(): string | null
  /** From now on, each write of this session runs only if the guard allows it. */
  guard(guard: WriteGuard): void
  /**
   * Runs the guard now, for an action that does not write to the database. The action must follow in the same turn of
   * the event loop, so that the credential is still valid.
   *
   * @throws CredentialEnded
   */
  requireCredential(): Promise<void>
}

/** Starts a session at any replica, even if the replica lags behind the primary. */
export const ANY_STATE = 'first-unconstrained'

/**
 * Where a session starts: at the primary, at any replica, or at a replica that has reached a bookmark. The bookmark is
 * `string & {}`, because with `string`, editors would no longer suggest the two names.
 */
export type SessionStart = 'first-primary' | typeof ANY_STATE | (string & {})

/** Opens a session (D1 Sessions API). It costs nothing before its first query. */
export function openSession(d1: D1Database, start: SessionStart): Session {
  return new LazySession(d1, start)
}

class LazySession implements Session {
  readonly #d1: D1Database
  readonly #start: SessionStart
  #session: D1DatabaseSession | undefined
  #db: Database | undefined
  #guard: WriteGuard | undefined

  constructor(d1: D1Database, start: SessionStart) {
    this.#d1 = d1
    this.#start = start
  }

  get db(): Database {
    this.#db ??= createDatabase(guardWrites(this.#connection, () => this.#guard))
    return this.#db
  }

  bookmark(): string | null {
    if (this.#session) return this.#session.getBookmark()
    // D1 also returns the bookmark with which a session began, as long as the session has made no query.
    return this.#start === 'first-primary' || this.#start === ANY_STATE ? null : this.#start
  }

  guard(guard: WriteGuard): void {
    this.#guard = guard
  }

  async requireCredential(): Promise<void> {
    if (this.#guard) await runGuard(this.#connection, this.#guard)
  }

  get #connection(): D1DatabaseSession {
    this.#session ??= this.#d1.withSession(this.#start)
    return this.#session
  }
}

/** Creates what `drizzle()` returns, for a session. The dialect and the schema are shared by all sessions. */
export function createDatabase(session: QuerySession): Database {
  const $client = asDatabase(session)
  const drizzleSession = new SQLiteD1Session<RelationalTables, Relations>($client, dialect, schema)
  return Object.assign(new DrizzleD1Database<RelationalTables>('async', dialect, drizzleSession, schema), { $client })
}

// `drizzle()` would derive the schema from the tables for each session, which takes longer than most queries. So the
// schema is derived only once.
const dialect = new SQLiteAsyncDialect()
const relational = extractTablesRelationalConfig<Relations>(RELATIONAL_TABLES, createTableRelationsHelpers)
const schema: RelationalSchemaConfig<Relations> = {
  fullSchema: RELATIONAL_TABLES,
  schema: relational.tables,
  tableNamesMap: relational.tableNamesMap,
}

/**
 * Drizzle expects a D1Database but calls only `prepare` and `batch`, which a session has too. The types of Drizzle do
 * not include sessions yet, so this cast is needed.
 */
function asDatabase(session: QuerySession): D1Database {
  return session as unknown as D1Database
}
