import { readMigrations } from './migrations.ts'
import type { QueryAll } from './world-reader.ts'

/**
 * The migrations of a database, in order. One query.
 *
 * @throws Error if it has none, or some that this project does not have
 */
export async function readAppliedMigrations(query: QueryAll): Promise<string[]> {
  const [rows = []] = await query('select name from d1_migrations order by id').catch((error) => {
    if (/no such table/.test(error.message)) return []
    throw error
  })
  const applied = rows.map(({ name }) => String(name))
  if (applied.length === 0) {
    const remedy = 'Deploy there first. On this machine, run npm start with the same --persist-to once, and stop it.'
    throw new Error(`The database is empty: no migrations were applied to it. ${remedy}`)
  }
  await requireKnown(applied, 'The database has')
  return applied
}

/** @throws Error if these are not the first migrations of this project */
export async function requireKnown(names: readonly string[], subject: string): Promise<void> {
  const known = await readMigrations()
  const other = names.find((name, index) => name !== known[index]?.name)
  if (other !== undefined) {
    throw new Error(
      `${subject} the migration ${other}, which this version of Galaxy does not know. Use a newer version of Galaxy.`,
    )
  }
}
