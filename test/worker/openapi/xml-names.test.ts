import { describe, expect, it } from 'vitest'
import { describeWorld } from '../../../documents/documents.ts'
import type { Operation } from '../../../documents/openapi/types.ts'
import { DOCUMENTED_ROUTES } from '../../../src/app.ts'
import { API_VERSIONS } from '../../../src/http/api-versions.ts'
import { Problem } from '../../../src/schemas/problem.ts'
import { encodeXml } from '../../../src/xml/encode.ts'
import { type Element, parseTree } from '../../../src/xml/tree.ts'
import { dereferenced } from '../../support/dereferenced.ts'
import { namespaceOf } from '../../support/xml.ts'

// A tool that knows only the document makes XML with the same element names as the service. The tool is written here by
// the rules of OpenAPI 3.1 (the XML Object), and knows nothing of the code that the document is generated from.

interface Node {
  $ref?: string
  xml?: { name?: string; namespace?: string; wrapped?: boolean }
  properties?: Record<string, Node>
  items?: Node
  additionalProperties?: Node | boolean
  allOf?: Node[]
  anyOf?: Node[]
  oneOf?: Node[]
}

/** The name of an element, and its children in their order. */
type Names = [name: string, ...children: Names[]]

const FREE_NAME = 'freeName'

class Sampler {
  readonly #schemas: Record<string, Node>

  constructor(schemas: Record<string, Node>) {
    this.#schemas = schemas
  }

  /** A value with every property of a schema, in which each list has two items. */
  sample(schema: Node): unknown {
    const { properties, items, additionalProperties } = this.#resolve(schema)
    if (items) return [this.sample(items), this.sample(items)]
    if (!properties && !additionalProperties) return 'x'
    const free = typeof additionalProperties === 'object' ? { [FREE_NAME]: additionalProperties } : {}
    const members = Object.entries({ ...free, ...properties })
    return Object.fromEntries(members.map(([name, member]) => [name, this.sample(member)]))
  }

  /** The elements of a value. @param property The property that has the value; absent for a whole document */
  elements(value: unknown, schema: Node, property?: string): Names[] {
    const { xml, items, properties, additionalProperties } = this.#resolve(schema)
    if (Array.isArray(value)) {
      const repeated = value.flatMap((item) => this.elements(item, items ?? {}, property))
      return xml?.wrapped ? [[xml.name ?? property ?? 'nameless', ...repeated]] : repeated
    }
    const free = typeof additionalProperties === 'object' ? additionalProperties : {}
    const members = typeof value === 'object' ? Object.entries(Object(value)) : []
    const children = members.flatMap(([name, member]) => this.elements(member, properties?.[name] ?? free, name))
    return [[xml?.name ?? property ?? 'nameless', ...children]]
  }

  /** The namespace of the root element of documents. */
  namespaceOf(schema: Node): string | undefined {
    return this.#resolve(schema).xml?.namespace
  }

  /** A schema without `$ref`, whose neighbours take precedence, and without choices: the first one that is not null. */
  #resolve({ $ref, allOf = [], anyOf, oneOf, ...own }: Node): Node {
    const target = $ref === undefined ? undefined : this.#schemas[$ref.replace('#/components/schemas/', '')]
    if ($ref !== undefined && !target) throw new Error(`there is no ${$ref}`)
    const [choice] = anyOf ?? oneOf ?? []
    const parts = [...(target ? [target] : []), ...allOf, ...(choice ? [choice] : [])].map((part) =>
      this.#resolve(part),
    )
    const properties = Object.assign({}, ...parts.map((part) => part.properties), own.properties)
    return Object.assign({}, ...parts, own, Object.keys(properties).length > 0 && { properties })
  }
}

function namesIn({ name, children }: Element): Names {
  return [name, ...children.map(namesIn)]
}

describe.each(API_VERSIONS)('the element names of API version %s', (apiVersion) => {
  const document = dereferenced(describeWorld('common', apiVersion))
  const sampler = new Sampler(Object(document.components.schemas))
  const documents = DOCUMENTED_ROUTES.common.flatMap((route) => {
    const { responses = {}, requestBody } = document.paths[route.path]?.[route.method] ?? {}
    const answered = Object.entries(route.responses).map(([status, { schema }]) => ({
      what: `${route.operationId}, response ${status}`,
      schema,
      documented: inXml(responses[status]),
    }))
    const schema = route.body?.documented.schema
    return [...answered, { what: `${route.operationId}, request`, schema, documented: inXml(requestBody) }]
  })
  const problems = Object.entries(document.components.responses).map(([what, response]) => ({
    what,
    schema: Problem,
    documented: inXml(response, 'application/problem+xml'),
  }))
  const described = [...documents, ...problems].flatMap(({ what, schema, documented }) =>
    schema && documented ? [{ what, schema, documented }] : [],
  )

  it.each(described)('are those that the service uses: $what', ({ schema, documented }) => {
    const value = sampler.sample(documented)
    const text = encodeXml(value, schema)
    expect(sampler.elements(value, documented)).toEqual([namesIn(parseTree(text))])
    expect(namespaceOf(text)).toBe(sampler.namespaceOf(documented))
  })

  it('of problems have their namespace, and an element around each list (RFC 9457, appendix B)', () => {
    const { Problem = {} }: Record<string, Node> = Object(document.components.schemas)
    expect(Problem.xml).toEqual({ name: 'problem', namespace: 'urn:ietf:rfc:7807' })
    const lists = Object.values(Problem.properties ?? {}).filter(({ items }) => items)
    expect(lists.length).toBeGreaterThan(3)
    for (const { xml, items } of lists) expect([xml, items?.xml]).toEqual([{ wrapped: true }, { name: 'i' }])
    const wrapped = Object.entries<Node>(Object(document.components.schemas)).filter(([, schema]) =>
      JSON.stringify(schema).includes('"wrapped"'),
    )
    expect(wrapped.map(([name]) => name)).toEqual(['Problem'])
  })

  // A tool that reads the component without what stands beside the reference would name the element after it.
  it('stand on a component only if it is the root of a document', () => {
    const roots = ['Problem', ...described.map(({ documented }) => documented.$ref?.split('/').at(-1))]
    const named = Object.entries(document.components.schemas).filter(([, { xml }]) => xml !== undefined)
    expect(named.map(([name]) => name).filter((name) => !roots.includes(name))).toEqual([])
    expect(named.length).toBeGreaterThan(5)
  })

  it('are known for lists, for lists in lists, and for the creators of planets', () => {
    const page = described.find(({ what }) => what === 'getAllData, response 200')?.documented ?? {}
    const value = { data: [{ satellites: [{}, {}], creator: {} }] }
    const data = ['data', ['satellites'], ['satellites'], ['creator']]
    expect(sampler.elements(value, page)).toEqual([['planets', data]])
  })
})

type Part = Operation['responses'][string] | Operation['requestBody']

/** The schema of a document that is sent as XML. */
function inXml(part: Part, mediaType = 'application/xml'): Node | undefined {
  const content = part && 'content' in part ? part.content : {}
  const media = content?.[mediaType]
  return media && Object(media.schema)
}
