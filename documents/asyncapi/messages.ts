import type * as z from 'zod'
import { exampleProblem } from '../../src/http/examples.ts'
import { LivePlanet } from '../../src/schemas/live/bodies.ts'
import { EVENT_TYPES, LIVE_EVENTS } from '../../src/schemas/live/catalogue.ts'
import { CHANNELS, type ChannelName } from '../../src/schemas/live/channels.ts'
import { EXAMPLE_REQUEST_ID } from '../../src/schemas/live/parts.ts'
import { GetPlanetRequest, LiveProblem, SubscriptionAcknowledged } from '../../src/schemas/live/replies.ts'
import { CAUSED_ANONYMOUSLY, type LiveEventSpec, MARS } from '../../src/schemas/live/spec.ts'
import { inlineSchema } from '../openapi/schemas.ts'
import type { Message } from './types.ts'

/** A message of the document, and the channel that carries it. */
export interface ChannelMessage {
  channel: ChannelName
  /** The name that the message has in its channel. */
  key: string
  message: Message
}

/** The facts from which a message of the document is made. */
interface MessageSource {
  name: string
  channel: ChannelName
  /** The name that the message has in its channel. */
  key: string
  title: string
  summary: string
  description: string
  payload: z.ZodType
  example: { name: string; summary: string; payload: unknown }
}

/** The messages that are not events. */
const OTHER_MESSAGES: readonly MessageSource[] = [
  {
    name: 'SubscriptionAcknowledged',
    channel: 'subscriptionAck',
    key: 'subscriptionAcknowledged',
    title: 'Subscription acknowledged',
    summary: 'A subscription has begun.',
    description: 'The first frame of a socket that receives events.',
    payload: SubscriptionAcknowledged,
    example: {
      name: 'Subscription Accepted',
      summary: 'Events follow',
      payload: {
        subscriptionId: '0d9a9bb4-6a39-4a0f-9c7e-3f1d6a1b2c3d',
        status: 'subscribed',
        timestamp: '2026-01-15T14:30:00.000Z',
        metadata: CAUSED_ANONYMOUSLY,
      },
    },
  },
  {
    name: 'GetPlanetRequest',
    channel: 'planetRequest',
    key: 'getPlanet',
    title: 'Get planet request',
    summary: 'Asks for a planet.',
    description: 'A request for one planet. The planet can differ from the planet in the address of the socket.',
    payload: GetPlanetRequest,
    example: { name: 'Get Mars', summary: 'Asks for Mars', payload: { requestId: 'request-1', planetId: MARS.id } },
  },
  {
    name: 'PlanetResponse',
    channel: 'planetResponse',
    key: 'planet',
    title: 'Planet response',
    summary: 'The planet.',
    description: 'The requested planet, with the members that planets have in events.',
    payload: LivePlanet,
    example: {
      name: 'Mars',
      summary: 'The planet with the ID 4',
      payload: { ...MARS, description: 'The red planet', type: 'terrestrial', habitabilityIndex: 0.68 },
    },
  },
  {
    name: 'PlanetProblem',
    channel: 'planetResponse',
    key: 'problem',
    title: 'Problem',
    summary: 'The request failed.',
    description:
      'The request is not valid (400), there is no such planet (404), or the planet cannot be read at the moment (503). The socket stays open.',
    payload: LiveProblem,
    example: {
      name: 'No Such Planet',
      summary: 'There is no planet with this ID',
      payload: { ...exampleProblem('not-found'), requestId: 'request-1' },
    },
  },
]

export function channelMessages(): ChannelMessage[] {
  const eventSpecs = EVENT_TYPES.map((type): LiveEventSpec => LIVE_EVENTS[type])
  const eventMessages = eventSpecs.map(
    ({ message: name, ...spec }): MessageSource => ({ ...spec, name, key: lowerFirst(name) }),
  )
  return [...eventMessages, ...OTHER_MESSAGES].map(({ channel, key, ...source }) => ({
    channel,
    key,
    message: describeMessage(source, channel),
  }))
}

/** The headers of an example, as the envelope contains them. */
const EXAMPLE_HEADERS = { correlationId: EXAMPLE_REQUEST_ID, 'x-request-id': EXAMPLE_REQUEST_ID }

function describeMessage(source: Omit<MessageSource, 'channel' | 'key'>, channel: ChannelName): Message {
  const { name, title, summary, description, payload, example } = source
  return {
    name,
    title,
    summary,
    description,
    contentType: 'application/json',
    traits: [{ $ref: '#/components/messageTraits/commonHeaders' }],
    payload: inlineSchema(payload, 'output', 'draft-07'),
    tags: [{ name: CHANNELS[channel].tag }],
    examples: [{ name: example.name, summary: example.summary, headers: EXAMPLE_HEADERS, payload: example.payload }],
  }
}

export function referMessage(name: string): { $ref: string } {
  return { $ref: `#/components/messages/${name}` }
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}
