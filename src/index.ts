import { env } from 'cloudflare:workers'
import { createApp } from './app.ts'
import { handleBatch } from './features/callbacks/consumer.ts'
import { DEAD_LETTER_SUFFIX, recordDeadLetters } from './features/callbacks/dead-letters.ts'
import { createServices } from './services.ts'
import { sweep } from './sweep.ts'

// The services are created at the top level. So a Worker with an invalid configuration does not start, and the log says
// what is wrong.
const services = createServices(env)
const app = createApp()

const worker: ExportedHandler<Env> = {
  fetch: (request, _env, context) => app.fetch(request, { services }, context),
  async queue(batch, _env, context) {
    if (batch.queue.endsWith(DEAD_LETTER_SUFFIX)) await recordDeadLetters(batch, services)
    else handleBatch(batch, services, (work) => context.waitUntil(work))
  },
  scheduled: () => sweep(services),
}

export default worker
