import { membersOf } from '../../lib/objects.ts'
import type { ResponseSchema, ResponseSchemas } from './response-schemas.ts'

// Breaks JSON at one place, so that one keyword of its schema fails there and no other.

/** A value in a JSON document. */
interface Place {
  /** JSON Pointer (RFC 6901). */
  pointer: string
  value: unknown
  /** Every schema that applies to the value. */
  schemas: readonly ResponseSchema[]
  replace(value: unknown): void
}

/** Returns what a value is replaced with; undefined if the keyword cannot fail there. */
type Replace = (value: unknown, schemas: readonly ResponseSchema[]) => unknown

/** Texts that are not of a format, with all else that such a text has to have here. */
const NOT_OF_FORMAT: Readonly<Record<string, string>> = {
  'date-time': 'not a time',
  email: 'not an address',
  uri: 'http://not a URL',
  'uri-reference': 'not a reference',
  uuid: 'not-a-uuid',
}

const hasFixedValues = (schemas: readonly ResponseSchema[]) =>
  schemas.some((schema) => schema.enum || 'const' in schema)
const allows = ({ type }: ResponseSchema, name: string) => type === undefined || [type].flat().includes(name)

/** Registry: the kinds that replace a value. */
const REPLACEMENTS = {
  type: (_, schemas) => {
    if (hasFixedValues(schemas)) return undefined
    const others = { string: 'of another type', boolean: true } as const
    return Object.entries(others).find(([type]) => schemas.some((schema) => !allows(schema, type)))?.[1]
  },
  null: (_, schemas) =>
    !hasFixedValues(schemas) && schemas.some((schema) => !allows(schema, 'null')) ? null : undefined,
  enum: (_, schemas) => {
    const values = schemas.flatMap((schema) => schema.enum ?? [])
    if (schemas.some((schema) => 'const' in schema || schema.pattern || schema.format === 'uri')) return undefined
    if (typeof values[0] === 'number') return Math.max(...values.map(Number)) + 1
    return typeof values[0] === 'string' ? 'undocumented' : undefined
  },
  format: (value, schemas) => {
    if (typeof value !== 'string' || hasFixedValues(schemas)) return undefined
    const [text] = schemas.flatMap(({ format = '' }) => NOT_OF_FORMAT[format] ?? [])
    const fits = ({ pattern, maxLength = Infinity }: ResponseSchema, replacement: string) =>
      replacement.length <= maxLength && (pattern === undefined || new RegExp(pattern, 'u').test(replacement))
    return text !== undefined && schemas.every((schema) => fits(schema, text)) ? text : undefined
  },
  minimum: (value, schemas) => {
    const [minimum] = schemas.flatMap((schema) => schema.minimum ?? [])
    return typeof value === 'number' && minimum !== undefined && !hasFixedValues(schemas) ? minimum - 1 : undefined
  },
} as const satisfies Record<string, Replace>

type ReplacingKind = keyof typeof REPLACEMENTS

/** The kinds for which one keyword fails at one place. */
export const KEYWORD_KINDS = ['type', 'required', 'null', 'enum', 'additional', 'format', 'minimum'] as const
export type KeywordKind = (typeof KEYWORD_KINDS)[number]

/** The name of the member that `additional` adds, unless a pointer names another. */
const ADDITIONAL = 'undocumented'

/**
 * Breaks a document in place, or replaces it.
 *
 * @param pointer Where; undefined for the first place where the keyword can fail. The document as a whole is no such
 * place for a wrong type, because nothing would be left of it. `required` and `additional` take the pointer to the member
 * @returns The document, and the pointer to the place; undefined if the keyword cannot fail there
 */
export function breakDocument(
  document: unknown,
  schema: ResponseSchema,
  components: ResponseSchemas['components'],
  kind: KeywordKind,
  pointer?: string,
): { document: unknown; pointer: string } | undefined {
  let result = document
  const root = {
    pointer: '',
    value: document,
    replace(value: unknown) {
      result = value
    },
  }
  const walk = placesIn({ ...root, schemas: applying([schema], components) }, components)
  for (const place of walk) {
    const broken = isReplacing(kind) ? replaceAt(place, kind, pointer) : changeMembers(place, kind, pointer)
    if (broken !== undefined) return { document: result, pointer: broken }
  }
  return undefined
}

function isReplacing(kind: KeywordKind): kind is ReplacingKind {
  return kind in REPLACEMENTS
}

/** @returns The pointer to the replaced value; undefined if it was not replaced */
function replaceAt(place: Place, kind: ReplacingKind, wanted: string | undefined): string | undefined {
  if (wanted === undefined ? place.pointer === '' : place.pointer !== wanted) return undefined
  const replacement = REPLACEMENTS[kind](place.value, place.schemas)
  if (replacement === undefined) return undefined
  place.replace(replacement)
  return place.pointer
}

/** @returns The pointer to the member that was removed or added; undefined if none was */
function changeMembers(
  { pointer, value, schemas }: Place,
  kind: 'required' | 'additional',
  wanted: string | undefined,
): string | undefined {
  if (!isObject(value)) return undefined
  const names = kind === 'required' ? schemas.flatMap(({ required = [] }) => required) : newNames(pointer, wanted)
  const isClosed = (schema: ResponseSchema) =>
    schema.additionalProperties === false || schema.unevaluatedProperties === false
  if (kind === 'additional' && !schemas.some(isClosed)) return undefined
  const name = names.find(
    (candidate) =>
      (wanted === undefined || `${pointer}/${escapeName(candidate)}` === wanted) &&
      Object.hasOwn(value, candidate) === (kind === 'required') &&
      (kind === 'required' || !schemas.some(({ properties = {} }) => Object.hasOwn(properties, candidate))),
  )
  if (name === undefined) return undefined
  if (kind === 'required') delete value[name]
  // Not an assignment, which would do something else for `__proto__`.
  else Object.defineProperty(value, name, { value: true, enumerable: true })
  return `${pointer}/${escapeName(name)}`
}

/** The names that a new member of an object can have: that in the wanted pointer, if it points into the object. */
function newNames(pointer: string, wanted: string | undefined): string[] {
  if (wanted === undefined) return [ADDITIONAL]
  const rest = wanted.startsWith(`${pointer}/`) ? wanted.slice(pointer.length + 1) : '/'
  return rest.includes('/') ? [] : [rest.replaceAll('~1', '/').replaceAll('~0', '~')]
}

/** All places in a value, each before those in it, except those whose schema is a choice between others. */
function* placesIn(place: Place, components: ResponseSchemas['components']): Generator<Place> {
  const { pointer, value, schemas } = place
  if (schemas.length === 0 || schemas.some(({ anyOf, oneOf }) => anyOf || oneOf)) return
  yield place
  if (typeof value !== 'object' || value === null) return
  const holder = membersOf(value)
  for (const name of Object.keys(value)) {
    const declared = schemas.flatMap((schema) => schemaOfMember(schema, name, Array.isArray(value)) ?? [])
    const member = {
      pointer: `${pointer}/${escapeName(name)}`,
      value: holder[name],
      schemas: applying(declared, components),
      replace(replacement: unknown) {
        holder[name] = replacement
      },
    }
    yield* placesIn(member, components)
  }
}

function schemaOfMember(schema: ResponseSchema, name: string, isList: boolean): ResponseSchema | undefined {
  const { properties = {}, items, additionalProperties } = schema
  if (isList) return items
  if (Object.hasOwn(properties, name)) return properties[name]
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

/** Schemas with those that they refer to or consist of. */
function applying(schemas: readonly ResponseSchema[], components: ResponseSchemas['components']): ResponseSchema[] {
  return schemas.flatMap((schema) => {
    const { $ref, allOf = [] } = schema
    const referred = $ref === undefined ? [] : [components[$ref] ?? {}]
    return [schema, ...applying([...referred, ...allOf], components)]
  })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
