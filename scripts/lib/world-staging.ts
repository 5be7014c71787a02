import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { repairRows } from './world-repair.ts'
import { applyMigrations, listTables, makeDatabase, quoteName, SEQUENCE, type Table } from './world-tables.ts'
import type { Row } from './wrangler.ts'

// An import first creates the database in a file on this machine. So everything is checked before anything is changed,
// and rows of an older version are brought up to date by the migrations that came later.

/** Rows that do not fit the tables. */
export class BadRows extends Error {}

/** Puts the rows of a world into a database of this machine. */
export class Staging {
  readonly database: DatabaseSync
  readonly #tables: Map<string, Table>
  readonly #triggers: string[]
  readonly #insertions = new Map<string, StatementSync>()

  private constructor(database: DatabaseSync) {
    this.database = database
    this.#tables = new Map(listTables(database).map((table) => [table.name, table]))
    this.#triggers = listTriggers(database)
  }

  /** @param migrations Those of the world. @param file Where the database is */
  static async create(migrations: readonly string[], file?: string): Promise<Staging> {
    const staging = new Staging(await makeDatabase(migrations, file))
    staging.#begin()
    return staging
  }

  /** Rows come in any order, and triggers did their part when the rows were first written. */
  #begin(): void {
    const { database } = this
    database.exec('pragma foreign_keys = off')
    dropTriggers(database)
    for (const { name } of this.#tables.values()) database.exec(`delete from ${quoteName(name)}`)
    database.exec('begin')
  }

  /** @throws BadRows */
  insert(tableName: string, row: Row): void {
    const table = this.#tables.get(tableName)
    if (!table) throw new BadRows(`There is no table ${tableName}.`)
    if (Object.keys(row).length !== table.columns.length)
      throw new BadRows(`A row of ${tableName} does not have the columns of the table.`)
    const values = table.columns.map((column) => readValue(row, column))
    try {
      // SQLite has written such a row itself if the table that the row names was filled before.
      if (tableName === SEQUENCE) this.database.prepare(`delete from ${SEQUENCE} where name = ?`).run(values[0] ?? null)
      this.#insertionInto(table).run(...values)
    } catch (error) {
      // The message of SQLite names columns, and no values.
      throw new BadRows(`A row of ${tableName} cannot be stored: ${error instanceof Error ? error.message : error}`)
    }
  }

  #insertionInto(table: Table): StatementSync {
    const known = this.#insertions.get(table.name)
    if (known) return known
    const columns = table.columns.map(quoteName)
    const sql = `insert into ${quoteName(table.name)} (${columns}) values (${columns.map(() => '?')})`
    const statement = this.database.prepare(sql)
    this.#insertions.set(table.name, statement)
    return statement
  }

  /**
   * Completes the database.
   *
   * @param isSnapshot Whether all rows were read in one transaction. Otherwise they are made consistent
   * @param migrations Those that came after the world was exported
   * @throws BadRows if a row refers to one that is missing
   */
  async end(isSnapshot: boolean, migrations: readonly string[], now: Date): Promise<void> {
    const { database } = this
    database.exec('commit')
    if (!isSnapshot) repairRows(database, this.#triggers, now)
    for (const trigger of this.#triggers) database.exec(trigger)
    const [violation] = database.prepare('pragma foreign_key_check').all()
    if (violation)
      throw new BadRows(`A row of ${violation.table} refers to a row of ${violation.parent} that is missing.`)
    database.exec('pragma foreign_keys = on')
    await applyMigrations(database, migrations)
  }
}

/** The texts of the triggers of a database. */
export function listTriggers(database: DatabaseSync): string[] {
  const rows = database.prepare(`select sql from sqlite_master where type = 'trigger' order by name`).all()
  return rows.map(({ sql }) => String(sql))
}

export function listTriggerNames(database: DatabaseSync): string[] {
  const rows = database.prepare(`select name from sqlite_master where type = 'trigger' order by name`).all()
  return rows.map(({ name }) => String(name))
}

function dropTriggers(database: DatabaseSync): void {
  for (const name of listTriggerNames(database)) database.exec(`drop trigger ${quoteName(name)}`)
}

function readValue(row: Row, column: string): string | number | bigint | null {
  const value = row[column]
  // node:sqlite stores a bigint as an integer, and a number as a floating-point number.
  if (Number.isSafeInteger(value)) return BigInt(value as number)
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  throw new BadRows(`A row lacks the column ${column}.`)
}

export function countRows(database: DatabaseSync): Record<string, number> {
  const counts = listTables(database)
    .filter(({ name }) => name !== SEQUENCE)
    .map(({ name }) => [name, database.prepare(`select count(*) as n from ${quoteName(name)}`).get()?.n])
  return Object.fromEntries(counts)
}
