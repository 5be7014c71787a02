import { OWNER_ID, type Seed } from '../domain/universe.ts'
import { FIGURES_PREFIX, FIGURES_TABLE, figureStatements } from './figure-triggers.ts'
import type { SeedFile } from './seed.ts'

// The contents of a universe: its tables, the shipped planets and its owner. All functions work within one turn of the
// event loop, so that they can be part of a transaction.

/** A row of a table, by the names of its columns. */
type Row = Record<string, SqlStorageValue>

/** The rows that survive a reset: the owner's account, with its signing secret and API keys. */
export interface OwnerRows {
  users: Row[]
  signing_secrets: Row[]
  api_keys: Row[]
}

/** The account of a new owner, by the names of its columns. */
export type NewOwner = Record<'email' | 'email_key' | 'name' | 'password_hash', string> &
  Record<'password_generation' | 'created_at', number>

export function newOwnerRows(owner: NewOwner): OwnerRows {
  return { users: [{ id: OWNER_ID, ...owner }], signing_secrets: [], api_keys: [] }
}

type PlanetSql = Pick<SeedFile, 'planets' | 'derived'>

/** The table with a copy of the first rows: those that the migrations inserted. A reset restores these rows. */
const FIRST_ROWS_TABLE = 'universe_first_rows'

/** Creates the tables and their contents in an empty database. */
export function fillDatabase(
  sql: SqlStorage,
  { migrations, ...planetSql }: SeedFile,
  seed: Seed,
  owner: OwnerRows,
): void {
  for (const migration of migrations) sql.exec(migration)
  noteFirstRows(sql, readRestoredTables(sql))
  populate(sql, planetSql, seed, owner)
}

/**
 * The tables that a reset does not empty. `call_targets` counts the calls to each host. These counts protect the hosts
 * of other people. Calls that were in progress before the reset stop counting when their leases end.
 */
const KEPT_TABLES = ['call_targets']

/** Restores the tables as `fillDatabase` left them, but with these rows of the owner. */
export function resetDatabase(sql: SqlStorage, planetSql: PlanetSql, seed: Seed, owner: OwnerRows): void {
  dropFigures(sql)
  putFirstRowsBack(sql)
  populate(sql, planetSql, seed, owner)
}

/**
 * The triggers that count and limit are dropped first, so that they refuse nothing that a migration writes. They are
 * created again afterwards, also for tables that a migration has replaced.
 */
export function migrateDatabase(storage: DurableObjectStorage, migrations: readonly string[]): void {
  const { sql } = storage
  const migrate = () => {
    for (const migration of migrations) sql.exec(migration)
  }
  // The limit of planets depends on how many the universe was made with, so it is kept and not computed again.
  const [limit] = rowsOf<{ allowed: number }>(sql, `select allowed from ${FIGURES_TABLE} where name = 'planets'`)
  if (!limit) throw new Error('a universe has lost its limits')
  dropFigures(sql)
  // A reset must restore the first rows as the new migrations leave them. So the migrations first run on the
  // restored first rows, and this run is rolled back.
  const firstRows = tryOut(storage, () => {
    putFirstRowsBack(sql)
    migrate()
    return readRestoredTables(sql)
  })
  migrate()
  sql.exec(`drop table ${FIRST_ROWS_TABLE}`)
  noteFirstRows(sql, firstRows)
  createFigures(sql)
  sql.exec(`update ${FIGURES_TABLE} set allowed = ? where name = 'planets'`, limit.allowed)
}

/** Adds the owner and the planets to tables that have only the rows of the migrations. */
function populate(sql: SqlStorage, { planets, derived }: PlanetSql, seed: Seed, owner: OwnerRows): void {
  for (const [table, rows] of Object.entries(owner)) for (const row of rows) insertRow(sql, table, row)
  if (seed === 'catalogue') {
    // The triggers would write four counts for each planet. The statements in `derived` write all counts at once.
    withoutTriggers(sql, () => {
      for (const statement of [...planets, ...derived]) sql.exec(statement)
    })
  }
  // The shipped planets do not count towards the limits of their owner's account.
  sql.exec('update users set bodies_used = 0, body_bytes_used = 0 where id = ?', OWNER_ID)
  createFigures(sql)
}

function createFigures(sql: SqlStorage): void {
  for (const statement of figureStatements()) sql.exec(statement)
}

function dropFigures(sql: SqlStorage): void {
  for (const { name } of listTriggers(sql)) if (name.startsWith(FIGURES_PREFIX)) sql.exec(`drop trigger "${name}"`)
  sql.exec(`drop table ${FIGURES_TABLE}`)
}

interface TableRow {
  table: string
  row: Row
}

function noteFirstRows(sql: SqlStorage, rows: readonly TableRow[]): void {
  sql.exec(`create table ${FIRST_ROWS_TABLE} (name text not null, row text not null)`)
  for (const { table, row } of rows) {
    sql.exec(`insert into ${FIRST_ROWS_TABLE} (name, row) values (?, ?)`, table, JSON.stringify(row))
  }
}

/** Deletes all rows of the tables that a reset restores, and inserts the first rows again. */
function putFirstRowsBack(sql: SqlStorage): void {
  withoutTriggers(sql, () => {
    // Some tables refer to one another in a circle. So references are checked only when the transaction ends.
    sql.exec('pragma defer_foreign_keys = on')
    const tables = listRestoredTables(sql)
    for (const table of tables) sql.exec(`delete from "${table}"`)
    const firstRows = rowsOf<{ name: string; row: string }>(sql, `select name, row from ${FIRST_ROWS_TABLE}`)
    for (const { name, row } of firstRows) insertRow(sql, name, JSON.parse(row))
  })
}

/** Runs `work` without the triggers of the database, which would count or check each row. Then creates them again. */
function withoutTriggers(sql: SqlStorage, work: () => void): void {
  const triggers = listTriggers(sql)
  for (const { name } of triggers) sql.exec(`drop trigger "${name}"`)
  work()
  for (const trigger of triggers) sql.exec(trigger.sql)
}

/**
 * Runs a function in a transaction, and rolls the transaction back.
 *
 * @returns The result of the function
 * @throws Any error of the function
 */
function tryOut<Result>(storage: DurableObjectStorage, work: () => Result): Result {
  const results: Result[] = []
  try {
    storage.transactionSync(() => {
      results.push(work())
      // Only an error rolls a transaction back.
      throw new Error('roll back')
    })
  } catch (error) {
    const hasFailed = results.length === 0
    if (hasFailed) throw error
  }
  return results[0] as Result
}

function readRestoredTables(sql: SqlStorage): TableRow[] {
  return listRestoredTables(sql).flatMap((table) =>
    rowsOf(sql, `select * from "${table}"`).map((row) => ({ table, row })),
  )
}

function listTriggers(sql: SqlStorage): { name: string; sql: string }[] {
  return rowsOf(sql, "select name, sql from sqlite_master where type = 'trigger'")
}

/**
 * The tables that a reset restores: all tables of the service except `KEPT_TABLES`. `sqlite_sequence`, which counts
 * ids, comes last, because every insertion changes it.
 */
function listRestoredTables(sql: SqlStorage): string[] {
  const tables = rowsOf<{ name: string }>(
    sql,
    "select name from sqlite_master where type = 'table' and name not glob '_cf_*' and name not glob 'universe_*' and name not glob 'sqlite_*'",
  )
  const names = tables.map(({ name }) => name).filter((name) => !KEPT_TABLES.includes(name))
  return [...names, 'sqlite_sequence']
}

/** Reads the rows that survive a reset. */
export function readOwnerRows(sql: SqlStorage): OwnerRows {
  const ownRows = (query: string) => rowsOf(sql, query, OWNER_ID)
  const [user] = ownRows('select * from users where id = ?')
  if (!user) throw new Error('a universe has lost its owner')
  const keys = ownRows('select * from api_keys where user_id = ? order by id')
  // After a reset, the account uses nothing.
  const usageColumns = Object.keys(user).filter((name) => name.endsWith('_used'))
  const noUsage = Object.fromEntries(usageColumns.map((name) => [name, 0]))
  return {
    users: [{ ...user, ...noUsage }],
    signing_secrets: ownRows('select * from signing_secrets where user_id = ?'),
    api_keys: keys.filter((key) => outlivesGrants(key, keys)),
  }
}

/**
 * Whether a key survives a reset. A key that was made under a grant does not, because grants do not. A key that was
 * made with another key survives if that key does.
 */
function outlivesGrants(key: Row, keys: readonly Row[]): boolean {
  if (key.made_by_grant !== null) return false
  if (key.made_by_key === null) return true
  const parent = keys.find(({ id }) => id === key.made_by_key)
  return parent !== undefined && outlivesGrants(parent, keys)
}

function insertRow(sql: SqlStorage, table: string, row: Row): void {
  const names = Object.keys(row)
  const columns = names.map((name) => `"${name}"`).join(', ')
  sql.exec(`insert into "${table}" (${columns}) values (${names.map(() => '?').join(', ')})`, ...Object.values(row))
}

function rowsOf<Result extends Row>(sql: SqlStorage, query: string, ...values: SqlStorageValue[]): Result[] {
  return sql.exec<Result>(query, ...values).toArray()
}
