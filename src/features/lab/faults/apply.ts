import { createMiddleware } from 'hono/factory'
import type { HonoEnv } from '../../../http/pipeline/context.ts'
import type { FaultsOf } from '../../../http/pipeline/mount.ts'
import { FaultTools } from './perform.ts'
import { applyPreferences } from './prefer.ts'

/** The faults of an app: creates the middleware of each route in which they take effect. */
export function faultsOfApp(): FaultsOf {
  const tools = new FaultTools()
  return (route) =>
    createMiddleware<HonoEnv>(async function applyFaults(c, next) {
      // Nothing but a status, a delay or a loss means anything for a socket, and `Prefer` not even that.
      if (route.opensSocket) await next()
      else await applyPreferences(c, next, route, tools)
    })
}
