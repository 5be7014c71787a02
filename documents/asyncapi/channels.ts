import { membersOf } from '../../src/lib/objects.ts'
import { CHANNEL_NAMES, CHANNELS, type ChannelName, type ChannelSpec } from '../../src/schemas/live/channels.ts'
import { EVENT_QUERIES, isEventChannel } from '../../src/schemas/live/queries.ts'
import { inlineSchema } from '../openapi/schemas.ts'
import type { Reference, Schema } from '../openapi/types.ts'
import { type ChannelMessage, referMessage } from './messages.ts'
import { simplify } from './schemas.ts'
import type { Channel } from './types.ts'

/** The header in which a client asks for a subprotocol. */
const SUBPROTOCOLS = {
  type: 'object',
  properties: {
    'Sec-WebSocket-Protocol': {
      type: 'string',
      description:
        'The subprotocols that you accept: `galaxy.v1` (the default: each frame is a payload) or `galaxy.envelope.v1` (each frame is `{headers, payload}`). If you name both, the service uses the one that you name first. `bearer.` followed by a token is a credential.',
      examples: ['galaxy.v1', 'galaxy.envelope.v1'],
    },
  },
}

/** @param messages All messages of the document */
export function describeChannels(messages: readonly ChannelMessage[]): Record<string, Channel> {
  return Object.fromEntries(CHANNEL_NAMES.map((name) => [name, describeChannel(name, messages)]))
}

function describeChannel(name: ChannelName, messages: readonly ChannelMessage[]): Channel {
  const { address, parameter, title, summary, description, tag, acceptsSockets }: ChannelSpec = CHANNELS[name]
  const ownMessages = messages.filter(({ channel }) => channel === name)
  return {
    address,
    title,
    summary,
    description,
    ...(parameter && { parameters: { [parameter]: { $ref: `#/components/parameters/${parameter}` } } }),
    messages: Object.fromEntries(ownMessages.map(({ key, message }) => [key, referMessage(message.name)])),
    tags: [{ name: tag }],
    bindings: {
      ws: {
        bindingVersion: '0.1.0',
        method: 'GET',
        ...queryOf(name),
        // Clients send this header when they open a socket. At the addresses of some channels, no socket can be opened.
        ...(acceptsSockets && { headers: SUBPROTOCOLS }),
      },
    },
  }
}

/** The query with which clients choose the events of a channel. A channel of requests has none. */
function queryOf(name: ChannelName): { query?: Schema } {
  if (!isEventChannel(name)) return {}
  return { query: membersOf(simplify(inlineSchema(EVENT_QUERIES[name], 'input', 'draft-07'))) }
}

export function messagesIn(channel: ChannelName, messages: readonly ChannelMessage[]): Reference[] {
  const ownMessages = messages.filter((message) => message.channel === channel)
  return ownMessages.map(({ key }) => ({ $ref: `#/channels/${channel}/messages/${key}` }))
}
