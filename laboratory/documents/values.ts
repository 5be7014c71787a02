import type { CaseSchema, Value } from '../suite/declare.ts'

// What the values of cases are without their tags.

/** TypeScript does not have it yet (ECMAScript proposal "JSON.parse source text access"). */
declare global {
  interface JSON {
    rawJSON(text: string): { readonly rawJSON: string }
    isRawJSON(value: unknown): value is { readonly rawJSON: string }
  }
}

/** `bytes` are in base64. */
export interface FileValue {
  name: string
  type: string
  bytes: string
}

/** The content of a tag, or undefined if a value does not have it. */
export function tagOf(value: Value | undefined, tag: '$int64' | '$date' | '$dateTime' | '$bytes'): string | undefined {
  if (!isObject(value)) return undefined
  const content = value[tag]
  return typeof content === 'string' && Object.keys(value).length === 1 ? content : undefined
}

export function fileOf(value: Value | undefined): FileValue | undefined {
  // Only suite/multipart.ts makes values with this tag.
  return isObject(value) && '$file' in value ? (value.$file as unknown as FileValue) : undefined
}

/** Whether a value is an object, perhaps with a tag. */
export function isObject(value: Value | undefined): value is { readonly [name: string]: Value } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value)
}

/**
 * A value without tags, in which numbers are as JSON should write them: all digits, and exponents of two digits.
 * Undefined if JSON cannot say it, because it has bytes.
 *
 * @param schema Says whether bytes are base64, and in which alphabet
 */
export function plain(value: Value, schema: CaseSchema | undefined): unknown {
  const digits = tagOf(value, '$int64')
  if (digits !== undefined) return JSON.rawJSON(digits)
  const time = tagOf(value, '$date') ?? tagOf(value, '$dateTime')
  if (time !== undefined) return time
  const bytes = tagOf(value, '$bytes') ?? fileOf(value)?.bytes
  if (bytes !== undefined) return plainBytes(bytes, schema)
  if (typeof value === 'number') return exactNumber(value)
  if (isList(value)) return value.map((item, index) => plain(item, itemSchema(schema, index)))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, plain(member, memberSchema(schema, name))]),
  )
}

/** A value as a text, such as a parameter or an attribute has it. */
export function plainText(value: Value, schema: CaseSchema | undefined): string {
  const content = plain(value, schema)
  return typeof content === 'string' ? content : JSON.stringify(content)
}

/** Whether `plain` has said everything. */
export function isWhole(value: unknown): boolean {
  if (value === undefined) return false
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return true
  return Object.values(value).every(isWhole)
}

function plainBytes(bytes: string, schema: CaseSchema | undefined): string | undefined {
  if (schema?.contentEncoding === 'base64') return bytes
  if (schema?.contentEncoding === 'base64url') return bytes.replaceAll('+', '-').replaceAll('/', '_')
  // Raw bytes: only none at all are a text.
  return bytes === '' ? '' : undefined
}

function exactNumber(value: number): unknown {
  if (Object.is(value, -0)) return JSON.rawJSON('-0')
  const text = String(value)
  return text.includes('e') ? JSON.rawJSON(text.replace(/e([+-])(\d)$/, 'e$10$2')) : value
}

/** The schema of a member, also if only a part of a union has it. */
export function memberSchema(schema: CaseSchema | undefined, name: string): CaseSchema | undefined {
  if (!schema) return undefined
  const own = schema.properties?.[name]
  if (own) return own
  for (const part of partsOf(schema)) {
    const found = memberSchema(part, name)
    if (found) return found
  }
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
}

export function itemSchema(schema: CaseSchema | undefined, index: number): CaseSchema | undefined {
  return schema?.prefixItems?.[index] ?? schema?.items
}

/** The schemas that a union, or a composition, consists of. */
export function partsOf({ oneOf, anyOf, allOf }: CaseSchema): readonly CaseSchema[] {
  return oneOf ?? anyOf ?? allOf ?? []
}

/** The schema with this `name` within a schema. @throws Error if there is none */
export function findNamed(root: CaseSchema, name: string): CaseSchema {
  const found = search(root, name)
  if (!found) throw new Error(`no schema is named ${name}`)
  return found
}

function search(schema: CaseSchema, name: string): CaseSchema | undefined {
  if (schema.name === name) return schema
  const { properties = {}, items, additionalProperties } = schema
  const below = [...Object.values(properties), ...partsOf(schema), items, additionalProperties]
  for (const part of below) {
    const found = typeof part === 'object' ? search(part, name) : undefined
    if (found) return found
  }
  return undefined
}
