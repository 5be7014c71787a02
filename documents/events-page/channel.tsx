import type { Child } from 'hono/jsx'
import { formatJson } from '../../src/design/format-json.ts'
import { type EventType, eventTypesOf, LIVE_EVENTS } from '../../src/schemas/live/catalogue.ts'
import type { ChannelName } from '../../src/schemas/live/channels.ts'
import { isEventChannel } from '../../src/schemas/live/queries.ts'
import type { LiveEventSpec } from '../../src/schemas/live/spec.ts'
import type { AsyncDocument, Message } from '../asyncapi/types.ts'
import type { Schema } from '../openapi/types.ts'
import { MemberList } from './member-list.tsx'
import { Prose } from './prose.tsx'

interface ChannelProps {
  name: ChannelName
  document: AsyncDocument
}

/** A channel: its address, its query parameters and its messages. */
export function Channel({ name, document }: ChannelProps) {
  const channel = document.channels[name]
  if (!channel) return null
  const { title, description, address, bindings } = channel
  const { query } = bindings.ws
  return (
    <section aria-labelledby={name} class="event-channel">
      <h3 id={name}>{title}</h3>
      <p>
        <code>/ws/v1/{address}</code>
      </p>
      <p>
        <Prose text={description} />
      </p>
      {query?.properties !== undefined && <QueryParameters query={query} />}
      {isEventChannel(name)
        ? eventTypesOf(name).map((type) => <EventDetails type={type} document={document} />)
        : PLANET_REQUEST_MESSAGES.map((message) => (
            <OtherMessage message={messageOf(document, message)} document={document} />
          ))}
    </section>
  )
}

/** The messages of a socket on which a client asks for planets: the request and its replies. */
const PLANET_REQUEST_MESSAGES = ['GetPlanetRequest', 'PlanetResponse', 'PlanetProblem']

function QueryParameters({ query }: { query: Schema }) {
  return (
    <details>
      <summary>Query parameters</summary>
      <MemberList schema={query} />
    </details>
  )
}

function EventDetails({ type, document }: { type: EventType; document: AsyncDocument }) {
  const { message, summary, audience, isTriggerableByAnyone }: LiveEventSpec = LIVE_EVENTS[type]
  return (
    <details id={type} class="event">
      <summary>
        <strong>
          <code>{type}</code>
        </strong>{' '}
        {summary}
      </summary>
      <Contents message={messageOf(document, message)} document={document}>
        <p>
          {audience === 'user' ? 'Only the user whom the event is about receives it.' : 'Everybody can receive it.'}{' '}
          {isTriggerableByAnyone
            ? 'Every user can make such an event about their own account with POST /events.'
            : 'The owner of a universe can make such an event in the universe with POST /events.'}
        </p>
      </Contents>
    </details>
  )
}

function OtherMessage({ message, document }: ContentsProps) {
  return (
    <details class="event">
      <summary>
        <strong>{message.title}</strong> {message.summary}
      </summary>
      <Contents message={message} document={document} />
    </details>
  )
}

/** @throws Error if the document has none of this name */
function messageOf({ components }: AsyncDocument, name: string): Message {
  const message = components.messages[name]
  if (!message) throw new Error(`the AsyncAPI document has no message ${name}`)
  return message
}

interface ContentsProps {
  message: Message
  document: AsyncDocument
  children?: Child
}

/** What a message means, its members and its example. */
function Contents({ message, document, children }: ContentsProps) {
  if (!message) return null
  // The payload of each message is a reference to a schema, whose name is the last segment.
  const shape = String(message.payload.$ref).split('/').at(-1) ?? ''
  return (
    <>
      <p>
        <Prose text={message.description} />
      </p>
      {children}
      <MemberList schema={document.components.schemas[shape] ?? {}} />
      {message.examples.map(({ payload }) => (
        <pre>
          <code>{formatJson(JSON.stringify(payload))}</code>
        </pre>
      ))}
    </>
  )
}
