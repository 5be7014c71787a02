import { aroundRuns, type SqliteDatabase } from '../../src/db/port.ts'
import { isWrite } from './writes.ts'

/** A database whose statements all fail with this message, or with this error. */
export function failingDatabase(failure: string | Error): SqliteDatabase {
  return { open: () => ({ run: () => fail(failure), bookmark: () => null }) }
}

/** The real database, whose writing statements all fail with this message or error, as in a full database. */
export function fullDatabase(database: SqliteDatabase, failure: string | Error): SqliteDatabase {
  return aroundRuns(database, (statements, run) => (statements.some(isWrite) ? fail(failure) : run(statements)))
}

function fail(failure: string | Error): Promise<never> {
  return Promise.reject(typeof failure === 'string' ? new Error(failure) : failure)
}
