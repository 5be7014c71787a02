// Measures what a piece of work costs the database. The cost is counted below all queries, so that no query can forget
// to count it.

/** The cost of a piece of work so far. */
export interface Meter {
  roundTrips: number
  /**
   * The number that the database reports. For a query that runs alone and returns its rows as arrays (`raw`), the
   * database reports nothing. Then the returned rows are counted, which can be fewer than the rows that are read.
   */
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

export function meterDatabase(database: D1Database, meter: Meter): D1Database {
  const metered: Pick<D1Database, 'withSession'> = {
    withSession: (start) => meterSession(database.withSession(start), meter),
  }
  // The cast is safe, because the service uses the database only through sessions (client.ts).
  return metered as D1Database
}

function meterSession(session: D1DatabaseSession, meter: Meter): D1DatabaseSession {
  const metered: D1DatabaseSession = {
    // The cast is safe, because Drizzle and this service call nothing else of a statement.
    prepare: (text) => new MeteredStatement(session.prepare(text), meter) as unknown as D1PreparedStatement,
    async batch<Row>(statements: D1PreparedStatement[]) {
      const results = await timeRoundTrip(meter, () => session.batch<Row>(statements.map(innerOf)))
      for (const result of results) addCost(meter, result)
      return results
    },
    getBookmark: () => session.getBookmark(),
  }
  return metered
}

class MeteredStatement {
  readonly inner: D1PreparedStatement
  readonly #meter: Meter

  constructor(inner: D1PreparedStatement, meter: Meter) {
    this.inner = inner
    this.#meter = meter
  }

  bind(...values: unknown[]): MeteredStatement {
    return new MeteredStatement(this.inner.bind(...values), this.#meter)
  }

  async all<Row>(): Promise<D1Result<Row>> {
    return addCost(this.#meter, await timeRoundTrip(this.#meter, () => this.inner.all<Row>()))
  }

  async run<Row>(): Promise<D1Result<Row>> {
    return addCost(this.#meter, await timeRoundTrip(this.#meter, () => this.inner.run<Row>()))
  }

  async raw<Row extends unknown[]>(): Promise<Row[]> {
    const rows = await timeRoundTrip(this.#meter, () => this.inner.raw<Row>())
    this.#meter.rowsRead += rows.length
    return rows
  }
}

function innerOf(statement: D1PreparedStatement | MeteredStatement): D1PreparedStatement {
  return statement instanceof MeteredStatement ? statement.inner : statement
}

/** Makes a round trip. Counts it and its duration, even if it fails. */
async function timeRoundTrip<Result>(meter: Meter, makeRoundTrip: () => Promise<Result>): Promise<Result> {
  const startedAt = Date.now()
  meter.roundTrips++
  try {
    return await makeRoundTrip()
  } finally {
    meter.milliseconds += Date.now() - startedAt
  }
}

/** Adds the rows that a result reports. @returns The result */
function addCost<Row>(meter: Meter, result: D1Result<Row>): D1Result<Row> {
  meter.rowsRead += result.meta.rows_read
  meter.rowsWritten += result.meta.rows_written
  return result
}
