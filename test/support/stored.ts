import { env } from 'cloudflare:workers'

// What the database contains, as one statement each: in the tests, what D1 does around a statement takes longer than
// most statements.

// Counts of attempts, which every rejected password raises.
const NOT_COMPARED = ['rate_limits']

/**
 * Each column of each table, in an order in which they can be emptied. Tables whose rows cannot be deleted while other
 * rows refer to them follow those others. Last comes the log, in which triggers write the ends of credentials. What a
 * universe counts of itself follows from the other tables.
 */
const COLUMNS = `
  with own as materialized (
    select rowid as place, name from sqlite_master
    where type = 'table' and name not glob 'sqlite_*' and name not glob '_cf_*' and name not glob 'universe_*'
      and name <> 'd1_migrations'
  ), holding as materialized (
    select distinct keys."table" as name from own cross join pragma_foreign_key_list(own.name) as keys
    where keys.on_delete = 'NO ACTION'
  )
  select own.name as tableName, columns.name as name from own cross join pragma_table_info(own.name) as columns
  order by own.name = 'log', own.name in (select name from holding), own.place, columns.cid`

interface Column {
  tableName: string
  name: string
}

let known: Map<string, string[]> | undefined

/** The tables with their columns, in the same order. */
async function tables(): Promise<Map<string, string[]>> {
  if (known) return known
  const { results } = await env.DB.prepare(COLUMNS).all<Column>()
  const groups = Map.groupBy(results, ({ tableName }) => tableName)
  known = new Map([...groups].map(([name, columns]) => [name, columns.map((column) => column.name)]))
  return known
}

/** A query of one row, with a value for each table. */
async function eachTable(valueIn: (table: string, columns: readonly string[]) => string): Promise<D1PreparedStatement> {
  const values = [...(await tables())].map(([table, columns]) => `(${valueIn(table, columns)}) as "${table}"`)
  return env.DB.prepare(`select ${values.join(', ')}`)
}

/** The whole content of the database, except counts of attempts and times of last use. */
export async function readDatabase(): Promise<Record<string, unknown[]>> {
  const names = await tables()
  const query = await eachTable((table, columns) => {
    const values = columns.map((column) =>
      // JSON cannot hold bytes.
      column === 'last_used_at' ? 'null' : `iif(typeof("${column}") = 'blob', hex("${column}"), "${column}")`,
    )
    return `select json_group_array(json_array(${values.join(', ')})) from "${table}"`
  })
  const texts = Object.entries((await query.first<Record<string, string>>()) ?? {})
  const compared = texts.filter(([table]) => !NOT_COMPARED.includes(table))
  return Object.fromEntries(
    compared.map(([table, text]) => {
      const rows: unknown[][] = JSON.parse(text)
      return [
        table,
        rows.map((row) => Object.fromEntries((names.get(table) ?? []).map((name, index) => [name, row[index]]))),
      ]
    }),
  )
}

/** Deletes everything that tests have stored. */
export async function emptyDatabase(): Promise<void> {
  const query = await eachTable((table) => `select exists (select 1 from "${table}")`)
  let found = await query.first<Record<string, number>>()
  for (;;) {
    const full = Object.entries(found ?? {}).filter(([, isFull]) => isFull === 1)
    if (full.length === 0) return
    // Triggers can fill a table again. (`pragma defer_foreign_keys` would take longer: after it, SQLite compiles every
    // statement again.)
    const deletions = full.map(([table]) => env.DB.prepare(`delete from "${table}"`))
    const answers = await env.DB.batch<Record<string, number>>([...deletions, query])
    found = answers.at(-1)?.results[0] ?? null
  }
}
