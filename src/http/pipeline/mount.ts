import type { MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { isAtImageHost } from '../../domain/image-url.ts'
import { methodNotAllowed, ProblemError } from '../../domain/problems.ts'
import { secondsOf } from '../../lib/time.ts'
import { rootOf } from '../../xml/encode.ts'
import { requireKnownApiVersion } from '../api-versions.ts'
import { codingOfBody } from '../body/content-coding.ts'
import { ACCEPT_PATCH } from '../body/content-type.ts'
import { type BodyReader, limitBody, mediaTypesOfBody } from '../body/reader.ts'
import { allowedMethods, answerOptions } from '../cross-origin.ts'
import { examplesOf } from '../examples.ts'
import { authorize } from './authorize.ts'
import type { App, HonoContext, HonoEnv } from './context.ts'
import { echoPathOf } from './echo-path.ts'
import { DEFAULT_FORMAT } from './formats.ts'
import { refuseOwnCallbacks } from './loop-guard.ts'
import { negotiate } from './negotiation.ts'
import { parseHeaders, parsePathParameters, parseQuery } from './parameters.ts'
import type { Method, Route } from './route.ts'
import { formatsOf, isPublicRead, negotiates } from './route-facts.ts'
import { serve } from './serve.ts'
import { requireUsableBookmark } from './session.ts'
import { requireUpgrade } from './socket.ts'

/**
 * The order of the steps is the order of the checks: path, method (in app.ts), credentials, Accept, Content-Type,
 * Content-Encoding, size, API version, query, headers of the operation, syntax, schema; then the handler's own checks. The faults that a caller
 * or the owner of a universe asks for come before the check of the credentials.
 *
 * @param applyFaults Creates the middleware of a route in which faults take effect
 */
export function mountRoutes(app: App, declaredRoutes: readonly Route[], applyFaults: FaultsOf): void {
  // The first route that matches a request serves the request. So paths with parameters come after all other paths.
  const routes = declaredRoutes.toSorted((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')))
  routes.forEach(requireExamplesAndRootNames)
  routes.forEach(requireExampleLocations)
  const groups = Map.groupBy(routes, ({ path }) => path)
  for (const [path, group] of groups) {
    // Usually, all methods of a path have the same schema, so the set has one item.
    for (const schema of new Set(group.map(({ params }) => params))) {
      if (!schema) continue
      const parseParameters = unlessExact(path, groups, parsePathParameters(schema))
      app.all(honoPath(path), inOrder(noteRoutePath(path), chooseStyleOf(group)), parseParameters)
    }
  }
  for (const route of routes)
    app.on(route.method.toUpperCase(), honoPath(route.path), ...stepsOf(route, applyFaults(route)))
  for (const [path, group] of groups) {
    app.options(honoPath(path), inOrder(noteRoutePath(path)), answerOptions(group))
  }
}

/**
 * Lets responses say which content QUERY accepts. Preflight requests are answered early, so this comes before.
 */
export function announceQueries(app: App, routes: readonly Route[]): void {
  for (const { method, path, body } of routes) {
    if (method === 'query' && body) app.use(honoPath(path), announceQuery(body))
  }
}

/**
 * Checks that every document of a route has an example, and that every document in a response has a name for its root
 * element in XML. Runs when the Worker starts, so a mistake stops the start.
 */
function requireExamplesAndRootNames(route: Route): void {
  if (route.body?.kind === 'entity' || route.body?.kind === 'patch') examplesOf(route.body.documented.schema)
  for (const { schema, example } of Object.values(route.responses)) {
    if (!schema) continue
    examplesOf(schema, example)
    if (formatsOf(route).includes('xml')) rootOf(schema)
  }
}

/** A Location needs an example of its own, because the usual example (http/headers.ts) leads to a planet. */
function requireExampleLocations({ operationId, responses }: Route): void {
  for (const [status, { headers, exampleHeaders }] of Object.entries(responses)) {
    if (!headers?.includes('Location') || exampleHeaders?.Location) continue
    throw new Error(`the response ${status} of ${operationId} has a Location: declare its example in exampleHeaders`)
  }
}

/** `/planets/{planetId}` as Hono writes it. */
function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

export type FaultsOf = (route: Route) => MiddlewareHandler<HonoEnv>

/** A check or a preparation before the handler. It throws to reject the request. */
type Step = (c: HonoContext) => void | Promise<void>

/** The middleware of a route, in the order in which it runs. */
function stepsOf(
  route: Route,
  faults: MiddlewareHandler<HonoEnv>,
): [MiddlewareHandler<HonoEnv>, ...MiddlewareHandler<HonoEnv>[]] {
  const { body } = route
  return [
    inOrder(noteRoute(route), chooseErrorStyle(route), refuseOwnCallbacks(route)),
    ...(route.deprecated ? [announceDeprecation(route.deprecated)] : []),
    ...(route.opensSocket ? [inOrder(requireUpgrade)] : []),
    faults,
    inOrder(
      authorize(route),
      ...(negotiates(route) ? [negotiateFormat(route)] : []),
      ...(body ? [requireReadableBody(route.method, body)] : []),
    ),
    ...(body ? [limitBody(body)] : []),
    inOrder(requireKnownApiVersion, ...(isPublicRead(route) ? [requireUsableBookmark] : [])),
    ...(route.query ? [parseQuery(route.query, route.errorStyle === 'page')] : []),
    ...(route.headers ? [parseHeaders(route.headers)] : []),
    serve(route),
  ]
}

/** One middleware for several steps, because the call of a middleware takes longer than most steps. */
function inOrder(...sequence: Step[]): MiddlewareHandler<HonoEnv> {
  // Each middleware is named after the function that creates it, because stack traces show the name.
  return async function inOrder(c, next) {
    for (const step of sequence) {
      const pending = step(c)
      if (pending) await pending
    }
    await next()
  }
}

/** Negotiates the format of the response (JSON or XML) by `Accept`. */
function negotiateFormat(route: Route): Step {
  return (c) => c.set('format', negotiate(route, c.req.raw.headers))
}

/**
 * Checks the type of the body, and then its coding. If a patch is refused, the error names those that are accepted (RFC
 * 5789, section 2.2).
 */
function requireReadableBody(method: Method, body: BodyReader<unknown>): Step {
  const check: Step = (c) => {
    const { headers } = c.req.raw
    body.requireMediaType(headers)
    codingOfBody(headers)
  }
  if (method !== 'patch') return check
  const patches = { [ACCEPT_PATCH]: mediaTypesOfBody(body).join(', ') }
  return (c) => {
    try {
      return check(c)
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      throw new ProblemError(error.code, error.message, { headers: { ...error.headers, ...patches } })
    }
  }
}

/** Notes which route serves the request, for the log and for `Server-Timing`. */
function noteRoute(route: Route): Step {
  const readsPublicData = isPublicRead(route)
  return (c) => {
    c.set('routePath', route.path)
    c.set('isPublicRead', readsPublicData)
  }
}

/**
 * Notes the path for the log before a route is chosen. So the log also has the path of a request that no route serves,
 * for example because a path parameter is not valid.
 */
function noteRoutePath(path: string): Step {
  return (c) => c.set('routePath', path)
}

/** Selects the error style of the route for every error from here on. */
function chooseErrorStyle({ errorStyle }: Route): Step {
  return (c) => {
    c.set('errorStyle', errorStyle)
    // OAuth errors are always JSON.
    if (errorStyle === 'oauth') c.set('format', DEFAULT_FORMAT)
  }
}

/** Selects the error style of the route for the method, for errors before a route is chosen. */
function chooseStyleOf(group: readonly Route[]): Step {
  const styles = new Map(group.map(({ method, errorStyle }) => [method.toUpperCase(), errorStyle]))
  return (c) => c.set('errorStyle', styles.get(c.req.method === 'HEAD' ? 'GET' : c.req.method))
}

/**
 * Middleware for the paths that match a pattern, except the paths that have a route of their own. For example,
 * `/planets/events` matches `/planets/{planetId}`, but is another route.
 *
 * @throws ProblemError 405 if the path has routes of its own, but not for the method of the request
 */
function unlessExact(
  pattern: string,
  groups: ReadonlyMap<string, readonly Route[]>,
  middleware: MiddlewareHandler<HonoEnv>,
): MiddlewareHandler<HonoEnv> {
  return async function unlessExact(c, next) {
    const { path } = c.req
    // A client may send the pattern itself as the path, with the braces.
    const methods = path === pattern ? undefined : groups.get(path)?.map(({ method }) => method)
    if (!methods) return await middleware(c, next)
    const allowed = allowedMethods(methods)
    if (!allowed.includes(c.req.method)) throw methodNotAllowed(allowed)
    await next()
  }
}

/** Marks every response of a deprecated operation (RFC 9745). */
function announceDeprecation(deprecated: Date) {
  return createMiddleware<HonoEnv>(async function announceDeprecation(c, next) {
    await next()
    c.res.headers.set('Deprecation', `@${secondsOf(deprecated)}`)
    c.res.headers.append('Link', `<${c.get('baseUrl')}/docs>; rel="deprecation"; type="text/html"`)
  })
}

/** The methods whose responses say what QUERY accepts. */
const QUERYABLE = ['GET', 'HEAD', 'OPTIONS', 'QUERY']

/** Says which content QUERY accepts, in every response to a read of the path (RFC 10008, `Accept-Query`). */
function announceQuery(body: BodyReader<unknown>): MiddlewareHandler<HonoEnv> {
  const accepted = mediaTypesOfBody(body).join(', ')
  return createMiddleware<HonoEnv>(async function announceQuery(c, next) {
    await next()
    // At the host of the echo and at that of images, the same path is another resource.
    const { config } = c.env.services
    const url = c.get('url')
    const isElsewhere = isAtImageHost(url, config.imageHost) || echoPathOf(url, config) !== undefined
    if (QUERYABLE.includes(c.req.method) && !isElsewhere) c.res.headers.set('Accept-Query', accepted)
  })
}
