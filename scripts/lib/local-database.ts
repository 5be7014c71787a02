import { existsSync, readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** How long a statement waits for another process that writes at the same moment. */
const BUSY_MS = 10_000

/** The file of a database. Its folder also has `metadata.sqlite` of the local runtime. */
const DATABASE_FILE = /^[0-9a-f]{64}\.sqlite$/

export function databaseFolder(stateFolder: string): string {
  return join(stateFolder, 'v3', 'd1')
}

/** The files of the local databases in a state folder: one, or none before wrangler has created it. */
export function listDatabaseFiles(stateFolder: string): string[] {
  const folder = join(databaseFolder(stateFolder), 'miniflare-D1DatabaseObject')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => DATABASE_FILE.test(name))
    .map((name) => join(folder, name))
}

/**
 * Opens the local database itself. That takes milliseconds, and `wrangler d1 execute` takes seconds.
 *
 * @param stateFolder The value for wrangler's `--persist-to`
 * @throws Error if wrangler has not created the database, or more than one
 */
export function openLocalDatabase(stateFolder: string): DatabaseSync {
  const files = listDatabaseFiles(stateFolder)
  if (files.length !== 1) throw new Error(`${databaseFolder(stateFolder)} has ${files.length} databases`)
  return new DatabaseSync(files[0] ?? '', { timeout: BUSY_MS })
}

const stampFile = (stateFolder: string) => join(databaseFolder(stateFolder), 'prepared-from')

/** What the database was last prepared from; empty if it was not. */
export async function readStamp(stateFolder: string): Promise<string> {
  return await readFile(stampFile(stateFolder), 'utf8').catch(() => '')
}

/** Notes what the database was prepared from. */
export async function writeStamp(stateFolder: string, stamp: string): Promise<void> {
  await writeFile(stampFile(stateFolder), stamp)
}
