/** When a database fails: before the batch that keeps a reply, so that nothing of it is stored, or after it. */
type Moment = 'before' | 'after'

/**
 * The real database, which fails at the batch that keeps a reply (changes/kept-replies.ts), and from then on. So the
 * request is interrupted there, as by a crash.
 */
export function interruptKeeping(database: D1Database, moment: Moment): D1Database {
  let isInterrupted = false
  const fail = () => {
    isInterrupted = true
    return Promise.reject(new Error('Network connection lost.'))
  }
  return aroundBatches(database, async (keepsReply, run) => {
    if (isInterrupted || (keepsReply && moment === 'before')) return await fail()
    const results = await run()
    return keepsReply ? await fail() : results
  })
}

/** The real database, in which the batch that keeps a reply waits. */
export function holdKeeping(database: D1Database): { database: D1Database; held: Promise<void>; release(): void } {
  const arrival = Promise.withResolvers<void>()
  const departure = Promise.withResolvers<void>()
  const held = aroundBatches(database, async (keepsReply, run) => {
    if (keepsReply) {
      arrival.resolve()
      await departure.promise
    }
    return await run()
  })
  return { database: held, held: arrival.promise, release: () => departure.resolve() }
}

/** The real database. Instead of each batch, it calls a function, which is told whether the batch keeps a reply. */
function aroundBatches(
  database: D1Database,
  around: (keepsReply: boolean, run: () => Promise<D1Result[]>) => Promise<D1Result[]>,
): D1Database {
  const withSession = (start?: string) => {
    const session = database.withSession(start)
    let keepsReply = false
    const prepare = (text: string) => {
      keepsReply ||= text.includes("'completed'")
      return session.prepare(text)
    }
    const batch = (statements: D1PreparedStatement[]) => around(keepsReply, () => session.batch(statements))
    return { prepare, batch, getBookmark: () => session.getBookmark() }
  }
  return { withSession } as unknown as D1Database
}
