import { XMLParser } from 'fast-xml-parser'
import * as z from 'zod'
import { resolveReferences, SPACE } from './characters.ts'
import { malformed } from './malformed.ts'
import { requireWellFormed } from './well-formed.ts'

/** The namespace of `xsi:nil` (XML Schema Part 1, section 2.6). */
export const XSI = 'http://www.w3.org/2001/XMLSchema-instance'

/** An element without the prefix of its name. Comments and attributes other than `xsi:nil` are ignored. */
export interface Element {
  name: string
  /** `xsi:nil="true"` (XML Schema Part 1, section 2.6.2). */
  isNil: boolean
  text: string
  children: Element[]
}

/** The namespaces that an element declares for prefixes, and the scope of the enclosing element. */
interface Scope {
  enclosing?: Scope
  namespaces: ReadonlyMap<string, string>
}

const TEXT = '#text'
const CDATA = '#cdata'
const ATTRIBUTES = ':@'

// The parser rejects names such as `constructor`, to protect programs that use names as keys of objects. In this
// service they are ordinary names, because decode.ts makes every name an ordinary property. So every name has a dot in
// front while it is in the parser.
const MARK = '.'
// The parser calls `mark` twice for some names. No name in XML begins with a dot, so a dot shows that a name is marked.
const mark = (name: string) => (name.startsWith(MARK) ? name : MARK + name)
const unmark = (name: string) => name.slice(MARK.length)

// The parser must not interpret anything: no trimming, no numbers, no entities. `requireWellFormed` rejects what the
// parser would wrongly accept.
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

/**
 * A node of the parser: its attributes, and its content under one key, which is the name of an element, `#text` or
 * `#cdata`.
 */
type Node = { [ATTRIBUTES]?: Record<string, string> } & { [name: string]: Node[] | string | Record<string, string> }
// The parser does not type its result. The check is only that a value is a list, because its items are always nodes.
const Nodes = z.custom<Node[]>(Array.isArray)

/** @throws ProblemError 400 if it is not well-formed or has content that `requireWellFormed` rejects */
export function parseTree(text: string): Element {
  requireWellFormed(text)
  const root = Nodes.parse(parser.parse(text)).find((node) => keyOf(node) !== TEXT)
  if (!root) throw new Error('a well-formed document has a root element')
  // The prefix `xsi` can be used without a declaration.
  return readElement(root, { namespaces: new Map([['xsi', XSI]]) })
}

function readElement(node: Node, scope: Scope): Element {
  const key = keyOf(node)
  const attributes = Object.entries(node[ATTRIBUTES] ?? {}).map(
    ([name, value]) => [unmark(name), resolve(value)] as const,
  )
  const ownScope = scopeOf(attributes, scope)
  const element: Element = {
    name: unmark(key).replace(/^.*:/, ''),
    isNil: attributes.some(([name, value]) => saysNil(name, value, ownScope)),
    text: '',
    children: [],
  }
  for (const child of Nodes.parse(node[key])) {
    const childKey = keyOf(child)
    if (childKey === TEXT) element.text += resolve(String(child[TEXT]))
    else if (childKey === CDATA)
      element.text += Nodes.parse(child[CDATA])
        .map((part) => String(part[TEXT]))
        .join('')
    else element.children.push(readElement(child, ownScope))
  }
  return element
}

/** The key of a node's content: the name of an element, `#text` or `#cdata`. */
function keyOf(node: Node): string {
  return Object.keys(node).find((key) => key !== ATTRIBUTES) ?? ''
}

/** The scope of an element: that of the enclosing element, with the prefixes that this element declares. */
function scopeOf(attributes: readonly (readonly [name: string, value: string])[], enclosing: Scope): Scope {
  const declarations = attributes.filter(([name]) => name.startsWith(PREFIX_DECLARATION))
  if (declarations.length === 0) return enclosing
  const namespaces = new Map(declarations.map(([name, value]) => [name.slice(PREFIX_DECLARATION.length), value]))
  return { enclosing, namespaces }
}

/** The beginning of the name of an attribute that declares a prefix. The prefix follows. */
const PREFIX_DECLARATION = 'xmlns:'

/** The namespace of a prefix; undefined if neither the element nor an enclosing one declares the prefix. */
function findNamespace(scope: Scope | undefined, prefix: string): string | undefined {
  return scope && (scope.namespaces.get(prefix) ?? findNamespace(scope.enclosing, prefix))
}

/** Whether an attribute is `xsi:nil="true"`, with any prefix for the namespace of XML Schema instances. */
function saysNil(attribute: string, value: string, scope: Scope): boolean {
  const [prefix = '', name] = attribute.split(':')
  return name === 'nil' && TRUE.test(value) && findNamespace(scope, prefix) === XSI
}

const TRUE = new RegExp(`^${SPACE}*(?:true|1)${SPACE}*$`)

/** @throws ProblemError 400 if a character reference is not valid */
function resolve(text: string): string {
  const resolved = resolveReferences(text)
  if (resolved !== undefined) return resolved
  throw malformed('a character reference does not name a valid character')
}
