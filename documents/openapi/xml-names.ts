import { membersOf } from '../../src/lib/objects.ts'
import { PROBLEM_ITEM, wrapsLists } from '../../src/xml/encode.ts'
import { encodeName } from '../../src/xml/names.ts'
import { keepUsedComponents, refer } from './references.ts'
import type { Schema } from './types.ts'

/**
 * Adds the names of XML elements to the schemas of XML documents: each element has the name of its property
 * (xml/encode.ts).
 *
 * - A list repeats the element of its property. OpenAPI takes the name of that element from the items (`xml.name`). In
 *   problems, a list has its own element (`xml.wrapped`), in which the items have a name of their own.
 * - A component has an `xml.name` only if it is the root of an XML document, because some tools read the component
 *   without what stands beside the reference. If a property or the items of a list refer to such a component, OpenAPI
 *   would take the name of the root. So an `xml` is added beside the `$ref`, and this `xml` takes precedence. OpenAPI
 *   3.1 allows keywords beside a `$ref`, and generators of clients still read the reference as one type.
 *
 * @param schemas All component schemas, by name. Schemas that no XML document contains get no names
 * @param operations The part of a document in whose contents XML documents are
 */
export function nameElements(schemas: Readonly<Record<string, Schema>>, operations: unknown): Record<string, Schema> {
  const contents = xmlSchemasIn(operations)
  const inDocuments = keepUsedComponents({ schemas }, contents).schemas
  // The schema of the problems of a status has its root in an `allOf`.
  const rootReferences = contents.flatMap(({ $ref }) => {
    const { allOf } = Object.entries(schemas).find(([id]) => refer('schemas', id).$ref === $ref)?.[1] ?? {}
    return [$ref, ...(Array.isArray(allOf) ? allOf.map((part: Schema) => part.$ref) : [])]
  })

  /**
   * @param isWrapping Whether the schema belongs to documents with elements around lists
   * @param property The property that has the schema; undefined for a component or for members with free names
   */
  function withNames(schema: Schema, isWrapping: boolean, property?: string): Schema {
    const named = mapSchemas(schema, (inner, name) => withNames(inner, isWrapping, name), property)
    if (property === undefined) return named
    const xml = { name: encodeName(property) }
    if (isSchema(named.items) && isWrapping)
      return { ...named, items: { ...named.items, xml: { name: PROBLEM_ITEM } }, xml: { wrapped: true } }
    if (isSchema(named.items)) return { ...named, items: { ...named.items, xml } }
    return named.$ref !== undefined && rootReferences.includes(named.$ref) ? { ...named, xml } : named
  }

  const entries = Object.entries(schemas).map(([id, { xml, ...schema }]) => {
    if (!(id in inDocuments)) return [id, schema] as const
    const isRoot = xml !== undefined && rootReferences.includes(refer('schemas', id).$ref)
    return [id, withNames(isRoot ? { ...schema, xml } : schema, wrapsLists(membersOf(xml)))] as const
  })
  return Object.fromEntries(entries)
}

/** The schemas of the XML contents in a part of a document. */
export function xmlSchemasIn(part: unknown): Schema[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([key, value]) =>
    /[/+]xml$/.test(key) ? [membersOf(membersOf(value).schema)] : xmlSchemasIn(value),
  )
}

/**
 * A copy of a schema in which `change` has replaced the schemas directly inside it.
 *
 * @param property The property that has the schema. The choices of the schema (`anyOf`, for example) belong to this
 * property
 */
function mapSchemas(schema: Schema, change: (inner: Schema, property?: string) => Schema, property?: string): Schema {
  const mapped = { ...schema }
  for (const keyword of ['items', 'additionalProperties']) {
    const inner = schema[keyword]
    if (isSchema(inner)) mapped[keyword] = change(inner)
  }
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const choices = schema[keyword]
    if (Array.isArray(choices)) mapped[keyword] = choices.map((choice) => change(choice, property))
  }
  if (!isSchema(schema.properties)) return mapped
  const properties = Object.entries(membersOf(schema.properties))
  mapped.properties = Object.fromEntries(
    properties.map(([key, inner]) => [key, isSchema(inner) ? change(inner, key) : inner]),
  )
  return mapped
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
