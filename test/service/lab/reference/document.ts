// The document of a bench and its catalogue, as the reference client reads them. The client knows nothing else.

export interface Schema {
  $ref?: string
  type?: string
  format?: string
  contentEncoding?: 'base64' | 'base64url'
  items?: Schema
  prefixItems?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: boolean | Schema
  oneOf?: readonly Schema[]
  anyOf?: readonly Schema[]
  allOf?: readonly Schema[]
  discriminator?: { propertyName: string; mapping: Readonly<Record<string, string>> }
  enum?: readonly string[]
  const?: string
  readOnly?: boolean
  writeOnly?: boolean
  xml?: { name?: string; attribute?: boolean; wrapped?: boolean; namespace?: string; prefix?: string }
}

/** How a parameter or a member of a form is written. */
export interface Style {
  style?: string
  explode?: boolean
  allowReserved?: boolean
}

export interface Parameter extends Style {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  schema?: Schema
  /** Written as this media type, and not by a style. */
  content?: Readonly<Record<string, MediaType>>
}

export interface Encoding extends Style {
  contentType?: string
  headers?: Readonly<Record<string, { example?: unknown }>>
}

export interface MediaType {
  schema?: Schema
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

interface Document {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: { schemas: Readonly<Record<string, Schema>> }
}

/** A case of the catalogue. */
export interface Entry {
  id: string
  operationId: string
  level: 'core' | 'extended' | 'open'
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
  readonly #operations: ReadonlyMap<string, Located>
  readonly #schemas: Readonly<Record<string, Schema>>

  constructor({ paths, components }: Document) {
    const located = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
    )
    this.#operations = new Map(located.map((operation) => [operation.operationId, operation]))
    this.#schemas = components.schemas
  }

  find(operationId: string): Located | undefined {
    return this.#operations.get(operationId)
  }

  /** What a reference leads to. */
  resolve(schema: Schema = {}): Schema {
    const name = schema.$ref?.split('/').at(-1)
    return name === undefined ? schema : this.resolve(this.#schemas[name])
  }

  /** The schema that a value of a choice has: null is no choice, and a discriminator decides between objects. */
  choose(schema: Schema, kindOf: (member: string) => unknown): Schema {
    const resolved = this.resolve(schema)
    const { discriminator, oneOf } = resolved
    if (discriminator) {
      const $ref = discriminator.mapping[String(kindOf(discriminator.propertyName))]
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
