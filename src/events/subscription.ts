import type { EventType } from '../schemas/live/catalogue.ts'
import type { BODY_TYPES } from '../schemas/live/queries.ts'
import type { EventChannelName } from '../schemas/live/spec.ts'

/** The sources that a client can connect to: the channels of sockets, and the stream over HTTP. */
export type SubscribedChannel = EventChannelName | 'planetRequest' | 'planetStream'

/**
 * The events that a socket gets. A subscription is stored with its socket, in at most 2,048 bytes, so that it survives
 * the hibernation of the hub.
 */
export interface Subscription {
  channel: SubscribedChannel
  /** The planet or the user of the channel; null if the channel has none. */
  subject: number | null
  /** The types of events that are wanted; null for all types of the channel. */
  eventTypes: readonly EventType[] | null
  bodyType: (typeof BODY_TYPES)[number] | null
  minHabitability: number | null
  /** Whether each frame is an envelope of headers and payload. */
  isEnveloped: boolean
  /** The user who listens, for events that only this user may see; null if nobody signed in. */
  userId: number | null
  /** Whether the credential has the scope for the events of the user's own account (`read:user:events`). */
  hearsOwnEvents: boolean
  /** The holder that the limit of sockets counts: a user, or a client address. */
  holder: string
  /** Identifies the credential; null if there was none. */
  credential: SocketCredential | null
  /** The base URL of the service at the address of the socket, for replies. */
  baseUrl: string
}

/** The credential with which a socket was opened. The socket ends with it. */
export interface SocketCredential {
  userId: number
  keyId: number | null
  grantId: string | null
  /** When it expires, in milliseconds since 1970; null if it does not. */
  endsAt: number | null
}

/** How a subscription begins. */
export interface SubscriptionStart {
  /** The identifiers of the request, which the acknowledgement repeats. */
  requestId: string
  correlationId: string
  /** Whether the newest events of the log are sent first. */
  includesHistory: boolean
  /** The last event that the client has received, so that all later ones are sent first; null if it names none. */
  lastEventId: string | null
  /** The newest position in the log when the credential was checked. Up to there, it was valid. */
  checkedAt: number
  /** How many sockets the holder may have. */
  limit: number
}

/** Why the hub refuses a socket. */
export type HubRefusal = 'limit' | 'full' | 'credential-ended'

/** The result of a connection to the hub: a response that opens a WebSocket, or a refusal. */
export type Connection = { response: Response } | { refusal: HubRefusal }

/** The hub of a world, as the rest of the service uses it. */
export interface HubAccess {
  /** Whether the hub is in this isolate. If so, what it opens is handed on to the entry of the Worker as a socket. */
  readonly isHere: boolean
  /** Tells the hub that the log has something new. The request does not wait for it. */
  notify(): void
  /** Opens a socket. @throws Error if the hub cannot be reached, or cannot read the log */
  connect(subscription: Subscription, start: SubscriptionStart): Promise<Connection>
}
