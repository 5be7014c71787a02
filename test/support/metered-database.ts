import { aroundRuns, type SqliteDatabase } from '../../src/db/port.ts'

/** The database cost of a request. */
export interface Meter {
  roundTrips: number
  rowsRead: number
  /** Includes index entries. */
  rowsWritten: number
  /** The statement of each round trip, or how many it had. */
  statements: string[]
  /** Which statements wrote how many rows, those of their triggers included. */
  writes: string[]
}

/** The real database, with a count of round trips and of rows. */
export function meterDatabase(database: SqliteDatabase): { database: SqliteDatabase; meter: Meter } {
  const meter: Meter = { roundTrips: 0, rowsRead: 0, rowsWritten: 0, statements: [], writes: [] }
  const metered = aroundRuns(database, async (statements, run) => {
    const [first, ...others] = statements
    meter.roundTrips++
    meter.statements.push(others.length === 0 ? `${first?.sql}` : `batch of ${statements.length}`)
    const outcomes = await run(statements)
    for (const [index, { rowsRead, rowsWritten }] of outcomes.entries()) {
      meter.rowsRead += rowsRead
      meter.rowsWritten += rowsWritten
      if (rowsWritten > 0) meter.writes.push(`${rowsWritten} by ${beginningOf(statements[index]?.sql ?? '')}`)
    }
    return outcomes
  })
  return { database: metered, meter }
}

/** The first three words of a statement, which name its table. */
function beginningOf(text: string): string {
  return text.trim().split(/\s+/, 3).join(' ')
}
