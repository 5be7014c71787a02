import { XMLParser } from 'fast-xml-parser'
import type { BenchDocument, Schema } from './document.ts'
import { isList, isMembers, type Value } from './values.ts'

// XML by the `xml` objects of schemas (OpenAPI 3.2.0, "XML Object").

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The name of the element for a value. */
function nameOf({ xml = {} }: Schema, name: string): string {
  return (xml.prefix === undefined ? '' : `${xml.prefix}:`) + (xml.name ?? name)
}

/** @param name The name that the element has if its schema gives it none */
export function writeXml(
  document: BenchDocument,
  value: Value,
  schema: Schema,
  textOf: (value: Value) => string,
  name = '',
): string {
  const described = document.resolve(schema)
  // A reference has no element of its own (`nodeType`, `none`), but that of its component.
  const tag = nameOf(described, document.nameOf(schema) ?? name)
  if (isList(value)) {
    const items = value.map((item) => writeXml(document, item, described.items ?? {}, textOf, name)).join('')
    return described.xml?.wrapped || described.xml?.nodeType === 'element' ? `<${tag}>${items}</${tag}>` : items
  }
  if (!isMembers(value)) return `<${tag}>${escapeXml(textOf(value))}</${tag}>`
  const { namespace, prefix } = described.xml ?? {}
  let [head, content] = [`<${tag}`, '']
  if (namespace !== undefined && prefix !== undefined) head += ` xmlns:${prefix}="${namespace}"`
  for (const [member, memberSchema] of Object.entries(document.membersOf(described))) {
    const own = value[member]
    if (own === undefined) continue
    const { xml } = document.resolve(memberSchema)
    if (xml?.nodeType === 'text') content += escapeXml(textOf(own))
    else if (xml?.nodeType === 'cdata') content += `<![CDATA[${textOf(own)}]]>`
    else if (xml?.attribute || xml?.nodeType === 'attribute')
      head += ` ${xml.name ?? member}="${escapeXml(textOf(own))}"`
    else content += writeXml(document, own, memberSchema, textOf, member)
  }
  return `${head}>${content}</${tag}>`
}

/** The members of an element as JSON would have them: texts, which its schema types. */
export function readXml(document: BenchDocument, text: string, schema: Schema): Record<string, unknown> {
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '@', parseTagValue: false })
  const described = document.resolve(schema)
  const element = parser.parse(text)[nameOf(described, '')]
  const members = Object.entries(document.membersOf(described)).map(([member, memberSchema]) => {
    const { type, items, xml = {} } = document.resolve(memberSchema)
    if (xml.attribute) return [member, element[`@${xml.name ?? member}`]]
    return [member, type === 'array' ? [element[nameOf(document.resolve(items), member)]].flat() : element[member]]
  })
  return Object.fromEntries(members)
}
