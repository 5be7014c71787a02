import { doc } from '#doc'
import { TEXT_POLICY } from '../../design/policies.ts'
import { RenderedPage } from '../../design/rendered-page.ts'
import { HTML, replyPage } from '../../http/pages.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { readCaseFile } from './case-files.ts'

/** The page of the scoreboard. The build has written it (scoreboard/page.tsx). */
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
    return replyPage(new RenderedPage(await readCaseFile(services.assets, 'scoreboard'), false), TEXT_POLICY)
  },
})
