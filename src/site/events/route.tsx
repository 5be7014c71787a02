import { doc } from '#doc'
import { renderPage } from '../../design/page.tsx'
import { SCRIPT_POLICY } from '../../design/policies.ts'
import { readAsyncDocument } from '../../features/documents/asyncapi.ts'
import type { AsyncDocument } from '../../features/documents/asyncapi-types.ts'
import { HTML, replyPage } from '../../http/pages.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { eventTypesOf } from '../../schemas/live/catalogue.ts'
import { CHANNELS, type ChannelName, type ChannelSpec, SOCKET_CHANNELS } from '../../schemas/live/channels.ts'
import { BODY_FILTERS, EVENT_QUERIES, isEventChannel } from '../../schemas/live/queries.ts'
import { Channel } from './channel.tsx'
import type { Connectable, ConnectFacts } from './connectable.ts'
import { Shapes } from './shapes.tsx'

/** The page about live events: the AsyncAPI document, and a form to connect. browser/pages/events.tsx runs on it. */
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
    const document = await readAsyncDocument(services.assets, baseUrl)
    const page = await renderPage({
      title: 'Live events of Galaxy',
      description:
        'The live events of Galaxy: channels, messages and schemas of the AsyncAPI document, and a form to connect.',
      path: '/docs/events',
      width: 'wide',
      script: 'events',
      content: <Content document={document} baseUrl={baseUrl} />,
    })
    return replyPage(page, SCRIPT_POLICY)
  },
})

/** The parts of the document that the script needs. */
const FACTS: ConnectFacts = {
  channels: SOCKET_CHANNELS.map((name): Connectable => {
    const { title, address, parameter }: ChannelSpec = CHANNELS[name]
    return {
      name,
      title,
      address,
      ...(parameter && { parameter }),
      types: isEventChannel(name) ? eventTypesOf(name) : [],
      hasBodyFilter: isEventChannel(name) && 'bodyType' in EVENT_QUERIES[name].shape,
    }
  }),
  // The channel with the most events.
  firstChannel: 'celestialBodyEvents' satisfies ChannelName,
  bodyTypes: BODY_FILTERS,
}

function Content({ document, baseUrl }: { document: AsyncDocument; baseUrl: string }) {
  return (
    <>
      <h1>Live events</h1>
      <p class="lead">
        What happens in Galaxy, as it happens. The events are real: they are caused by people who use the API. This page
        shows the AsyncAPI document, which you can also get <a href="/asyncapi.json">as JSON</a> and{' '}
        <a href="/asyncapi.yaml">as YAML</a>.
      </p>
      <h2>Connect</h2>
      <div id="events" data-facts={JSON.stringify(FACTS)} />
      <noscript>
        <p class="notice">This page connects with JavaScript, which your browser does not run.</p>
      </noscript>
      <InTerminal baseUrl={baseUrl} />
      <h2>Channels</h2>
      <p>
        A socket belongs to one channel. On a channel of events, the first frame says that the subscription has begun,
        and each later frame is one event. All channels are also available at <code>/ws/v2</code>.
      </p>
      {SOCKET_CHANNELS.map((name) => (
        <Channel name={name} document={document} />
      ))}
      <h2>Shapes</h2>
      <p>The schemas that several messages share.</p>
      <Shapes document={document} />
    </>
  )
}

function InTerminal({ baseUrl }: { baseUrl: string }) {
  return (
    <>
      <p>You can also receive the events of planets without a socket, for example in a terminal:</p>
      <pre>
        <code>curl -N {baseUrl}/planets/events</code>
      </pre>
    </>
  )
}
