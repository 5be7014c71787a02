import { env } from 'cloudflare:workers'
import { COMMON_ROUTES, createApp } from './app.ts'
import { parseConfig } from './env.ts'
import { handleBatch, handleMessage } from './features/callbacks/consumer.ts'
import { DEAD_LETTER_SUFFIX, recordDeadLetters } from './features/callbacks/dead-letters.ts'
import { useSeed } from './lib/ids.ts'
import type { QueueMessage } from './schemas/queue-message.ts'
import { createServices } from './services.ts'
import { sweep } from './sweep.ts'
import { Universes } from './universes/entry.ts'

// The services are created at the top level. So a Worker with an invalid configuration does not start, and the log says
// what is wrong.
const config = parseConfig(env)
useSeed(config.seed)
const services = createServices(env, config)
const universes = new Universes(env.UNIVERSE, services, createApp(COMMON_ROUTES))
// The universes need the services, so the services get the universes afterwards.
services.universes = universes
services.otherWorlds = universes

const worker: ExportedHandler<Env> = {
  fetch: (request, _env, context) => universes.fetch(request, context),
  async queue(batch, _env, context) {
    if (batch.queue.endsWith(DEAD_LETTER_SUFFIX)) return await recordDeadLetters(batch, services)
    const handleInCommonWorld = (message: QueueMessage) => handleMessage(message, services)
    const handleInItsWorld = (message: QueueMessage) => universes.handleMessage(message, handleInCommonWorld)
    handleBatch(batch, handleInItsWorld, (work) => context.waitUntil(work))
  },
  async scheduled() {
    await Promise.all([sweep(services), universes.sweep()])
  },
}

export default worker
// biome-ignore lint/performance/noBarrelFile: the runtime takes the class of an object from the entry
export { EventHub } from './hub/event-hub.ts'
export { Universe } from './universes/universe.ts'
