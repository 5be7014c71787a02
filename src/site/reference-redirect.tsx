import { doc } from '#doc'
import { renderPage } from '../design/page.tsx'
import { TEXT_POLICY } from '../design/policies.ts'
import { HTML, replyPage } from '../http/pages.ts'
import { defineRoute } from '../http/pipeline/route.ts'
import { NO_STORE } from '../http/pipeline/send-reply.ts'

/** The redirect URI with which the API reference is registered as an OAuth client (migrations/). */
export const REDIRECT_PATH = '/docs/oauth2-redirect'

const TITLE = 'Back to the API reference'

/**
 * The page on which the popup of a sign-in from the API reference ends. The reference reads the response of the sign-in
 * from the URL of the popup. This URL contains a secret, so the page must not be cached.
 */
export const referenceRedirect = defineRoute({
  method: 'get',
  path: REDIRECT_PATH,
  operationId: 'getReferenceRedirect',
  tag: 'Documents',
  summary: 'Get the page on which a sign-in from the API reference ends',
  description: doc(
    'Returns the page to which the API reference, as an OAuth client, redirects the popup of a sign-in.',
  ),
  since: '2.0.0',
  security: [],
  responses: {
    200: { description: doc('The page'), files: [HTML], headers: ['Content-Security-Policy'] },
  },
  async handle() {
    const content = (
      <>
        <h1>{TITLE}</h1>
        <p>You can close this window.</p>
      </>
    )
    const page = await renderPage({
      title: TITLE,
      description: 'The sign-in from the API reference ends here.',
      width: 'form',
      content,
    })
    return replyPage(page, TEXT_POLICY, { 'Cache-Control': NO_STORE })
  },
})
