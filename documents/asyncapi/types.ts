import type { Reference, Schema } from '../openapi/types.ts'

// The parts of an AsyncAPI document (3.0.0) that the document of this service uses. Tests validate the whole document.

/** A server. Its host, path and protocol can be placeholders (domain/event-servers.ts). */
export interface Server {
  host: string
  pathname: string
  protocol: string
  protocolVersion: string
  title: string
  description: string
}

export interface ChannelParameter {
  description: string
  default?: string
  examples: string[]
  /** The place of the parameter in a message, as a runtime expression. */
  location: string
}

export interface MessageExample {
  name: string
  summary: string
  headers: Schema
  payload: unknown
}

/** A message on a socket: an event, a request or a reply. */
export interface Message {
  name: string
  title: string
  summary: string
  description: string
  contentType: string
  traits: Reference[]
  payload: Schema
  tags: { name: string }[]
  examples: MessageExample[]
}

/** A channel: an address and its messages. A channel of replies has no sockets of its own. */
export interface Channel {
  address: string
  title: string
  summary: string
  description: string
  parameters?: Record<string, Reference>
  messages: Record<string, Reference>
  tags: { name: string }[]
  bindings: { ws: { bindingVersion: string; method: 'GET'; query?: Schema; headers?: Schema } }
}

/** What a client does with a channel: it receives events, or sends requests. */
export interface Operation {
  action: 'receive' | 'send'
  channel: Reference
  title: string
  summary: string
  description: string
  traits: Reference[]
  tags: { name: string }[]
  messages: Reference[]
  reply: { channel: Reference; messages: Reference[] }
}

export interface AsyncDocument {
  asyncapi: '3.0.0'
  id: string
  info: Schema
  servers: Record<string, Server>
  defaultContentType: string
  channels: Record<string, Channel>
  operations: Record<string, Operation>
  components: {
    securitySchemes: Record<string, Schema>
    parameters: Record<string, ChannelParameter>
    operationTraits: Record<string, Schema>
    messageTraits: Record<string, Schema>
    messages: Record<string, Message>
    schemas: Record<string, Schema>
  }
}
