import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'
import { eventTypesOf } from '../../src/schemas/live/catalogue.ts'
import { CHANNELS, type ChannelName, type ChannelSpec, SOCKET_CHANNELS } from '../../src/schemas/live/channels.ts'
import { BODY_FILTERS, EVENT_QUERIES, isEventChannel } from '../../src/schemas/live/queries.ts'
import type { AsyncDocument } from '../asyncapi/types.ts'
import { Channel } from './channel.tsx'
import type { Connectable, ConnectFacts } from './connectable.ts'
import { Shapes } from './shapes.tsx'

/** The content of the page /docs/events, as HTML: the AsyncAPI document, and what the form to connect needs. */
export const renderEventsPage = (document: AsyncDocument): string => String(<Content document={document} />)

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

function Content({ document }: { document: AsyncDocument }) {
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
      <InTerminal />
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

function InTerminal() {
  return (
    <>
      <p>You can also receive the events of planets without a socket, for example in a terminal:</p>
      <pre>
        <code>curl -N {EXAMPLE_ORIGIN}/planets/events</code>
      </pre>
    </>
  )
}
