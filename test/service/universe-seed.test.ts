import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import { listTriggerNames } from '../../scripts/lib/world-staging.ts'
import { listTables, quoteName } from '../../scripts/lib/world-tables.ts'

const { url } = JSON.parse(readFileSync(join(ROOT, 'dist/universes/seed.json'), 'utf8'))
const seed: { migrations: string[]; planets: string[]; derived: string[] } = JSON.parse(
  readFileSync(join(ROOT, 'dist/browser/public', url), 'utf8'),
)

it('the seed of a universe has what the triggers of the database would write', () => {
  const database = new DatabaseSync(':memory:')
  for (const migration of seed.migrations) database.exec(migration)

  database.exec('begin')
  for (const statement of seed.planets) database.exec(statement)
  const withTriggers = readTables(database)
  database.exec('rollback')

  for (const name of listTriggerNames(database)) database.exec(`drop trigger ${quoteName(name)}`)
  for (const statement of [...seed.planets, ...seed.derived]) database.exec(statement)

  expect(withTriggers.planets).toHaveLength(5402)
  expect(withTriggers.planet_counts).not.toHaveLength(0)
  expect(readTables(database)).toEqual(withTriggers)
})

/** The rows of every table. */
function readTables(database: DatabaseSync): Record<string, string[]> {
  const rowsOf = (table: string) =>
    database
      .prepare(`select * from ${quoteName(table)}`)
      .all()
      .map((row) => JSON.stringify(row))
      .sort()
  return Object.fromEntries(listTables(database).map(({ name }) => [name, rowsOf(name)]))
}
