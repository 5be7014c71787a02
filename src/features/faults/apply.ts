import { createMiddleware } from 'hono/factory'
import { unknownPath } from '../../domain/problems.ts'
import type { HonoContext, HonoEnv } from '../../http/pipeline/context.ts'
import type { FaultsOf } from '../../http/pipeline/mount.ts'
import type { Route } from '../../http/pipeline/route.ts'
import { applyRules } from './apply-rules.ts'
import { isExempt } from './exempt.ts'
import { FaultTools } from './perform.ts'
import { applyPreferences } from './prefer.ts'

/** The faults of an app: creates the middleware of each route in which they take effect. */
export function faultsOfApp(): FaultsOf {
  const tools = new FaultTools()
  return (route) => {
    const hasRules = !isExempt(route)
    return createMiddleware<HonoEnv>(async function applyFaults(c, next) {
      const answer = () => answerTruly(c, next, route, tools)
      if (!(hasRules && (await applyRules(c, answer, next, route, tools)))) await answer()
    })
  }
}

/** The answer without a rule. Nobody can send `Prefer` for a socket. */
async function answerTruly(c: HonoContext, next: () => Promise<void>, route: Route, tools: FaultTools): Promise<void> {
  if (route.opensSocket) await next()
  else await applyPreferences(c, next, route, tools)
}

/** The paths at which owners set rules. */
export const FAULT_PATHS = '/universe/faults/*'

/** Hides the paths of what only tests need, if the operator has switched that off. */
export const requireDemoControls = createMiddleware<HonoEnv>(async function requireDemoControls(c, next) {
  if (!c.env.services.config.demoControls) throw unknownPath()
  await next()
})
