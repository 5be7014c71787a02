import type { Context, Handler } from 'hono'
import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import { ACCEPT_PATCH } from './body/content-type.ts'
import { mediaTypesOfBody } from './body/reader.ts'
import { EXPOSED_HEADERS } from './headers.ts'
import type { HonoEnv } from './pipeline/context.ts'
import { echoPathOf } from './pipeline/echo-path.ts'
import type { Method, Route } from './pipeline/route.ts'

/** How long a browser may cache the response to a preflight request. */
const PREFLIGHT_SECONDS = 24 * 60 * 60

/** The usual methods, so that a browser need not ask for each of them. */
const USUAL_METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'COPY']

/** A method is a token (RFC 9110, sections 5.6.2 and 9.1). */
const METHOD = /^[\w!#$%&'*+.^`|~-]+$/

/** HTML pages of any origin may call this API and read the `EXPOSED_HEADERS`, but without the user's cookies. */
const RULES = {
  origin: '*',
  allowMethods: allowedTo,
  exposeHeaders: [...EXPOSED_HEADERS],
  maxAge: PREFLIGHT_SECONDS,
}

const EXPOSED = RULES.exposeHeaders.join(',')

const preflight = cors(RULES)

/**
 * The methods that a preflight response allows: the usual ones, and the one that is asked for. Some paths take any
 * method, and on all others a page must be able to read the 404 or 405 response.
 */
function allowedTo(_: string, c: Context): string[] {
  const asked = c.req.header('Access-Control-Request-Method') ?? ''
  return USUAL_METHODS.includes(asked) || !METHOD.test(asked) ? [...USUAL_METHODS] : [...USUAL_METHODS, asked]
}

/**
 * Lets HTML pages of other origins read every response, and responds to preflight requests.
 *
 * @param pagePaths A pattern for the paths of the HTML pages of this service, which do not support CORS
 */
export function crossOrigin(pagePaths: RegExp) {
  return createMiddleware<HonoEnv>(async function crossOrigin(c, next) {
    // At the host of the echo, every path belongs to the echo, even if it looks like the path of an HTML page.
    const isPage = pagePaths.test(c.req.path) && echoPathOf(c.get('url'), c.env.services.config) === undefined
    if (isPage) return await next()
    const isPreflight = c.req.method === 'OPTIONS' && c.req.header('Access-Control-Request-Method') !== undefined
    if (isPreflight) return await preflight(c, next)
    await next()
    c.res.headers.set('Access-Control-Allow-Origin', RULES.origin)
    // A response can have more headers, which only it knows.
    const own = c.res.headers.get('Access-Control-Expose-Headers')
    c.res.headers.set('Access-Control-Expose-Headers', own ? `${EXPOSED},${own}` : EXPOSED)
  })
}

/**
 * Responds to OPTIONS with the methods of the path (RFC 9110, section 9.3.7). They include HEAD if there is GET, and
 * OPTIONS itself. If there is PATCH, the response also has the media types of patches (RFC 5789, section 3.1).
 */
export function answerOptions(group: readonly Pick<Route, 'method' | 'body'>[]): Handler<HonoEnv> {
  const patches = group.flatMap(({ method, body }) => (method === 'patch' && body ? mediaTypesOfBody(body) : []))
  const headers = {
    Allow: allowedMethods(group.map(({ method }) => method)).join(', '),
    ...(patches.length > 0 && { [ACCEPT_PATCH]: patches.join(', ') }),
  }
  return () => new Response(null, { status: 204, headers })
}

/** All methods of a path with operations of these methods, including HEAD if there is GET, and OPTIONS. */
export function allowedMethods(methods: readonly Method[]): string[] {
  const own = methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
  return [...own, 'OPTIONS']
}
