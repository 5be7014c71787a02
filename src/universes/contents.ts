import { OWNER_ID, type Seed } from '../domain/universe.ts'
import { FIGURES_PREFIX, FIGURES_TABLE, figureStatements } from './figure-triggers.ts'
import type { UniverseSeed } from './seed.ts'

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

/** The rows of a new owner. */
export function newOwnerRows(owner: NewOwner): OwnerRows {
  return { users: [{ id: OWNER_ID, ...owner }], signing_secrets: [], api_keys: [] }
}

/** What inserts the shipped planets. */
type PlanetSql = Pick<UniverseSeed, 'planets' | 'derived'>

/** Creates the tables and their contents in an empty database. */
export function fillDatabase(
  sql: SqlStorage,
  { migrations, ...planets }: UniverseSeed,
  seed: Seed,
  owner: OwnerRows,
): void {
  for (const migration of migrations) sql.exec(migration)
  noteFirstRows(sql, readTables(sql))
  populate(sql, planets, seed, owner)
}

/**
 * The limits of calls protect the hosts of other people, so a reset does not lift them. Their rows refer to nothing in
 * the universe but calls in progress, whose places become free when their leases end.
 */
const KEPT_TABLES = ['call_targets']

/** Restores the tables as `fillDatabase` left them, but with these rows of the owner. */
export function resetDatabase(sql: SqlStorage, planets: PlanetSql, seed: Seed, owner: OwnerRows): void {
  dropFigures(sql)
  putFirstRowsBack(sql)
  populate(sql, planets, seed, owner)
}

/**
 * Applies migrations that are newer than the universe. The triggers that count and limit are dropped before and created
 * again afterwards, so that they refuse nothing that a migration writes, and so that a table that it replaces has them.
 */
export function migrateDatabase(storage: DurableObjectStorage, migrations: readonly string[]): void {
  const { sql } = storage
  const migrate = () => {
    for (const migration of migrations) sql.exec(migration)
  }
  // This limit depends on how many planets the universe was made with.
  const [limit] = rowsOf<{ allowed: number }>(sql, `select allowed from ${FIGURES_TABLE} where name = 'planets'`)
  if (!limit) throw new Error('a universe has lost its limits')
  dropFigures(sql)
  const firstRows = tryOut(storage, () => {
    putFirstRowsBack(sql)
    migrate()
    return readTables(sql)
  })
  migrate()
  sql.exec(`drop table ${FIRST_ROWS_TABLE}`)
  noteFirstRows(sql, firstRows)
  createFigures(sql)
  sql.exec(`update ${FIGURES_TABLE} set allowed = ? where name = 'planets'`, limit.allowed)
}

/** Adds the owner and the planets to tables that are as the migrations left them. */
function populate(sql: SqlStorage, { planets, derived }: PlanetSql, seed: Seed, owner: OwnerRows): void {
  for (const [table, rows] of Object.entries(owner)) for (const row of rows) insertRow(sql, table, row)
  // Triggers would write four counts for each planet, one planet after the other.
  if (seed === 'catalogue') {
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

/** Where the rows of the migrations are kept, for a reset. */
const FIRST_ROWS_TABLE = 'universe_first_rows'

/** A row, and the name of its table. */
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

/** Deletes everything in the tables except the rows that migrations inserted. */
function putFirstRowsBack(sql: SqlStorage): void {
  withoutTriggers(sql, () => {
    // Some tables refer to one another in a circle. So references are only checked when all rows are gone.
    sql.exec('pragma defer_foreign_keys = on')
    for (const table of listTables(sql)) if (!KEPT_TABLES.includes(table)) sql.exec(`delete from "${table}"`)
    for (const { name, row } of rowsOf<{ name: string; row: string }>(
      sql,
      `select name, row from ${FIRST_ROWS_TABLE}`,
    )) {
      insertRow(sql, name, JSON.parse(row))
    }
  })
}

/** Changes many rows, while nothing is counted or checked for each of them. The triggers are as before afterwards. */
function withoutTriggers(sql: SqlStorage, work: () => void): void {
  const triggers = listTriggers(sql)
  for (const { name } of triggers) sql.exec(`drop trigger "${name}"`)
  work()
  for (const trigger of triggers) sql.exec(trigger.sql)
}

/** Runs a function in a transaction, and rolls it back. */
function tryOut<Result>(storage: DurableObjectStorage, work: () => Result): Result {
  const outcomes: Result[] = []
  const undo = new Error('undo')
  try {
    storage.transactionSync(() => {
      outcomes.push(work())
      throw undo
    })
  } catch (error) {
    if (outcomes.length === 0) throw error
  }
  return outcomes[0] as Result
}

/** The rows of all tables of the service. */
function readTables(sql: SqlStorage): TableRow[] {
  return listTables(sql).flatMap((table) => rowsOf(sql, `select * from "${table}"`).map((row) => ({ table, row })))
}

function listTriggers(sql: SqlStorage): { name: string; sql: string }[] {
  return rowsOf(sql, "select name, sql from sqlite_master where type = 'trigger'")
}

/** The tables of the service; the one that counts ids comes last, because every insertion changes it. */
function listTables(sql: SqlStorage): string[] {
  const tables = rowsOf<{ name: string }>(
    sql,
    "select name from sqlite_master where type = 'table' and name not glob '_cf_*' and name not glob 'universe_*' and name not glob 'sqlite_*'",
  )
  return [...tables.map(({ name }) => name), 'sqlite_sequence']
}

/** Reads the rows that survive a reset. */
export function readOwnerRows(sql: SqlStorage): OwnerRows {
  const ownRows = (query: string) => rowsOf(sql, query, OWNER_ID)
  const [user] = ownRows('select * from users where id = ?')
  if (!user) throw new Error('a universe has lost its owner')
  const keys = ownRows('select * from api_keys where user_id = ? order by id')
  const unused = Object.fromEntries(Object.keys(user).flatMap((name) => (name.endsWith('_used') ? [[name, 0]] : [])))
  return {
    users: [{ ...user, ...unused }],
    signing_secrets: ownRows('select * from signing_secrets where user_id = ?'),
    api_keys: keys.filter((key) => outlivesGrants(key, keys)),
  }
}

/** Whether a key was neither made under a grant, nor with a key that was. Grants do not survive a reset. */
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
