import { CredentialEnded, violates } from './constraints.ts'
import { compile, type ReadQuery, type Results, readResults } from './query.ts'
import type { Outcome, SessionStart, Sqlite, SqliteDatabase, Statement } from './sqlite.ts'

/** The database for reads. `write` (write.ts) runs statements that write. */
export interface Database {
  /** Runs a query. One round trip. */
  read<Result>(query: ReadQuery<Result>): Promise<Result>
  /** Runs queries in one round trip. They see the same state. */
  batch<const Queries extends readonly ReadQuery[]>(queries: Queries): Promise<Results<Queries>>
}

/** Creates a statement that fails if the next write is no longer allowed. */
export type WriteGuard = () => Statement

export interface WorldDatabase {
  database: SqliteDatabase
  /** Notified of news in the log. Undefined for a session that writes none. */
  hub: { notify(): void } | undefined
}

/** The database as one request sees it: it reads its own writes, whichever replica responds. */
export interface Session {
  readonly db: Database
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
   * Runs statements in one round trip, after the guard. Only `write` (write.ts) calls it from outside.
   *
   * @throws CredentialEnded if the guard rejects them, or a trigger with the same error text
   */
  run(statements: readonly Statement[]): Promise<readonly Outcome[]>
  /** Tells the readers of the log that there is news. */
  notifyReaders(): void
}

/** Opens a session. It costs nothing before its first query. */
export function openSession({ database, hub }: WorldDatabase, start: SessionStart): Session {
  return new OpenSession(database.open(start), hub)
}

class OpenSession implements Session, Database {
  readonly #sqlite: Sqlite
  readonly #hub: WorldDatabase['hub']
  #guard: WriteGuard | undefined

  constructor(sqlite: Sqlite, hub: WorldDatabase['hub']) {
    this.#sqlite = sqlite
    this.#hub = hub
  }

  get db(): Database {
    return this
  }

  async read<Result>(query: ReadQuery<Result>): Promise<Result> {
    const [result] = await this.batch([query])
    return result
  }

  async batch<const Queries extends readonly ReadQuery[]>(queries: Queries): Promise<Results<Queries>> {
    const compiled = queries.map(compile)
    return await readResults(compiled, await this.#sqlite.run(compiled))
  }

  bookmark(): string | null {
    return this.#sqlite.bookmark()
  }

  guard(guard: WriteGuard): void {
    this.#guard = guard
  }

  async requireCredential(): Promise<void> {
    if (this.#guard) await this.run([])
  }

  async run(statements: readonly Statement[]): Promise<readonly Outcome[]> {
    const checks = this.#guard ? [this.#guard()] : []
    try {
      return (await this.#sqlite.run([...checks, ...statements])).slice(checks.length)
    } catch (error) {
      throw violates(error, 'credentialEnded') ? new CredentialEnded('the credential has ended') : error
    }
  }

  notifyReaders(): void {
    this.#hub?.notify()
  }
}
