import { env } from 'cloudflare:workers'
import { createApp } from './app.ts'
import { consumeMessages } from './queue/consumer.ts'
import { createServices } from './services.ts'
import { sweep } from './sweep.ts'

// At the top, so that a Worker with a wrong configuration does not start, and says what is wrong.
const services = createServices(env)
const app = createApp()

const worker: ExportedHandler<Env> = {
  fetch: (request, _env, context) => app.fetch(request, services, context),
  queue: (batch) => consumeMessages(batch),
  scheduled: () => sweep(services),
}

export default worker
