import * as z from 'zod'
import { membersOf } from '../../src/lib/objects.ts'
import { refer } from './references.ts'
import type { Schema } from './types.ts'

/** Whether a schema describes what callers send, or what the service sends. */
export type Direction = 'input' | 'output'

/** The version of JSON Schema in which a document writes its schemas. */
export type Dialect = 'draft-2020-12' | 'draft-07'

/** All schemas that have an id, by id, as the OpenAPI document contains them, but without the names of XML elements. */
export function componentSchemas(direction: Direction): Record<string, Schema> {
  return convertSchemas(direction, 'draft-2020-12')
}

/** All schemas that have an id, by id. They refer to one another as components of a document, without names for XML. */
export function convertSchemas(direction: Direction, target: Dialect): Record<string, Schema> {
  const uri = (id: string) => refer('schemas', id).$ref
  // Forms transform what they read, so they have no output form. No document contains it, because none is sent.
  const unrepresentable = direction === 'output' ? 'any' : 'throw'
  const { schemas } = z.toJSONSchema(z.globalRegistry, { uri, io: direction, target, unrepresentable, override: tidy })
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [id, withoutDefaults(withoutWriting(withoutIds(schema)))]),
  )
}

/** Removes from the members of a form what a document says elsewhere: how they are written, and the name of a parameter. */
function withoutWriting(schema: Schema): Schema {
  if (schema.properties === undefined) return schema
  const members = Object.entries(membersOf(schema.properties)).map(([name, member]) => {
    const { separator: _separator, parameterName: _name, ...others } = membersOf(member)
    return [name, others]
  })
  return { ...schema, properties: Object.fromEntries(members) }
}

/** A schema where it is used: a reference if it has an id. */
export function inlineSchema(schema: z.ZodType, direction: Direction, target: Dialect = 'draft-2020-12'): Schema {
  const { id } = schema.meta() ?? {}
  if (id) return { ...refer('schemas', id) }
  const { $defs: _, ...inline } = withoutIds(z.toJSONSchema(schema, { io: direction, target, override: tidy }))
  // zod refers to the schemas that have an id in definitions beside the schema. A document has them as components.
  return JSON.parse(JSON.stringify(inline).replaceAll('"#/$defs/', `"${refer('schemas', '').$ref}`))
}

/** Removes the members that a component or an inline schema of an OpenAPI document does not need. */
function withoutIds({ $schema: _schema, $id: _id, ...schema }: Schema): Schema {
  return schema
}

/**
 * Removes what generators of code stumble over: a default beside a reference, and an empty text as a default. The
 * descriptions name these defaults.
 */
function withoutDefaults(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (_, part: Partial<Schema> | null) => {
    if (part?.default === '' || (part?.$ref !== undefined && part.default !== undefined)) delete part.default
    return part
  })
}

/**
 * The schema of something that the service sends, for clients. It is open, because a later version may have more members
 * (RFC 9457, section 3.2, says so for problems). It leaves out the value of a boolean that is always the same, because
 * code generators take only texts for constants.
 */
export function forClients(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (_, part: Partial<Schema> | null) => {
    if (part?.additionalProperties === false) delete part.additionalProperties
    if (part?.type === 'boolean') delete part.const
    return part
  })
}

/** Corrects a JSON schema that zod has generated, in place. */
function tidy({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Schema }): void {
  keepExamples(zodSchema, jsonSchema)
  nameNullAsType(jsonSchema)
  nameNumbers(jsonSchema)
  nameDiscriminator(zodSchema, jsonSchema)
  omitRefusedMembers(jsonSchema)
  omitAnything(jsonSchema)
}

/**
 * Restores the examples and the default, which zod omits for schemas with a transformation. In the schemas of this
 * service, both are values as they appear in requests and responses.
 */
function keepExamples(zodSchema: z.core.$ZodType, schema: Schema): void {
  const examples = z.globalRegistry.get(zodSchema)?.examples
  if (examples) schema.examples = examples
  if (zodSchema instanceof z.ZodDefault) schema.default = zodSchema.def.defaultValue
}

/**
 * Names the size of numbers for languages that have several (OpenAPI 3.1, 4.4): every number that is not an integer is a
 * double, because the service keeps all its digits, and an integer has 64 bits unless its maximum fits into 32. The
 * least number that zod gives every integer says nothing more.
 */
function nameNumbers(schema: Schema): void {
  const types = [schema.type].flat()
  if (types.includes('number')) schema.format = 'double'
  if (!types.includes('integer')) return
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === undefined || Number(schema.maximum) > INT32_MAX) schema.format = 'int64'
}

const INT32_MAX = 2 ** 31 - 1

/** Leaves out members that are never accepted: few tools understand such a schema. Descriptions name these members. */
function omitRefusedMembers({ properties }: Schema): void {
  for (const [name, member] of Object.entries(membersOf(properties))) {
    if (membersOf(member).not !== undefined) delete membersOf(properties)[name]
  }
}

/**
 * Leaves out that further members can be anything, which means the same as nothing: generators make a map of such a
 * class. A schema without members of its own is a map. The names of its members are texts, as in every object.
 */
function omitAnything(schema: Schema): void {
  const { additionalProperties: others, properties } = schema
  const isAnything = typeof others === 'object' && Object.keys(membersOf(others)).length === 0
  if (properties !== undefined && isAnything) delete schema.additionalProperties
  delete schema.propertyNames
}

/** Says which member tells the members of a union apart, and which value means which component (OpenAPI 3.1, 4.8.25). */
function nameDiscriminator(zodSchema: z.core.$ZodType, schema: Schema): void {
  if (!(zodSchema instanceof z.ZodDiscriminatedUnion)) return
  const { discriminator: propertyName, options } = zodSchema.def
  const mapping = options.flatMap((option: z.core.$ZodType) => {
    const { id } = z.globalRegistry.get(option) ?? {}
    const values = option._zod.propValues?.[propertyName] ?? []
    return id ? [...values].map((value) => [String(value), refer('schemas', id).$ref]) : []
  })
  schema.discriminator = { propertyName, mapping: Object.fromEntries(mapping) }
}

/** Describes a nullable value with `type: [x, 'null']`, because more tools understand this than `anyOf`. */
function nameNullAsType(schema: Schema): void {
  const { anyOf: choices } = schema
  if (!Array.isArray(choices) || choices.length !== 2 || choices[1].type !== 'null') return
  const { type, ...otherKeywords } = choices[0]
  // A reference or a nested `anyOf` has no type to combine with null.
  if (type === undefined) return
  delete schema.anyOf
  const { const: onlyValue, ...keywords } = otherKeywords
  // A keyword beside `anyOf`, such as a description, replaces the same keyword of the choice.
  Object.assign(schema, { ...keywords, ...schema, type: [...new Set([type, 'null'].flat())] })
  // A const or an enum must allow null too. A const becomes an enum for this.
  const allowedValues = onlyValue === undefined ? keywords.enum : [onlyValue]
  if (Array.isArray(allowedValues)) schema.enum = [...new Set([...allowedValues, null])]
}
