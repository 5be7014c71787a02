/** A database whose statements all fail with this message, or with this error. */
export function failingDatabase(failure: string | Error): D1Database {
  const fail = () => Promise.reject(typeof failure === 'string' ? new Error(failure) : failure)
  const statement = { bind: () => statement, run: fail, all: fail, raw: fail }
  const session = { prepare: () => statement, batch: fail, getBookmark: () => null }
  return { withSession: () => session } as unknown as D1Database
}

/** The real database, whose writing statements all fail with this message or error, as in a full database. */
export function fullDatabase(database: D1Database, failure: string | Error): D1Database {
  const fail = () => Promise.reject(typeof failure === 'string' ? new Error(failure) : failure)
  const refused = { bind: () => refused, run: fail, all: fail, raw: fail } as unknown as D1PreparedStatement
  const withSession = (start?: string) => {
    const session = database.withSession(start)
    const prepare = (text: string) => {
      return /^\s*(?:insert|update|delete)/i.test(text) ? refused : session.prepare(text)
    }
    const batch = (statements: D1PreparedStatement[]) =>
      statements.includes(refused) ? fail() : session.batch(statements)
    return { prepare, batch, getBookmark: () => session.getBookmark() }
  }
  return { withSession } as unknown as D1Database
}
