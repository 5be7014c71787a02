import type { EventType } from '../schemas/live/catalogue.ts'
import type { BODY_FILTERS } from '../schemas/live/queries.ts'
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
  /** The types of events that the client wants; null for all types of the channel. */
  eventTypes: readonly EventType[] | null
  bodyType: (typeof BODY_FILTERS)[number] | null
  minHabitability: number | null
  /** Whether each frame is an envelope of headers and payload. */
  isEnveloped: boolean
  /** The user who listens, and who may see events that nobody else may see; null if the client sent no credential. */
  userId: number | null
  /** Whether the credential has the scope for the events of the user's own account (`read:user:events`). */
  hearsOwnEvents: boolean
  /** The user or the client address whose limit of sockets counts this socket. */
  holder: string
  /** Identifies the credential; null if the client sent none. */
  credential: SocketCredential | null
  /** The base URL of the service at the address of the socket, for replies. */
  baseUrl: string
  /**
   * Identifies the connection to the client among those that the entry of the Worker holds (`HeldConnections`). Null if
   * nobody holds the connection. Nobody else may learn the id.
   */
  connectionId: string | null
}

/** The credential with which a socket was opened. When the credential ends, the hub closes the socket. */
export interface SocketCredential {
  userId: number
  keyId: number | null
  grantId: string | null
  /** When the credential expires, in milliseconds since 1970; null if it never expires. */
  endsAt: number | null
}

export interface SubscriptionStart {
  /** The identifiers of the request, which the acknowledgement repeats. */
  requestId: string
  correlationId: string
  /** Whether the newest events of the log are sent first. */
  includesHistory: boolean
  /**
   * The last event that the client has received. All later events are sent first. Null if the client names no event.
   */
  lastEventId: string | null
  /** Not a time: the place (sequence number) of the newest row of the log when the credential was found valid. */
  checkedAt: number
  /** How many sockets the holder may have. */
  limit: number
}

/**
 * Why the hub refuses a socket: the holder has too many sockets (`limit`), the hub has too many sockets (`full`), or
 * the credential has ended since it was checked.
 */
export type HubRefusal = 'limit' | 'full' | 'credential-ended'

/** The result of a connection to the hub: a response that opens a WebSocket, or a refusal. */
export type Connection = { response: Response } | { refusal: HubRefusal }

/** The hub of a world, as the rest of the service uses it. */
export interface HubAccess {
  /**
   * Whether the hub runs in the same Durable Object as the app, as in a universe. Then the app returns only the socket
   * of a stream over HTTP, and the entry of the Worker makes the stream, so that the object can hibernate.
   */
  readonly sharesObjectWithApp: boolean
  /** Tells the hub that the log has new rows. The request does not wait for the hub. */
  notify(): void
  /**
   * Like `notify`, but resolves when the hub has read the new rows.
   *
   * @throws Error if the hub cannot be reached, or cannot read the log
   */
  notifyNow(): Promise<void>
  /**
   * Opens a socket.
   *
   * @throws Error if the hub cannot be reached, or cannot read the log
   */
  connect(subscription: Subscription, start: SubscriptionStart): Promise<Connection>
}
