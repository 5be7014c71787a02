// The parts of an OpenAPI document (3.1.1) that the document of this service uses. Tests validate the whole document
// against the OpenAPI meta-schema (test/service).

export interface Schema {
  [keyword: string]: unknown
  type?: unknown
  anyOf?: unknown
  properties?: unknown
  additionalProperties?: unknown
  examples?: unknown
  default?: unknown
}

export interface Reference {
  $ref: string
}

export interface Example {
  summary?: string
  value: unknown
  [extension: `x-${string}`]: unknown
}

export interface MediaType {
  schema: Schema
  examples?: Record<string, Example | Reference>
}

export interface Response {
  description: string
  /** Absent in the responses of receivers to our calls. */
  headers?: Record<string, Reference>
  content?: Record<string, MediaType>
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  description: string
  required: boolean
  schema: Schema
  example?: unknown
}

/** A base URL. Variables are between braces. */
export interface Server {
  url: string
  description: string
  variables?: Record<string, { default: string; enum?: string[] }>
}

export interface Operation {
  tags: string[]
  summary: string
  description: string
  operationId: string
  deprecated?: boolean
  security: Record<string, string[]>[]
  /** Absent if the operation is found at the servers of the document. */
  servers?: Server[]
  parameters?: (Parameter | Reference)[]
  requestBody?: { description?: string; required: boolean; content: Record<string, MediaType> }
  responses: Record<string, Response | Reference>
  callbacks?: Record<string, Record<string, PathItem>>
  [extension: `x-${string}`]: unknown
}

export type PathItem = Record<string, Operation>

export interface Document {
  openapi: '3.1.1'
  info: Schema
  externalDocs: Schema
  servers: Server[]
  security: Record<string, string[]>[]
  tags: { name: string; description: string }[]
  paths: Record<string, PathItem>
  webhooks: Record<string, PathItem>
  components: {
    securitySchemes: Record<string, Schema>
    parameters: Record<string, Parameter>
    headers: Record<string, Schema>
    responses: Record<string, Response>
    examples: Record<string, Example>
    schemas: Record<string, Schema>
  }
  [extension: `x-${string}`]: unknown
}
