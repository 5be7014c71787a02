import type { SQLOutputValue } from 'node:sqlite'
import { openLocalDatabase } from '../../scripts/lib/local-database.ts'

/**
 * Runs one SQL statement on the database in a state folder, also while a service uses it.
 *
 * @returns The rows
 */
export function queryState(folder: string, sql: string): Record<string, SQLOutputValue>[] {
  const database = openLocalDatabase(folder)
  try {
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}
