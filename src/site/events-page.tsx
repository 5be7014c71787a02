import { raw } from 'hono/html'
import { doc } from '#doc'
import { renderPage } from '../design/page.tsx'
import { SCRIPT_POLICY } from '../design/policies.ts'
import { atOrigin } from '../domain/example-origin.ts'
import { EVENTS_PAGE_FILE, readDocument } from '../features/documents/files.ts'
import { HTML, replyPage } from '../http/pages.ts'
import { defineRoute } from '../http/pipeline/route.ts'

/** The build has rendered its content (documents/events-page). browser/pages/events.tsx runs on it. */
export const eventsPage = defineRoute({
  method: 'get',
  path: '/docs/events',
  operationId: 'getEventsPage',
  tag: 'Documents',
  summary: 'Get the page about live events',
  description: doc('Returns a page that shows the AsyncAPI document, and that connects to the channels of events.'),
  since: '2.0.0',
  security: [],
  responses: {
    200: { description: doc('The page about live events'), files: [HTML], headers: ['Content-Security-Policy'] },
  },
  async handle(_, { baseUrl, services }) {
    const content = await readDocument(services.assets, EVENTS_PAGE_FILE)
    const page = await renderPage({
      title: 'Live events of Galaxy',
      description:
        'The live events of Galaxy: channels, messages and schemas of the AsyncAPI document, and a form to connect.',
      path: '/docs/events',
      width: 'wide',
      script: 'events',
      content: raw(atOrigin(content, baseUrl)),
    })
    return replyPage(page, SCRIPT_POLICY)
  },
})
