import { createMiddleware } from 'hono/factory'
import { API_KEY_PARAMETER } from '../../auth/api-key.ts'
import { createMeter, type Meter, meterDatabase } from '../../db/port.ts'
import { unusableHost } from '../../domain/problems.ts'
import { hasValidHost } from '../../domain/service-origin.ts'
import { newUuid } from '../../lib/ids.ts'
import { writeLine } from '../../lib/log-line.ts'
import { readTrace } from '../../lib/trace-context.ts'
import type { Services } from '../../services.ts'
import { apiVersionOfResponse } from '../api-versions.ts'
import { varyByEncoding } from '../compression.ts'
import { renderAbsence } from '../errors/problem.ts'
import { isUuid } from '../uuid.ts'
import type { HonoContext, HonoEnv } from './context.ts'
import { describeRequest, serverTimingOf } from './request-line.ts'
import { NO_STORE } from './send-reply.ts'

/** 180 days. Without `includeSubDomains`, because subdomains may still be served over http. */
const STRICT_TRANSPORT_SECURITY = 'max-age=15552000'

/**
 * Sets the id, the URL, the base URL and the trace of the request, and the headers that every response has. Measures
 * the use of the database by the request, and writes the line of the log about the request.
 */
export const requestContext = createMiddleware<HonoEnv>(async function requestContext(c, next) {
  const startedAt = Date.now()
  const sentId = c.req.header('X-Request-ID')
  const requestId = sentId && isUuid(sentId) ? sentId : newUuid('request')
  const url = new URL(c.req.url)
  c.set('requestId', requestId)
  c.set('url', url)
  const baseUrl = hasValidHost(c.req.raw.headers) ? c.env.services.baseUrlOf(url) : undefined
  c.set('baseUrl', baseUrl ?? '')
  c.set('trace', readTrace(c.req.raw.headers))
  const meter = meterServices(c)
  await next()
  // Not `c.header`, which copies the whole response each time.
  const { headers } = c.res
  headers.set('X-Request-ID', requestId)
  const durationMs = Date.now() - startedAt
  if (!c.get('omitsProcessingTime')) headers.set('X-Processing-Time', String(durationMs))
  const serverTiming = serverTimingOf(c, meter, durationMs)
  if (serverTiming !== undefined) headers.set('Server-Timing', serverTiming)
  headers.set('API-Version', apiVersionOfResponse(c.req.raw.headers))
  // The local runtime adds no Date. That of an edge replaces this one (RFC 9110, section 6.6.1).
  headers.set('Date', c.env.services.now().toUTCString())
  varyByEncoding(headers, headers.get('Content-Type'))
  if (isReachedByHttps(url, c.get('baseUrl'))) headers.set('Strict-Transport-Security', STRICT_TRANSPORT_SECURITY)
  const cacheControl = cacheControlOf(headers, url, c.env.services)
  headers.set('Cache-Control', cacheControl)
  headers.set('X-Cache-Control', cacheControl)
  const bookmark = c.get('session')?.bookmark()
  if (bookmark) headers.set('X-D1-Bookmark', bookmark)
  if (!c.env.services.config.logsRequests) return
  const takeLine = c.env.takeLine ?? writeLine
  takeLine(describeRequest(c, meter, durationMs))
})

/** How long caches may keep a response. @param headers Those of the response */
function cacheControlOf(headers: Headers, url: URL, { worldId }: Pick<Services, 'worldId'>): string {
  // Responses to URLs that contain a key must not be cached (RFC 6750, section 5.3).
  const hasKey = url.search !== '' && url.searchParams.has(API_KEY_PARAMETER)
  const cacheControl = hasKey ? NO_STORE : (headers.get('Cache-Control') ?? NO_STORE)
  // Who knows the id of a universe can read it, and every URL in it has the id. So only the cache of a client may keep
  // what it has read, and none that others use too.
  return worldId === undefined ? cacheControl : cacheControl.replace('public', 'private')
}

/**
 * Whether the client may have used https, so that the response can require it (RFC 6797, section 7.2). A proxy that
 * ends TLS passes the request on over http, so the base URL, which PUBLIC_URL can set, counts too. Browsers ignore the
 * header over http (section 8.1).
 *
 * @param baseUrl Empty if it is unknown
 */
function isReachedByHttps({ protocol }: URL, baseUrl: string): boolean {
  return protocol === 'https:' || baseUrl.startsWith('https:')
}

/** Measures the use of the database by this request, in all its sessions. Other requests keep the original services. */
function meterServices(c: HonoContext): Meter {
  const { services } = c.env
  const meter = createMeter()
  c.env.services = { ...services, database: meterDatabase(services.database, meter) }
  return meter
}

/** The entry of the Worker may already have decided to refuse the request, for example because its universe ended. */
export const refuseIfAsked = createMiddleware<HonoEnv>(async function refuseIfAsked(c, next) {
  const { refusal, refusesWithPage } = c.env
  if (!refusal) return await next()
  if (!refusesWithPage) throw refusal
  return await renderAbsence(c, refusal)
})

/**
 * Rejects a request whose Host is not valid or cannot be part of a URL, because every link in the response would begin
 * with it. The entry of the Worker may refuse a request although it cannot know the base URL.
 */
export const requireUsableHost = createMiddleware<HonoEnv>(async function requireUsableHost(c, next) {
  if (c.get('baseUrl') === '' && !c.env.refusal) throw unusableHost()
  await next()
})
