import { XMLParser } from 'fast-xml-parser'
import { z } from 'zod'
import { ProblemError } from '../lib/errors.ts'
import { resolveReferences } from './characters.ts'
import { requireWellFormed } from './well-formed.ts'

export const XSI = 'http://www.w3.org/2001/XMLSchema-instance'

/** An element without its prefix, and without what means nothing here: comments, other attributes. */
export interface Element {
  name: string
  /** `xsi:nil="true"` (XML Schema Part 1, section 2.6.2). */
  isNil: boolean
  text: string
  children: Element[]
}

const TEXT = '#text'
const CDATA = '#cdata'
const ATTRIBUTES = ':@'

// The parser throws at names such as `constructor`. Here they are names like any other, because no name becomes a key of
// an object before the schema has seen it.
const MARK = '.'
const mark = (name: string) => (name.startsWith(MARK) ? name : MARK + name)
const unmark = (name: string) => name.slice(MARK.length)

// Nothing is guessed here: no trimming, no numbers, no entities. What the parser would let pass is refused before.
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  textNodeName: TEXT,
  cdataPropName: CDATA,
  ignoreDeclaration: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: false,
  transformTagName: mark,
  transformAttributeName: mark,
})

/** A node as the parser gives it: one key, which is the name of an element or `#text` or `#cdata`, and attributes. */
type Node = { [ATTRIBUTES]?: Record<string, string> } & { [name: string]: Node[] | string | Record<string, string> }
const Nodes = z.custom<Node[]>(Array.isArray)

/**
 * Reads a document (XML 1.0).
 *
 * @throws ProblemError 400 where it is not well-formed or has what this service refuses
 */
export function parseTree(text: string): Element {
  requireWellFormed(text)
  const root = Nodes.parse(parser.parse(text)).find((node) => keyOf(node) !== TEXT)
  if (!root) throw new Error('a well-formed document has a root element')
  return readElement(root, new Set(['xsi']))
}

/** @param prefixes of the namespace that `nil` is in */
function readElement(node: Node, prefixes: ReadonlySet<string>): Element {
  const key = keyOf(node)
  const attributes = Object.entries(node[ATTRIBUTES] ?? {}).map(([name, value]) => [unmark(name), value] as const)
  const known = attributes.reduce(declare, prefixes)
  const element: Element = {
    name: unmark(key).replace(/^.*:/, ''),
    isNil: attributes.some(([name, value]) => saysNil(name, value, known)),
    text: '',
    children: [],
  }
  for (const child of Nodes.parse(node[key])) {
    const kind = keyOf(child)
    if (kind === TEXT) element.text += resolve(String(child[TEXT]))
    else if (kind === CDATA)
      element.text += Nodes.parse(child[CDATA])
        .map((part) => String(part[TEXT]))
        .join('')
    else element.children.push(readElement(child, known))
  }
  return element
}

function keyOf(node: Node): string {
  return Object.keys(node).find((key) => key !== ATTRIBUTES) ?? ''
}

function declare(prefixes: ReadonlySet<string>, [name, value]: readonly [string, string]): ReadonlySet<string> {
  return name.startsWith('xmlns:') && value === XSI ? new Set([...prefixes, name.slice('xmlns:'.length)]) : prefixes
}

function saysNil(attribute: string, value: string, prefixes: ReadonlySet<string>): boolean {
  const [prefix = '', name] = attribute.split(':')
  return name === 'nil' && prefixes.has(prefix) && /^\s*(?:true|1)\s*$/.test(value)
}

function resolve(text: string): string {
  const resolved = resolveReferences(text)
  if (resolved !== undefined) return resolved
  throw new ProblemError('malformed-body', 'The body is not XML that this takes: it refers to what is no character.')
}
