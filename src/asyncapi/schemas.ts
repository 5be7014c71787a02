import { membersOf } from '../lib/objects.ts'
import { keepUsedComponents, refer } from '../openapi/references.ts'
import { convertSchemas } from '../openapi/schemas.ts'
import type { Schema } from '../openapi/types.ts'

/**
 * Schemas of events that have the name of another schema in the OpenAPI document begin with this. In the AsyncAPI document
 * they have the names of the public one.
 */
const PREFIX = 'Live'

const PREFIXED_REFERENCE = new RegExp(`"${refer('schemas', PREFIX).$ref}(?=[A-Z])`, 'g')

/** Formats that make the pattern beside them unnecessary. */
const SUFFICIENT_FORMATS: readonly unknown[] = ['uuid', 'ipv4', 'duration']

/** The schemas that a part of the document refers to, by name, in the default dialect of AsyncAPI: draft 07. */
export function usedSchemas(part: unknown): Record<string, Schema> {
  const schemas = convertSchemas('output', 'draft-07')
  const used = keepUsedComponents({ schemas }, part).schemas
  const named = Object.entries(used).map(([id, schema]) => [publicName(id), membersOf(simplify(schema))] as const)
  // Otherwise the order of imports would change the document.
  return Object.fromEntries(named.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Replaces the names of schemas in references by their names in the AsyncAPI document. */
export function withPublicNames<Part>(part: Part): Part {
  return JSON.parse(JSON.stringify(part).replaceAll(PREFIXED_REFERENCE, `"${refer('schemas', '').$ref}`))
}

function publicName(id: string): string {
  return id.replace(new RegExp(`^${PREFIX}(?=[A-Z])`), '')
}

/**
 * Simplifies a schema that zod has written. In draft 07, everything beside a `$ref` is ignored, so zod puts a `$ref`
 * into an `allOf` of one item, even if nothing is beside it.
 */
export function simplify(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplify)
  if (typeof value !== 'object' || value === null) return value
  const { allOf, pattern, ...others }: Schema = { ...value }
  if (Array.isArray(allOf) && allOf.length === 1 && Object.keys(others).length === 0) return simplify(allOf[0])
  const kept = {
    ...others,
    ...(allOf !== undefined && { allOf }),
    ...(pattern !== undefined && !SUFFICIENT_FORMATS.includes(others.format) && { pattern }),
  }
  return Object.fromEntries(Object.entries(kept).map(([key, member]) => [key, simplify(member)]))
}
