import { is, Param, Placeholder, type Query, type SQL, sql } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import { createDatabase, type Database } from './client.ts'

// Queries whose SQL text is built once per isolate. Drizzle builds the text of a query each time, which takes longer
// than the query itself. A prepared query is built with placeholders when it is first used. After that, only its values
// are filled in.

/** The placeholders with which a prepared query is built, by the names of its values. */
export type Placeholders<Values> = { readonly [Name in keyof Values & string]: Placeholder<Name> }

/** A value in a statement: known when the statement is built, computed by the database, or filled in later. */
export type Value<Type> = Type | SQL | Placeholder

/** A query with its values. Await it, or add it to a batch to share the round trip. */
export type BoundQuery<Result> = RunnableQuery<Result, 'sqlite'> & PromiseLike<Result>

/**
 * Prepares a query.
 *
 * @param build Builds the query. It runs once, so everything that differs between calls must be a placeholder
 * @returns A function that binds the query to a session and to its values
 */
export function prepare<Values extends object, Built extends RunnableQuery<unknown, 'sqlite'>>(
  build: (db: Database, placeholders: Placeholders<Values>) => Built,
): (db: Database, values: Values) => BoundQuery<Built['_']['result']> {
  let prepared: Prepared | undefined
  return (db, values) => {
    prepared ??= prepareBuilt(build(UNCONNECTED, PLACEHOLDERS as Placeholders<Values>))
    return new Bound(db, prepared, values as AnyValues)
  }
}

/** Returns a placeholder for each name that is read from it. The names cannot be listed, so do not spread it. */
const PLACEHOLDERS = new Proxy({}, { get: (_, name) => sql.placeholder(String(name)) })

/** A database that builds queries but cannot run them. */
const UNCONNECTED = createDatabase({
  prepare: () => Object.create(null),
  batch: () => Promise.reject(new Error('a query cannot run while it is built')),
})

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
  const prepared = drizzlePrepared(query)
  const { sql: text, params } = prepared.getQuery()
  return { text, parameterReaders: params.map(readerOf), readResult: (result) => prepared.mapResult(result, true) }
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

/** A prepared query with the values of one call. */
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
      stmt: this.#db.$client.prepare(text),
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
