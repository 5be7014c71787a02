import { env } from 'cloudflare:workers'

// What the database contains, as one statement each: in the tests, what D1 does around a statement takes longer than
// most statements.

// Counts of attempts, which every rejected password raises.
const NOT_COMPARED = ['rate_limits']

/**
 * Each column of each table. Last come the tables whose rows cannot be deleted while other rows refer to them. What a
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
  order by own.name in (select name from holding), own.place, columns.cid`

interface Column {
  tableName: string
  name: string
}

let known: Map<string, string[]> | undefined

/** The tables with their columns. They are listed in an order in which they can be emptied. */
async function tables(): Promise<Map<string, string[]>> {
  if (known) return known
  const { results } = await env.DB.prepare(COLUMNS).all<Column>()
  const groups = Map.groupBy(results, ({ tableName }) => tableName)
  known = new Map([...groups].map(([name, columns]) => [name, columns.map((column) => column.name)]))
  return known
}

/** A value for each table, in one row. */
async function readEach<Value>(valueIn: (table: string, columns: readonly string[]) => string) {
  const values = [...(await tables())].map(([table, columns]) => `(${valueIn(table, columns)}) as "${table}"`)
  return Object.entries((await env.DB.prepare(`select ${values.join(', ')}`).first<Record<string, Value>>()) ?? {})
}

/** The whole content of the database, except counts of attempts and times of last use. */
export async function readDatabase(): Promise<Record<string, unknown[]>> {
  const names = await tables()
  const texts = await readEach<string>((table, columns) => {
    const values = columns.map((column) => (column === 'last_used_at' ? 'null' : `"${column}"`))
    return `select json_group_array(json_array(${values.join(', ')})) from "${table}"`
  })
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
  for (;;) {
    const found = await readEach<number>((table) => `select exists (select 1 from "${table}")`)
    const full = found.filter(([, isFull]) => isFull === 1)
    if (full.length === 0) return
    // Triggers can fill a table again. (`pragma defer_foreign_keys` would take longer: after it, SQLite compiles every
    // statement again.)
    await env.DB.batch(full.map(([table]) => env.DB.prepare(`delete from "${table}"`)))
  }
}
