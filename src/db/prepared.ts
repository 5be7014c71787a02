import { is, Param, Placeholder, type Query, type SQL, sql } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { Database, Drizzle } from './client.ts'
import { build } from './statements.ts'

// Queries whose SQL text is built once per isolate. Drizzle builds the text of a query each time, which takes longer
// than the query itself. A prepared query is built with placeholders when it is first used. After that, only its values
// are filled in.

/** The placeholders with which a prepared query is built, by the names of its values. */
export type Placeholders<Values> = { readonly [Name in keyof Values & string]: Placeholder<Name> }

/** A value in a statement: known when the statement is built, computed by the database, or filled in later. */
export type Value<Type> = Type | SQL | Placeholder

/** A query with its values. Await it, or add it to a batch to share the round trip. */
export type BoundQuery<Result> = RunnableQuery<Result, 'sqlite'> & PromiseLike<Result>

/** A statement that writes, with its values. */
export type BoundStatement<Result> = BoundQuery<Result> & { readonly _: { readonly table: true } }

/**
 * @param makeQuery Builds the query. It runs once, so everything that differs between calls must be a placeholder
 * @returns A function that binds the query to a session and to its values
 */
export function prepare<Values extends object, Built extends RunnableQuery<unknown, 'sqlite'>>(
  makeQuery: (db: Database, placeholders: Placeholders<Values>) => Built,
): (db: Database, values: Values) => BoundQuery<Built['_']['result']> {
  let prepared: Prepared | undefined
  return (db, values) => {
    prepared ??= prepareBuilt(makeQuery(build, PLACEHOLDERS as Placeholders<Values>))
    return new Bound(db, prepared, values as AnyValues)
  }
}

/**
 * Prepares a statement that writes.
 *
 * @param makeStatement Builds the statement with `build`. It runs once, so everything that differs between calls must be
 * a placeholder
 * @returns A function that binds the statement to its values
 */
export function prepareStatement<Values extends object, Built extends RunnableQuery<unknown, 'sqlite'>>(
  makeStatement: (placeholders: Placeholders<Values>) => Built,
): (values: Values) => BoundStatement<Built['_']['result']> {
  const bind = prepare<Values, Built>((_db, placeholders) => makeStatement(placeholders))
  // The cast only adds that the statement writes.
  return (values) => bind(build, values) as BoundStatement<Built['_']['result']>
}

/** Returns a placeholder for each name that is read from it. The names cannot be listed, so do not spread it. */
const PLACEHOLDERS = new Proxy({}, { get: (_, name) => sql.placeholder(String(name)) })

/** A built query: its text, how its parameters follow from the values of a call, and how its result is read. */
interface Prepared {
  text: string
  parameterReaders: readonly ParameterReader[]
  readResult(result: unknown): unknown
}

type AnyValues = Readonly<Record<string, unknown>>

/** Returns one parameter of the statement, from the values of a call. */
type ParameterReader = (values: AnyValues) => unknown

function prepareBuilt(query: RunnableQuery<unknown, 'sqlite'>): Prepared {
  const { query: built, read } = compile(query)
  return { text: built.sql, parameterReaders: built.params.map(readerOf), readResult: read }
}

/** The reader for a parameter of the statement that Drizzle has built. */
function readerOf(param: unknown): ParameterReader {
  if (is(param, Placeholder)) return readerOfValue(param)
  // A parameter without a placeholder is the same in every call.
  if (!is(param, Param) || !is(param.value, Placeholder)) return () => param
  const { encoder } = param
  const read = readerOfValue(param.value)
  return (values) => {
    const value = read(values)
    // Null stays null. The encoder of a JSON column would make it the text `null`.
    return value === null ? null : encoder.mapToDriverValue(value)
  }
}

/** Reads the value that has the name of a placeholder. */
function readerOfValue({ name }: Placeholder): ParameterReader {
  return (values) => values[name]
}

/** A query in the form in which Drizzle's batches run it. */
interface DrizzlePrepared {
  getQuery(): Query
  mapResult(result: unknown, isFromBatch: true): unknown
}

/** Drizzle's types do not show `_prepare`, but its batches call it for each of their queries. */
function drizzlePrepared(query: RunnableQuery<unknown, 'sqlite'>): DrizzlePrepared {
  return (query as unknown as { _prepare(): DrizzlePrepared })._prepare()
}

/** The text and the values of a statement, and how its result is read. */
export function compile(statement: RunnableQuery<unknown, 'sqlite'>): { query: Query; read(result: unknown): unknown } {
  const prepared = drizzlePrepared(statement)
  return { query: prepared.getQuery(), read: (result) => prepared.mapResult(result, true) }
}

class Bound<Result> implements BoundQuery<Result> {
  declare readonly _: { readonly dialect: 'sqlite'; readonly result: Result }
  readonly #db: Database
  readonly #prepared: Prepared
  readonly #values: AnyValues

  constructor(db: Database, prepared: Prepared, values: AnyValues) {
    this.#db = db
    this.#prepared = prepared
    this.#values = values
  }

  /** The query in the form in which Drizzle's batches run it. */
  _prepare() {
    const { text, parameterReaders, readResult } = this.#prepared
    const params = parameterReaders.map((read) => read(this.#values))
    return {
      // Every database is one of Drizzle, of which its type shows only what reads.
      stmt: (this.#db as Drizzle).$client.prepare(text),
      getQuery: () => ({ sql: text, params }),
      mapResult: readResult,
    }
  }

  // biome-ignore lint/suspicious/noThenProperty: Drizzle's own queries can be awaited in the same way
  then<Fulfilled = Result, Rejected = never>(
    onFulfilled?: ((result: Result) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#run().then(onFulfilled, onRejected)
  }

  async #run(): Promise<Result> {
    const { stmt, getQuery, mapResult } = this._prepare()
    return mapResult(await stmt.bind(...getQuery().params).all()) as Result
  }
}
