import * as z from 'zod'
import { SCRIPT_POLICY, TEXT_POLICY } from '../design/policies.ts'
import { PROBLEMS } from '../domain/problems.ts'
import { obtainCatalogue } from '../features/planets/catalogue.ts'
import { CURRENT_API_VERSION } from '../http/api-versions.ts'
import { HTML, replyPage } from '../http/pages.ts'
import { prefersPage } from '../http/pipeline/negotiation.ts'
import { reply } from '../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../http/pipeline/route.ts'
import { keysOf } from '../lib/objects.ts'
import { PageQuery } from '../schemas/page.ts'
import { Index, linksAt } from '../schemas/service-index.ts'
import { renderIndexPage } from './index-page.tsx'
import { renderProblemPage } from './problem-page.tsx'
import { reference } from './reference.tsx'
import { referenceRedirect } from './reference-redirect.tsx'

const index = defineRoute({
  method: 'get',
  path: '/',
  operationId: 'getIndex',
  tag: 'Documents',
  summary: 'Get the index',
  description:
    'Returns an overview of the service: a page for browsers, links as data for other clients. The page has a table of planets, which begins at the offset. The data do not depend on it.',
  since: '2.0.0',
  security: [],
  query: PageQuery.pick({ offset: true }),
  responses: {
    200: { description: 'The index', schema: Index, files: [HTML], headers: ['Content-Security-Policy'] },
  },
  async handle({ query: { offset } }, context) {
    const { baseUrl, headers } = context
    const body: Index = { name: 'Galaxy', version: CURRENT_API_VERSION, links: linksAt(baseUrl) }
    if (!prefersPage(headers)) return reply(200, body)
    const { content: catalogue } = await obtainCatalogue(context)
    return replyPage(await renderIndexPage({ catalogue, offset, baseUrl }), SCRIPT_POLICY)
  },
})

const problemPage = defineRoute({
  method: 'get',
  path: '/problems/{code}',
  operationId: 'getProblem',
  tag: 'Documents',
  summary: 'Get the explanation of a problem',
  description: 'Returns the page that the `type` of a problem links to.',
  since: '2.0.0',
  security: [],
  params: z.object({
    code: z.enum(keysOf(PROBLEMS)).meta({ description: 'The problem type', examples: ['not-found'] }),
  }),
  responses: {
    200: { description: 'A page that explains the problem', files: [HTML], headers: ['Content-Security-Policy'] },
  },
  async handle({ params }) {
    return replyPage(await renderProblemPage(params.code), TEXT_POLICY)
  },
})

/** The routes of the pages for people. */
export const siteRoutes: readonly Route[] = [index, reference, referenceRedirect, problemPage]
