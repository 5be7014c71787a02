import { membersOf, sortByName } from '../../../src/lib/objects.ts'
import { encodeAs, type Root } from '../../../src/xml/encode.ts'
import { refer } from '../references.ts'
import type { Document, Example, MediaType, Reference, Schema } from '../types.ts'
import { describeStream, isStream } from './streams.ts'

/**
 * Describes the contents of bodies: streams by their items, and XML with the name of its root. Each example that is not
 * JSON has its value and its text (`dataValue` and `serializedValue`, OpenAPI 3.2, section 4.19).
 */
export function describeContents(document: Document): Document {
  const { examples, schemas } = document.components
  const inXml: Record<string, Example> = {}

  const rootOf = ({ $ref, allOf, xml }: Schema): Root => {
    if ($ref !== undefined) return rootOf(schemas[nameIn(String($ref))] ?? {})
    if (Array.isArray(allOf)) return rootOf(allOf[0])
    const { name, namespace } = membersOf(xml)
    return { name: String(name), ...(namespace !== undefined && { namespace: String(namespace) }) }
  }

  const writeExample = ({ value, ...others }: Example, root: Root): Example => ({
    ...others,
    dataValue: value,
    serializedValue: encodeAs(root, value),
  })

  const describeExample = (example: Example | Reference, root: Root): Example | Reference => {
    if (!isReference(example)) return writeExample(example, root)
    const name = nameIn(example.$ref)
    const found = examples[name]
    if (!found) throw new Error(`no example ${name}`)
    inXml[`${name}_xml`] = writeExample(found, root)
    return refer('examples', `${name}_xml`)
  }

  const describeXml = ({ schema, examples: given = {} }: MediaType): MediaType => {
    const root = rootOf(schema ?? {})
    return {
      schema: { ...schema, xml: { ...root, nodeType: 'element' } },
      examples: Object.fromEntries(Object.entries(given).map(([name, one]) => [name, describeExample(one, root)])),
    }
  }

  const describe = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(describe)
    const entries = Object.entries(value).map(([key, member]) => {
      if (key === 'examples' || key === 'schema' || key === 'schemas') return [key, member]
      if (key !== 'content') return [key, describe(member)]
      const contents = Object.entries<MediaType>(member).map(([mediaType, media]) => {
        if (isStream(media)) return [mediaType, describeStream(mediaType, media)]
        return [mediaType, /[/+]xml$/.test(mediaType) ? describeXml(media) : media]
      })
      return [key, Object.fromEntries(contents)]
    })
    return Object.fromEntries(entries)
  }

  const described = describe(document) as Document
  return { ...described, components: { ...described.components, examples: sortByName({ ...examples, ...inXml }) } }
}

function isReference(value: Example | Reference): value is Reference {
  return '$ref' in value
}

/** The name of the component to which a reference leads. */
function nameIn(reference: string): string {
  return reference.split('/').at(-1) ?? ''
}
