import {
  createTableRelationsHelpers,
  type ExtractTablesWithRelations,
  extractTablesRelationalConfig,
  type Query,
  type RelationalSchemaConfig,
} from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import { DrizzleD1Database, SQLiteD1Session } from 'drizzle-orm/d1'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { violates } from './constraints.ts'
import { RELATIONAL_TABLES } from './tables.ts'

type RelationalTables = typeof RELATIONAL_TABLES
type Relations = ExtractTablesWithRelations<RelationalTables>

export type Drizzle = DrizzleD1Database<RelationalTables> & { $client: D1Database }

/** A query or a statement that can be added to a batch to share a round trip. */
export type BatchQuery = BatchItem<'sqlite'>

/** A query. A statement that writes names its table in `_`. */
export type ReadQuery = BatchQuery & { readonly _: { readonly table?: never } }

/**
 * The database for reads. Statements that write are built with `build` (statements.ts) and run by `write`
 * (changes/write.ts).
 */
export interface Database extends Pick<Drizzle, 'select' | 'with' | '$with' | '$count' | 'query'> {
  /** Runs queries in one round trip. They see the same state. */
  batch<Query extends ReadQuery, Queries extends Readonly<[Query, ...Query[]]>>(
    queries: Queries,
  ): Promise<BatchResponse<Queries>>
}

/** Creates the SQL text and values of a statement that fails if the next write is no longer allowed. */
export type WriteGuard = () => { text: string; values: readonly unknown[] }

/** A write that was not executed, because the caller's credential has ended since the request began. */
export class CredentialEnded extends Error {
  override readonly name = 'CredentialEnded'
}

export interface WorldDatabase {
  database: D1Database
  /** Notified of news in the log. Undefined for a session that writes none. */
  hub: { notify(): void } | undefined
}

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
  /**
   * Runs statements in one batch, after the guard. Only `write` (changes/write.ts) calls it from outside.
   *
   * @throws CredentialEnded if the guard rejects the batch, or a trigger with the same error text
   */
  run(statements: readonly Query[]): Promise<D1Result[]>
  /** Tells the readers of the log that there is news. */
  notifyReaders(): void
}

/** Starts a session at any replica, even if the replica lags behind the primary. */
export const ANY_STATE = 'first-unconstrained'

/**
 * Where a session starts: at the primary, at any replica, or at a replica that has reached a bookmark. The bookmark is
 * `string & {}`, because with `string`, editors would no longer suggest the two names.
 */
export type SessionStart = 'first-primary' | typeof ANY_STATE | (string & {})

/** Opens a session (D1 Sessions API). It costs nothing before its first query. */
export function openSession(world: WorldDatabase, start: SessionStart): Session {
  return new LazySession(world, start)
}

class LazySession implements Session {
  readonly #world: WorldDatabase
  readonly #start: SessionStart
  #session: D1DatabaseSession | undefined
  #db: Database | undefined
  #guard: WriteGuard | undefined

  constructor(world: WorldDatabase, start: SessionStart) {
    this.#world = world
    this.#start = start
  }

  get db(): Database {
    this.#db ??= createDatabase(this.#connection)
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
    if (this.#guard) await this.run([])
  }

  async run(statements: readonly Query[]): Promise<D1Result[]> {
    const guard = this.#guard?.()
    const checks = guard ? [{ sql: guard.text, params: [...guard.values] }] : []
    const bound = [...checks, ...statements].map(({ sql, params }) => this.#connection.prepare(sql).bind(...params))
    try {
      return (await this.#connection.batch(bound)).slice(checks.length)
    } catch (error) {
      throw violates(error, 'credentialEnded') ? new CredentialEnded('the credential has ended') : error
    }
  }

  notifyReaders(): void {
    this.#world.hub?.notify()
  }

  get #connection(): D1DatabaseSession {
    this.#session ??= this.#world.database.withSession(this.#start)
    return this.#session
  }
}

/** The part of a session that Drizzle needs. */
type QuerySession = Pick<D1DatabaseSession, 'prepare' | 'batch'>

/** Creates what `drizzle()` returns, for a session. The dialect and the schema are shared by all sessions. */
export function createDatabase(session: QuerySession): Drizzle {
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
  return session as D1Database
}
