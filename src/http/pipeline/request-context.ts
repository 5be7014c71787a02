import { createMiddleware } from 'hono/factory'
import { API_KEY_PARAMETER } from '../../auth/api-key.ts'
import { ProblemError } from '../../domain/problems.ts'
import { answeringApiVersion } from '../api-versions.ts'
import type { HonoEnv } from './context.ts'
import { NO_STORE } from './send-reply.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** 180 days. Without `includeSubDomains`, because subdomains may still be served over http. */
const HTTPS_ONLY = 'max-age=15552000'

/** Sets the id and the base URL of the request, and the headers that every response has. */
export const requestContext = createMiddleware<HonoEnv>(async function requestContext(c, next) {
  const started = Date.now()
  const sentId = c.req.header('X-Request-ID')
  c.set('requestId', sentId && UUID.test(sentId) ? sentId : crypto.randomUUID())
  c.set('baseUrl', c.env.services.config.publicUrl ?? originOf(c.req.url) ?? '')
  await next()
  c.header('X-Request-ID', c.var.requestId)
  c.header('X-Processing-Time', String(Date.now() - started))
  c.header('API-Version', answeringApiVersion(c.req.raw.headers))
  const url = new URL(c.req.url)
  // This header must not be sent over http (RFC 6797, section 7.2).
  if (url.protocol === 'https:') c.header('Strict-Transport-Security', HTTPS_ONLY)
  // Responses to URLs that contain a key must not be cached (RFC 6750, section 5.3).
  const hasKey = url.searchParams.has(API_KEY_PARAMETER)
  const cacheControl = hasKey ? NO_STORE : (c.res.headers.get('Cache-Control') ?? NO_STORE)
  c.header('Cache-Control', cacheControl)
  c.header('X-Cache-Control', cacheControl)
  const bookmark = c.var.session?.bookmark()
  if (bookmark) c.header('X-D1-Bookmark', bookmark)
})

/** Rejects a request whose Host cannot be part of a URL, because every link in the response would begin with it. */
export const requireUsableHost = createMiddleware<HonoEnv>(async function requireUsableHost(c, next) {
  if (c.var.baseUrl === '') {
    throw new ProblemError(
      'bad-request',
      `The Host header is not a valid host name or address, or it is longer than ${HOST_MAX} characters.`,
    )
  }
  await next()
})

// Names, IPv4 and IPv6 addresses, and a port. The URL class accepts many more characters in a host.
const ORIGIN = /^https?:\/\/[\w.:[\]-]+$/

/**
 * Maximum length of a host name (RFC 1035, section 2.3.4: 255 octets on the wire). Longer URLs would not fit the
 * schemas of this service.
 */
const HOST_MAX = 253

/** The origin of a URL; undefined if its host is not valid or too long. */
function originOf(url: string): string | undefined {
  const { origin, hostname } = new URL(url)
  return ORIGIN.test(origin) && hostname.replace(/\.$/, '').length <= HOST_MAX ? origin : undefined
}
