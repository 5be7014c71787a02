import type * as z from 'zod'
import { escapeText } from './characters.ts'
import { encodeName } from './names.ts'
import { XSI } from './tree.ts'

// Written by hand, because the available XML builders accept any key as a name and any character as text. Code that
// makes both safe for a builder would not be shorter.

/**
 * Writes a validated value as an XML document: a member becomes an element with its name, a list becomes repeated
 * elements, and null becomes `xsi:nil`.
 *
 * @param before Elements at the beginning of the root element that are already encoded, see `encodeElements`
 */
export function encodeXml(value: unknown, schema: z.ZodType, before = ''): string {
  return encodeAs(rootName(schema), value, before)
}

/** The same for a root element of this name. */
export function encodeAs(name: string, value: unknown, before = ''): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns:xsi="${XSI}">${before}${encodeContent(value)}</${name}>`
}

/**
 * The name of the root element: the schema's `xml.name`.
 *
 * @throws Error if the schema has no such name
 */
export function rootName(schema: z.ZodType): string {
  const { xml, id } = schema.meta() ?? {}
  if (typeof xml === 'object' && xml !== null && 'name' in xml) return String(xml.name)
  throw new Error(`the schema ${id ?? 'without an id'} has no name for its root element`)
}

/** The content of an element, without its tags. */
function encodeContent(value: unknown): string {
  if (typeof value !== 'object' || value === null) return escapeText(String(value))
  return encodeElements(value)
}

/** Writes the members of an object, without an element around them. */
export function encodeElements(value: object): string {
  return Object.entries(value)
    .map(([name, member]) => encodeMember(encodeName(name), member))
    .join('')
}

/** The elements of one member: none if it is undefined, several if it is a list, otherwise one. */
function encodeMember(name: string, value: unknown): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return value.map((item) => encodeMember(name, item)).join('')
  if (value === null) return `<${name} xsi:nil="true"/>`
  return `<${name}>${encodeContent(value)}</${name}>`
}
