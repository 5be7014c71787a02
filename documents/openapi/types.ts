// The parts of an OpenAPI document (3.1.1 or 3.2.0) that the document of this service uses. Tests validate the whole document
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

export interface Reference {
  $ref: string
}

/** An example of a value. In OpenAPI 3.2, one that is not JSON has the value and its text instead of `value`. */
export interface Example {
  summary?: string
  value?: unknown
  dataValue?: unknown
  serializedValue?: string
  [extension: `x-${string}`]: unknown
}

export interface MediaType {
  /** Absent for a stream in OpenAPI 3.2. */
  schema?: Schema
  /** The schema of an item of a stream (OpenAPI 3.2). */
  itemSchema?: Schema
  /** How members of a form are written, by name, if a list is not a repeated field. */
  encoding?: Record<string, { style: 'form'; explode: false }>
  /** The media types of the first parts of a body, by their positions (OpenAPI 3.2). */
  prefixEncoding?: { contentType: string }[]
  /** The media types of all parts that follow (OpenAPI 3.2). */
  itemEncoding?: { contentType: string }
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

export interface Parameter {
  name: string
  /** `querystring` is the whole query of the URL (OpenAPI 3.2). It has a `content` instead of a schema. */
  in: 'path' | 'query' | 'header' | 'querystring'
  description: string
  required: boolean
  style?: 'form'
  explode?: boolean
  schema?: Schema
  content?: Record<string, MediaType>
  example?: unknown
}

/** A base URL. Variables are between braces. */
export interface Server {
  url: string
  /** Only in OpenAPI 3.2. */
  name?: string
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

/**
 * The operations on a path, by method. In OpenAPI 3.2, the member `additionalOperations` has those with unusual methods
 * (path-item.ts).
 */
export type PathItem = Record<string, Operation>

/** A tag of operations. Only its name and its description are in OpenAPI 3.1. */
export interface Tag {
  name: string
  summary?: string
  kind?: string
  parent?: string
  description: string
}

export interface Document {
  openapi: '3.1.1' | '3.2.0'
  /** The address of the document itself (OpenAPI 3.2). */
  $self?: string
  info: Schema
  externalDocs: Schema
  servers: Server[]
  security: Record<string, string[]>[]
  tags: Tag[]
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
