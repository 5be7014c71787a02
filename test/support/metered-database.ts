/** The database cost of a request. */
export interface Meter {
  roundTrips: number
  rowsRead: number
  /** Includes index entries. */
  rowsWritten: number
  statements: string[]
  /** Which statements wrote how many rows, those of their triggers included. */
  writes: string[]
}

/**
 * The real database, with a count of round trips and of rows. Every write is in a batch (changes/write.ts), whose cost D1
 * reports. A single query is run once more to find out its cost.
 */
export function meterDatabase(database: D1Database): { database: D1Database; meter: Meter } {
  const meter: Meter = { roundTrips: 0, rowsRead: 0, rowsWritten: 0, statements: [], writes: [] }
  const originals = new WeakMap<object, { statement: D1PreparedStatement; text: string }>()

  const wrapStatement = (statement: D1PreparedStatement, text: string): D1PreparedStatement => {
    const run = async (method: 'run' | 'all' | 'raw') => {
      meter.roundTrips++
      meter.statements.push(text)
      if (method !== 'raw') {
        const result = await statement[method]()
        note(result, text)
        return count(result)
      }
      if (/^\s*(select|with)/i.test(text)) count(await statement.all())
      // It does not say what it cost.
      else meter.writes.push(`rows by ${beginningOf(text)}`)
      return await statement.raw()
    }
    const wrapped = {
      bind: (...values: unknown[]) => wrapStatement(statement.bind(...values), text),
      run: () => run('run'),
      all: () => run('all'),
      raw: () => run('raw'),
    }
    originals.set(wrapped, { statement, text })
    return wrapped as unknown as D1PreparedStatement
  }

  const note = ({ meta }: D1Result, text: string) => {
    if (meta.rows_written > 0) meter.writes.push(`${meta.rows_written} by ${beginningOf(text)}`)
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
      const known = statements.map((statement) => originals.get(statement))
      const results = await session.batch(statements.map((statement, index) => known[index]?.statement ?? statement))
      for (const [index, result] of results.entries()) note(result, known[index]?.text ?? '')
      return results.map(count)
    },
    getBookmark: () => session.getBookmark(),
  })

  const metered = { withSession: (start?: string) => wrapSession(database.withSession(start)) }
  return { database: metered as unknown as D1Database, meter }
}

/** The first three words of a statement, which name its table. */
function beginningOf(text: string): string {
  return text.trim().split(/\s+/, 3).join(' ')
}
