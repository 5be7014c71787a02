import { fillPlaceholders, type Placeholder, type Query, sql } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import { createDatabase, type Database } from './client.ts'

// Queries whose SQL text is built once per isolate. Drizzle builds the text of a query each time, which takes longer
// than the query itself. A prepared query is built with placeholders when it is first used. After that, only its values
// are filled in.

/** The placeholders with which a prepared query is built, by the names of its values. */
export type Placeholders<Values> = { readonly [Name in keyof Values & string]: Placeholder<Name> }

/** A query with its values. Await it, or add it to a batch to share the round trip. */
export type BoundQuery<Result> = RunnableQuery<Result, 'sqlite'> & PromiseLike<Result>

/**
 * Prepares a query.
 *
 * @param build Builds the query. It runs once, so everything that differs between calls must be a placeholder
 * @returns A function that binds the query to a session and to its values
 */
export function prepare<
  Values extends Readonly<Record<string, unknown>>,
  Built extends RunnableQuery<unknown, 'sqlite'>,
>(
  build: (db: Database, placeholders: Placeholders<Values>) => Built,
): (db: Database, values: Values) => BoundQuery<Built['_']['result']> {
  let built: DrizzlePrepared | undefined
  return (db, values) => {
    built ??= drizzlePrepared(build(UNCONNECTED, PLACEHOLDERS as Placeholders<Values>))
    return new Bound(db, built, values)
  }
}

/** Whatever is read from it, a placeholder with this name. */
const PLACEHOLDERS = new Proxy({}, { get: (_, name) => sql.placeholder(String(name)) })

/** A database that builds queries but cannot run them. */
const UNCONNECTED = createDatabase({
  prepare: () => Object.create(null),
  batch: () => Promise.reject(new Error('a query cannot run while it is built')),
})

/** A query in the form in which Drizzle's batches run it. */
interface DrizzlePrepared {
  getQuery(): Query
  mapResult(result: unknown, isFromBatch: true): unknown
}

/** Drizzle's types do not show `_prepare`, but its batches call it for each of their queries. */
function drizzlePrepared(query: RunnableQuery<unknown, 'sqlite'>): DrizzlePrepared {
  return (query as unknown as { _prepare(): DrizzlePrepared })._prepare()
}

class Bound<Result> implements BoundQuery<Result> {
  declare readonly _: { readonly dialect: 'sqlite'; readonly result: Result }
  readonly #db: Database
  readonly #built: DrizzlePrepared
  readonly #values: Readonly<Record<string, unknown>>

  constructor(db: Database, built: DrizzlePrepared, values: Readonly<Record<string, unknown>>) {
    this.#db = db
    this.#built = built
    this.#values = values
  }

  /** What Drizzle's batch needs of a query. */
  _prepare() {
    const { sql: text, params } = this.#built.getQuery()
    return {
      stmt: this.#db.$client.prepare(text),
      getQuery: () => ({ sql: text, params: fillPlaceholders(params, this.#values) }),
      mapResult: (result: unknown) => this.#built.mapResult(result, true),
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
