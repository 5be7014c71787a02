/**
 * The real database, in which the first write of each request waits: the second batch, after the one that reads the
 * caller's account. So a test can let another writer come in between.
 */
export function holdWrites(database: D1Database): { database: D1Database; release(): void } {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const withSession = (start?: string) => {
    const session = database.withSession(start)
    let batches = 0
    const batch = async (statements: D1PreparedStatement[]) => {
      if (++batches === 2) await held
      return session.batch(statements)
    }
    return { prepare: session.prepare.bind(session), batch, getBookmark: () => session.getBookmark() }
  }
  return { database: { withSession } as unknown as D1Database, release: () => release() }
}
