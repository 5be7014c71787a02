import { type Hook, zValidator } from '@hono/zod-validator'
import type { MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { parse } from 'hono/utils/cookie'
import type { z } from 'zod'
import { authenticate, presentsCredential } from '../../auth/authenticate.ts'
import { readAuthorization } from '../../auth/authorization-header.ts'
import { bearerChallenge } from '../../auth/challenges.ts'
import type { AuthContext, Credentials } from '../../auth/scheme.ts'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { writeGuard } from '../../auth/write-guard.ts'
import { ANY_STATE, openSession, type Session, type SessionStart } from '../../db/client.ts'
import { CredentialEnded } from '../../db/guarded-session.ts'
import { type Fault, ProblemError, RefusedBody, unknownPath } from '../../domain/problems.ts'
import { rootCause } from '../../lib/root-cause.ts'
import { rootName } from '../../xml/encode.ts'
import { requireKnownApiVersion } from '../api-versions.ts'
import { faultsOf } from '../body/faults.ts'
import { type BodyReader, checkMediaType, limitBody } from '../body/reader.ts'
import { answerOptions } from '../cross-origin.ts'
import { examplesOf } from '../examples.ts'
import { applyPreferences } from '../preferences.ts'
import { type App, clientAddressOf, type HonoContext, type HonoEnv, type RequestContext } from './context.ts'
import { DEFAULT_FORMAT } from './formats.ts'
import { refuseOwnCallbacks } from './loop-guard.ts'
import { negotiate } from './negotiation.ts'
import type { Route, RouteRequest } from './route.ts'
import { checksCredentials, formatsOf, isPublicRead, needsCredentials, negotiates } from './route-facts.ts'
import { sendReply } from './send-reply.ts'
import { requireWritesLeft } from './write-limit.ts'

/**
 * Registers routes in the app. The order of the steps is the order of the checks: path, method (in app.ts),
 * credentials, Accept, Content-Type, size, API version, query, syntax, schema; then the handler's own checks. A
 * response that `Prefer: code` requests (http/preferences.ts) only depends on the path, the method and the loop guard.
 */
export function mountRoutes(app: App, routes: readonly Route[]): void {
  routes.forEach(requireExamplesAndRootNames)
  routes.forEach(requireExampleLocations)
  for (const route of routes) {
    if (route.params) app.all(honoPath(route.path), pathParameters(route.params))
  }
  for (const route of routes) app.on(route.method.toUpperCase(), honoPath(route.path), ...steps(route))
  for (const [path, group] of Map.groupBy(routes, ({ path }) => path)) {
    app.options(honoPath(path), answerOptions(group.map(({ method }) => method)))
  }
}

/**
 * Checks that every document of a route has an example, and that those of responses have a name for their root element
 * in XML. Runs when the Worker starts, so a mistake stops the start.
 */
function requireExamplesAndRootNames(route: Route): void {
  if (route.body?.kind === 'entity') examplesOf(route.body.documented.schema)
  for (const { schema, example } of Object.values(route.responses)) {
    if (!schema) continue
    examplesOf(schema, example)
    if (formatsOf(route).includes('xml')) rootName(schema)
  }
}

/**
 * Checks that every response with a Location has an example of it, because the usual example (http/headers.ts) is a
 * planet. Runs when the Worker starts, so a mistake stops the start.
 */
function requireExampleLocations({ operationId, responses }: Route): void {
  for (const [status, { headers, exampleHeaders }] of Object.entries(responses)) {
    if (!headers?.includes('Location') || exampleHeaders?.Location) continue
    throw new Error(`the response ${status} of ${operationId} has a Location without an example (exampleHeaders)`)
  }
}

/** `/planets/{planetId}` as Hono writes it. */
function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** The middleware of a route, in the order in which it runs. */
function steps(route: Route): [MiddlewareHandler<HonoEnv>, ...MiddlewareHandler<HonoEnv>[]] {
  return [
    chooseErrors(route),
    refuseOwnCallbacks,
    announceDeprecation(route),
    applyPreferences(route),
    authorize(route),
    ...(negotiates(route) ? [chooseFormat(route)] : []),
    ...(route.body ? [checkMediaType(route.body), limitBody(route.body)] : []),
    requireKnownApiVersion,
    ...(isPublicRead(route) ? [requireUsableBookmark] : []),
    ...(route.query ? [query(route.query, route.errors === 'page')] : []),
    serve(route),
  ]
}

/** An invalid path parameter is a 404, whatever the method. */
function pathParameters(schema: NonNullable<Route['params']>) {
  return validate('param', schema, unknownPath)
}

/** Chooses the format of the response (JSON or XML) by `Accept`. */
function chooseFormat(route: Route) {
  return createMiddleware<HonoEnv>(async function chooseFormat(c, next) {
    c.set('format', negotiate(route, c.req.raw.headers))
    await next()
  })
}

/** Selects the error style of the route for every error from here on. */
function chooseErrors({ errors }: Route) {
  return createMiddleware<HonoEnv>(async function chooseErrors(c, next) {
    c.set('errors', errors)
    // OAuth errors are always JSON.
    if (errors === 'oauth') c.set('format', DEFAULT_FORMAT)
    await next()
  })
}

/** Marks every response of a deprecated operation (RFC 9745). */
function announceDeprecation({ deprecated }: Route) {
  return createMiddleware<HonoEnv>(async function announceDeprecation(c, next) {
    await next()
    if (!deprecated) return
    c.header('Deprecation', `@${deprecated.getTime() / 1000}`)
    c.header('Link', `<${c.var.baseUrl}/docs>; rel="deprecation"; type="text/html"`, { append: true })
  })
}

/**
 * Opens the database session and checks the credentials. The `prefetch` query of the route runs in the same round trip.
 */
function authorize(route: Route) {
  return createMiddleware<HonoEnv>(async function authorize(c, next) {
    c.set('session', openSession(c.env.services.database, sessionStart(c, route)))
    if (checksCredentials(route)) await checkCredentials(c, route)
    await next()
  })
}

/**
 * Authenticates the caller, if the route requires it or the request has credentials. Counts a write. From then on, the
 * session checks the credentials before each write.
 *
 * @throws ProblemError 401, 403, 429, 503
 */
async function checkCredentials(c: HonoContext, route: Route): Promise<void> {
  const context = authContextOf(c)
  const credentials = credentialsOf(c)
  if (!needsCredentials(route) && !presentsCredential(credentials)) return
  const { security, scope } = route
  const access = { schemes: security.length > 0 ? security : ALL_SCHEMES, scope }
  const read = needsCredentials(route) ? route.prefetch?.(context.session.db, pathParametersOf(c, route)) : undefined
  const { caller, prefetched } = await authenticate(credentials, access, context, read)
  if (route.method !== 'get') await requireWritesLeft(context.services, caller)
  context.session.guard(writeGuard(caller, context.services))
  c.set('caller', caller)
  c.set('prefetched', prefetched)
}

function credentialsOf(c: HonoContext): Credentials {
  const { headers, url, method } = c.req.raw
  const { foreignIssuers } = c.env.services
  const authorization = readAuthorization(headers, (issuer) => issuer !== c.var.baseUrl && foreignIssuers.knows(issuer))
  const cookies = parse(headers.get('Cookie') ?? '')
  return { method, headers, authorization, query: new URL(url).searchParams, cookies }
}

/**
 * Chooses the copy of the database that the request reads. Writes and requests with credentials use the primary, so
 * that a revocation takes effect at once. A public read may use any replica that has reached the caller's bookmark.
 */
function sessionStart(c: HonoContext, route: Route): SessionStart {
  if (!isPublicRead(route)) return 'first-primary'
  const bookmark = c.req.header('X-D1-Bookmark') ?? ''
  return BOOKMARK.test(bookmark) ? bookmark : ANY_STATE
}

const BOOKMARK = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/

/** Rejects a request whose X-D1-Bookmark is not a bookmark. */
const requireUsableBookmark = createMiddleware<HonoEnv>(async function requireUsableBookmark(c, next) {
  const bookmark = c.req.header('X-D1-Bookmark')
  if (bookmark !== undefined && bookmark !== ANY_STATE && !BOOKMARK.test(bookmark)) {
    throw new ProblemError('bad-request', 'X-D1-Bookmark is not a bookmark from this service.')
  }
  await next()
})

/**
 * Validates the query of the URL.
 *
 * @param isPage Whether the route is an HTML page. If it is, repeated parameters are accepted here. The route checks
 * them itself, because it must report some of them to the OAuth client
 */
function query(schema: NonNullable<Route['query']>, isPage: boolean) {
  if (isPage) return lenientQuery(schema)
  return validate('query', schema, invalidQuery)
}

function invalidQuery(faults: Fault[]): ProblemError {
  return new ProblemError('invalid-query', 'The query has invalid parameters.', { faults })
}

/** Validates the query, but accepts repeated parameters: the last value of each is used. */
function lenientQuery(schema: NonNullable<Route['query']>) {
  return createMiddleware<HonoEnv>(async function lenientQuery(c, next) {
    const result = schema.safeParse(Object.fromEntries(new URL(c.req.url).searchParams))
    if (!result.success) throw invalidQuery(faultsOf(result.error))
    c.req.addValidatedData('query', Object.assign({}, result.data))
    await next()
  })
}

/** Validates the path parameters or the query. `refuse` creates the error. */
function validate(target: 'param' | 'query', schema: z.ZodType, refuse: (faults: Fault[]) => ProblemError) {
  const hook: Hook<unknown, HonoEnv, string, typeof target, object, z.ZodType> = (result) => {
    if (!result.success) throw refuse(faultsOf(result.error))
  }
  return zValidator<z.ZodType, typeof target, HonoEnv, string, typeof hook>(target, schema, hook)
}

/** Reads the body, runs the handler and sends its reply. */
function serve(route: Route) {
  return createMiddleware<HonoEnv>(async function serve(c) {
    try {
      const body = route.body && (await readBody(route, route.body, c))
      const request: RouteRequest = {
        params: pathParametersOf(c, route),
        query: route.query && validated(c, 'query'),
        body,
        caller: c.var.caller,
        prefetched: c.var.prefetched,
      }
      // The context is created after the body was read, which may take minutes. So `now` is when the handler starts.
      return sendReply(route, await route.handle(request, contextOf(c)), c.var.format, c.req.raw.headers)
    } catch (error) {
      throw rootCause(error) instanceof CredentialEnded ? await explainEnd(c, route) : error
    }
  })
}

/**
 * The error for a credential that became invalid between the start of the request and its write. It is the same error
 * that a new request would get.
 */
async function explainEnd(c: HonoContext, route: Route): Promise<unknown> {
  try {
    // Checking a password may write (it counts failures), and the guard of the old session rejects every write now.
    c.set('session', openSession(c.env.services.database, 'first-primary'))
    if (checksCredentials(route)) await checkCredentials(c, route)
    return new ProblemError('unauthorized', 'The credential became invalid during the request. Nothing was stored.', {
      headers: { 'WWW-Authenticate': bearerChallenge(c.var.baseUrl) },
    })
  } catch (refusal) {
    return refusal
  }
}

/** Reads the body. If it is rejected, the route's `onBodyRefused` runs first. */
async function readBody({ onBodyRefused }: Route, body: BodyReader<unknown>, c: HonoContext): Promise<unknown> {
  const bytes = new Uint8Array(await c.req.arrayBuffer())
  const context = contextOf(c)
  try {
    return await body.read(bytes, context)
  } catch (error) {
    if (error instanceof RefusedBody && c.var.caller) await onBodyRefused?.(error, c.var.caller, context)
    throw error
  }
}

function authContextOf(c: HonoContext): AuthContext & Pick<RequestContext, 'services'> {
  return {
    services: c.env.services,
    session: sessionOf(c),
    baseUrl: c.var.baseUrl,
    clientAddress: clientAddressOf(c.req.raw.headers),
    now: c.env.services.now(),
  }
}

function contextOf(c: HonoContext): RequestContext {
  return {
    ...authContextOf(c),
    method: c.req.method,
    query: new URL(c.req.url).searchParams,
    headers: c.req.raw.headers,
    format: c.var.format ?? DEFAULT_FORMAT,
  }
}

function sessionOf(c: HonoContext): Session {
  if (!c.var.session) throw new Error('the session was not opened before it was used')
  return c.var.session
}

function pathParametersOf(c: HonoContext, route: Route): unknown {
  return route.params && validated(c, 'param')
}

/**
 * The result of a validator. The cast is needed because Hono's types only know validators that are declared in the same
 * chain. Here they are created from the declarations of the routes.
 */
function validated(c: HonoContext, target: 'param' | 'query'): unknown {
  return c.req.valid(target as never)
}
