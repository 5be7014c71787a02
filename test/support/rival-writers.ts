import { aroundRuns, type SqliteDatabase } from '../../src/db/port.ts'

/** A clock that only goes on while a request waits, and what it waited. All random numbers are the same. */
export class PausedClock {
  readonly #startedAt = Date.now()
  readonly #random: number
  /** The waits so far, in milliseconds. */
  readonly waits: number[] = []

  constructor(random = 0.5) {
    this.#random = random
  }

  /** The time since the start, in milliseconds. */
  get elapsed(): number {
    return this.waits.reduce((sum, wait) => sum + wait, 0)
  }

  /** The services that have this clock. */
  get services() {
    return {
      now: () => new Date(this.#startedAt + this.elapsed),
      wait: async (milliseconds: number) => void this.waits.push(milliseconds),
      random: () => this.#random,
    }
  }
}

/**
 * The real database, in which a rival writes before each write of a request, so that the request loses as many races as
 * the rival wants.
 *
 * @param writes The table of the writes, or a pattern of their statements
 * @param rival Called with the number of the attempt, from 1
 */
export function letRivalWriteFirst(
  database: SqliteDatabase,
  writes: string | RegExp,
  rival: (attempt: number) => Promise<unknown>,
): { database: SqliteDatabase; attempts: () => number } {
  let attempts = 0
  const pattern =
    writes instanceof RegExp ? writes : new RegExp(`^\\s*(?:insert into|update|delete from) "${writes}"`, 'i')
  const watched = aroundRuns(database, async (statements, run) => {
    if (statements.some(({ sql }) => pattern.test(sql))) await rival(++attempts)
    return await run(statements)
  })
  return { database: watched, attempts: () => attempts }
}
