import type { Schema } from '../../documents/openapi/types.ts'

// What tests of documents compute about names and schemas.

/** A name without case and signs. */
export function plain(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()
}

/** The names that generators make from a name. */
export function madeFrom(name: string): string[] {
  const behind = ['request', 'response', 'params', 'body', 'type', 'enum', 'webhook']
  return [`new${name}`, ...behind.map((suffix) => name + suffix)]
}

/** The values that are not the first of their kind. */
export function repeated(values: readonly string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index)
}

/** A schema and all schemas in it, each with its place, such as `schemas/Planet/properties/name`. */
export function partsOf(place: string, schema: Schema): { place: string; schema: Schema }[] {
  const single = ['items', 'additionalProperties', 'contentSchema'].flatMap((key) => {
    const part = schema[key]
    return typeof part === 'object' && part !== null ? [[key, part as Schema] as const] : []
  })
  const listed = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => {
    const parts = schema[key]
    return Array.isArray(parts) ? parts.map((part: Schema, index) => [`${key}/${index}`, part] as const) : []
  })
  const members = Object.entries<Schema>(Object(schema.properties)).map(
    ([key, part]) => [`properties/${key}`, part] as const,
  )
  return [
    { place, schema },
    ...[...single, ...listed, ...members].flatMap(([key, part]) => partsOf(`${place}/${key}`, part)),
  ]
}
