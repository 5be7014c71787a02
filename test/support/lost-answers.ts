import { aroundRuns, type SqliteDatabase, type Statement } from '../../src/db/port.ts'

/** When a database fails: before the batch that keeps a reply, so that nothing of it is stored, or after it. */
type Moment = 'before' | 'after'

/**
 * The real database, which fails at the batch that keeps a reply (changes/kept-replies.ts), and from then on. So the
 * request is interrupted there, as by a crash.
 */
export function interruptKeeping(database: SqliteDatabase, moment: Moment): SqliteDatabase {
  let isInterrupted = false
  const fail = () => {
    isInterrupted = true
    return Promise.reject(new Error('Network connection lost.'))
  }
  return aroundRuns(database, async (statements, run) => {
    const isKept = statements.some(keepsReply)
    if (isInterrupted || (isKept && moment === 'before')) return await fail()
    const outcomes = await run(statements)
    return isKept ? await fail() : outcomes
  })
}

/** The real database, in which the batch that keeps a reply waits. */
export function holdKeeping(database: SqliteDatabase): {
  database: SqliteDatabase
  held: Promise<void>
  release(): void
} {
  const arrival = Promise.withResolvers<void>()
  const departure = Promise.withResolvers<void>()
  const held = aroundRuns(database, async (statements, run) => {
    if (statements.some(keepsReply)) {
      arrival.resolve()
      await departure.promise
    }
    return await run(statements)
  })
  return { database: held, held: arrival.promise, release: () => departure.resolve() }
}

/** Whether a statement keeps a reply. */
function keepsReply({ sql }: Statement): boolean {
  return sql.includes("'completed'")
}
