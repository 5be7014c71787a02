import { membersOf } from '../../lib/objects.ts'

// What the OpenAPI document says about the JSON of responses. The build writes it to a file from the complete document,
// and the Worker reads the file when an answer has to break the document (violate.ts).

/** The name of the file among those of the laboratory. */
export const RESPONSES_FILE = 'responses.json'

/** A JSON Schema, with the keywords that `reduceResponses` keeps. */
export interface ResponseSchema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, ResponseSchema>
  required?: string[]
  items?: ResponseSchema
  additionalProperties?: boolean | ResponseSchema
  unevaluatedProperties?: boolean | ResponseSchema
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minimum?: number
  maxLength?: number
  allOf?: ResponseSchema[]
  anyOf?: ResponseSchema[]
  oneOf?: ResponseSchema[]
}

/** The schemas of all responses. */
export interface ResponseSchemas {
  /** By operationId and status: the schema of the JSON; null if the response has none. */
  operations: Record<string, Record<string, ResponseSchema | null>>
  /** The components, by the references to them. */
  components: Record<string, ResponseSchema>
}

const KEPT = [
  '$ref type required enum const format pattern minimum maxLength allOf anyOf oneOf items properties',
  'additionalProperties unevaluatedProperties',
]
  .join(' ')
  .split(' ')

/** Takes from an OpenAPI document what is needed to break it. */
export function reduceResponses(document: object): ResponseSchemas {
  const { paths, components } = membersOf(document)
  const resolve = (node: unknown): Record<string, unknown> => {
    const { $ref } = membersOf(node)
    return typeof $ref === 'string' ? resolve(at(document, $ref)) : membersOf(node)
  }
  const all = Object.values(membersOf(paths)).flatMap((item) => Object.values(membersOf(resolve(item))).map(membersOf))
  const operations = all.filter(({ operationId }) => typeof operationId === 'string')
  const statuses = (operation: Record<string, unknown>) =>
    Object.entries(membersOf(operation.responses)).map(([status, response]) => {
      const content = Object.entries(membersOf(resolve(response).content))
      const [, media] = content.find(([type]) => /[/+]json$/.test(type)) ?? []
      const { schema } = resolve(media)
      return [status, schema ? reduce(schema) : null] as const
    })
  const schemas = Object.entries(membersOf(membersOf(components).schemas))
  const reduced: ResponseSchemas = {
    operations: Object.fromEntries(
      operations.map((operation) => [String(operation.operationId), Object.fromEntries(statuses(operation))]),
    ),
    components: Object.fromEntries(schemas.map(([name, schema]) => [`#/components/schemas/${name}`, reduce(schema)])),
  }
  return { ...reduced, components: reachable(reduced) }
}

/** The components that responses refer to, directly or through others. */
function reachable({ operations, components }: ResponseSchemas): Record<string, ResponseSchema> {
  const found = new Set<string>()
  const visit = (part: unknown): void => {
    for (const [, ref] of JSON.stringify(part).matchAll(/"\$ref":"([^"]+)"/g)) {
      if (ref === undefined || found.has(ref)) continue
      found.add(ref)
      visit(components[ref])
    }
  }
  visit(operations)
  return Object.fromEntries(Object.entries(components).filter(([ref]) => found.has(ref)))
}

/** The value at a reference within a document. */
function at(document: object, reference: string): unknown {
  const names = reference.split('/').slice(1)
  return names.reduce<unknown>(
    (node, name) => membersOf(node)[name.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  )
}

function reduce(schema: unknown): ResponseSchema {
  const kept = Object.entries(membersOf(schema)).filter(([keyword]) => KEPT.includes(keyword))
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, reduceKeyword(keyword, value)]))
}

function reduceKeyword(keyword: string, value: unknown): unknown {
  if (keyword === 'properties') {
    return Object.fromEntries(Object.entries(membersOf(value)).map(([name, member]) => [name, reduce(member)]))
  }
  if (/^(?:all|any|one)Of$/.test(keyword)) return [value].flat().map(reduce)
  const isSchema = /^(?:items|.*Properties)$/.test(keyword) && typeof value === 'object'
  return isSchema ? reduce(value) : value
}
