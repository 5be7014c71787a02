import { createMiddleware } from 'hono/factory'
import { API_KEY_PARAMETER } from '../../auth/api-key.ts'
import { ProblemError } from '../../domain/problems.ts'
import { apiVersionOfResponse } from '../api-versions.ts'
import type { HonoEnv } from './context.ts'
import { NO_STORE } from './send-reply.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** 180 days. Without `includeSubDomains`, because subdomains may still be served over http. */
const STRICT_TRANSPORT_SECURITY = 'max-age=15552000'

/** Sets the id, the URL and the base URL of the request, and the headers that every response has. */
export const requestContext = createMiddleware<HonoEnv>(async function requestContext(c, next) {
  const startedAt = Date.now()
  const sentId = c.req.header('X-Request-ID')
  const requestId = sentId && UUID.test(sentId) ? sentId : crypto.randomUUID()
  const url = new URL(c.req.url)
  c.set('requestId', requestId)
  c.set('url', url)
  c.set('baseUrl', c.env.services.config.publicUrl ?? originOf(url) ?? '')
  await next()
  // Not `c.header`, which copies the whole response each time.
  const { headers } = c.res
  headers.set('X-Request-ID', requestId)
  headers.set('X-Processing-Time', String(Date.now() - startedAt))
  headers.set('API-Version', apiVersionOfResponse(c.req.raw.headers))
  // This header must not be sent over http (RFC 6797, section 7.2).
  if (url.protocol === 'https:') headers.set('Strict-Transport-Security', STRICT_TRANSPORT_SECURITY)
  // Responses to URLs that contain a key must not be cached (RFC 6750, section 5.3).
  const hasKey = url.search !== '' && url.searchParams.has(API_KEY_PARAMETER)
  const cacheControl = hasKey ? NO_STORE : (headers.get('Cache-Control') ?? NO_STORE)
  headers.set('Cache-Control', cacheControl)
  headers.set('X-Cache-Control', cacheControl)
  const bookmark = c.get('session')?.bookmark()
  if (bookmark) headers.set('X-D1-Bookmark', bookmark)
})

/** Rejects a request whose Host cannot be part of a URL, because every link in the response would begin with it. */
export const requireUsableHost = createMiddleware<HonoEnv>(async function requireUsableHost(c, next) {
  if (c.get('baseUrl') === '') {
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
function originOf({ origin, hostname }: URL): string | undefined {
  return ORIGIN.test(origin) && hostname.replace(/\.$/, '').length <= HOST_MAX ? origin : undefined
}
