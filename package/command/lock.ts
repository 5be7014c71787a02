import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The file of the lock. SQLite adds others, whose names begin with this one. */
export const LOCK = 'lock'

/** SQLite's result code if another process has the lock. */
const SQLITE_BUSY = 5

/**
 * Takes a folder for this process. The lock is one of SQLite's, so the system gives it back when the process ends,
 * however that ends.
 *
 * @returns What gives the lock back; undefined if another process has it
 * @throws Error of the file system, or of SQLite
 */
export function lockFolder(folder: string): (() => void) | undefined {
  const file = new DatabaseSync(join(folder, LOCK))
  try {
    file.exec('begin exclusive')
    return () => file.close()
  } catch (error) {
    file.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined
    throw error
  }
}
