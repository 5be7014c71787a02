// The document of a bench and its catalogue, as the reference client reads them. The client knows nothing else.

export interface Schema {
  $ref?: string
  type?: string
  format?: string
  contentEncoding?: 'base64' | 'base64url'
  contentMediaType?: string
  contentSchema?: Schema
  items?: Schema
  prefixItems?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: boolean | Schema
  oneOf?: readonly Schema[]
  anyOf?: readonly Schema[]
  allOf?: readonly Schema[]
  discriminator?: { propertyName: string; mapping: Readonly<Record<string, string>>; defaultMapping?: string }
  enum?: readonly string[]
  const?: string
  readOnly?: boolean
  writeOnly?: boolean
  xml?: {
    name?: string
    attribute?: boolean
    wrapped?: boolean
    namespace?: string
    prefix?: string
    nodeType?: string
  }
}

/** How a parameter or a member of a form is written. */
export interface Style {
  style?: string
  explode?: boolean
  allowReserved?: boolean
}

export interface Parameter extends Style {
  name: string
  in: 'path' | 'query' | 'querystring' | 'header' | 'cookie'
  schema?: Schema
  /** Written as this media type, and not by a style. */
  content?: Readonly<Record<string, MediaType>>
}

export interface Encoding extends Style {
  contentType?: string
  headers?: Readonly<Record<string, { example?: unknown }>>
}

/** How a part is written that has a position and no name. */
export interface ItemEncoding {
  contentType?: string
  prefixEncoding?: readonly ItemEncoding[]
  itemEncoding?: ItemEncoding
}

export interface MediaType extends Pick<ItemEncoding, 'prefixEncoding' | 'itemEncoding'> {
  schema?: Schema
  /** Of a stream: the schema of each item. */
  itemSchema?: Schema
  encoding?: Readonly<Record<string, Encoding>>
}

export interface Answer {
  headers?: Readonly<Record<string, { schema: Schema }>>
  content?: Readonly<Record<string, MediaType>>
}

export interface Operation {
  operationId: string
  parameters?: readonly Parameter[]
  requestBody?: { content: Readonly<Record<string, MediaType>> }
  responses: Readonly<Record<string, Answer>>
}

type Operations = Readonly<Record<string, Operation>>

interface Document {
  openapi: string
  $self?: string
  paths: Readonly<Record<string, Operations | { additionalOperations?: Operations }>>
  components: { schemas: Readonly<Record<string, Schema>> }
}

/** A case of the catalogue. */
export interface Entry {
  id: string
  operationId: string
  level: 'core' | 'extended' | 'open'
  /** The versions of OpenAPI whose document has it. */
  versions: readonly string[]
  input: {
    parameters: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    body?: { mediaType: string; value: unknown }
  }
}

/** An operation with its place. */
export interface Located extends Operation {
  path: string
  method: string
}

/** The document of a bench: its operations by id, and its schemas without references. */
export class BenchDocument {
  /** Such as `3.1`. */
  readonly version: string
  /** The address of the document, to which its references are relative. */
  readonly #self: string
  readonly #operations: ReadonlyMap<string, Located>
  readonly #schemas: Readonly<Record<string, Schema>>

  constructor({ openapi, $self = 'urn:document', paths, components }: Document) {
    const located = Object.entries(paths).flatMap(([path, { additionalOperations = {}, ...item }]) =>
      Object.entries<Operation>({ ...item, ...(additionalOperations as Operations) }).map(([method, operation]) => ({
        ...operation,
        path,
        method: method.toUpperCase(),
      })),
    )
    this.version = openapi.split('.', 2).join('.')
    this.#self = $self
    this.#operations = new Map(located.map((operation) => [operation.operationId, operation]))
    this.#schemas = components.schemas
  }

  find(operationId: string): Located | undefined {
    return this.#operations.get(operationId)
  }

  /** What a reference leads to. */
  resolve(schema: Schema = {}): Schema {
    const name = this.nameOf(schema)
    return name === undefined ? schema : this.resolve(this.#schemas[name])
  }

  /** The name of the component that a schema refers to; undefined if it refers to none. */
  nameOf({ $ref }: Schema): string | undefined {
    if ($ref === undefined) return undefined
    const [document, pointer = ''] = new URL($ref, this.#self).href.split('#')
    if (document !== this.#self) throw new Error(`${$ref} leads to another document.`)
    return pointer.split('/').at(-1)
  }

  /** The schema that a value of a choice has: null is no choice, and a discriminator decides between objects. */
  choose(schema: Schema, kindOf: (member: string) => unknown): Schema {
    const resolved = this.resolve(schema)
    const { discriminator, oneOf } = resolved
    if (discriminator) {
      const { mapping, propertyName, defaultMapping } = discriminator
      const $ref = mapping[String(kindOf(propertyName))] ?? defaultMapping
      return $ref === undefined ? {} : this.resolve({ $ref })
    }
    const choices = (oneOf ?? []).filter(({ type }) => type !== 'null')
    return choices.length === 1 ? this.resolve(choices[0]) : resolved
  }

  /** The members that a schema of an object names, in its order. */
  membersOf(schema: Schema): Readonly<Record<string, Schema>> {
    const { properties, allOf = [], anyOf = [] } = this.resolve(schema)
    return Object.assign({}, properties, ...[...allOf, ...anyOf].map((part) => this.membersOf(part)))
  }
}
