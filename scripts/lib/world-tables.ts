import { DatabaseSync } from 'node:sqlite'
import { readMigrations } from './migrations.ts'

// The tables of a database that an export contains, as the migrations make them.

/** Tables whose rows stay where they are. */
const NOT_EXPORTED = [
  // Universes are objects of one deployment, and the list would lead nowhere in another one.
  'universes',
  // Runs of the laboratory are links to one deployment, and end by themselves.
  'lab_results',
  'lab_runs',
  // The migrations of each database are its own.
  'd1_migrations',
]

/** The table in which SQLite keeps the highest id of other tables, so that no id is used again. */
export const SEQUENCE = 'sqlite_sequence'

export interface Table {
  name: string
  /** Without generated columns, which nobody writes. */
  columns: string[]
  /** The column by which pages are cut: the rowid if the table has one. */
  pageKey: string
}

/**
 * Lists the tables of a world, in the order in which they are exported. `SEQUENCE` comes last, because SQLite changes
 * it when rows are inserted into the other tables.
 */
export function listTables(database: DatabaseSync): Table[] {
  const tables = database
    .prepare(
      `select name, wr as hasNoRowid from pragma_table_list
       where schema = 'main' and type = 'table' and (name = '${SEQUENCE}' or name not glob 'sqlite_*')
         and name not in (${NOT_EXPORTED.map((name) => `'${name}'`)})
       order by name = '${SEQUENCE}', name`,
    )
    .all() as { name: string; hasNoRowid: number }[]
  return tables.map(({ name, hasNoRowid }) => {
    const columns = database.prepare('select name, pk from pragma_table_xinfo(?) where hidden = 0').all(name) as {
      name: string
      pk: number
    }[]
    const primaryKey = columns
      .filter(({ pk }) => pk > 0)
      .sort((one, other) => one.pk - other.pk)
      .map((column) => column.name)
    const pageKey = hasNoRowid ? (primaryKey[0] ?? '') : 'rowid'
    return { name, columns: columns.map((column) => column.name), pageKey }
  })
}

/** Makes a database as the first migrations leave it. @param file Where it is; in memory by default */
export async function makeDatabase(migrations: readonly string[], file = ':memory:'): Promise<DatabaseSync> {
  const database = new DatabaseSync(file)
  database.exec('pragma journal_mode = off; pragma synchronous = off')
  await applyMigrations(database, migrations)
  return database
}

export async function applyMigrations(database: DatabaseSync, names: readonly string[]): Promise<void> {
  for (const { name, sql } of await readMigrations()) {
    if (names.includes(name)) database.exec(`begin; ${sql}; commit;`)
  }
}

export const quoteName = (name: string) => `"${name.replaceAll('"', '""')}"`
