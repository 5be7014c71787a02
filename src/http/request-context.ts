import { createMiddleware } from 'hono/factory'
import type { HonoEnv } from './context.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The headers of our answers that a page of another origin may read. */
export const EXPOSED_HEADERS = [
  'X-Request-ID',
  'X-Processing-Time',
  'X-Pagination-Total',
  'X-Pagination-Page',
  'X-Pagination-Per-Page',
  'X-Cache-Control',
  'X-D1-Bookmark',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Location',
  'ETag',
  'Last-Modified',
  'Link',
  'Allow',
  'Accept-Ranges',
  'Retry-After',
  'WWW-Authenticate',
  'Content-Range',
]

/** Gives the request its id and its base URL, and every response X-Request-ID, X-Processing-Time and X-D1-Bookmark. */
export const requestContext = createMiddleware<HonoEnv>(async function requestContext(c, next) {
  const started = Date.now()
  const sent = c.req.header('X-Request-ID')
  c.set('requestId', sent && UUID.test(sent) ? sent : crypto.randomUUID())
  c.set('baseUrl', c.env.config.publicUrl ?? new URL(c.req.url).origin)
  await next()
  c.header('X-Request-ID', c.var.requestId)
  c.header('X-Processing-Time', String(Date.now() - started))
  const bookmark = c.var.session?.bookmark()
  if (bookmark) c.header('X-D1-Bookmark', bookmark)
})
