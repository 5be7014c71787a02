import { membersOf } from '../../src/lib/objects.ts'
import type { Edition } from '../openapi/edition.ts'
import { keepUsedComponents, refer } from '../openapi/references.ts'
import { convertSchemas, forClients } from '../openapi/schemas.ts'
import type { Schema } from '../openapi/types.ts'

/**
 * Some schemas of events would have the same name as a schema of the OpenAPI document. So their ids begin with this
 * prefix. The AsyncAPI document has their names without the prefix.
 */
const PREFIX = 'Live'

const PREFIXED_REFERENCE = new RegExp(`"${refer('schemas', PREFIX).$ref}(?=[A-Z])`, 'g')

/** If a schema has one of these formats, its pattern says nothing more. */
const SUFFICIENT_FORMATS: readonly unknown[] = ['uuid', 'ipv4', 'duration']

/**
 * The schemas that a part of the document refers to, by name, in the default dialect of AsyncAPI: draft 07. All are
 * open in the published document: clients ignore unknown members of what the service sends, and the service ignores
 * those of the only message that clients send.
 */
export function usedSchemas(part: unknown, detail: Edition['detail']): Record<string, Schema> {
  const schemas = convertSchemas('output', 'draft-07')
  const used = keepUsedComponents({ schemas }, part).schemas
  const named = Object.entries(used).map(([id, schema]) => {
    const described = membersOf(simplify(schema))
    return [publicName(id), detail === 'complete' ? described : forClients(described)] as const
  })
  // Sorted, because otherwise the order of imports would change the document.
  return Object.fromEntries(named.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Removes the prefix from the names of schemas in references. */
export function withPublicNames<Part>(part: Part): Part {
  return JSON.parse(JSON.stringify(part).replaceAll(PREFIXED_REFERENCE, `"${refer('schemas', '').$ref}`))
}

/** The name of a schema in the AsyncAPI document. */
function publicName(id: string): string {
  return id.replace(new RegExp(`^${PREFIX}(?=[A-Z])`), '')
}

/**
 * Simplifies a schema that zod has written: removes needless patterns and needless `allOf`. In draft 07, keywords
 * beside a `$ref` are ignored. So zod puts each `$ref` into an `allOf` of one item, even if the schema has no other
 * keywords.
 */
export function simplify(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplify)
  if (typeof value !== 'object' || value === null) return value
  const { allOf, pattern, ...others }: Schema = { ...value }
  const keepsPattern = pattern !== undefined && !SUFFICIENT_FORMATS.includes(others.format)
  const isOnlyAllOf = Object.keys(others).length === 0 && !keepsPattern
  if (Array.isArray(allOf) && allOf.length === 1 && isOnlyAllOf) return simplify(allOf[0])
  const kept = {
    ...others,
    ...(allOf !== undefined && { allOf }),
    ...(keepsPattern && { pattern }),
  }
  return Object.fromEntries(Object.entries(kept).map(([key, member]) => [key, simplify(member)]))
}
