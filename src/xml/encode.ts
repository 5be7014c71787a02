import type { z } from 'zod'
import { escapeText } from './characters.ts'
import { encodeName } from './names.ts'
import { XSI } from './tree.ts'

// Written by hand: a builder that takes any key for a name and any character for text would not be shorter once both
// are made safe for it.

/**
 * Writes a value that a schema has let pass as an XML document: a member is an element of its name, a list is its
 * element repeated, null is `xsi:nil`.
 *
 * @param before Elements that are written already, see `encodeElements`
 */
export function encodeXml(value: unknown, schema: z.ZodType, before = ''): string {
  const name = rootName(schema)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns:xsi="${XSI}">${before}${content(value)}</${name}>`
}

/** The name of the element that a schema's documents are: its `xml.name`. */
function rootName(schema: z.ZodType): string {
  const { xml, id } = schema.meta() ?? {}
  if (typeof xml === 'object' && xml !== null && 'name' in xml) return String(xml.name)
  throw new Error(`the schema ${id ?? 'without an id'} has no name for its root element`)
}

function content(value: unknown): string {
  if (typeof value !== 'object' || value === null) return escapeText(String(value))
  return encodeElements(value)
}

/** Writes the members of an object, without an element around them. */
export function encodeElements(value: object): string {
  return Object.entries(value)
    .map(([name, member]) => elements(encodeName(name), member))
    .join('')
}

function elements(name: string, value: unknown): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return value.map((item) => elements(name, item)).join('')
  if (value === null) return `<${name} xsi:nil="true"/>`
  return `<${name}>${content(value)}</${name}>`
}
