import type { Handler } from 'hono'
import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import { EXPOSED_HEADERS } from './headers.ts'
import type { HonoEnv } from './pipeline/context.ts'
import { echoPathOf } from './pipeline/echo-path.ts'
import type { Method } from './pipeline/route.ts'

/** Every page of the web may call this API and read every header of its answers, but without a user's cookies. */
const RULES = {
  origin: '*',
  // More than a path has: a page may read its 404 and its 405 too.
  allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposeHeaders: [...EXPOSED_HEADERS],
  maxAge: 24 * 60 * 60,
}

const preflight = cors(RULES)

/**
 * Lets pages of other origins read every answer, and answers a browser that asks before a page may send.
 *
 * @param own Paths of our own pages, which other origins have no part in
 */
export function crossOrigin(own: ReadonlySet<string>) {
  return createMiddleware<HonoEnv>(async function crossOrigin(c, next) {
    const isOwn = own.has(c.req.path) && echoPathOf(c.req.url, c.env.services.config) === undefined
    if (isOwn) return await next()
    const isPreflight = c.req.method === 'OPTIONS' && c.req.header('Access-Control-Request-Method') !== undefined
    if (isPreflight) return await preflight(c, next)
    await next()
    c.header('Access-Control-Allow-Origin', RULES.origin)
    c.header('Access-Control-Expose-Headers', RULES.exposeHeaders.join(','))
  })
}

/** Answers OPTIONS with what the path can do (RFC 9110, section 9.3.7): HEAD wherever GET does, and OPTIONS itself. */
export function answerOptions(methods: readonly Method[]): Handler<HonoEnv> {
  const allowed = methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
  const headers = { Allow: [...allowed, 'OPTIONS'].join(', ') }
  return () => new Response(null, { status: 204, headers })
}
