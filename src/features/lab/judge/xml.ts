import { type Part, quote, report, stop, untilStop } from './part.ts'
import { type Bytes, findDifference, type Text, TextBuilder, toBytes } from './text.ts'

/** Deeper elements are not read. The documents of all cases are flatter. */
const DEPTH_MAX = 100

/** The namespace of a name, and its local part. */
type QualifiedName = `{${string}}${string}`

interface Attribute {
  text: Text
  at: number
}

interface Element {
  name: QualifiedName
  /** The offset of its name. */
  at: number
  attributes: ReadonlyMap<QualifiedName, Attribute>
  /** The offset of the end of its start tag. */
  headEnd: number
  children: Element[]
  text: Text
  /** The offset of its end tag. */
  end: number
}

/** The prefixes that an element declares. */
interface Scope {
  declared: ReadonlyMap<string, string>
  outer: Scope | undefined
}

interface OpenElement {
  element: Element
  rawName: Bytes
  text: TextBuilder
  scope: Scope | undefined
}

const NAME = '[A-Za-z_\\x80-\\xff:][\\w.\\-\\x80-\\xff:]*'
const SPACE = '[ \\t\\r\\n]'
/** Comments, instructions, the declaration, and a document type without declarations of its own. */
const IGNORED = /<!--(?:[^-]|-(?!-))*-->|<\?(?:[^?]|\?(?!>))*\?>|<!DOCTYPE[^[>]*>/y
const CDATA = /<!\[CDATA\[((?:[^\]]|\](?!\]>))*)\]\]>/y
const START = new RegExp(`<(${NAME})`, 'y')
const ATTRIBUTE = new RegExp(`${SPACE}+(${NAME})${SPACE}*=${SPACE}*(?:"([^"<]*)"|'([^'<]*)')`, 'y')
const START_END = new RegExp(`${SPACE}*(/?)>`, 'y')
const END = new RegExp(`</(${NAME})${SPACE}*>`, 'y')
const CHARACTERS = /[^<&]+/y
const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-fA-F]{1,6}));/y
const ENTITIES: Readonly<Record<string, string | undefined>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace'

/** Reads XML 1.0 with namespaces. It reads no external entities and no declarations of a document type. */
class XmlReader {
  root: Element | undefined
  readonly #part: Part
  readonly #xml: Bytes
  #index: number
  readonly #open: OpenElement[] = []

  constructor(part: Part) {
    this.#part = part
    this.#xml = part.received
    // A byte order mark is allowed.
    this.#index = this.#xml.startsWith('\xef\xbb\xbf') ? 3 : 0
  }

  /** Reads the document, or what comes before the first thing that cannot be read. */
  read(): void {
    untilStop(() => this.#read())
    while (this.#open.length > 0) this.#close(this.#index)
  }

  #read(): void {
    while (this.#index < this.#xml.length) {
      const start = this.#index
      const current = this.#open.at(-1)
      if (this.#match(IGNORED)) continue
      const end = this.#match(END)
      if (end) {
        if (current?.rawName !== end[1]) this.#fail('has an end tag that does not fit', start)
        this.#close(start)
        continue
      }
      const data = current && this.#match(CDATA)
      if (data) this.#addRaw(current.text, data[1] ?? '', start + '<![CDATA['.length)
      else if (this.#match(START)) this.#element(start)
      else if (current) this.#characters(current.text)
      else if (!/[ \t\r\n]/.test(this.#xml.charAt(this.#index++))) this.#fail('has something beside its element', start)
    }
    if (this.#open.length > 0 || !this.root) this.#fail('ends too early')
  }

  #fail(problem: string, at = this.#index): never {
    return stop(this.#part, at, `The XML ${problem}.`)
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#index
    const match = pattern.exec(this.#xml)
    if (match) this.#index = pattern.lastIndex
    return match
  }

  /** Adds characters. A line break is a line feed (XML 1.0, 2.11). */
  #addRaw(text: TextBuilder, raw: Bytes, start: number): void {
    for (let i = 0; i < raw.length; i++) {
      const byte = raw.charAt(i)
      if (byte !== '\r') text.add(byte, start + i)
      else if (raw.charAt(i + 1) !== '\n') text.add('\n', start + i)
    }
  }

  /** Reads characters, or an entity. */
  #characters(text: TextBuilder): void {
    const start = this.#index
    const raw = this.#match(CHARACTERS)
    if (raw) {
      this.#addRaw(text, raw[0], start)
      return
    }
    const [, name, decimal, hex] = this.#match(ENTITY) ?? this.#fail('cannot be read here')
    const code = Number(decimal ?? `0x${hex}`)
    if (name === undefined && code > 0x10ffff) this.#fail('has no such character', start)
    text.add(toBytes(ENTITIES[name ?? ''] ?? String.fromCodePoint(code)), start)
  }

  #element(start: number): void {
    if (this.#open.length >= DEPTH_MAX) this.#fail('is nested too deeply', start)
    const parent = this.#open.at(-1)
    if (!parent && this.root) this.#fail('has a second element', start)
    const rawName = this.#xml.slice(start + 1, this.#index)
    const written = new Map<Bytes, Attribute>()
    const declared = new Map<string, string>()
    for (let match = this.#match(ATTRIBUTE); match; match = this.#match(ATTRIBUTE)) {
      const [whole, name = '', double, single] = match
      const raw = double ?? single ?? ''
      const at = match.index + whole.indexOf(name)
      if (written.has(name)) this.#fail('has an attribute twice', at)
      const text = this.#attributeText(raw, this.#index - 1 - raw.length)
      written.set(name, { text, at })
      const [, prefix] = /^xmlns(?:$|:(.+))/.exec(name) ?? []
      if (/^xmlns(?:$|:)/.test(name)) declared.set(prefix ?? '', text.value)
    }
    const scope = declared.size > 0 ? { declared, outer: parent?.scope } : parent?.scope
    const attributes = new Map<QualifiedName, Attribute>()
    for (const [name, attribute] of written) {
      if (!/^xmlns(?:$|:)/.test(name)) attributes.set(this.#qualify(name, scope, true, attribute.at), attribute)
    }
    const headEnd = this.#index
    const tagEnd = this.#match(START_END) ?? this.#fail('has a start tag that cannot be read')
    const text = new TextBuilder()
    const name = this.#qualify(rawName, scope, false, start + 1)
    const end = this.#xml.length
    const element: Element = { name, at: start + 1, attributes, headEnd, children: [], text: text.build(end), end }
    if (parent) parent.element.children.push(element)
    else this.root = element
    this.#open.push({ element, rawName, text, scope })
    if (tagEnd[1]) this.#close(headEnd + tagEnd[0].indexOf('/'))
  }

  /** The text of an attribute, in which white space is a space (XML 1.0, 3.3.3). */
  #attributeText(raw: Bytes, start: number): Text {
    const after = this.#index
    const text = new TextBuilder()
    const end = start + raw.length
    for (this.#index = start; this.#index < end; ) {
      const at = this.#index
      const byte = this.#xml.charAt(at)
      if (byte === '&') this.#characters(text)
      else {
        text.add(/[\t\r\n]/.test(byte) ? ' ' : byte, at)
        this.#index++
      }
    }
    this.#index = after
    return text.build(end)
  }

  #close(end: number): void {
    const closed = this.#open.pop()
    if (closed) Object.assign(closed.element, { text: closed.text.build(end), end })
  }

  #qualify(name: Bytes, scope: Scope | undefined, isAttribute: boolean, at: number): QualifiedName {
    const colon = name.indexOf(':')
    const prefix = name.slice(0, Math.max(0, colon))
    const local = name.slice(colon + 1)
    if (prefix === '' && isAttribute) return `{}${local}`
    if (prefix === 'xml') return `{${XML_NAMESPACE}}${local}`
    let found = scope
    while (found && !found.declared.has(prefix)) found = found.outer
    const namespace = found?.declared.get(prefix)
    if (prefix !== '' && !namespace) this.#fail('has a prefix without a namespace', at)
    return `{${namespace ?? ''}}${local}`
  }
}

function readXml(part: Part): Element | undefined {
  const reader = new XmlReader(part)
  reader.read()
  return reader.root
}

/** A name for a sentence. */
const showName = (name: QualifiedName) => quote(name.replace(/^\{\}/, ''))

const isBlank = (text: Bytes) => /^[ \t\r\n]*$/.test(text)

/**
 * Compares XML with a document: names, namespaces, attributes and texts. Prefixes, comments, the order of elements with
 * different names and the white space between elements do not count.
 */
export function compareXml(part: Part, expected: string): void {
  const wanted = readXml({ received: toBytes(expected) })
  const root = readXml(part)
  if (!wanted || !root) return
  if (root.name !== wanted.name) {
    report(part, 'fail', root.at, `The element is ${showName(root.name)}, not ${showName(wanted.name)}.`)
  } else compareElement(part, root, wanted)
}

function compareCharacters(part: Part, actual: Text, expected: Bytes, what: string): void {
  const index = findDifference(actual.value, expected)
  if (index >= 0) report(part, 'fail', actual.at(index), `${what} is ${quote(actual.value)}, not ${quote(expected)}.`)
}

function compareElement(part: Part, actual: Element, expected: Element): void {
  const what = showName(expected.name)
  for (const [name, { text, at }] of actual.attributes) {
    const wanted = expected.attributes.get(name)
    if (!wanted) report(part, 'fail', at, `${what} has an attribute ${showName(name)}, which should not be there.`)
    else compareCharacters(part, text, wanted.text.value, `The attribute ${showName(name)}`)
  }
  for (const name of expected.attributes.keys()) {
    if (!actual.attributes.has(name))
      report(part, 'fail', actual.headEnd, `${what} has no attribute ${showName(name)}.`)
  }
  const rest = [...expected.children]
  for (const child of actual.children) {
    if (part.fail && part.fail.at < child.at) break
    const index = rest.findIndex(({ name }) => name === child.name)
    const wanted = rest[index]
    if (!wanted)
      report(
        part,
        'fail',
        child.at,
        `There should be no ${rest.length < expected.children.length ? 'other ' : ''}element ${showName(child.name)} in ${what}.`,
      )
    else {
      rest.splice(index, 1)
      compareElement(part, child, wanted)
    }
  }
  const [missing] = rest
  if (missing) report(part, 'fail', actual.end, `${what} has no element ${showName(missing.name)}, or too few of them.`)
  // Between elements white space does not count.
  const isFree = expected.children.length > 0 && isBlank(expected.text.value)
  if (!isFree) compareCharacters(part, actual.text, expected.text.value, `The text of ${what}`)
  else if (!isBlank(actual.text.value)) {
    const index = actual.text.value.search(/[^ \t\r\n]/)
    report(part, 'fail', actual.text.at(index), `${what} has a text beside its elements.`)
  }
}
