import { aroundRuns, type SqliteDatabase } from '../../src/db/port.ts'
import { isWrite } from './writes.ts'

/** The real database, in which the writes of requests wait. So a test can let another writer come in between. */
export function holdWrites(database: SqliteDatabase): { database: SqliteDatabase; release(): void } {
  const { promise: held, resolve } = Promise.withResolvers<void>()
  const holding = aroundRuns(database, async (statements, run) => {
    if (statements.some(isWrite)) await held
    return await run(statements)
  })
  return { database: holding, release: resolve }
}
