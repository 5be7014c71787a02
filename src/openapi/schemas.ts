import * as z from 'zod'
import { refer } from './references.ts'
import type { Schema } from './types.ts'
import { nameElements } from './xml-names.ts'

/** Whether a schema describes what callers send, or what the service sends. */
export type Direction = 'input' | 'output'

/** The version of JSON Schema in which a document writes its schemas. */
export type Dialect = 'draft-2020-12' | 'draft-07'

/** All schemas that have an id, by id, as the OpenAPI document contains them: with names of XML elements. */
export function componentSchemas(direction: Direction): Record<string, Schema> {
  return nameElements(convertSchemas(direction, 'draft-2020-12'))
}

/** All schemas that have an id, by id. They refer to one another as components of a document, without names for XML. */
export function convertSchemas(direction: Direction, target: Dialect): Record<string, Schema> {
  const uri = (id: string) => refer('schemas', id).$ref
  const { schemas } = z.toJSONSchema(z.globalRegistry, { uri, io: direction, target, override: tidy })
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutIds(schema)]))
}

/** A schema where it is used: a reference if it has an id. */
export function inlineSchema(schema: z.ZodType, direction: Direction, target: Dialect = 'draft-2020-12'): Schema {
  const { id } = schema.meta() ?? {}
  if (id) return { ...refer('schemas', id) }
  return withoutIds(z.toJSONSchema(schema, { io: direction, target, override: tidy }))
}

/** Removes the members that a component or an inline schema of an OpenAPI document does not need. */
function withoutIds({ $schema: _schema, $id: _id, ...schema }: Schema): Schema {
  return schema
}

/** Corrects a JSON schema that zod has generated, in place. */
function tidy({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Schema }): void {
  keepExamples(zodSchema, jsonSchema)
  nameNullAsType(jsonSchema)
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
