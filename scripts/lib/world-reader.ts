import { getTableName } from 'drizzle-orm'
import { SEALED_COLUMNS } from '../../src/stores/sealed-columns.ts'
import { sum } from './world-summary.ts'
import { quoteName, SEQUENCE, type Table } from './world-tables.ts'
import type { Row } from './wrangler.ts'

// Reads the rows of a world in a few queries of bounded size. A small world is read in one query, and so in one
// transaction.

/** About how many bytes of values a query returns. As JSON, they are up to three times as many. */
const QUERY_BYTES = 4_000_000

/** @returns The rows of each statement */
export type QueryAll = (sql: string) => Promise<Row[][]>

/** A part of a table, in the order of its page key. */
interface Page {
  table: Table
  /** Where it begins; undefined for the first one. */
  from: string | number | undefined
  /** Where the next one begins; undefined for the last one. */
  until: string | number | undefined
  rows: number
  bytes: number
}

/** The size of a world, and the queries that read it. */
export interface Survey {
  /** How many rows each table has. */
  counts: Record<string, number>
  /** The pages of each query. */
  queries: Page[][]
  /** The versions of the keys of DATA_KEY with which values are encrypted. */
  dataKeys: string[]
}

/** Measures a world. One query. @param queryBytes About how many bytes a query may return */
export async function surveyWorld(
  query: QueryAll,
  tables: readonly Table[],
  queryBytes: number = QUERY_BYTES,
): Promise<Survey> {
  const results = await query([dataKeysSql(tables), ...tables.map((table) => pagesSql(table, queryBytes))].join(';\n'))
  const [keys = [], ...found] = results
  const pages = tables.flatMap((table, index) => pagesOf(table, found[index] ?? []))
  const counts = tables.map(({ name }) => [name, sum(pages.filter(({ table }) => table.name === name).map(rowsOf))])
  return {
    counts: Object.fromEntries(counts),
    queries: groupPages(pages, queryBytes),
    dataKeys: keys.map(({ version }) => String(version)),
  }
}

export async function* readRows(query: QueryAll, { queries }: Survey): AsyncGenerator<{ table: string; row: Row }> {
  for (const pages of queries) {
    const results = await query(pages.map(rowsSql).join(';\n'))
    for (const [index, { table }] of pages.entries()) {
      for (const row of results[index] ?? []) yield { table: table.name, row }
    }
  }
}

/** The query for the versions of the keys of all encrypted values. Tables of older versions may lack some of them. */
function dataKeysSql(tables: readonly Table[]): string {
  const columns = Object.values(SEALED_COLUMNS).map(({ name, table }) => ({ name, table: getTableName(table) }))
  const present = columns.filter((column) => tables.some(({ name }) => name === column.table))
  const parts = present.map(({ name, table }) => `select "${name}" as sealed from "${table}"`)
  return `select distinct substr(sealed, 1, instr(sealed, '.') - 1) as version from (${parts.join(' union all ')})
    where instr(sealed, '.') > 1 order by 1`
}

/**
 * The query for the pages of a table: a row for each page, with its first key. Rows with the same key are in the same
 * page, because the running sum of a window includes all of them.
 */
function pagesSql(table: Table, queryBytes: number): string {
  const sizes = table.columns.map((column) => `coalesce(octet_length(${quoteName(column)}), 0)`)
  return `select min(key) as "from", count(*) as "rows", sum(size) as "bytes" from (
    select key, size, sum(size) over (order by key) / ${queryBytes} as page from (
      select ${table.pageKey} as key, ${sizes.join(' + ')} as size from ${quoteName(table.name)} where ${conditionOf(table)}
    )
  ) group by page order by page`
}

function pagesOf(table: Table, found: readonly Row[]): Page[] {
  // An empty table has a page too, because it may get rows before it is read.
  if (found.length === 0) return [{ table, from: undefined, until: undefined, rows: 0, bytes: 0 }]
  return found.map(({ from, rows, bytes }, index) => ({
    table,
    from: index === 0 ? undefined : (from ?? undefined),
    until: found[index + 1]?.from ?? undefined,
    rows: Number(rows),
    bytes: Number(bytes),
  }))
}

const rowsOf = ({ rows }: Page) => rows

/** Groups the pages: each group is small enough for one query. */
function groupPages(pages: readonly Page[], queryBytes: number): Page[][] {
  const groups: Page[][] = []
  // The first page begins a group, even if it is empty.
  let bytes = Number.POSITIVE_INFINITY
  for (const page of pages) {
    bytes += page.bytes
    if (bytes > queryBytes) {
      groups.push([])
      bytes = page.bytes
    }
    groups.at(-1)?.push(page)
  }
  return groups
}

/** The query for the rows of a page. Pages of a table have no gaps between them. */
function rowsSql({ table, from, until }: Page): string {
  const key = table.pageKey
  const conditions = [
    conditionOf(table),
    ...(from === undefined ? [] : [`${key} >= ${literal(from)}`]),
    ...(until === undefined ? [] : [`${key} < ${literal(until)}`]),
  ]
  return `select ${table.columns.map(exactly).join(', ')} from ${quoteName(table.name)}
    where ${conditions.join(' and ')} order by ${key}`
}

/** The rows that belong to the world. */
function conditionOf({ name }: Table): string {
  return name === SEQUENCE ? `name <> 'd1_migrations'` : 'true'
}

/**
 * A column. Integers that JavaScript would round are read as text. When it is stored, the text becomes an integer
 * again.
 */
function exactly(column: string): string {
  const name = quoteName(column)
  const max = Number.MAX_SAFE_INTEGER
  return `iif(typeof(${name}) = 'integer' and ${name} not between -${max} and ${max}, cast(${name} as text), ${name}) as ${name}`
}

function literal(value: string | number): string {
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`
}
