import { resolveReferences, SPACE } from './characters.ts'
import { malformed } from './malformed.ts'
import { NotWellFormed, readTokens, type XmlAttribute, type XmlToken } from './tokens.ts'

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

/**
 * Maximum nesting of elements. The value of a document has at most twice as many levels, because an element can become
 * a list with an object in it. LEVELS_MAX (lib/json.ts) allows that many.
 */
const DEPTH_MAX = 32

// The prefix `xsi` can be used without a declaration.
const OUTERMOST: Scope = { namespaces: new Map([['xsi', XSI]]) }

/** An element whose end was not read yet. */
interface OpenElement {
  element: Element
  scope: Scope
}

/**
 * @throws ProblemError 400 if it is not well-formed, or has content that the service does not accept: a DOCTYPE (and so
 * any entity), processing instructions, deep nesting
 */
export function parseTree(text: string): Element {
  try {
    return buildTree(readTokens(text, { depthMax: DEPTH_MAX, isPlain: true }))
  } catch (error) {
    if (!(error instanceof NotWellFormed)) throw error
    throw malformed(`${error.message}, in line ${text.slice(0, error.at).split('\n').length}`)
  }
}

function buildTree(tokens: Iterable<XmlToken>): Element {
  const open: OpenElement[] = []
  let root: Element | undefined
  for (const token of tokens) {
    const enclosing = open.at(-1)
    if (token.is === 'start') {
      const started = startOf(token, enclosing?.scope ?? OUTERMOST)
      enclosing?.element.children.push(started.element)
      root ??= started.element
      open.push(started)
    } else if (token.is === 'end') open.pop()
    else if (enclosing) enclosing.element.text += contentOf(token)
  }
  if (!root) throw new Error('a well-formed document has a root element')
  return root
}

function startOf({ name, attributes }: XmlToken & { is: 'start' }, enclosing: Scope): OpenElement {
  const scope = scopeOf(attributes, enclosing)
  const isNil = attributes.some((attribute) => saysNil(attribute, scope))
  return { element: { name: name.replace(/^.*:/, ''), isNil, text: '', children: [] }, scope }
}

/** Every line break is read as a line feed (XML 1.0, section 2.11), unless a reference names it. */
function contentOf({ is, text }: XmlToken & { is: 'text' | 'data' }): string {
  const content = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
  return is === 'text' ? resolve(content) : content
}

/** The scope of an element: that of the enclosing element, with the prefixes that this element declares. */
function scopeOf(attributes: readonly XmlAttribute[], enclosing: Scope): Scope {
  const declarations = attributes.filter(({ name }) => name.startsWith(PREFIX_DECLARATION))
  if (declarations.length === 0) return enclosing
  const namespaces = new Map(
    declarations.map(({ name, value }) => [name.slice(PREFIX_DECLARATION.length), resolve(value)]),
  )
  return { enclosing, namespaces }
}

/** The beginning of the name of an attribute that declares a prefix. The prefix follows. */
const PREFIX_DECLARATION = 'xmlns:'

/** The namespace of a prefix; undefined if neither the element nor an enclosing one declares the prefix. */
function findNamespace(scope: Scope | undefined, prefix: string): string | undefined {
  return scope && (scope.namespaces.get(prefix) ?? findNamespace(scope.enclosing, prefix))
}

/** Whether an attribute is `xsi:nil="true"`, with any prefix for the namespace of XML Schema instances. */
function saysNil({ name: qualified, value }: XmlAttribute, scope: Scope): boolean {
  const [prefix = '', name] = qualified.split(':')
  return name === 'nil' && TRUE.test(resolve(value)) && findNamespace(scope, prefix) === XSI
}

const TRUE = new RegExp(`^${SPACE}*(?:true|1)${SPACE}*$`)

/** The text that references stand for. They are valid, because `readTokens` refuses others. */
function resolve(text: string): string {
  return text.includes('&') ? (resolveReferences(text) ?? '') : text
}
