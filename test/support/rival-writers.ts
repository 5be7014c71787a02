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
 * the rival wants. Every write is a batch (changes/write.ts), so only batches are watched.
 *
 * @param writes The table of the writes, or a pattern of their statements
 * @param rival Called with the number of the attempt, from 1
 */
export function letRivalWriteFirst(
  database: D1Database,
  writes: string | RegExp,
  rival: (attempt: number) => Promise<unknown>,
): { database: D1Database; attempts: () => number } {
  let attempts = 0
  const pattern =
    writes instanceof RegExp ? writes : new RegExp(`^\\s*(?:insert into|update|delete from) "${writes}"`, 'i')
  const watched = new WeakSet<object>()

  const watch = (statement: D1PreparedStatement, isWrite: boolean): D1PreparedStatement => {
    if (isWrite) watched.add(statement)
    const bind = statement.bind.bind(statement)
    return Object.assign(statement, { bind: (...values: unknown[]) => watch(bind(...values), isWrite) })
  }

  const withSession = (start?: string) => {
    const session = database.withSession(start)
    return {
      prepare: (text: string) => watch(session.prepare(text), pattern.test(text)),
      async batch(statements: D1PreparedStatement[]) {
        if (statements.some((statement) => watched.has(statement))) await rival(++attempts)
        return await session.batch(statements)
      },
      getBookmark: () => session.getBookmark(),
    }
  }
  return { database: { withSession } as unknown as D1Database, attempts: () => attempts }
}
