import type * as z from 'zod'
import { escapeText, XML_DECLARATION } from './characters.ts'
import { encodeName } from './names.ts'
import { XSI } from './tree.ts'

// Written by hand, because the available XML builders accept any key as a name and any character as text. Code that
// makes both safe for a builder would not be shorter.

export interface Root {
  name: string
  /** The namespace of all elements; undefined if they have none. */
  namespace?: string | undefined
}

/** The namespace of problems (RFC 9457, appendix B). */
export const PROBLEM_NAMESPACE = 'urn:ietf:rfc:7807'

/** The name of each item of a list in that namespace, where a list has an element around its items. */
export const PROBLEM_ITEM = 'i'

/** Whether lists of a document have an element around their items, instead of repeating their element. */
export function wrapsLists({ namespace }: Partial<Root>): boolean {
  return namespace === PROBLEM_NAMESPACE
}

/**
 * Writes a validated value as an XML document: a member becomes an element with its name, a list becomes repeated
 * elements, and null becomes `xsi:nil`. In a problem, a list becomes one element with an `i` for each item. An empty
 * list becomes nothing.
 *
 * @param before Elements at the beginning of the root element that are already encoded, see `encodeElements`
 */
export function encodeXml(value: unknown, schema: z.ZodType, before = ''): string {
  return encodeAs(rootOf(schema), value, before)
}

/** The same for this root element. */
export function encodeAs(root: Root, value: unknown, before = ''): string {
  return writeDocument(root, before + encodeContent(value, wrapsLists(root)))
}

/** Writes a document. @param content The content of its root element, already encoded */
export function writeDocument({ name, namespace }: Root, content: string): string {
  const declared = namespace === undefined ? '' : ` xmlns="${namespace}"`
  return `${XML_DECLARATION}<${name}${declared} xmlns:xsi="${XSI}">${content}</${name}>`
}

/**
 * The root element of documents of a schema: its `xml`.
 *
 * @throws Error if the schema has no name for it
 */
export function rootOf(schema: z.ZodType): Root {
  const { xml, id } = schema.meta() ?? {}
  if (isRoot(xml)) return xml
  throw new Error(`the schema ${id ?? 'without an id'} has no name for its root element`)
}

function isRoot(xml: unknown): xml is Root {
  return typeof xml === 'object' && xml !== null && 'name' in xml
}

/** The content of an element, without its tags. */
function encodeContent(value: unknown, isWrapping: boolean): string {
  if (typeof value !== 'object' || value === null) return escapeText(String(value))
  return encodeElements(value, isWrapping)
}

/** Writes the members of an object, without an element around them. */
export function encodeElements(value: object, isWrapping = false): string {
  return Object.entries(value)
    .map(([name, member]) => encodeMember(encodeName(name), member, isWrapping))
    .join('')
}

/** The elements of one member: none if it is undefined, several if it is a list that is not wrapped, otherwise one. */
function encodeMember(name: string, value: unknown, isWrapping: boolean): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) {
    const itemName = isWrapping ? PROBLEM_ITEM : name
    const items = value.map((item) => encodeMember(itemName, item, isWrapping)).join('')
    return isWrapping && items !== '' ? `<${name}>${items}</${name}>` : items
  }
  if (value === null) return `<${name} xsi:nil="true"/>`
  return `<${name}>${encodeContent(value, isWrapping)}</${name}>`
}
