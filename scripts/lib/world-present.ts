import { GALAXY_USER_ID } from '../../src/domain/galaxy-user.ts'
import { readAppliedMigrations } from './applied-migrations.ts'
import { readMigrations } from './migrations.ts'
import type { QueryAll } from './world-reader.ts'
import { countRows } from './world-staging.ts'
import { makeDatabase, quoteName } from './world-tables.ts'

/** Tables that have rows even if nobody has used the location: the shipped planets, and traces of requests. */
const TABLES_FILLED_WITHOUT_USE = [
  'users',
  'planets',
  'bodies',
  'planet_counts',
  'body_counts',
  'rate_limits',
  'retention_positions',
]

/** Whether somebody has signed up, as SQL. User 1 owns the shipped planets. */
export const HAS_USERS = `exists (select 1 from users where id <> ${GALAXY_USER_ID})`

/**
 * Counts the rows of the location that an import is for.
 *
 * @returns Undefined if nobody has used it: it has the shipped planets at most
 * @throws Error if it does not have the migrations of this project
 */
export async function countPresent(query: QueryAll): Promise<Record<string, number> | undefined> {
  const applied = await readAppliedMigrations(query)
  const known = (await readMigrations()).map(({ name }) => name)
  const [missing] = known.slice(applied.length)
  if (missing !== undefined) throw new Error(`The database lacks the migration ${missing}. Apply the migrations first.`)
  // The migrations themselves write rows.
  const freshCounts = countRows(await makeDatabase(known))
  const tables = Object.keys(freshCounts)
  const counting = tables.map((table) => `select count(*) as n from ${quoteName(table)}`)
  const [hasUsers, ...results] = await query([`select ${HAS_USERS} as n`, ...counting].join(';\n'))
  const counts = Object.fromEntries(tables.map((table, index) => [table, Number(results[index]?.[0]?.n ?? 0)]))
  const hasMore = (table: string) => (counts[table] ?? 0) > (freshCounts[table] ?? 0)
  const tablesOfUse = tables.filter((table) => !TABLES_FILLED_WITHOUT_USE.includes(table))
  const isUsed = hasUsers?.[0]?.n !== 0 || tablesOfUse.some(hasMore)
  return isUsed ? counts : undefined
}
