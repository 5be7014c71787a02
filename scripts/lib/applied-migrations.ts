import { readMigrations } from './migrations.ts'
import type { QueryAll } from './world-reader.ts'

/** The query for the names of the migrations that were applied to a database, in order. */
export const APPLIED_SQL = 'select name from d1_migrations order by id'

/** The migrations that were applied to a database, in order; none if the database is new. One query. */
export async function listAppliedMigrations(query: QueryAll): Promise<string[]> {
  const [rows = []] = await query(APPLIED_SQL).catch((error) => {
    // A new database does not have the table yet.
    if (/no such table/.test(error.message)) return []
    throw error
  })
  return rows.map(({ name }) => String(name))
}

/**
 * The migrations that were applied to a database, in order. One query.
 *
 * @throws Error if no migrations were applied, or migrations that this project does not have
 */
export async function readAppliedMigrations(query: QueryAll): Promise<string[]> {
  const applied = await listAppliedMigrations(query)
  if (applied.length === 0) {
    const remedy = 'Deploy there first. On this machine, run npm start with the same --persist-to once, and stop it.'
    throw new Error(`The database is empty: no migrations were applied to it. ${remedy}`)
  }
  await requireKnown(applied, 'The database')
  return applied
}

/**
 * Requires that these are the first migrations of this project, in the same order.
 *
 * @param owner What has the migrations, as the beginning of a sentence
 * @param remedy What to do otherwise, as a sentence
 * @throws Error if they are not
 */
export async function requireKnown(
  names: readonly string[],
  owner: string,
  remedy = 'Use a version of Galaxy that knows it.',
): Promise<void> {
  const known = await readMigrations()
  const unknown = names.find((name, index) => name !== known[index]?.name)
  if (unknown !== undefined) {
    throw new Error(`${owner} has the migration ${unknown}, which this version of Galaxy does not know. ${remedy}`)
  }
}
