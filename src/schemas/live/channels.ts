import { doc } from '#doc'
import { keysOf } from '../../lib/objects.ts'
import type { EventChannelName } from './spec.ts'

/** A channel of the AsyncAPI document. Each socket belongs to one channel. */
export interface ChannelSpec {
  /** The path of the channel below `/ws/v1/` and `/ws/v2/`. */
  address: string
  /** Whether sockets can be opened at the address. False if the messages arrive on sockets of other channels. */
  acceptsSockets: boolean
  parameter?: 'planetId' | 'userId'
  tag: 'Planets' | 'Users' | 'System' | 'Celestial Bodies'
  title: string
  summary: string
  description: string
}

const NO_OWN_SOCKET = 'The channel has no sockets of its own: a socket cannot be opened at its address.'

/**
 * Registry: the channels, in the order of the AsyncAPI document: those that carry events (`LIVE_EVENTS` says which),
 * and those for acknowledgements, requests and replies.
 */
export const CHANNELS = {
  planetEvents: {
    address: 'planets/{planetId}/events',
    acceptsSockets: true,
    parameter: 'planetId',
    tag: 'Planets',
    title: 'Planet events',
    summary: 'Events of one planet.',
    description: doc(
      'The events of one planet. Any planet ID is accepted, even if the planet was deleted or does not exist yet. No credentials are needed.',
    ),
  },
  userEvents: {
    address: 'users/{userId}/events',
    acceptsSockets: true,
    parameter: 'userId',
    tag: 'Users',
    title: 'User events',
    summary: 'The events of your own account.',
    description: doc(
      'The events of one account. Only its user can open the channel, with the scope `read:user:events`, because the events contain e-mail addresses, client addresses and user agents.',
    ),
  },
  systemEvents: {
    address: 'system/events',
    acceptsSockets: true,
    tag: 'System',
    title: 'System events',
    summary: 'News of the service.',
    description: doc(
      'News of the service for everybody. No credentials are needed. With credentials, you also get an event if you exceed a limit.',
    ),
  },
  celestialBodyEvents: {
    address: 'celestial-bodies/events',
    acceptsSockets: true,
    tag: 'Celestial Bodies',
    title: 'Celestial body events',
    summary: 'Events of all planets and satellites.',
    description: doc(
      'The events of all planets and satellites. No credentials are needed. The channel of the planet has another event for the same change, with the same `metadata.requestId`.',
    ),
  },
  subscriptionAck: {
    address: 'subscriptions/ack',
    acceptsSockets: false,
    tag: 'System',
    title: 'Subscription acknowledgement',
    summary: 'The first frame on every channel of events.',
    description: doc(
      `Says that a subscription has begun, on the socket of the subscription, before the first event. ${NO_OWN_SOCKET}`,
    ),
  },
  planetRequest: {
    address: 'planets/{planetId}/get',
    acceptsSockets: true,
    parameter: 'planetId',
    tag: 'Planets',
    title: 'Planet request',
    summary: 'Request planets.',
    description: doc(
      'The socket for requests and their replies. Replies come in the order of the requests. No credentials are needed.',
    ),
  },
  planetResponse: {
    address: 'planets/{planetId}/response',
    acceptsSockets: false,
    parameter: 'planetId',
    tag: 'Planets',
    title: 'Planet response',
    summary: 'The replies to requests for planets.',
    description: doc(
      `Carries the planet, or a problem document, on the socket that sent the request. ${NO_OWN_SOCKET}`,
    ),
  },
} as const satisfies Record<EventChannelName, ChannelSpec> & Record<string, ChannelSpec>

export type ChannelName = keyof typeof CHANNELS

export const CHANNEL_NAMES: readonly ChannelName[] = keysOf(CHANNELS)

/** The channels at whose addresses a socket can be opened. */
export const SOCKET_CHANNELS: readonly ChannelName[] = CHANNEL_NAMES.filter((name) => CHANNELS[name].acceptsSockets)
