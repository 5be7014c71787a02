import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** How long a statement waits for another process that writes at the same moment. */
const BUSY_MS = 10_000

/** The file of a database. Its folder also has `metadata.sqlite` of the local runtime. */
const DATABASE_FILE = /^[0-9a-f]{64}\.sqlite$/

/** The folder of the local databases in a state folder. */
export function databaseFolder(stateFolder: string): string {
  return join(stateFolder, 'v3', 'd1')
}

/**
 * Opens the local database itself. That takes milliseconds, and `wrangler d1 execute` takes seconds.
 *
 * @param stateFolder The value for wrangler's `--persist-to`
 * @throws Error if wrangler has not created the database, or more than one
 */
export function openLocalDatabase(stateFolder: string): DatabaseSync {
  const folder = join(databaseFolder(stateFolder), 'miniflare-D1DatabaseObject')
  const files = readdirSync(folder).filter((name) => DATABASE_FILE.test(name))
  if (files.length !== 1) throw new Error(`${folder} has ${files.length} databases`)
  return new DatabaseSync(join(folder, files[0] ?? ''), { timeout: BUSY_MS })
}
