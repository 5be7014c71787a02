import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { secureHeaders } from 'hono/secure-headers'
import { methodNotAllowed as methodNotAllowedProblem, ProblemError, unknownPath } from './domain/problems.ts'
import type { World } from './domain/universe.ts'
import { accountRoutes } from './features/accounts/routes.ts'
import { celestialBodyRoutes } from './features/celestial-bodies/routes.ts'
import { deliveryRoutes } from './features/deliveries/routes.ts'
import { arazzoRoutes } from './features/documents/arazzo.ts'
import { asyncApiRoutes } from './features/documents/asyncapi.ts'
import { openApiRoutes } from './features/documents/openapi.ts'
import { answerEcho } from './features/echo/answer.ts'
import { FAULT_PATHS, faultsOfApp, requireDemoControls } from './features/faults/apply.ts'
import { faultRoutes } from './features/faults/routes.ts'
import { healthRoutes } from './features/health/routes.ts'
import { INBOX_PATHS, receiveRequest } from './features/inboxes/receive.ts'
import { inboxRoutes } from './features/inboxes/routes.ts'
import { answerBench } from './features/lab/bench.ts'
import { caseRoutes } from './features/lab/document-routes.ts'
import { labRunRoutes } from './features/lab/runs/routes.ts'
import { scoreboardRoutes } from './features/lab/scoreboard-route.tsx'
import { verifyWebhookRoute } from './features/lab/webhooks/verify-route.ts'
import { eventRoutes } from './features/live/event-routes.ts'
import { socketRoutes } from './features/live/socket-routes.ts'
import { oauthRoutes } from './features/oauth/routes.ts'
import { observationRoutes } from './features/observations/routes.ts'
import { planetRoutes } from './features/planets/routes.ts'
import { TOKENS_PATH } from './features/universes/defective-token.ts'
import { universeRoutes } from './features/universes/routes.ts'
import { RECEIVER_TEST_PATHS } from './features/webhooks/paths.ts'
import { webhookRoutes } from './features/webhooks/routes.ts'
import { crossOrigin } from './http/cross-origin.ts'
import { renderAbsence, renderError } from './http/errors/problem.ts'
import { imageHost } from './http/image-host.ts'
import { redirectToPage } from './http/page-slash.ts'
import { HTML } from './http/pages.ts'
import type { App, HonoEnv } from './http/pipeline/context.ts'
import { announceQueries, mountRoutes } from './http/pipeline/mount.ts'
import { refuseIfAsked, requestContext, requireUsableHost } from './http/pipeline/request-context.ts'
import type { Route } from './http/pipeline/route.ts'
import { isForPeople } from './http/pipeline/route-facts.ts'
import { answerAsset } from './site/assets.ts'
import { siteRoutes } from './site/routes.ts'

/** The routes of the features. If a route has the property `world`, only worlds of this kind have the route. */
const FEATURES: readonly Route[] = [
  ...planetRoutes,
  ...observationRoutes,
  ...celestialBodyRoutes,
  ...accountRoutes,
  ...oauthRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...inboxRoutes,
  ...eventRoutes,
  ...universeRoutes,
  ...caseRoutes,
  ...labRunRoutes,
  ...scoreboardRoutes,
  verifyWebhookRoute,
  // A function, because UNIVERSE_ROUTES is made from this list.
  ...faultRoutes(() => [...UNIVERSE_ROUTES, ...socketRoutes]),
  ...healthRoutes,
]

/** The routes of the common world, without those of WebSockets, which all worlds have (`createApp`). */
export const COMMON_ROUTES = routesOf('common')

/** Without those of WebSockets. With `world`, each has the problems of a world that can end (`placeProblemsOf`). */
export const UNIVERSE_ROUTES = routesOf('universe').map((route): Route => ({ ...route, world: 'universe' }))

/**
 * The endpoints that the OpenAPI document and the API reference of a world describe. Readers begin in the common world,
 * so its document and its reference also describe the endpoints that only universes have.
 */
export const DOCUMENTED_ROUTES: Readonly<Record<World, readonly Route[]>> = {
  common: [...FEATURES, ...COMMON_ROUTES.filter((route) => !FEATURES.includes(route))],
  universe: UNIVERSE_ROUTES,
}

function routesOf(world: World): readonly Route[] {
  return [
    ...FEATURES.filter((route) => route.world === undefined || route.world === world),
    ...openApiRoutes(world),
    ...asyncApiRoutes,
    ...arazzoRoutes,
    // A function, because DOCUMENTED_ROUTES is made from the result of this function.
    ...siteRoutes(() => DOCUMENTED_ROUTES[world].filter((route) => !isForPeople(route))),
  ]
}

/** @param paths In the notation of OpenAPI, such as `/problems/{code}` */
function patternOf(paths: readonly string[]): RegExp {
  const patterns = paths.map((path) => path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+'))
  return new RegExp(`^(?:${patterns.join('|')})$`)
}

function isPage({ method, responses }: Route): boolean {
  return method === 'get' && Object.values(responses).some(({ files }) => files?.includes(HTML))
}

/** Headers that this service does not need are off. `crossOriginResourcePolicy` lets other sites embed its images. */
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

/** The paths that do not exist if the operator has switched off what is wrong on purpose (`DEMO_CONTROLS`). */
const DEMO_PATHS = [FAULT_PATHS, TOKENS_PATH, ...RECEIVER_TEST_PATHS]

/** Where the laboratory takes effect. The answers of an app without it are the same. */
const LABORATORY = { answerBench, faultsOfApp }

/**
 * A request passes the middleware in the order of the calls below, then the steps of its route.
 *
 * @param routes Without those of WebSockets
 */
export function createApp(routes: readonly Route[], laboratory = LABORATORY): App {
  // Pages of other origins must not be able to read the HTML pages at these paths.
  const ownPagePaths = patternOf(routes.filter(({ errorStyle }) => errorStyle === 'page').map(({ path }) => path))
  const pagePaths = patternOf(routes.filter(isPage).map(({ path }) => path))
  const app: App = new Hono<HonoEnv>()
  // A page that does not exist is a page, also where data would be a problem document.
  app.onError((error, c) =>
    isNotFound(error) && c.get('errorStyle') === undefined && pagePaths.test(c.req.path)
      ? renderAbsence(c, error)
      : renderError(c, error),
  )
  app.notFound((c) => redirectToPage(c, pagePaths) ?? renderAbsence(c, unknownPath()))
  app.use(requestContext, secureHeaders(SECURITY))
  app.use(requireUsableHost)
  announceQueries(app, routes)
  app.use(crossOrigin(ownPagePaths), refuseIfAsked)
  app.use(imageHost)
  app.use(answerAsset)
  app.use(answerEcho)
  app.use(laboratory.answerBench)
  for (const path of DEMO_PATHS) app.use(path, requireDemoControls)
  app.use(methodNotAllowed({ app, onMethodNotAllowed: (_, allowed) => refuseMethod(allowed) }))
  app.all(INBOX_PATHS, receiveRequest)
  mountRoutes(app, [...routes, ...socketRoutes], laboratory.faultsOfApp())
  return app
}

const isNotFound = (error: Error): error is ProblemError => error instanceof ProblemError && error.code === 'not-found'

function refuseMethod(allowed: readonly string[]): never {
  throw methodNotAllowedProblem(allowed)
}
