import type { DatabaseSync } from 'node:sqlite'
import { getTableName } from 'drizzle-orm'
import { celestialBodies, planets as planetsTable, users } from '../../src/db/tables.ts'
import type { SeedFile } from '../../src/universes/seed.ts'
import { writePlanetsSql } from './planets-sql.ts'
import { readShippedPlanets } from './shipped-planets.ts'
import { listTables, makeDatabase, quoteName, SEQUENCE, type Table } from './world-tables.ts'

/** The tables that the statements for the shipped planets name, and the one that SQLite writes by itself. */
const LOADED_TABLES = [...[users, planetsTable, celestialBodies].map(getTableName), SEQUENCE]

/**
 * Writes the statements that insert the shipped planets, and what triggers derive from them. So a universe is filled
 * without its triggers: it is made sooner, and writes less than half as many rows.
 *
 * @param migrations The names of all migrations
 */
export async function writeUniverseSql(migrations: readonly string[]): Promise<Pick<SeedFile, 'planets' | 'derived'>> {
  // Each statement ends at a `;` before a line break. An object gets them one by one, because it refuses a text as long
  // as all of them.
  const planets = writePlanetsSql(readShippedPlanets())
    .split(/(?<=;)\n/)
    .filter(Boolean)
  const database = await makeDatabase(migrations)
  try {
    return { planets, derived: runAndDerive(database, planets) }
  } finally {
    database.close()
  }
}

/** Runs the statements, and writes those that repeat what triggers do to other tables. */
function runAndDerive(database: DatabaseSync, statements: readonly string[]): string[] {
  const tables = listTables(database).filter(({ name }) => !LOADED_TABLES.includes(name))
  const before = tables.map((table) => writeRows(database, table))
  for (const statement of statements) database.exec(statement)
  return tables.map((table) => writeRows(database, table)).filter((rows, index) => rows !== before[index])
}

/** The statement that writes all rows of a table, over those with the same keys. An empty text if there are none. */
function writeRows(database: DatabaseSync, { name, columns }: Table): string {
  const names = columns.map(quoteName)
  const values = names.map((column) => `quote(${column})`).join(" || ', ' || ")
  const rows = database.prepare(`select ${values} as text from ${quoteName(name)}`).all()
  if (rows.length === 0) return ''
  const list = rows.map(({ text }) => `(${text})`).join(', ')
  return `insert or replace into ${quoteName(name)} (${names.join(', ')}) values ${list};`
}
