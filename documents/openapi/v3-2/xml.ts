import { membersOf } from '../../../src/lib/objects.ts'
import { keepUsedComponents } from '../references.ts'
import type { Schema } from '../types.ts'
import { xmlSchemasIn } from '../xml-names.ts'

/**
 * Where a schema stands. The element belongs to the place: to a property, to the items of a list, or to the root of a
 * document (contents.ts). So a component, and a choice in a place, make no element of their own.
 */
type Place = 'component' | 'choice' | 'element'

/**
 * Says explicitly which node of XML each schema means (`nodeType`, OpenAPI 3.2, section 4.26). Without it, a component
 * would make an element of its own inside the element of the property that refers to it.
 *
 * @param schemas All component schemas, by name
 * @param operations The part of a document in whose contents XML documents are
 */
export function withNodeTypes(schemas: Readonly<Record<string, Schema>>, operations: unknown): Record<string, Schema> {
  const inDocuments = keepUsedComponents({ schemas }, xmlSchemasIn(operations)).schemas
  const entries = Object.entries(schemas).map(([name, schema]) => [
    name,
    name in inDocuments ? withNodeType(schema, 'component') : schema,
  ])
  return Object.fromEntries(entries)
}

function withNodeType(schema: Schema, place: Place): Schema {
  const { items, additionalProperties, properties, xml, ...others } = schema
  const choices = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => {
    const list = schema[keyword]
    return Array.isArray(list) ? [[keyword, list.map((choice: Schema) => withNodeType(choice, 'choice'))]] : []
  })
  const members = Object.entries(membersOf(properties)).map(([name, member]) => [
    name,
    withNodeType(membersOf(member), 'element'),
  ])
  return {
    ...others,
    ...(properties !== undefined && { properties: Object.fromEntries(members) }),
    ...(items !== undefined && { items: withNodeType(membersOf(items), 'element') }),
    ...(additionalProperties !== undefined && {
      additionalProperties: isSchema(additionalProperties)
        ? withNodeType(additionalProperties, 'element')
        : additionalProperties,
    }),
    ...Object.fromEntries(choices),
    xml: { ...withoutWrapped(membersOf(xml)), nodeType: nodeTypeOf(schema, place) },
  }
}

/** `nodeType` stands in place of `wrapped` (OpenAPI 3.2, section 4.26.1). */
function withoutWrapped({ wrapped, ...others }: Schema): Schema {
  return others
}

/**
 * A list has no element, unless it is wrapped: it repeats that of its items. What is only a value is the text in the
 * element of its place.
 */
function nodeTypeOf({ type, $ref, allOf, anyOf, oneOf, xml }: Schema, place: Place): 'element' | 'none' | 'text' {
  if (type === 'array') return membersOf(xml).wrapped === true ? 'element' : 'none'
  if (place === 'element') return 'element'
  const hasChildren = type === 'object' || [$ref, allOf, anyOf, oneOf].some((keyword) => keyword !== undefined)
  return hasChildren ? 'none' : 'text'
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null
}
