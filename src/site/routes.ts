import { doc } from '#doc'
import { SCRIPT_POLICY } from '../design/policies.ts'
import { obtainCatalogue } from '../features/planets/catalogue.ts'
import { CURRENT_API_VERSION } from '../http/api-versions.ts'
import { HTML, replyPage } from '../http/pages.ts'
import { prefersPage } from '../http/pipeline/negotiation.ts'
import { reply } from '../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../http/pipeline/route.ts'
import { PageQuery } from '../schemas/page.ts'
import { Index, linksAt } from '../schemas/service-index.ts'
import { accountPage } from './account-page.tsx'
import { apiCatalog, serviceLinks } from './api-catalog.ts'
import { eventsPage } from './events-page.tsx'
import { guideRoutes } from './guides/routes.tsx'
import { renderIndexPage } from './index-page.tsx'
import { planetPage } from './planet/route.ts'
import { problemRoutes } from './problem-routes.ts'
import { referenceRoute } from './reference.tsx'
import { referenceRedirect } from './reference-redirect.tsx'
import { securityTxt } from './security-txt.ts'
import { offersUniverses } from './universe-offer.tsx'
import { walk } from './walk.tsx'

const index = defineRoute({
  method: 'get',
  path: '/',
  operationId: 'getIndex',
  tag: 'Documents',
  summary: 'Get the index',
  description: doc(
    'Returns an overview of the service: a page for browsers, or links as data for other clients. The page has a table of planets that begins at `offset`. The links do not depend on `offset`.',
  ),
  since: '2.0.0',
  security: [],
  query: PageQuery.pick({ offset: true }),
  responses: {
    200: { description: doc('The index'), schema: Index, files: [HTML], headers: ['Content-Security-Policy', 'Link'] },
  },
  async handle({ query: { offset } }, context) {
    const { baseUrl, headers } = context
    const body: Index = { name: 'Galaxy', version: CURRENT_API_VERSION, links: linksAt(baseUrl) }
    const links = serviceLinks(baseUrl)
    if (!prefersPage(headers)) return reply(200, body, links)
    const { content: catalogue } = await obtainCatalogue(context)
    const { config, universe } = context.services
    const { demoControls, signupOpen } = config
    const isUniverse = universe !== undefined
    const hasOffer = offersUniverses(context.services)
    const page = await renderIndexPage({ catalogue, offset, baseUrl, demoControls, signupOpen, isUniverse, hasOffer })
    return replyPage(page, SCRIPT_POLICY, links)
  },
})

/** The routes of the pages for people. @param listRoutes Returns the routes that the API reference lists */
export function siteRoutes(listRoutes: () => readonly Route[]): readonly Route[] {
  return [
    index,
    planetPage,
    walk,
    accountPage,
    referenceRoute(listRoutes),
    referenceRedirect,
    eventsPage,
    ...guideRoutes,
    ...problemRoutes,
    securityTxt,
    apiCatalog,
  ]
}
