import { CHANNELS, type ChannelName } from '../../src/schemas/live/channels.ts'
import type { Reference } from '../openapi/types.ts'
import { messagesIn } from './channels.ts'
import type { ChannelMessage } from './messages.ts'
import type { Operation } from './types.ts'

/** The facts from which an operation of the document is made. */
interface OperationSource {
  action: Operation['action']
  channel: ChannelName
  /** The channel of the reply, which arrives on the same socket. */
  reply: ChannelName
  title: string
  needsCredentials?: true
  description: string
}

/** Registry: the operations, from the view of a client. `receive` is for events that are sent to the client. */
const OPERATIONS: Readonly<Record<string, OperationSource>> = {
  subscribeToPlanetEvents: {
    action: 'receive',
    channel: 'planetEvents',
    reply: 'subscriptionAck',
    title: 'Subscribe to planet events',
    description: 'Open a socket to receive the events of one planet.',
  },
  subscribeToUserEvents: {
    action: 'receive',
    channel: 'userEvents',
    reply: 'subscriptionAck',
    title: 'Subscribe to user events',
    needsCredentials: true,
    description: 'Open a socket to receive the events of your own account.',
  },
  subscribeToSystemEvents: {
    action: 'receive',
    channel: 'systemEvents',
    reply: 'subscriptionAck',
    title: 'Subscribe to system events',
    description: 'Open a socket to receive news of the service.',
  },
  subscribeToCelestialBodyEvents: {
    action: 'receive',
    channel: 'celestialBodyEvents',
    reply: 'subscriptionAck',
    title: 'Subscribe to celestial body events',
    description: 'Open a socket to receive the events of all planets and satellites.',
  },
  getPlanet: {
    action: 'send',
    channel: 'planetRequest',
    reply: 'planetResponse',
    title: 'Get a planet',
    description:
      'Send a request for a planet. The planet, or a problem document, arrives on the same socket. A reply address in the headers is ignored.',
  },
}

/** @param messages All messages of the document */
export function describeOperations(messages: readonly ChannelMessage[]): Record<string, Operation> {
  return Object.fromEntries(
    Object.entries(OPERATIONS).map(([name, source]) => [name, describeOperation(source, messages)]),
  )
}

function describeOperation(source: OperationSource, messages: readonly ChannelMessage[]): Operation {
  const { action, channel, reply, title, needsCredentials, description } = source
  return {
    action,
    channel: referChannel(channel),
    title,
    summary: CHANNELS[channel].summary,
    description,
    traits: [...(needsCredentials ? [referTrait('authenticated')] : []), referTrait('rateLimited')],
    tags: [{ name: CHANNELS[channel].tag }],
    messages: messagesIn(channel, messages),
    reply: { channel: referChannel(reply), messages: messagesIn(reply, messages) },
  }
}

const referChannel = (name: ChannelName): Reference => ({ $ref: `#/channels/${name}` })

const referTrait = (name: string): Reference => ({ $ref: `#/components/operationTraits/${name}` })
