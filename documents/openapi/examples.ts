import type * as z from 'zod'
import { examplesOf } from '../../src/http/examples.ts'
import { membersOf } from '../../src/lib/objects.ts'
import { refer } from './references.ts'
import type { Example, Reference, Schema } from './types.ts'

/**
 * The examples of a schema, by the names that tools show. If the schema is a component, its examples are references.
 */
export function referExamples(schema: z.ZodType): Record<string, Example | Reference> {
  const { id } = schema.meta() ?? {}
  const entries = examplesOf(schema).map((value, index) => {
    const name = nameOf(value, index)
    return [name, id ? refer('examples', componentName(id, name)) : { value }] as const
  })
  return Object.fromEntries(entries)
}

/** The examples of component schemas, by component name. */
export function schemaExamples(schemas: Readonly<Record<string, Schema>>): Record<string, Example> {
  const entries = Object.entries(schemas).flatMap(([id, { examples }]) =>
    (Array.isArray(examples) ? examples : []).map((value, index): [string, Example] => [
      componentName(id, nameOf(value, index)),
      { value },
    ]),
  )
  return Object.fromEntries(entries)
}

function componentName(id: string, name: string): string {
  return `${id}_${name}`
}

/** The member `name` of an example if this name is a single word; otherwise `example` and a number, from 1. */
function nameOf(value: unknown, index: number): string {
  const { name } = membersOf(value)
  return typeof name === 'string' && /^\w+$/.test(name) ? name : `example${index + 1}`
}
