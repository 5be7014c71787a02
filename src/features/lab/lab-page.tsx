import { raw } from 'hono/html'
import { doc } from '#doc'
import { renderPage } from '../../design/page.tsx'
import { SCRIPT_POLICY } from '../../design/policies.ts'
import { atOrigin } from '../../domain/example-origin.ts'
import { HTML, replyPage } from '../../http/pages.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { readCaseFile } from './case-files.ts'

/** The page about the laboratory and its cases. The build has rendered its content (laboratory/pages). */
export const labPage = defineRoute({
  method: 'get',
  path: '/lab',
  operationId: 'getLabPage',
  tag: 'Laboratory',
  summary: 'Get the page about the laboratory',
  description: doc('Returns a page that explains the laboratory and lists its cases.'),
  since: '2.0.0',
  security: [],
  responses: {
    200: { description: doc('The page about the laboratory'), files: [HTML], headers: ['Content-Security-Policy'] },
  },
  async handle(_, { baseUrl, services }) {
    const cases = await readCaseFile(services.assets, 'page')
    const page = await renderPage({
      title: 'The laboratory of Galaxy',
      description: 'Cases that judge what an API client sends, byte by byte, and runs that record it for CI.',
      width: 'wide',
      path: '/lab',
      script: 'lab',
      content: raw(atOrigin(cases, baseUrl)),
    })
    return replyPage(page, SCRIPT_POLICY)
  },
})
