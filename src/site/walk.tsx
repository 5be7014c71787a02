import { doc } from '#doc'
import { renderPage } from '../design/page.tsx'
import { SCRIPT_POLICY } from '../design/policies.ts'
import { HTML, replyPage } from '../http/pages.ts'
import { defineRoute } from '../http/pipeline/route.ts'
import { CreateUniverse, offersUniverses, UniverseOutcome } from './universe-offer.tsx'
import { WALK_STEPS } from './walk-steps.ts'

/** The page on which people use the API step by step. browser/pages/walk.tsx runs on it. */
export const walk = defineRoute({
  method: 'get',
  path: '/walk',
  operationId: 'getWalk',
  tag: 'Documents',
  summary: 'Get the tour',
  description: doc('Returns a page that leads people through the API: each step makes a real request and shows it.'),
  since: '2.0.0',
  security: [],
  responses: {
    200: { description: doc('The tour'), files: [HTML], headers: ['Content-Security-Policy'] },
  },
  async handle(_, { baseUrl, services }) {
    const content = <Content baseUrl={baseUrl} hasOffer={offersUniverses(services)} />
    const page = await renderPage({
      title: 'A tour of Galaxy',
      description:
        'A tour of the API: create an account and a planet, receive signed calls, and see each request and its response.',
      path: '/walk',
      width: 'wide',
      script: 'walk',
      content,
    })
    return replyPage(page, SCRIPT_POLICY)
  },
})

function Content({ baseUrl, hasOffer }: { baseUrl: string; hasOffer: boolean }) {
  return (
    <>
      <h1>A tour of the API</h1>
      <p class="lead">
        Sign up, create a planet, get called back about it, and blow it up. Each step makes a real request and shows it
        in full, with its response. You can also use curl to work with what you create here.
      </p>
      {hasOffer && <Offer />}
      <div id="walk" />
      <noscript>
        <Outline baseUrl={baseUrl} />
      </noscript>
    </>
  )
}

function Offer() {
  return (
    <div class="walk-offer needs-script">
      <p>
        You can take the tour in a universe, which is a world of your own. Everything works in the same way there,
        nobody else changes anything, and the universe ends by itself.
      </p>
      <CreateUniverse />
      <UniverseOutcome />
    </div>
  )
}

/** The tour for browsers without JavaScript. */
function Outline({ baseUrl }: { baseUrl: string }) {
  return (
    <>
      <p class="notice">
        This page makes the requests with JavaScript, which your browser does not run. You can take the same steps in a
        terminal with bash and curl (7.82 or newer).
      </p>
      <pre>
        <code>GALAXY={baseUrl}</code>
      </pre>
      <ol class="outline">
        {WALK_STEPS.map(({ title, why, shell }) => (
          <li>
            <h2>{title}</h2>
            <p>{why}</p>
            <pre>
              <code>{shell}</code>
            </pre>
          </li>
        ))}
      </ol>
      <p>
        The <a href="/docs">API reference</a> describes every operation.
      </p>
    </>
  )
}
