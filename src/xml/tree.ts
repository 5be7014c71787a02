import { SPACE } from './characters.ts'
import { type Attributes, readDocument } from './document.ts'

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

/**
 * Parses a document (XML 1.0).
 *
 * @throws ProblemError 400 if it is not well-formed or has content that `readDocument` rejects
 */
export function parseTree(text: string): Element {
  // What encloses the root element, so that it has a parent like any other element.
  const outside: Element = { name: '', isNil: false, text: '', children: [] }
  const open: { element: Element; scope: Scope }[] = []
  const innermost = () => open.at(-1) ?? { element: outside, scope: OUTSIDE }
  readDocument(text, {
    start(name, attributes) {
      const { element: parent, scope: enclosing } = innermost()
      const scope = scopeOf(attributes, enclosing)
      const isNil = attributes.some(([attribute, value]) => saysNil(attribute, value, scope))
      const element: Element = { name: name.replace(/^.*:/, ''), isNil, text: '', children: [] }
      parent.children.push(element)
      open.push({ element, scope })
    },
    text(part) {
      innermost().element.text += part
    },
    end() {
      open.pop()
    },
  })
  const [root] = outside.children
  if (!root) throw new Error('a well-formed document has a root element')
  return root
}

const OUTSIDE: Scope = { namespaces: new Map([['xsi', XSI]]) }

/** The scope of an element: that of the enclosing element, with the prefixes that this element declares. */
function scopeOf(attributes: Attributes, enclosing: Scope): Scope {
  const declarations = attributes.filter(([name]) => name.startsWith(DECLARATION))
  if (declarations.length === 0) return enclosing
  const namespaces = new Map(declarations.map(([name, value]) => [name.slice(DECLARATION.length), value]))
  return { enclosing, namespaces }
}

const DECLARATION = 'xmlns:'

function findNamespace(scope: Scope | undefined, prefix: string): string | undefined {
  return scope && (scope.namespaces.get(prefix) ?? findNamespace(scope.enclosing, prefix))
}

/** Whether an attribute is `xsi:nil="true"`, with any prefix for the namespace of XML Schema instances. */
function saysNil(attribute: string, value: string, scope: Scope): boolean {
  const [prefix = '', name] = attribute.split(':')
  return name === 'nil' && TRUE.test(value) && findNamespace(scope, prefix) === XSI
}

const TRUE = new RegExp(`^${SPACE}*(?:true|1)${SPACE}*$`)
