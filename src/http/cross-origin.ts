import type { Handler } from 'hono'
import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import type { HonoEnv } from './context.ts'
import { EXPOSED_HEADERS } from './headers.ts'
import type { Method } from './route.ts'

/** Every page of the web may call this API and read every header of its answers, but without a user's cookies. */
const RULES = { origin: '*', exposeHeaders: [...EXPOSED_HEADERS], maxAge: 24 * 60 * 60 }

/** Lets pages of other origins read every answer. */
export const crossOrigin = createMiddleware<HonoEnv>(async function crossOrigin(c, next) {
  await next()
  c.header('Access-Control-Allow-Origin', RULES.origin)
  c.header('Access-Control-Expose-Headers', RULES.exposeHeaders.join(','))
})

/** Answers OPTIONS: what the path can do (RFC 9110, section 9.3.7), and, to a preflight, what a page may send. */
export function answerOptions(methods: readonly Method[]): Handler<HonoEnv> {
  const allowed = allowedMethods(methods)
  const preflight = cors({ ...RULES, allowMethods: allowed })
  return async (c) => {
    const isPreflight = c.req.header('Access-Control-Request-Method') !== undefined
    const response = isPreflight ? await preflight(c, async () => {}) : undefined
    const headers = new Headers(response?.headers)
    headers.set('Allow', allowed.join(', '))
    return new Response(null, { status: 204, headers })
  }
}

/** HEAD works wherever GET does, and OPTIONS everywhere. */
export function allowedMethods(methods: readonly Method[]): string[] {
  return methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])).concat('OPTIONS')
}
