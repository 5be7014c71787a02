// The floor: a bare Worker that makes the same database calls as Galaxy and sends an answer of the same size, without a
// framework, validation or authentication. What Galaxy costs in addition is Galaxy's own.

/** A statement that Galaxy sent, with its values. */
export interface Statement {
  sql: string
  values: unknown[]
}

/** What Galaxy did for a request: its round trips to the database in their order, and its response. */
export interface Recording {
  roundTrips: Statement[][]
  status: number
  headers: Record<string, string>
  body: string
}

interface FloorEnv {
  DB: D1Database
  /** What Galaxy did for each kind of work, by the name of the work. */
  RECORDINGS: Record<string, Recording>
}

type Row = Record<string, unknown>

const worker: ExportedHandler<FloorEnv> = {
  async fetch(request, env) {
    const recording = env.RECORDINGS[request.headers.get('X-Work') ?? '']
    if (!recording) return new Response('unknown work', { status: 404 })
    const sent = request.method === 'POST' ? await request.text() : undefined
    // A handler would use what was sent.
    if (sent?.startsWith('{')) JSON.parse(sent)
    const session = env.DB.withSession('first-unconstrained')
    let rows: Row[] = []
    for (const statements of recording.roundTrips) {
      const prepared = statements.map(({ sql, values }) => session.prepare(sql).bind(...values))
      const [alone] = prepared
      const results = prepared.length === 1 && alone ? [await alone.all<Row>()] : await session.batch<Row>(prepared)
      rows = results.flatMap(({ results }) => results)
    }
    const { status, headers, body } = recording
    if (status === 304) return new Response(null, { status, headers })
    return new Response(body.startsWith('{') ? writeJson(recording, rows) : body, { status, headers })
  },
}

/** The documents of the recorded responses. */
const documents = new Map<Recording, unknown>()

/** Writes the recorded document, after parsing the JSON of the rows as a handler would. */
function writeJson(recording: Recording, rows: readonly Row[]): string {
  for (const row of rows) {
    for (const value of Object.values(row)) if (typeof value === 'string' && /^[[{]/.test(value)) JSON.parse(value)
  }
  if (!documents.has(recording)) documents.set(recording, JSON.parse(recording.body))
  return JSON.stringify(documents.get(recording))
}

export default worker
