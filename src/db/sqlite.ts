// What this service needs of a database. D1 (d1.ts) and the SQLite of a Durable Object (universes/) implement it, and
// whatever is done around every round trip is a function around `run`.

/** A statement in SQL, and the values of its placeholders. */
export interface Statement {
  readonly sql: string
  readonly params: readonly unknown[]
}

/** A row: the values of its columns, in the order of the statement. */
export type Row = readonly unknown[]

/** What a statement has done. */
export interface Outcome {
  readonly rows: readonly Row[]
  readonly rowsRead: number
  /** Includes index entries. */
  readonly rowsWritten: number
}

/** A database, seen from a state on: later round trips see at least what earlier ones have seen and written. */
export interface Sqlite {
  /**
   * Runs statements in one round trip and one transaction: all or none. No two columns of a result may have the same
   * name, because D1 returns only one of them.
   *
   * @param statements At least one
   */
  run(statements: readonly Statement[]): Promise<readonly Outcome[]>
  /** The latest state that was seen; null if there is only one state, or if none was seen yet. */
  bookmark(): string | null
}

/** Starts at any replica, even if the replica lags behind the primary. */
export const ANY_STATE = 'first-unconstrained'

/**
 * Where a session starts: at the primary, at any replica, or at a replica that has reached a bookmark. The bookmark is
 * `string & {}`, because with `string`, editors would no longer suggest the two names.
 */
export type SessionStart = 'first-primary' | typeof ANY_STATE | (string & {})

/** The database of a world. */
export interface SqliteDatabase {
  /** Costs nothing before the first round trip. */
  open(start: SessionStart): Sqlite
}

/** @param run Runs the statements as the database does */
export type RoundTrip = (statements: readonly Statement[], run: Sqlite['run']) => ReturnType<Sqlite['run']>

/** The same database, of which a function makes each round trip. */
export function aroundRuns(database: SqliteDatabase, roundTrip: RoundTrip): SqliteDatabase {
  return {
    open(start) {
      const { run, bookmark } = database.open(start)
      return { run: (statements) => roundTrip(statements, run), bookmark }
    },
  }
}
