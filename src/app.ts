import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { secureHeaders } from 'hono/secure-headers'
import { ProblemError, unknownPath } from './domain/problems.ts'
import { accountRoutes } from './features/accounts/routes.ts'
import { celestialBodyRoutes } from './features/celestial-bodies/routes.ts'
import { deliveryRoutes } from './features/deliveries/routes.ts'
import { openApiRoutes } from './features/documents/openapi.ts'
import { answerEcho } from './features/echo/answer.ts'
import { INBOX_PATHS, receiveRequest } from './features/inboxes/receive.ts'
import { inboxRoutes } from './features/inboxes/routes.ts'
import { oauthRoutes } from './features/oauth/routes.ts'
import { planetRoutes } from './features/planets/routes.ts'
import { webhookRoutes } from './features/webhooks/routes.ts'
import { crossOrigin } from './http/cross-origin.ts'
import { renderError } from './http/errors/problem.ts'
import type { App, HonoEnv } from './http/pipeline/context.ts'
import { mountRoutes } from './http/pipeline/mount.ts'
import { requestContext, requireUsableHost } from './http/pipeline/request-context.ts'
import type { Route } from './http/pipeline/route.ts'
import { answerAsset } from './site/assets.ts'
import { siteRoutes } from './site/routes.ts'

/** Every endpoint. The documents (OpenAPI and others) describe all of them, including themselves. */
export const ROUTES: readonly Route[] = [
  ...planetRoutes,
  ...celestialBodyRoutes,
  ...accountRoutes,
  ...oauthRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...inboxRoutes,
  ...openApiRoutes(() => ROUTES),
  ...siteRoutes(() => ROUTES),
]

/** The paths of the HTML pages of this service that must not be readable for pages of other origins. */
const PAGE_PATHS = patternOf(ROUTES.filter(({ errorStyle }) => errorStyle === 'page').map(({ path }) => path))

/** A pattern that matches every URL path of these paths in the notation of OpenAPI. */
function patternOf(paths: readonly string[]): RegExp {
  const patterns = paths.map((path) => path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+'))
  return new RegExp(`^(?:${patterns.join('|')})$`)
}

/**
 * The security headers of every response, only those that browsers still use. `crossOriginResourcePolicy` lets other
 * sites embed the images of this service.
 */
const SECURITY = {
  crossOriginResourcePolicy: 'cross-origin',
  // http/pipeline/request-context.ts sets this header, over https only.
  strictTransportSecurity: false,
  xFrameOptions: 'DENY',
  // A sign-in page that was opened as a popup must keep its opener. Responses that need the header set it themselves.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
} as const

/**
 * Creates the app. A request passes its steps in this order: its context, the headers of every response, the files of
 * pages, the echo, the method, the inboxes, then the steps of its route.
 */
export function createApp(): App {
  const app: App = new Hono<HonoEnv>()
  app.onError((error, c) => renderError(c, error))
  app.notFound((c) => renderError(c, unknownPath()))
  app.use(requestContext, secureHeaders(SECURITY), crossOrigin(PAGE_PATHS), requireUsableHost)
  app.use(answerAsset)
  app.use(answerEcho)
  app.use(methodNotAllowed({ app, onMethodNotAllowed: (_, allowed) => refuseMethod(allowed) }))
  app.all(INBOX_PATHS, receiveRequest)
  mountRoutes(app, ROUTES)
  return app
}

function refuseMethod(allowed: readonly string[]): never {
  const methods = allowed.join(', ')
  throw new ProblemError('method-not-allowed', `Method not allowed. Allowed methods: ${methods}.`, {
    headers: { Allow: methods },
  })
}
