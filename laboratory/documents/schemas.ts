import type { Version } from '../case.ts'
import type { CaseSchema } from '../suite/declare.ts'

// Schemas of the declaration in the words of a version of OpenAPI. Each object, enum and union becomes a component,
// and what else has a name.

export interface SchemaWriter {
  version: Version
  /** The beginning of the names of its components, such as `QueryFormObject`. */
  prefix: string
  /** Filled by `writeSchema`: the components by name. */
  components: Record<string, object>
}

/** The name of the place of a whole body. */
export const WHOLE = 'Value'

/**
 * Writes a schema, or a reference to the component that it has become.
 *
 * @param place The end of the name of its component, if the schema has no `name`
 * @param example Added as `example`, which importers read in each version
 */
export function writeSchema(schema: CaseSchema, place: string, writer: SchemaWriter, example?: unknown): object {
  const { version, prefix, components } = writer
  if (schema.named !== undefined) return refer(prefix + schema.named)
  if (!isComponent(schema)) return convert(schema, place, writer, example)
  const name = prefix + (schema.name ?? place)
  if (!(name in components)) {
    // Its place in the list comes before those of its parts.
    components[name] = {}
    components[name] = convert(schema, schema.name ?? place, writer, example)
  } else if (version !== '3.0' && example !== undefined) throw new Error(`${name} has two examples`)
  return refer(name)
}

export function refer(name: string): { $ref: string } {
  return { $ref: pointerTo(name) }
}

function pointerTo(name: string): string {
  return `#/components/schemas/${name}`
}

/** `X-Color` is `XColor`. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_, letter: string) => letter.toUpperCase())
}

/**
 * Whether a schema is an object, an enum, a union, or has a name. Null beside another type is no union: `isNullable`.
 */
function isComponent({ type, name, enum: values, oneOf, anyOf, allOf }: CaseSchema): boolean {
  return type === 'object' || (name ?? values ?? oneOf ?? anyOf ?? allOf) !== undefined
}

/** A schema in the words of its version, with references to the components of its parts. */
function convert(schema: CaseSchema, place: string, writer: SchemaWriter, example?: unknown): object {
  const { version, prefix } = writer
  const { properties, items, prefixItems, additionalProperties, oneOf, anyOf, allOf, discriminator, required } = schema
  const {
    contentEncoding,
    contentMediaType,
    contentSchema,
    isNullable,
    requiredIn30 = [],
    name: _name,
    named: _named,
    element: _element,
    ...same
  } = schema
  const root = place === WHOLE ? '' : place
  const write = (part: CaseSchema, end: string) => writeSchema(part, root + end, writer)
  const writeAll = (parts: readonly CaseSchema[]) => parts.map((part, index) => write(part, `Option${index + 1}`))
  const allRequired = version === '3.0' ? [...requiredIn30, ...(required ?? [])] : required
  const written = {
    ...same,
    ...(version === '3.0'
      ? binaryIn30(schema)
      : { ...(contentEncoding && { contentEncoding }), ...(contentMediaType && { contentMediaType }) }),
    ...(contentSchema && { contentSchema: write(contentSchema, 'Content') }),
    ...(allRequired?.length && { required: allRequired }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, write(member, pascalCase(name))]),
      ),
    }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: write(additionalProperties, 'Member') }),
    ...(items && { items: write(items, 'Item') }),
    ...(prefixItems && { prefixItems: writeAll(prefixItems) }),
    ...(oneOf && { oneOf: writeAll(oneOf) }),
    ...(anyOf && { anyOf: writeAll(anyOf) }),
    ...(allOf && { allOf: writeAll(allOf) }),
    ...(discriminator && {
      discriminator: {
        propertyName: discriminator.propertyName,
        mapping: Object.fromEntries(
          Object.entries(discriminator.mapping).map(([value, end]) => [value, pointerTo(prefix + end)]),
        ),
        ...(discriminator.defaultMapping !== undefined && {
          defaultMapping: pointerTo(prefix + discriminator.defaultMapping),
        }),
      },
    }),
  }
  const withNull = isNullable ? orNull(written, version) : written
  return example === undefined ? withNull : { ...withNull, example }
}

function orNull(schema: object, version: Version): object {
  return version === '3.0' ? { ...schema, nullable: true } : { oneOf: [schema, { type: 'null' }] }
}

/** OpenAPI 3.0 says by `format` what JSON Schema says by `contentEncoding` and `contentMediaType`. */
function binaryIn30({ contentEncoding, contentMediaType }: CaseSchema): object {
  if (contentEncoding !== undefined) return { format: 'byte' }
  return contentMediaType === undefined ? {} : { type: 'string', format: 'binary' }
}
