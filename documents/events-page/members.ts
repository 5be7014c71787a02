import { membersOf } from '../../src/lib/objects.ts'
import type { Schema } from '../openapi/types.ts'

/** A member of a payload, as the page lists it. */
export interface Member {
  /** The path of the member in the payload, such as `explosion.type` or `objects[].name`. */
  path: string
  isRequired: boolean
  /** The type of the member in words. */
  type: string
  /** The name of the shared schema that describes the member; undefined if there is none. */
  shape: string | undefined
  description: string
}

const COMPONENTS = '#/components/schemas/'

/**
 * The members of a schema, and the members of the objects inside the schema. The members of shared schemas are not
 * listed.
 *
 * @param prefix The beginning of the path of each member
 */
export function listMembers(schema: Schema, prefix = ''): Member[] {
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(membersOf(schema.properties)).flatMap(([name, member]) =>
    describeMember(membersOf(member), prefix + name, required.includes(name)),
  )
}

function describeMember(schema: Schema, path: string, isRequired: boolean): Member[] {
  const items = schema.type === 'array' ? membersOf(schema.items) : undefined
  const inner = items ?? schema
  const shape = typeof inner.$ref === 'string' ? inner.$ref.slice(COMPONENTS.length) : undefined
  const member = {
    path,
    isRequired,
    type: items ? `list of ${nameType(items, shape)}` : nameType(schema, shape),
    shape,
    description: typeof schema.description === 'string' ? schema.description : '',
  }
  return [member, ...listMembers(inner, `${path}${items ? '[]' : ''}.`)]
}

/** The types of JSON Schema in words. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  integer: 'integer',
  number: 'number',
  object: 'object',
}

function nameType({ type, enum: values, format }: Schema, shape: string | undefined): string {
  if (shape !== undefined) return shape
  if (Array.isArray(values)) return values.join(', ')
  const name = TYPE_NAMES[String(type)] ?? 'anything'
  return type === 'string' && typeof format === 'string' ? `${name} (${format})` : name
}
