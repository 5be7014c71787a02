import type { Reference, Schema } from '../openapi/types.ts'

// The parts of an AsyncAPI document (3.0.0) that the document of this service uses. Tests validate the whole document.

export interface Server {
  host: string
  pathname: string
  protocol: string
  protocolVersion: string
  title: string
  description: string
}

export interface Parameter {
  description: string
  default?: string
  examples: string[]
  location: string
}

export interface MessageExample {
  name: string
  summary: string
  headers: Schema
  payload: unknown
}

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
    parameters: Record<string, Parameter>
    operationTraits: Record<string, Schema>
    messageTraits: Record<string, Schema>
    messages: Record<string, Message>
    schemas: Record<string, Schema>
  }
}
