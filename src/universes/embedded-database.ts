// The SQLite of a Durable Object behind the interface of D1, so that stores and migrations do not know where they run.
// It has only the parts of D1 that this service uses. Unlike D1, it works without a network, within one turn of the
// event loop.

/** A value that SQLite can store. */
type Value = string | number | null | ArrayBuffer

/**
 * Runs before each statement. Throws if the statement must not run, because the universe has ended or was reset since
 * the request of this statement began.
 */
export type Admission = () => void

/** Returns an error that says more than an error of the database, or the same error if there is nothing to add. */
export type ExplainError = (error: unknown) => unknown

export function openEmbeddedDatabase(
  storage: DurableObjectStorage,
  admit: Admission,
  explainError: ExplainError = (error) => error,
): D1Database {
  const database = new EmbeddedDatabase(storage, { admit, explainError })
  // The cast is safe, because the service calls nothing else of D1.
  return database as unknown as D1Database
}

interface Rules {
  admit: Admission
  explainError: ExplainError
}

class EmbeddedDatabase {
  readonly #storage: DurableObjectStorage
  readonly #rules: Rules

  constructor(storage: DurableObjectStorage, rules: Rules) {
    this.#storage = storage
    this.#rules = rules
  }

  prepare(text: string): Statement {
    return new Statement(this.#storage.sql, this.#rules, text, [])
  }

  /** Runs statements in one transaction. */
  async batch(statements: readonly Statement[]): Promise<Result[]> {
    return this.#storage.transactionSync(() => statements.map((statement) => statement.execute()))
  }

  /** There are no replicas, so every session sees the latest state and needs no bookmark. */
  withSession(): unknown {
    return {
      prepare: (text: string) => this.prepare(text),
      batch: (statements: readonly Statement[]) => this.batch(statements),
      getBookmark: () => null,
    }
  }
}

type Row = Record<string, SqlStorageValue>

interface Result {
  success: true
  results: Row[]
  meta: { rows_read: number; rows_written: number }
}

class Statement {
  readonly #sql: SqlStorage
  readonly #rules: Rules
  readonly #text: string
  readonly #values: readonly Value[]

  constructor(sql: SqlStorage, rules: Rules, text: string, values: readonly Value[]) {
    this.#sql = sql
    this.#rules = rules
    this.#text = text
    this.#values = values
  }

  bind(...values: unknown[]): Statement {
    return new Statement(this.#sql, this.#rules, this.#text, values.map(asValue))
  }

  execute(): Result {
    return this.#run((cursor) => {
      // The rows must be read before `rowsRead` and `rowsWritten`, because a cursor counts rows while it reads them.
      const results = cursor.toArray()
      return { success: true, results, meta: { rows_read: cursor.rowsRead, rows_written: cursor.rowsWritten } }
    })
  }

  async all(): Promise<Result> {
    return this.execute()
  }

  async run(): Promise<Result> {
    return this.execute()
  }

  /** Rows as arrays of values. */
  async raw(): Promise<SqlStorageValue[][]> {
    return this.#run((cursor) => [...cursor.raw()])
  }

  #run<Outcome>(read: (cursor: SqlStorageCursor<Row>) => Outcome): Outcome {
    this.#rules.admit()
    try {
      return read(this.#sql.exec<Row>(this.#text, ...this.#values))
    } catch (error) {
      throw this.#rules.explainError(error)
    }
  }
}

/** A bound value as SQLite stores it. D1 stores booleans as numbers, too. */
function asValue(value: unknown): Value {
  if (typeof value === 'boolean') return Number(value)
  if (value === null || typeof value === 'string' || typeof value === 'number' || value instanceof ArrayBuffer) {
    return value
  }
  throw new TypeError(`SQLite cannot store a value of the type ${typeof value}`)
}
