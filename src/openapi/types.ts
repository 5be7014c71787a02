// The parts of an OpenAPI document (3.1.1) that the document of this service uses. Tests validate the whole document
// against the OpenAPI meta-schema (test/service).

/** A JSON schema. Other objects of a document whose members the code does not need also have this type. */
export interface Schema {
  [keyword: string]: unknown
  type?: unknown
  anyOf?: unknown
  properties?: unknown
  additionalProperties?: unknown
  examples?: unknown
  default?: unknown
}

/** A reference to a component of the document. */
export interface Reference {
  $ref: string
}

/** An example of a value. */
export interface Example {
  summary?: string
  value: unknown
  [extension: `x-${string}`]: unknown
}

/** A body in one media type. */
export interface MediaType {
  schema: Schema
  examples?: Record<string, Example | Reference>
}

/** The request that a response leads to. It has either an `operationId` or an `operationRef`. */
export interface Link {
  operationId?: string
  operationRef?: string
  description: string
  parameters?: Readonly<Record<string, string>>
  requestBody?: string
}

/** A response to a request, or to a call that the service makes. */
export interface Response {
  description: string
  /** Absent in the responses of receivers to our calls. */
  headers?: Record<string, Reference>
  content?: Record<string, MediaType>
  links?: Record<string, Link | Reference>
}

/** A parameter of a request. */
export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  description: string
  required: boolean
  style?: 'form'
  explode?: boolean
  schema: Schema
  example?: unknown
}

/** A base URL. Variables are between braces. */
export interface Server {
  url: string
  description: string
  variables?: Record<string, { default: string; enum?: string[] }>
}

/** A method on a path, or an event that the service sends. */
export interface Operation {
  tags: string[]
  summary: string
  description: string
  operationId: string
  deprecated?: boolean
  security: Record<string, string[]>[]
  /** Absent if the operation is at the servers of the document. */
  servers?: Server[]
  parameters?: (Parameter | Reference)[]
  requestBody?: { description?: string; required: boolean; content: Record<string, MediaType> }
  responses: Record<string, Response | Reference>
  callbacks?: Record<string, Record<string, PathItem>>
  [extension: `x-${string}`]: unknown
}

/** The operations on a path, by method. */
export type PathItem = Record<string, Operation>

/** The whole document. */
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
    links?: Record<string, Link>
    responses: Record<string, Response>
    examples: Record<string, Example>
    schemas: Record<string, Schema>
  }
  [extension: `x-${string}`]: unknown
}
