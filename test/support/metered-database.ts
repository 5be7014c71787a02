/** The database cost of a request. */
export interface Meter {
  roundTrips: number
  rowsRead: number
  /** Includes index entries. */
  rowsWritten: number
  statements: string[]
}

/**
 * The real database, with a count of round trips and of rows. Every write is in a batch (changes/write.ts), whose cost D1
 * reports. A single query is run once more to find out its cost.
 */
export function meterDatabase(database: D1Database): { database: D1Database; meter: Meter } {
  const meter: Meter = { roundTrips: 0, rowsRead: 0, rowsWritten: 0, statements: [] }
  const originals = new WeakMap<object, D1PreparedStatement>()

  const wrapStatement = (statement: D1PreparedStatement, text: string): D1PreparedStatement => {
    const run = async (method: 'run' | 'all' | 'raw') => {
      meter.roundTrips++
      meter.statements.push(text)
      if (method !== 'raw') return count(await statement[method]())
      if (/^\s*(select|with)/i.test(text)) count(await statement.all())
      return await statement.raw()
    }
    const wrapped = {
      bind: (...values: unknown[]) => wrapStatement(statement.bind(...values), text),
      run: () => run('run'),
      all: () => run('all'),
      raw: () => run('raw'),
    }
    originals.set(wrapped, statement)
    return wrapped as unknown as D1PreparedStatement
  }

  const count = <Row>(result: D1Result<Row>): D1Result<Row> => {
    meter.rowsRead += result.meta.rows_read
    meter.rowsWritten += result.meta.rows_written
    return result
  }

  const wrapSession = (session: D1DatabaseSession) => ({
    prepare: (text: string) => wrapStatement(session.prepare(text), text),
    async batch(statements: D1PreparedStatement[]) {
      meter.roundTrips++
      meter.statements.push(`batch of ${statements.length}`)
      const results = await session.batch(statements.map((statement) => originals.get(statement) ?? statement))
      return results.map(count)
    },
    getBookmark: () => session.getBookmark(),
  })

  const metered = { withSession: (start?: string) => wrapSession(database.withSession(start)) }
  return { database: metered as unknown as D1Database, meter }
}
