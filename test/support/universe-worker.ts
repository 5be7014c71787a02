import { env } from 'cloudflare:workers'
import { AsyncLocalStorage } from 'node:async_hooks'
import { COMMON_ROUTES, createApp } from '../../src/app.ts'
import { EventHub as ServedEventHub } from '../../src/hub/event-hub.ts'
import { createServices, type Services } from '../../src/services.ts'
import { Universes } from '../../src/universes/entry.ts'
import { Universe as ServedUniverse } from '../../src/universes/universe.ts'
import { REPLACED_HEADER } from './replaced-header.ts'

// The Worker of the tests that run in a universe. It is the real one, except that a test can replace services of the
// object, as it can in the common world.

/** What the tests of a universe share with its object. */
export interface SharedWorld {
  /** The environment of the common world. Tests see that of the universe. */
  env: Env
  /** The services of the common world, which the objects use, too. Tests of several worlds replace some of them. */
  services: Services
  /** The entry of the common world. */
  universes: Universes
  /** Another entry, with services that a test has replaced. It opens the sockets and streams of clients. */
  entryWith(replaced: Partial<Services>): Universes
  /** The services that tests have replaced, by the number of their client. */
  replaced: Map<string, Partial<Services>>
  /** The storage of the object, for code that runs inside it. */
  storage: AsyncLocalStorage<DurableObjectStorage>
}

const ownEnv = { ...env }
const services = createServices(ownEnv)
const commonApp = createApp(COMMON_ROUTES)
const entryWith = (replaced: Partial<Services>) =>
  new Universes(ownEnv.UNIVERSE, { ...services, ...replaced }, commonApp)
const world: SharedWorld = {
  env: ownEnv,
  services,
  universes: new Universes(ownEnv.UNIVERSE, services, commonApp),
  entryWith,
  replaced: new Map(),
  storage: new AsyncLocalStorage(),
}
services.otherWorlds = world.universes
services.universes = world.universes
;(globalThis as { universeWorld?: SharedWorld }).universeWorld = world

export class EventHub extends ServedEventHub {
  protected override createServices(): Services {
    return services
  }
}

export class Universe extends ServedUniverse {
  protected override createCommonServices(): Services {
    return services
  }

  override async fetch(request: Request): Promise<Response> {
    const headers = new Headers(request.headers)
    const replaced = world.replaced.get(headers.get(REPLACED_HEADER) ?? '') ?? {}
    headers.delete(REPLACED_HEADER)
    const inner = new Request(request, { headers })
    return await world.storage.run(this.ctx.storage, () => this.serve(inner, replaced))
  }
}

// biome-ignore lint/style/noDefaultExport: the runtime takes the handlers of a Worker from there
export default {
  fetch: (request: Request, _: Env, context: ExecutionContext) => world.universes.fetch(request, context),
}
