import { z } from 'zod'
import { refer } from './references.ts'
import type { Schema } from './types.ts'

/** What a document is for: its schemas say what may be sent, or what is answered. */
export type Direction = 'input' | 'output'

/** Every schema that has an id, by it. */
export function componentSchemas(direction: Direction): Record<string, Schema> {
  const uri = (id: string) => refer('schemas', id).$ref
  const { schemas } = z.toJSONSchema(z.globalRegistry, { uri, io: direction, override: tidy })
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, component(schema)]))
}

/** A schema in the place where it is used: as a reference where it has an id. */
export function inlineSchema(schema: z.ZodType, direction: Direction): Schema {
  const { id } = schema.meta() ?? {}
  if (id) return { ...refer('schemas', id) }
  return component(z.toJSONSchema(schema, { io: direction, override: tidy }))
}

function component({ $schema: _schema, $id: _id, ...schema }: Schema): Schema {
  return schema
}

function tidy({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Schema }): void {
  keepExamples(zodSchema, jsonSchema)
  nameNullAsType(jsonSchema)
}

/** Puts back what is left out of a schema that transforms: of ours it is written as it is sent. */
function keepExamples(zodSchema: z.core.$ZodType, schema: Schema): void {
  const examples = z.globalRegistry.get(zodSchema)?.examples
  if (examples) schema.examples = examples
  if (zodSchema instanceof z.ZodDefault) schema.default = zodSchema.def.defaultValue
}

/** Says "or null" as a type, which more tools understand than a choice of two schemas. */
function nameNullAsType(schema: Schema): void {
  const { anyOf: choices } = schema
  if (!Array.isArray(choices) || choices.length !== 2 || choices[1].type !== 'null') return
  const { type, ...rest } = choices[0]
  // A reference, or a choice of its own, has no type that could be named beside null.
  if (type === undefined) return
  delete schema.anyOf
  const { const: only, ...others } = rest
  const values = only === undefined ? rest.enum : [only]
  const nullable = { ...others, ...schema, type: [...new Set([type, 'null'].flat())] }
  Object.assign(schema, nullable, Array.isArray(values) && { enum: [...new Set([...values, null])] })
}
