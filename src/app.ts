import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { secureHeaders } from 'hono/secure-headers'
import { ProblemError, unknownPath } from './domain/problems.ts'
import { accountRoutes } from './features/accounts/routes.ts'
import { celestialBodyRoutes } from './features/celestial-bodies/routes.ts'
import { deliveryRoutes } from './features/deliveries/routes.ts'
import { documentRoutes } from './features/documents/routes.ts'
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

/** Every endpoint. The documents (OpenAPI and others) describe all of them, including themselves. */
export const ROUTES: readonly Route[] = [
  ...planetRoutes,
  ...celestialBodyRoutes,
  ...accountRoutes,
  ...oauthRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...inboxRoutes,
  ...documentRoutes(() => ROUTES),
]

const OWN_PAGES = new Set(ROUTES.filter(({ errors }) => errors === 'page').map(({ path }) => path))

/** Only headers that browsers still use. `crossOriginResourcePolicy` lets other sites embed our images. */
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

/** The pipeline of a request: its context, the headers of every response, the method, then the steps of its route. */
export function createApp(): App {
  const app: App = new Hono<HonoEnv>()
  app.onError((error, c) => renderError(c, error))
  app.notFound((c) => renderError(c, unknownPath()))
  app.use(requestContext, secureHeaders(SECURITY), crossOrigin(OWN_PAGES), requireUsableHost)
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
