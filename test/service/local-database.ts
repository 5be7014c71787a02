import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
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

/** What is wrong with the databases in a state folder, each in a sentence. No service may use them meanwhile. */
export function findDamage(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.sqlite'))
  if (files.length === 0) return [`there is no database in ${folder}`]
  return files.flatMap((file) => {
    try {
      const database = new DatabaseSync(join(folder, file))
      const [result] = database.prepare('pragma integrity_check').all()
      database.close()
      return result?.integrity_check === 'ok' ? [] : [`${file}: ${JSON.stringify(result)}`]
    } catch (error) {
      return [`${file}: ${error}`]
    }
  })
}
