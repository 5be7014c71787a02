import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { secureHeaders } from 'hono/secure-headers'
import { accountRoutes } from './features/accounts/routes.ts'
import { imageFiles } from './features/planets/image-files.ts'
import { planetRoutes } from './features/planets/routes.ts'
import { problemPages } from './features/problems/pages.ts'
import type { App, HonoEnv } from './http/context.ts'
import { mountRoutes } from './http/mount.ts'
import { renderProblem } from './http/problem.ts'
import { EXPOSED_HEADERS, requestContext } from './http/request-context.ts'
import { ProblemError, unknownPath } from './lib/errors.ts'

/** Every endpoint that speaks of the universe. Files and pages (images, problems) are mounted beside them. */
export const ROUTES = [...planetRoutes, ...accountRoutes]

/** Every page of the web may call this API and read every header of its answers, but without a user's cookies. */
const CROSS_ORIGIN = {
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  exposeHeaders: EXPOSED_HEADERS,
  maxAge: 24 * 60 * 60,
}

/** What secureHeaders sends by default, but that other sites may show our images, and nothing is said of subdomains. */
const SECURITY = {
  crossOriginResourcePolicy: 'cross-origin',
  strictTransportSecurity: 'max-age=15552000',
  xFrameOptions: 'DENY',
} as const

/** The way of a request: its context, the headers of every response, the method, then its route's steps. */
export function createApp(): App {
  const app: App = new Hono<HonoEnv>()
  app.onError((error, c) => renderProblem(c, error))
  app.notFound((c) => renderProblem(c, unknownPath()))
  app.use(requestContext, secureHeaders(SECURITY), cors(CROSS_ORIGIN))
  app.use(methodNotAllowed({ app, onMethodNotAllowed: (_, allowed) => refuseMethod(allowed) }))
  mountRoutes(app, ROUTES)
  app.route('/', imageFiles)
  app.route('/', problemPages)
  return app
}

function refuseMethod(allowed: readonly string[]): never {
  const methods = allowed.join(', ')
  throw new ProblemError('method-not-allowed', `This path has the methods ${methods}.`, { headers: { Allow: methods } })
}
