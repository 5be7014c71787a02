import { is, Param, Placeholder, type SQL, sql } from 'drizzle-orm'
import { drizzle as connect } from 'drizzle-orm/sqlite-proxy'
import type { Outcome, Row, Statement } from './sqlite.ts'

// Drizzle builds queries, and reads their rows. A session runs them (session.ts).

/** The rows that Drizzle's driver returns next. */
let rowsToRead: readonly Row[] | undefined

/** The driver of Drizzle for any database that a program calls itself. This one returns rows that are already there. */
const drizzle = connect(async () => {
  if (!rowsToRead) throw new Error('a session runs queries: pass this one to `read` or `write`')
  return { rows: [...rowsToRead] }
})

type Builder = Pick<typeof drizzle, 'select' | 'insert' | 'update' | 'delete' | 'with' | '$with' | '$count'>

/** Builds queries and statements that write. A session runs them (`read`, `batch`, `write`); they cannot be awaited. */
export const build: Builder = drizzle

/** What Drizzle says about a query. A statement that writes names its table. */
interface Facts<Result> {
  readonly result: Result
  readonly table?: unknown
}

/** What Drizzle prepares: its text and its values, and what runs it. */
interface Prepared {
  getQuery(): Statement
  all(): Promise<unknown>
}

/** A query or a statement that writes, as Drizzle has built it. */
interface Built<Result> {
  readonly _: Facts<Result>
  prepare(): Prepared
}

/** A query or a statement that writes: built, or prepared and filled with its values. */
export type Query<Result = unknown> = Built<Result> | Filled<Facts<Result>>

/** A query that only reads. */
export type ReadQuery<Result = unknown> = Query<Result> & { readonly _: { readonly table?: never } }

export type ResultOf<One extends Query> = One['_']['result']

/** The results of queries, in their order. */
export type Results<Queries extends readonly Query[]> = {
  -readonly [Index in keyof Queries]: ResultOf<Queries[Index]>
}

/** A statement with its values, and how its rows are read. */
export interface Compiled extends Statement {
  read(rows: readonly Row[]): Promise<unknown>
}

/** The statement of a query, and how its rows are read. */
export function compile(query: Query): Compiled {
  if (query instanceof Filled) return query
  const prepared = query.prepare()
  const { sql: text, params } = prepared.getQuery()
  return { sql: hideLimits(text), params, read: (rows) => readRows(prepared, rows) }
}

/**
 * Lets Drizzle make values of rows. Drizzle does this only when it runs a query, so it runs the query again, and its
 * driver returns the rows.
 */
async function readRows(prepared: Prepared, rows: readonly Row[]): Promise<unknown> {
  if (rows.length === 0) return []
  rowsToRead = rows
  try {
    // It calls the driver before it returns, so no other query gets these rows.
    return prepared.all()
  } finally {
    rowsToRead = undefined
  }
}

/**
 * The same statement, whose limits are expressions. If a limit is a bound value, SQLite plans the statement anew for
 * each call, because the plan depends on the value (3.48 and later). For a page of planets that takes eight times as
 * long as the rest.
 */
function hideLimits(text: string): string {
  return text.replaceAll(' limit ?', ' limit ?+0')
}

/** The placeholders with which a prepared query is built, by the names of its values. */
export type Placeholders<Values> = { readonly [Name in keyof Values & string]: Placeholder<Name> }

/** A value in a statement: known when the statement is built, computed by the database, or filled in later. */
export type Value<Type> = Type | SQL | Placeholder

/**
 * Prepares a query or a statement that writes: it is built once per isolate, when it is first used.
 *
 * @param makeQuery Builds the query. Everything that differs between calls must be a placeholder
 * @returns A function that fills the query with its values
 */
export function prepare<Values extends object, Made extends Built<unknown>>(
  makeQuery: (placeholders: Placeholders<Values>) => Made,
): (values: Values) => Filled<Made['_']> {
  let template: Template | undefined
  return (values) => {
    template ??= makeTemplate((placeholders) => makeQuery(placeholders as Placeholders<Values>))
    return new Filled(template, values as AnyValues)
  }
}

/** Returns a placeholder for each name that is read from it. The names cannot be listed, so do not spread it. */
const PLACEHOLDERS = new Proxy(
  {},
  {
    get(_, name) {
      const placeholder = sql.placeholder(String(name))
      NAMES.set(placeholder, String(name))
      return placeholder
    },
  },
)

/** The names of placeholders, which they do not tell. */
const NAMES = new WeakMap<Placeholder, string>()

/** Returns null in the place of each placeholder. */
const NULLS = new Proxy({}, { get: () => sql`null` })

/** A built query: its text, how its parameters follow from the values of a call, and how its rows are read. */
interface Template {
  sql: string
  parameterReaders: readonly ParameterReader[]
  /** The same query without placeholders. It reads the rows, which do not depend on the values. */
  reader: Prepared
}

type AnyValues = Readonly<Record<string, unknown>>

/** Returns one parameter of the statement, from the values of a call. */
type ParameterReader = (values: AnyValues) => unknown

function makeTemplate(makeQuery: (placeholders: object) => Built<unknown>): Template {
  const { sql: text, params } = makeQuery(PLACEHOLDERS).prepare().getQuery()
  return { sql: hideLimits(text), parameterReaders: params.map(readerOf), reader: makeQuery(NULLS).prepare() }
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
function readerOfValue(placeholder: Placeholder): ParameterReader {
  const name = NAMES.get(placeholder) ?? ''
  return (values) => values[name]
}

/** A prepared query, filled with its values. */
class Filled<QueryFacts> implements Compiled {
  /** Only types read it, as of Drizzle's own queries. */
  declare readonly _: QueryFacts
  readonly sql: string
  readonly params: readonly unknown[]
  readonly #reader: Prepared

  constructor({ sql: text, parameterReaders, reader }: Template, values: AnyValues) {
    this.sql = text
    this.params = parameterReaders.map((readParameter) => readParameter(values))
    this.#reader = reader
  }

  read(rows: readonly Row[]): Promise<unknown> {
    return readRows(this.#reader, rows)
  }
}

/** The results of queries, from what each has done. */
export async function readResults<Queries extends readonly Query[]>(
  compiled: readonly Compiled[],
  outcomes: readonly Outcome[],
): Promise<Results<Queries>> {
  const results = await Promise.all(compiled.map((query, index) => query.read(outcomes[index]?.rows ?? [])))
  // The cast is safe, because each query reads its own rows.
  return results as Results<Queries>
}
