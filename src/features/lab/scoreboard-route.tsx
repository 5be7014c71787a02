import { raw } from 'hono/html'
import { doc } from '#doc'
import { renderPage } from '../../design/page.tsx'
import { TEXT_POLICY } from '../../design/policies.ts'
import { HTML, replyPage } from '../../http/pages.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { readCaseFile } from './case-files.ts'

/** The page of the scoreboard. The build has rendered its content (scoreboard/page.tsx). */
export const scoreboardRoute = defineRoute({
  method: 'get',
  path: '/lab/scoreboard',
  operationId: 'getLabScoreboard',
  tag: 'Laboratory',
  summary: 'Get the scoreboard of the laboratory',
  description: doc('Returns a page that says what real clients of several languages send to the cases.'),
  since: '2.0.0',
  security: [],
  responses: {
    200: { description: doc('The scoreboard'), files: [HTML], headers: ['Content-Security-Policy'] },
  },
  async handle(_, { services }) {
    const page = await renderPage({
      title: 'Scoreboard of the laboratory',
      description: 'What real clients of many languages send to the cases of the laboratory, case by case.',
      width: 'wide',
      content: raw(await readCaseFile(services.assets, 'scoreboard')),
    })
    return replyPage(page, TEXT_POLICY)
  },
})
