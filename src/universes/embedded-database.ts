import type { Outcome, Sqlite, SqliteDatabase, Statement } from '../db/port.ts'

/** A value that SQLite can store. */
type Value = string | number | null | ArrayBuffer

/**
 * Runs before each statement. Throws if the statement must not run, because the universe has ended or was reset since
 * the request of this statement began.
 */
export type Admission = () => void

/** Returns an error that says more than an error of the database, or the same error if there is nothing to add. */
export type ExplainError = (error: unknown) => unknown

/** Opens the SQLite of a Durable Object. It works without a network, within one turn of the event loop. */
export function openEmbeddedDatabase(
  storage: DurableObjectStorage,
  admit: Admission,
  explainError: ExplainError = (error) => error,
): SqliteDatabase {
  const execute = ({ sql, params }: Statement): Outcome => {
    admit()
    try {
      const cursor = storage.sql.exec(sql, ...params.map(asValue))
      requireDistinct(cursor.columnNames)
      // The rows must be read before `rowsRead` and `rowsWritten`, because a cursor counts rows while it reads them.
      const rows = [...cursor.raw()]
      return { rows, rowsRead: cursor.rowsRead, rowsWritten: cursor.rowsWritten }
    } catch (error) {
      throw explainError(error)
    }
  }
  const sqlite: Sqlite = {
    run: async (statements) => storage.transactionSync(() => statements.map(execute)),
    // There are no replicas, so every session sees the latest state.
    bookmark: () => null,
  }
  return { open: () => sqlite }
}

/** @throws Error if two columns have the same name, of which D1 would return only one */
function requireDistinct(names: readonly string[]): void {
  if (new Set(names).size < names.length) throw new Error(`two columns have the same name: ${names.join(', ')}`)
}

/** A bound value as SQLite stores it. D1 stores booleans as numbers, too. */
function asValue(value: unknown): Value {
  if (typeof value === 'boolean') return Number(value)
  if (value === null || typeof value === 'string' || typeof value === 'number' || value instanceof ArrayBuffer) {
    return value
  }
  throw new TypeError(`SQLite cannot store a value of the type ${typeof value}`)
}
