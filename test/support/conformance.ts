import { dereference, type Schema as JsonSchema, validate } from '@cfworker/json-schema'
import { type Element, parseTree } from '../../src/xml/tree.ts'
import { namespaceOf } from './xml.ts'

// Compares responses with the OpenAPI document: a status, header or body that it does not describe is a fault. It reads
// the document as any tool would, and knows nothing of the code that the document is generated from.

type Node = Record<string, unknown>

/** The parts of a request that the document depends on. */
export interface Asked {
  method: string
  path: string
}

// These belong to the connection, not to the interface; OpenAPI does not list them among headers (section 4.8.17.1).
const CONNECTION_HEADERS = [
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'keep-alive',
  'transfer-encoding',
]

/** The header that lets pages of other origins read a response. */
const SHARING = 'Access-Control-Allow-Origin'

/**
 * Requests that an inbox receives, by any method, at any path below it: its user sets the response, not an operation.
 */
const IN_INBOX = /^\/inboxes\/[^/]+\//

/** Requests to a case of the laboratory, whose own document describes them. */
const ON_BENCH = /^\/lab\/(?:try|runs\/[^/]+)\/+[a-z]+\//

/** Requests to the echo: the caller sets the response, not an operation. */
const IN_ECHO = /^\/echo(?:\/|$)/

/** WebSockets, which the AsyncAPI document describes. An unknown path is answered like any other. */
const IN_SOCKETS = /^\/ws\//

/** The files that pages load. They are not operations. An unknown one is answered like any other unknown path. */
const IN_ASSETS = /^\/assets\//

export class Conformance {
  readonly #document: Node
  /** Compiled schemas, by their text. */
  readonly #judges = new Map<string, JsonSchema>()
  /**
   * Resolves the references of schemas. Created once: doing so for each schema takes most of the time of a short test.
   */
  readonly #lookup: ReturnType<typeof dereference>
  /** The path templates, as patterns. Created once, because creating them takes longer than using them. */
  readonly #paths: { template: string; pattern: RegExp; item: Node | undefined }[]

  constructor(document: object) {
    this.#document = { ...document }
    // Only the schemas of the components: the reader takes any other object with an `id` for a schema of that name too.
    this.#lookup = dereference({ components: { schemas: child(child(this.#document, 'components'), 'schemas') } })
    const own = Object.entries(child(this.#document, 'paths') ?? {}).filter(([, item]) => !isElsewhere(item))
    this.#paths = own.map(([template, item]) => ({
      template,
      pattern: patternOf(template),
      item: asNode(item),
    }))
  }

  /** @returns The differences between this response and the document, in words; none if it conforms */
  async findFaults(asked: Asked, response: Response): Promise<string[]> {
    if (IN_ECHO.test(asked.path) || ON_BENCH.test(asked.path)) return []
    if (IN_SOCKETS.test(asked.path) && response.status !== 404) return []
    if (IN_ASSETS.test(asked.path) && response.status !== 404) return []
    if (IN_INBOX.test(asked.path) && !this.#findPathItem(asked.path)) return []
    const documented = this.#findResponse(asked, response.status)
    if (!documented) return [`the status ${response.status} is not documented`]
    const isEmpty = asked.method === 'HEAD' || (await hasNoBody(response))
    return [
      ...this.#checkHeaders(documented, response.headers),
      ...(isEmpty ? [] : await this.#checkBody(documented, response)),
    ]
  }

  #findResponse({ method, path }: Asked, status: number): Node | undefined {
    const item = this.#findPathItem(path)
    const operation = child(item, method === 'HEAD' ? 'get' : method.toLowerCase())
    if (operation) return this.#responseOf(operation, status)
    if (status === 204 && method !== 'OPTIONS') return undefined
    const response = this.#responseOf(child(this.#document, 'x-galaxy-everywhere'), status)
    return response && item && !this.#isShared(item, status) ? withoutSharing(response) : response
  }

  #responseOf(holder: Node | undefined, status: number | string): Node | undefined {
    return this.#resolve(child(child(holder, 'responses'), String(status)))
  }

  /**
   * Whether pages of other origins can read a response of a path that is not of an operation: if they can read the
   * responses of its operations with this status or, if there are none, all of its operations. In a universe, they can
   * read 410 everywhere, because the common world sends it.
   */
  #isShared(item: Node, status: number): boolean {
    const documented = Object.values(item).flatMap((value) => {
      const operation = asNode(value)
      return Object.keys(child(operation, 'responses') ?? {}).map((key) => {
        const isShared = child(this.#responseOf(operation, key), 'headers')?.[SHARING] !== undefined
        return { status: Number(key), isShared }
      })
    })
    const same = documented.filter((response) => response.status === status)
    return (same.length > 0 ? same : documented).every(({ isShared }) => isShared)
  }

  #findPathItem(path: string): Node | undefined {
    const found =
      this.#paths.find(({ template }) => template === path) ?? this.#paths.find(({ pattern }) => pattern.test(path))
    return found?.item
  }

  #checkHeaders(documented: Node, headers: Headers): string[] {
    const known = Object.entries(child(documented, 'headers') ?? {}).map(
      ([name, header]) => [name.toLowerCase(), this.#resolve(asNode(header)) ?? {}] as const,
    )
    const names = new Map(known)
    const unknown = [...headers.keys()].filter((name) => !names.has(name) && !CONNECTION_HEADERS.includes(name))
    const missing = known.filter(([name, header]) => header.required === true && !headers.has(name))
    const wrong = known.flatMap(([name, { schema }]) => {
      const text = headers.get(name)
      if (text === null) return []
      const value = asNode(schema)?.type === 'integer' ? Number(text) : text
      return this.#judge(asNode(schema) ?? {}, value).map((fault) => `the header ${name} is ${text}: ${fault}`)
    })
    return [
      ...unknown.map((name) => `the header ${name} is not documented`),
      ...missing.map(([name]) => `the header ${name} is missing`),
      ...wrong,
    ]
  }

  async #checkBody(documented: Node, response: Response): Promise<string[]> {
    const sent = (response.headers.get('Content-Type') ?? '').replace(/;.*$/, '')
    // Two names of one media type (RFC 7303, section 9.2); the document has the first.
    const mediaType = sent === 'text/xml' ? 'application/xml' : sent
    const media = child(child(documented, 'content'), mediaType)
    const schema = child(media, 'schema')
    if (!schema) return [`the media type ${mediaType} is not documented`]
    if (/[/+]json$/.test(mediaType)) return this.#judge(schema, await response.json())
    if (!/[/+]xml$/.test(mediaType)) return []
    const text = await response.text()
    // A file in XML, such as a picture in SVG, has no `xml`.
    const root = child(this.#merge(schema), 'xml')
    const namespace = namespaceOf(text)
    const wrong = !root || namespace === root.namespace ? [] : [`the namespace is ${namespace}, not ${root.namespace}`]
    return [...wrong, ...this.#judge(schema, this.#read(parseTree(text), schema))]
  }

  #judge(schema: Node, value: unknown): string[] {
    const { errors } = validate(value, this.#judgeOf(schema), '2020-12', this.#lookup, false)
    return errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`)
  }

  #judgeOf(schema: Node): JsonSchema {
    const key = JSON.stringify(schema)
    const known = this.#judges.get(key)
    if (known) return known
    const judge: JsonSchema = JSON.parse(key)
    dereference(judge, this.#lookup, undefined, `/judges/${this.#judges.size}`)
    this.#judges.set(key, judge)
    return judge
  }

  /** The value of an element, with the types of the schema. */
  #read(element: Element, unresolved: Node): unknown {
    const schema = this.#merge(this.#choose(element, unresolved))
    const types = [schema.type].flat()
    if (element.isNil) return null
    if (types.includes('integer') || types.includes('number')) return Number(element.text)
    if (types.includes('boolean')) return element.text === 'true'
    if (!types.includes('object')) return element.text
    const groups = Map.groupBy(element.children, ({ name }) => name)
    const members = [...groups].map(([name, elements]) => {
      const member = this.#merge(child(asNode(schema.properties), name) ?? asNode(schema.additionalProperties) ?? {})
      if (member.type !== 'array') return [name, elements.map((one) => this.#read(one, member)).at(-1)] as const
      const isWrapped = child(member, 'xml')?.wrapped === true
      const items = isWrapped ? elements.flatMap(({ children }) => children) : elements
      return [name, items.map((one) => this.#read(one, asNode(member.items) ?? {}))] as const
    })
    // An empty list has no element at all.
    const lists = [schema.required]
      .flat()
      .map(String)
      .filter((name) => this.#isList(schema, name))
    return { ...Object.fromEntries(lists.map((name) => [name, []])), ...Object.fromEntries(members) }
  }

  /** The schema of an element, if it is a choice between an object and a text. */
  #choose({ children }: Element, unresolved: Node): Node {
    const choices = [this.#resolve(unresolved)?.anyOf ?? []].flat().map((choice) => this.#merge(asNode(choice) ?? {}))
    return choices.find(({ type }) => (type === 'object') === children.length > 0) ?? unresolved
  }

  #isList(schema: Node, property: string): boolean {
    return this.#merge(child(asNode(schema.properties), property) ?? {}).type === 'array'
  }

  /** A schema without references and without `allOf`. */
  #merge(schema: Node): Node {
    const { allOf, ...rest } = this.#resolve(schema) ?? {}
    const parts = Array.isArray(allOf) ? allOf.map((part) => this.#merge(part)) : []
    const properties = Object.assign({}, rest.properties, ...parts.map((part) => part.properties))
    return Object.assign({}, rest, ...parts, { properties })
  }

  #resolve(node: Node | undefined): Node | undefined {
    if (typeof node?.$ref !== 'string') return node
    const steps = node.$ref.replace('#/', '').split('/')
    return this.#resolve(steps.reduce<Node | undefined>(child, this.#document))
  }
}

/** Over HTTP and between objects of the runtime, a response without a body has an empty one. */
async function hasNoBody(response: Response): Promise<boolean> {
  if (response.body === null || response.headers.get('Content-Length') === '0') return true
  if (response.headers.has('Content-Type')) return false
  return (await response.clone().arrayBuffer()).byteLength === 0
}

/** Whether the operations of a path are at servers of their own. */
function isElsewhere(item: unknown): boolean {
  return Object.values(asNode(item) ?? {}).some((operation) => asNode(operation)?.servers !== undefined)
}

/** `/planets/{planetId}` as a pattern for paths. */
function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}

function withoutSharing(response: Node): Node {
  const headers = Object.entries(child(response, 'headers') ?? {})
  return { ...response, headers: Object.fromEntries(headers.filter(([name]) => !name.startsWith('Access-Control-'))) }
}

function child(node: Node | undefined, key: string): Node | undefined {
  return asNode(node?.[key])
}

function asNode(value: unknown): Node | undefined {
  return isNode(value) ? value : undefined
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}
