import { raw } from 'hono/html'
import * as z from 'zod'
import { doc } from '#doc'
import { renderPage } from '../../design/page.tsx'
import { SCRIPT_POLICY, TEXT_POLICY } from '../../design/policies.ts'
import { ProblemError } from '../../domain/problems.ts'
import { PAGE_FAILURES, PAGE_NOT_FOUND } from '../../http/page-responses.ts'
import { HTML, replyPage } from '../../http/pages.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { findClientPage, readCaseFile } from './case-files.ts'

// The build has rendered the contents of these pages (laboratory/pages).

const COMMON = { method: 'get', tag: 'Laboratory', since: '2.0.0', security: [] } as const
const SCOREBOARD = '/lab/scoreboard'

const scoreboard = defineRoute({
  ...COMMON,
  path: SCOREBOARD,
  operationId: 'getLabScoreboard',
  summary: 'Get the scoreboard of the laboratory',
  description: doc('Returns a page that says what real clients of several languages send to the cases.'),
  responses: {
    200: { description: doc('The scoreboard'), files: [HTML], headers: ['Content-Security-Policy'] },
  },
  async handle(_, { services }) {
    const page = await renderPage({
      title: 'Scoreboard of the laboratory',
      description: 'What real clients of many languages send to the cases of the laboratory, case by case.',
      width: 'wide',
      script: 'scoreboard',
      content: raw(await readCaseFile(services.assets, 'scoreboard')),
    })
    return replyPage(page, SCRIPT_POLICY)
  },
})

const ClientPath = z.object({
  client: z
    .string()
    .regex(/^[a-z\d-]{1,80}$/)
    .meta({ description: doc('The client, as the addresses of the scoreboard name it'), examples: ['hey-api'] }),
})

const client = defineRoute({
  ...COMMON,
  path: `${SCOREBOARD}/{client}`,
  operationId: 'getLabScoreboardClient',
  summary: 'Get the page about a client of the scoreboard',
  description: doc('Returns a page that says what one client sends to the cases, and why cases failed.'),
  errorStyle: 'page',
  params: ClientPath,
  responses: {
    200: { description: doc('The page about the client'), files: [HTML], headers: ['Content-Security-Policy'] },
    ...PAGE_FAILURES,
    ...PAGE_NOT_FOUND,
  },
  async handle({ params }, { services }) {
    const content = await findClientPage(services.assets, params.client)
    if (content === undefined)
      throw new ProblemError('not-found', 'There is no such client. The page /lab/scoreboard has all of them.')
    const page = await renderPage({
      title: `${params.client} on the scoreboard`,
      description: `What ${params.client} sends to the cases of the laboratory, and why cases failed.`,
      width: 'wide',
      content: raw(content),
    })
    return replyPage(page, TEXT_POLICY)
  },
})

/** The pages of the scoreboard. */
export const scoreboardRoutes: readonly Route[] = [scoreboard, client]
