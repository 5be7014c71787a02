import { aroundRuns, type SqliteDatabase } from './sqlite.ts'

// Costs are counted below all queries, so that no query can forget to count its own.

/** The cost of a piece of work so far. */
export interface Meter {
  roundTrips: number
  /** The number that the database reports. */
  rowsRead: number
  /** Includes index entries. */
  rowsWritten: number
  /** How long the work waited for the database. Round trips at the same time count one after the other. */
  milliseconds: number
}

export function createMeter(): Meter {
  return { roundTrips: 0, rowsRead: 0, rowsWritten: 0, milliseconds: 0 }
}

/** A cost in the form in which the log records it. */
export function costOf({ roundTrips, rowsRead, rowsWritten, milliseconds }: Meter) {
  return { roundTrips, rowsRead, rowsWritten, databaseMs: milliseconds }
}

/** The same database, whose costs are added to a meter. A round trip that fails counts, too. */
export function meterDatabase(database: SqliteDatabase, meter: Meter): SqliteDatabase {
  return aroundRuns(database, async (statements, run) => {
    const startedAt = Date.now()
    meter.roundTrips++
    try {
      const outcomes = await run(statements)
      for (const { rowsRead, rowsWritten } of outcomes) {
        meter.rowsRead += rowsRead
        meter.rowsWritten += rowsWritten
      }
      return outcomes
    } finally {
      meter.milliseconds += Date.now() - startedAt
    }
  })
}
