import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'

/** How long a statement waits for the service, if that writes at the same moment. */
const BUSY_MS = 10_000

/**
 * Runs one SQL statement on the database in a state folder, also while a service uses it. Opening the file takes
 * milliseconds, and `wrangler d1 execute` takes seconds.
 *
 * @returns The rows
 */
export function queryState(folder: string, sql: string): Record<string, SQLOutputValue>[] {
  const place = join(folder, 'v3', 'd1', 'miniflare-D1DatabaseObject')
  const files = readdirSync(place).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name))
  if (files.length !== 1) throw new Error(`${place} has ${files.length} databases`)
  const database = new DatabaseSync(join(place, files[0] ?? ''), { timeout: BUSY_MS })
  try {
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}
