// A database that notifies the readers of the log when a row was written. This is implemented below all queries, so
// that no query can forget the notification.

/**
 * Whether a statement writes the log: by itself (stores/log.ts), or by the triggers that write the end of a credential
 * (migrations/).
 */
const WRITES_LOG =
  /^insert into "log"|^delete from "(?:api_keys|clients)"|^update "grants" set .*"ended_at"|^update "users" set .*"(?:password_generation|suspended_at|deleted_at)" = /s

/** Adds a listener to a database. @param onLogWritten Called after each batch that wrote the log */
export function watchLog(database: D1Database, onLogWritten: () => void): D1Database {
  const watched: Pick<D1Database, 'withSession'> = {
    withSession: (start) => watchSession(database.withSession(start), onLogWritten),
  }
  // The cast is safe, because the service uses the database only through sessions (client.ts).
  return watched as D1Database
}

/** Adds the listener to a session. */
function watchSession(session: D1DatabaseSession, onLogWritten: () => void): D1DatabaseSession {
  /** The statements that write the log. */
  const logWrites = new WeakSet<object>()
  const watched: D1DatabaseSession = {
    prepare(text) {
      const statement = session.prepare(text)
      return WRITES_LOG.test(text) ? markStatement(statement, logWrites) : statement
    },
    // Only batches are watched, because every write runs in a batch (guarded-session.ts).
    async batch<Row>(statements: D1PreparedStatement[]) {
      const results = await session.batch<Row>(statements)
      if (statements.some((statement) => logWrites.has(statement))) onLogWritten()
      return results
    },
    getBookmark: () => session.getBookmark(),
  }
  return watched
}

/** Marks a statement, and each statement that its `bind` returns. */
function markStatement(statement: D1PreparedStatement, marked: WeakSet<object>): D1PreparedStatement {
  const bind = statement.bind.bind(statement)
  statement.bind = (...values: unknown[]) => markStatement(bind(...values), marked)
  marked.add(statement)
  return statement
}
