import { DurableObject } from 'cloudflare:workers'
import type { Recording, RoundTrip, Value } from './recording.ts'

// The floor: a bare Worker that makes the same database calls as Galaxy and sends a response of the same size, without
// a framework, validation or authentication. What Galaxy costs in addition is Galaxy's own.

interface FloorEnv {
  DB: D1Database
  /** What Galaxy did for each kind of work, by the name of the work. */
  RECORDINGS: Record<string, Recording>
}

type Row = Record<string, unknown>

// No request of the benchmark reaches an object, but the configuration, which is that of Galaxy, names their classes.
export class Universe extends DurableObject {}
export class EventHub extends DurableObject {}

const worker: ExportedHandler<FloorEnv> = {
  async fetch(request, env) {
    const recording = env.RECORDINGS[request.headers.get('X-Work') ?? '']
    if (!recording) return new Response('unknown work', { status: 404 })
    const { roundTrips, newIds, status, headers, body } = recording
    // What needs no database is a constant.
    if (roundTrips.length === 0) return new Response(body, { status, headers })
    await readBody(request)
    const session = env.DB.withSession('first-unconstrained')
    let rows: Row[] = []
    const renew = giveOtherIds(newIds)
    for (const roundTrip of roundTrips) rows = await make(roundTrip, session, renew)
    if (status === 304) return new Response(null, { status, headers })
    return new Response(body.startsWith('{') ? writeJson(recording, rows) : body, { status, headers })
  },
}

/** Reads what was sent, and parses JSON, as a handler would. */
async function readBody(request: Request): Promise<void> {
  if (request.method !== 'POST') return
  const sent = await request.text()
  if (sent.startsWith('{')) JSON.parse(sent)
}

/** How far the ids of a request are from those of the one before: further than those of all recordings. */
const ID_STEP = 1000

let requests = 0

/** Replaces the recorded ids of new rows, also in JSON, since no row may have the id of another. */
function giveOtherIds(newIds: readonly Value[]): (value: Value) => Value {
  const distance = ++requests * ID_STEP
  const renew = (value: Value) => (newIds.includes(value) ? Number(value) + distance : value)
  return (value) =>
    typeof value === 'string' ? value.replaceAll(/(?<="id":)\d+/g, (id) => String(renew(Number(id)))) : renew(value)
}

async function make(roundTrip: RoundTrip, session: D1DatabaseSession, renew: (value: Value) => Value): Promise<Row[]> {
  const prepared = roundTrip.map(({ sql, params }) => session.prepare(sql).bind(...params.map(renew)))
  const [first, ...others] = prepared
  if (!first) throw new Error('a round trip has a statement')
  const results = others.length === 0 ? [await first.all<Row>()] : await session.batch<Row>(prepared)
  return results.flatMap(({ results }) => results)
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
