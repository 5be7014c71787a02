import { escapeAttribute, escapeText } from '../../src/xml/characters.ts'
import type { CaseSchema, Value } from '../suite/declare.ts'
import { isList, isObject, plainText } from './values.ts'

// XML as the XML Objects of a schema describe it (OpenAPI 3.2.0, "XML Object").

/** Writes the element of a schema, which must have a name. */
export function writeXml(schema: CaseSchema, value: Value): string {
  const name = schema.xml?.name ?? ''
  return isList(value) ? list(name, schema, value, new Set()) : element(name, schema, value, new Set())
}

/** @param declared The prefixes that an element around it declares */
function element(name: string, schema: CaseSchema, value: Value, declared: ReadonlySet<string>): string {
  const { prefix, namespace } = schema.xml ?? {}
  const tag = prefix === undefined ? name : `${prefix}:${name}`
  const isNew = prefix !== undefined && namespace !== undefined && !declared.has(prefix)
  const inner = isNew ? new Set([...declared, prefix]) : declared
  const declaration = isNew ? ` xmlns:${prefix}="${namespace}"` : ''
  if (!isObject(value)) return `<${tag}${declaration}>${escapeText(plainText(value, schema))}</${tag}>`
  const members = Object.entries(schema.properties ?? {}).flatMap(([member, type]) => {
    const content = value[member]
    return content === undefined ? [] : [{ name: type.xml?.name ?? type.element ?? member, type, content }]
  })
  const attributes = members
    .filter(({ type }) => isAttribute(type))
    .map((member) => ` ${member.name}="${escapeAttribute(plainText(member.content, member.type))}"`)
  const children = members
    .filter(({ type }) => !isAttribute(type))
    .map(({ name, type, content }) => {
      const text = () => plainText(content, type)
      if (type.xml?.nodeType === 'text') return escapeText(text())
      if (type.xml?.nodeType === 'cdata') return `<![CDATA[${text()}]]>`
      return isList(content) ? list(name, type, content, inner) : element(name, type, content, inner)
    })
  return `<${tag}${declaration}${attributes.join('')}>${children.join('')}</${tag}>`
}

const isAttribute = ({ xml }: CaseSchema) => xml?.attribute ?? xml?.nodeType === 'attribute'

function list(
  name: string,
  { items = {}, xml }: CaseSchema,
  values: readonly Value[],
  declared: ReadonlySet<string>,
): string {
  const elements = values.map((value) => element(items.xml?.name ?? name, items, value, declared)).join('')
  return xml?.wrapped || xml?.nodeType === 'element' ? `<${name}>${elements}</${name}>` : elements
}
