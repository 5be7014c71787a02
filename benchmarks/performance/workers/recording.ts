/** A statement that Galaxy sent, with its values. */
export interface Statement {
  sql: string
  values: Value[]
}

export type Value = string | number | boolean | null

/** One round trip to the database. */
export interface RoundTrip {
  method: 'all' | 'raw' | 'run' | 'batch'
  statements: Statement[]
}

/** What Galaxy did for a request: its round trips to the database in their order, and its response. */
export interface Recording {
  roundTrips: RoundTrip[]
  /** The ids that Galaxy gave to new rows. */
  newIds: number[]
  status: number
  headers: Record<string, string>
  body: string
}
