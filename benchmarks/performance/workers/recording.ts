/** A statement that Galaxy sent, with its values. */
export interface Statement {
  sql: string
  params: Value[]
}

export type Value = string | number | boolean | null

/** The statements of one round trip to the database. */
export type RoundTrip = Statement[]

/** What Galaxy did for a request: its round trips to the database in their order, and its response. */
export interface Recording {
  roundTrips: RoundTrip[]
  /** The ids that Galaxy gave to new rows. */
  newIds: number[]
  status: number
  headers: Record<string, string>
  body: string
}
