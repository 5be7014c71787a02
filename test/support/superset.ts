// Compares two OpenAPI documents as their users see them: operations with parameters, bodies, responses, headers and
// the properties of schemas, wherever those are declared.

type Node = Record<string, unknown>

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/**
 * @returns What the first document has and the second lacks, as paths such as
 * `POST /planets: request application/json name`
 */
export function compareDocuments(first: object, second: object): string[] {
  const [wanted, found] = [listFeatures({ ...first }), listFeatures({ ...second })]
  return [...wanted].filter((feature) => !found.has(feature))
}

/**
 * @param wanted Features, as `listFeatures` lists them
 * @returns Those that the document lacks
 */
export function findMissing(wanted: readonly string[], document: object): string[] {
  const found = listFeatures({ ...document })
  return wanted.filter((feature) => !found.has(feature))
}

/** Everything that a document promises, one line each. */
export function listFeatures(document: Node): Set<string> {
  const reader = new Reader(document)
  const operations = [
    ...reader.operations(child(document, 'paths'), ''),
    ...reader.operations(child(document, 'webhooks'), 'webhook '),
  ]
  const features = operations.flatMap(([name, operation]) => reader.operation(name, operation))
  return new Set([
    ...features,
    ...reader.components(),
    ...asList(document.tags).flatMap((tag) => tagFeatures(asNode(tag))),
    ...asList(document.servers).flatMap((server) => namesIn(asNode(server), 'name', 'server')),
    ...extensions(document).map((name) => `document: ${name}`),
  ])
}

class Reader {
  readonly #document: Node

  constructor(document: Node) {
    this.#document = document
  }

  operations(items: Node | undefined, prefix: string): [string, Node][] {
    return Object.entries(items ?? {}).flatMap(([path, item]) =>
      METHODS.flatMap((method): [string, Node][] => {
        const operation = child(asNode(item), method)
        return operation ? [[`${prefix}${method.toUpperCase()} ${path}`, operation]] : []
      }).concat(
        Object.entries(child(asNode(item), 'additionalOperations') ?? {}).map(([method, operation]) => [
          `${prefix}${method} ${path}`,
          { ...asNode(operation) },
        ]),
      ),
    )
  }

  operation(name: string, operation: Node): string[] {
    const callbacks = Object.entries(child(operation, 'callbacks') ?? {}).flatMap(([callback, items]) =>
      this.operations(asNode(items), `${name} > callback ${callback} `),
    )
    const security = asList(operation.security ?? this.#document.security)
    return [
      name,
      ...(typeof operation.operationId === 'string' ? [`${name}: operationId ${operation.operationId}`] : []),
      ...asList(operation.tags).map((tag) => `${name}: tag ${tag}`),
      ...security.map((requirement) => `${name}: security ${Object.keys({ ...asNode(requirement) }).sort()}`),
      ...extensions(operation).map((extension) => `${name}: ${extension}`),
      ...asList(operation.parameters).flatMap((parameter) => this.#parameter(name, asNode(parameter))),
      ...this.#content(`${name}: request`, child(operation, 'requestBody')),
      ...Object.entries(child(operation, 'responses') ?? {}).flatMap(([status, response]) =>
        this.#response(`${name}: ${status}`, this.#resolve(asNode(response))),
      ),
      ...callbacks.flatMap(([callback, inner]) => this.operation(callback, inner)),
    ]
  }

  components(): string[] {
    const components = child(this.#document, 'components')
    const named = ['securitySchemes', 'schemas', 'responses', 'parameters', 'headers', 'links'].flatMap((kind) =>
      Object.keys(child(components, kind) ?? {}).map((name) => `component ${kind} ${name}`),
    )
    const schemas = Object.entries(child(components, 'schemas') ?? {}).flatMap(([name, schema]) =>
      this.#properties(`schema ${name}`, asNode(schema)),
    )
    const flows = Object.entries(child(components, 'securitySchemes') ?? {}).flatMap(([name, scheme]) =>
      Object.entries(child(asNode(scheme), 'flows') ?? {}).flatMap(([flow, value]) => [
        `scheme ${name}: flow ${flow}`,
        ...Object.keys(child(asNode(value), 'scopes') ?? {}).map((scope) => `scheme ${name}: flow ${flow} ${scope}`),
      ]),
    )
    const schemes = Object.entries(child(components, 'securitySchemes') ?? {}).flatMap(([name, scheme]) =>
      ['deprecated', 'oauth2MetadataUrl'].filter((key) => asNode(scheme)?.[key]).map((key) => `scheme ${name}: ${key}`),
    )
    return [...named, ...schemas, ...flows, ...schemes]
  }

  #parameter(name: string, unresolved: Node | undefined): string[] {
    const parameter = this.#resolve(unresolved)
    const feature = `${name}: parameter ${parameter?.in} ${parameter?.name}`
    return [feature, ...formats(feature, child(parameter, 'schema')), ...this.#content(feature, parameter)]
  }

  #response(name: string, response: Node | undefined): string[] {
    const headers = Object.entries(child(response, 'headers') ?? {}).flatMap(([header, value]) => {
      const feature = `${name}: header ${header}`
      return [feature, ...formats(feature, child(this.#resolve(asNode(value)), 'schema'))]
    })
    const links = Object.entries(child(response, 'links') ?? {}).flatMap(([link, value]) => {
      const { operationId, operationRef, parameters } = this.#resolve(asNode(value)) ?? {}
      const feature = `${name}: link ${link}`
      const names = Object.entries({ ...asNode(parameters) }).map(([key, text]) => `${feature}, ${key}: ${text}`)
      return [feature, `${feature} to ${operationId ?? operationRef}`, ...names]
    })
    return [name, ...headers, ...links, ...this.#content(name, response)]
  }

  #content(name: string, holder: Node | undefined): string[] {
    return Object.entries(child(holder, 'content') ?? {}).flatMap(([mediaType, media]) => [
      `${name} ${mediaType}`,
      ...this.#properties(`${name} ${mediaType}`, child(asNode(media), 'schema')),
      ...this.#properties(`${name} ${mediaType} item`, child(asNode(media), 'itemSchema')),
      ...['itemSchema', 'prefixEncoding', 'itemEncoding']
        .filter((key) => asNode(media)?.[key] !== undefined)
        .map((key) => `${name} ${mediaType}: ${key}`),
    ])
  }

  /** The properties of a schema and of its parts, with their formats. */
  #properties(name: string, unresolved: Node | undefined, seen: readonly string[] = []): string[] {
    const reference = String(unresolved?.$ref ?? '')
    if (!unresolved || seen.includes(reference)) return []
    const visited = reference ? [...seen, reference] : seen
    const schema = this.#resolve(unresolved) ?? {}
    const parts = [
      ...asList(schema.allOf),
      ...asList(schema.oneOf),
      ...asList(schema.anyOf),
      ...asList(schema.prefixItems),
    ]
    return [
      ...formats(name, schema),
      ...asList(schema.enum).map((value) => `${name} = ${value}`),
      ...extensions(schema).map((extension) => `${name}: ${extension}`),
      ...(name.startsWith('schema ')
        ? [...xmlFeatures(name, unresolved, schema), ...discriminatorFeatures(name, child(schema, 'discriminator'))]
        : []),
      ...Object.entries(child(schema, 'properties') ?? {}).flatMap(([property, value]) => [
        `${name}.${property}`,
        ...this.#properties(`${name}.${property}`, asNode(value), visited),
      ]),
      ...this.#properties(`${name}[]`, child(schema, 'items'), visited),
      ...this.#properties(`${name}.*`, child(schema, 'additionalProperties'), visited),
      ...parts.flatMap((part) => this.#properties(name, asNode(part), visited)),
    ]
  }

  /** The target of a reference; one to an anchor (`$dynamicRef`) is ignored. */
  #resolve(node: Node | undefined): Node | undefined {
    if (typeof node?.$ref !== 'string') return node
    const steps = node.$ref.replace('#/', '').split('/')
    return this.#resolve(steps.reduce<Node | undefined>(child, this.#document))
  }
}

/** Generators choose a type by the format: without `int64` an id is an `Integer` of 32 bits in Java. */
function formats(name: string, schema: Node | undefined): string[] {
  return typeof schema?.format === 'string' ? [`${name} has the format ${schema.format}`] : []
}

function extensions(node: Node): string[] {
  return Object.keys(node).filter((key) => key.startsWith('x-'))
}

function child(node: Node | undefined, key: string): Node | undefined {
  return asNode(node?.[key])
}

function asNode(value: unknown): Node | undefined {
  return typeof value === 'object' && value !== null ? { ...value } : undefined
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** How XML shows a schema. What stands beside a reference takes precedence. */
function xmlFeatures(name: string, unresolved: Node, schema: Node): string[] {
  const xml = { ...child(schema, 'xml'), ...child(unresolved, 'xml') }
  return Object.entries(xml).map(([key, value]) => `${name}: xml ${key} ${value}`)
}

function discriminatorFeatures(name: string, discriminator: Node | undefined): string[] {
  if (!discriminator) return []
  const mapping = Object.entries(child(discriminator, 'mapping') ?? {})
  return [
    `${name}: discriminator ${discriminator.propertyName}`,
    ...mapping.map(([value, schema]) => `${name}: discriminator ${value} is ${schema}`),
    ...namesIn(discriminator, 'defaultMapping', `${name}: discriminator`),
  ]
}

function tagFeatures(tag: Node | undefined): string[] {
  const feature = `tag ${tag?.name}`
  const summary = tag?.summary === undefined ? [] : [`${feature}: summary`]
  return [feature, ...summary, ...namesIn(tag, 'kind', feature), ...namesIn(tag, 'parent', feature)]
}

/** A member that is a name. */
function namesIn(node: Node | undefined, key: string, feature: string): string[] {
  return typeof node?.[key] === 'string' ? [`${feature}: ${key} ${node[key]}`] : []
}
