import { doc } from '#doc'
import { renderPage } from '../design/page.tsx'
import { SCRIPT_POLICY } from '../design/policies.ts'
import { HTML, replyPage } from '../http/pages.ts'
import { defineRoute } from '../http/pipeline/route.ts'

/** The HTML is the same for everybody, because only the browser knows who has signed in. */
export const accountPage = defineRoute({
  method: 'get',
  path: '/account',
  operationId: 'getAccountPage',
  tag: 'Documents',
  summary: 'Get the account page',
  description: doc(
    'Returns a page on which users sign in, follow their deliveries, test the receivers of their subscriptions, use inboxes, and manage their account, their API keys, and the permissions of OAuth clients.',
  ),
  since: '2.0.0',
  security: [],
  responses: {
    200: { description: doc('The account page'), files: [HTML], headers: ['Content-Security-Policy'] },
  },
  async handle(_, { services }) {
    const content = <Placeholder offersTests={services.config.demoControls} />
    const page = await renderPage({
      title: ACCOUNT_TITLE,
      description: 'Your account of Galaxy: deliveries, subscriptions, inboxes, API keys, applications and profile.',
      width: 'wide',
      path: '/account',
      script: 'account',
      content,
    })
    return replyPage(page, SCRIPT_POLICY)
  },
})

const ACCOUNT_TITLE = 'Your Galaxy account'

/**
 * The content of the page until its script runs, or if it never runs.
 *
 * @param offersTests Whether receivers can be tested here, which the script reads (browser/account/offers-tests.ts)
 */
function Placeholder({ offersTests }: { offersTests: boolean }) {
  return (
    <div id="account" data-tests={offersTests ? '' : undefined}>
      <h1>Your account</h1>
      <p class="lead">
        Sign in to see what was sent to your receivers, to record calls in an inbox, and to manage your API keys and the
        applications that use your account.
      </p>
      <noscript>
        <p class="notice">
          This page needs JavaScript. The <a href="/docs">API</a> does the same without it: begin with{' '}
          <code>POST /auth/token</code>.
        </p>
      </noscript>
    </div>
  )
}
