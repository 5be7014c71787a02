import { DurableObject, env } from 'cloudflare:workers'
import { COMMON_ROUTES, createApp } from '../../../src/app.ts'
import type { IdStocks } from '../../../src/changes/ids.ts'
import { aroundRuns, type SqliteDatabase } from '../../../src/db/port.ts'
import { createServices } from '../../../src/services.ts'
import type { Recording, RoundTrip, Value } from './recording.ts'

// Galaxy behind a wrapper that records what a request asks of the database. The response is the recording.

const app = createApp(COMMON_ROUTES)
const services = createServices(env as unknown as Env)

// The configuration, which is that of Galaxy, names both classes. A write notifies the hub, so that is the real one.
// biome-ignore lint/performance/noBarrelFile: the runtime looks for classes among the exports
export { EventHub } from '../../../src/hub/event-hub.ts'
export class Universe extends DurableObject {}

const worker: ExportedHandler = {
  async fetch(request, _env, context) {
    const roundTrips: RoundTrip[] = []
    const database = recordDatabase(services.database, roundTrips)
    const newIds: number[] = []
    const ids = recordIds(services.ids, newIds)
    const response = await app.fetch(request, { services: { ...services, database, ids } }, context)
    const recording: Recording = {
      roundTrips,
      newIds,
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    }
    return Response.json(recording)
  },
}

/** Records the ids that are given to new rows. */
function recordIds(ids: IdStocks, given: number[]): IdStocks {
  const take: IdStocks['take'] = async (session, needs) => {
    const taken = await ids.take(session, needs)
    const next = taken.next.bind(taken)
    taken.next = (table) => {
      const id = next(table)
      given.push(id)
      return id
    }
    return taken
  }
  return { take } as unknown as IdStocks
}

function recordDatabase(database: SqliteDatabase, roundTrips: RoundTrip[]): SqliteDatabase {
  return aroundRuns(database, (statements, run) => {
    roundTrips.push(statements.map(({ sql, params }) => ({ sql, params: params.map(requirePlain) })))
    return run(statements)
  })
}

/** A recording is JSON, which cannot carry the bytes of a blob. */
function requirePlain(value: unknown): Value {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value as Value
  throw new Error('a statement has a value that a recording cannot contain')
}

export default worker
