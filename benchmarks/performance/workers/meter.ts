import { DurableObject, env } from 'cloudflare:workers'
import { COMMON_ROUTES, createApp } from '../../../src/app.ts'
import { createServices } from '../../../src/services.ts'
import { meterDatabase } from '../../../test/support/metered-database.ts'

// Galaxy, which answers a request with the header X-Meter with what it has cost the database. To find that out, it runs
// single queries twice. So other requests are for measuring times.

const app = createApp(COMMON_ROUTES)
const services = createServices(env as unknown as Env)

// The configuration, which is that of Galaxy, names both classes.
// biome-ignore lint/performance/noBarrelFile: the runtime looks for classes among the exports
export { EventHub } from '../../../src/hub/event-hub.ts'
export class Universe extends DurableObject {}

const worker: ExportedHandler = {
  async fetch(request, _env, context) {
    if (!request.headers.has('X-Meter')) return await app.fetch(request, { services }, context)
    const { database, meter } = meterDatabase(services.database)
    const response = await app.fetch(request, { services: { ...services, database } }, context)
    await response.arrayBuffer()
    const { roundTrips, rowsRead } = meter
    return Response.json({ status: response.status, roundTrips, rowsRead })
  },
}

export default worker
