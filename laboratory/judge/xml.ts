import { resolveReferences } from '../../src/xml/characters.ts'
import { NotWellFormed, readDeclaration, readTokens, type XmlAttribute, type XmlToken } from '../../src/xml/tokens.ts'
import { type Characters, type Charset, charactersOf, charsetOf, decodeText, markAt } from './charset.ts'
import { explain, makePart, type Part, quote, report, stop, untilStop } from './part.ts'
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
  /** The offset of the end of its name and attributes. */
  headEnd: number
  children: Element[]
  text: Text
  /** The offset of the first character that is in no CDATA section; undefined if there is none. */
  writtenAt?: number
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
  text: TextBuilder
  scope: Scope | undefined
}

const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace'
const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/'

function refuse(part: Part, at: number, problem: string): never {
  return stop(part, at, `The XML cannot be read: ${problem}.`)
}

/**
 * Reads characters. A line break is a line feed (XML 1.0, 2.11), and within an attribute a space, as other white space
 * is (3.3.3).
 */
function addCharacters(
  text: TextBuilder,
  written: string,
  start: number,
  { at }: Characters,
  is: 'text' | 'data' | 'value',
) {
  const pattern = is === 'data' ? /\r\n?|./gsu : /&[^;]*;|\r\n?|./gsu
  for (const { 0: piece, index } of written.matchAll(pattern)) {
    const isReference = is !== 'data' && piece.startsWith('&')
    const isSpace = /^[\r\n\t]/.test(piece)
    const plain = !isSpace ? piece : is === 'value' ? ' ' : piece === '\t' ? '\t' : '\n'
    text.add(toBytes(isReference ? (resolveReferences(piece) ?? '') : plain), at(start + index))
  }
}

/** Builds elements from the tokens of a document, with namespaces (Namespaces in XML 1.0). */
class ElementBuilder {
  root: Element | undefined
  readonly #part: Part
  readonly #characters: Characters
  readonly #open: OpenElement[] = []

  constructor(part: Part, characters: Characters) {
    this.#part = part
    this.#characters = characters
  }

  /** Reads the document, or what comes before the first thing that cannot be read. */
  read(): void {
    const { value, at } = this.#characters
    untilStop(() => {
      try {
        for (const token of readTokens(value, { depthMax: DEPTH_MAX })) {
          const current = this.#open.at(-1)
          if (token.is === 'start') this.#begin(token)
          else if (token.is === 'end') this.#close(at(token.at))
          else if (current) {
            addCharacters(current.text, token.text, token.at, this.#characters, token.is)
            if (token.is === 'text' && token.text !== '') current.element.writtenAt ??= at(token.at)
          }
        }
      } catch (error) {
        if (!(error instanceof NotWellFormed)) throw error
        refuse(this.#part, at(error.at), error.message)
      }
    })
    while (this.#open.length > 0) this.#close(at(value.length))
  }

  #begin({ name: rawName, at: index, attributes: written, end }: XmlToken & { is: 'start' }): void {
    const { at } = this.#characters
    const parent = this.#open.at(-1)
    const read = written.map((attribute) => ({ ...attribute, text: this.#valueOf(attribute) }))
    const declared = new Map<string, string>()
    for (const attribute of read) {
      const [, prefix] = /^xmlns(?:$|:(.+))/.exec(attribute.name) ?? []
      if (!isDeclaration(attribute.name)) continue
      const namespace = attribute.text.value
      const isReserved =
        (prefix === 'xml') !== (namespace === XML_NAMESPACE) || prefix === 'xmlns' || namespace === XMLNS_NAMESPACE
      if (isReserved) refuse(this.#part, at(attribute.at), 'a prefix or a namespace that is reserved is declared')
      if (prefix !== undefined && namespace === '') refuse(this.#part, at(attribute.at), 'a prefix has no namespace')
      declared.set(prefix ?? '', namespace)
    }
    const scope = declared.size > 0 ? { declared, outer: parent?.scope } : parent?.scope
    const attributes = new Map<QualifiedName, Attribute>()
    for (const attribute of read) {
      if (isDeclaration(attribute.name)) continue
      const name = this.#qualify(attribute.name, scope, true, attribute.at)
      if (attributes.has(name)) refuse(this.#part, at(attribute.at), 'an attribute is repeated')
      attributes.set(name, { text: attribute.text, at: at(attribute.at) })
    }
    const text = new TextBuilder()
    const element: Element = {
      name: this.#qualify(rawName, scope, false, index),
      at: at(index),
      attributes,
      headEnd: at(end),
      children: [],
      text: text.build(at(end)),
      end: at(end),
    }
    if (parent) parent.element.children.push(element)
    else this.root = element
    this.#open.push({ element, text, scope })
  }

  #valueOf({ value, valueAt }: XmlAttribute): Text {
    const text = new TextBuilder()
    addCharacters(text, value, valueAt, this.#characters, 'value')
    return text.build(this.#characters.at(valueAt + value.length))
  }

  #close(end: number): void {
    const closed = this.#open.pop()
    if (closed) Object.assign(closed.element, { text: closed.text.build(end), end })
  }

  #qualify(name: string, scope: Scope | undefined, isAttribute: boolean, index: number): QualifiedName {
    const colon = name.indexOf(':')
    const prefix = name.slice(0, Math.max(0, colon))
    const local = name.slice(colon + 1)
    if (prefix === '' && isAttribute) return `{}${local}`
    if (prefix === 'xml') return `{${XML_NAMESPACE}}${local}`
    let found = scope
    while (found && !found.declared.has(prefix)) found = found.outer
    const namespace = found?.declared.get(prefix)
    if (prefix !== '' && namespace === undefined)
      refuse(this.#part, this.#characters.at(index), `the prefix ${quote(toBytes(prefix))} has no namespace`)
    return `{${namespace ?? ''}}${local}`
  }
}

const isDeclaration = (name: string) => /^xmlns(?:$|:)/.test(name)

const DECLARABLE: readonly Charset[] = ['utf-8', 'utf-16', 'utf-16be', 'utf-16le', 'us-ascii', 'iso-8859-1']

/** Whether a name fits the encoding of a document. UTF-16 does not say the order of its bytes. */
const fits = (named: Charset, charset: Charset) =>
  named === charset || (named === 'utf-16' && charset.startsWith('utf-16'))

/**
 * Decodes a document by its byte order mark, then the charset of its Content-Type, then its declaration (RFC 7303, 3;
 * XML 1.0, 4.3.3). A declaration that the bytes contradict is noted, unless a charset decides.
 */
function decodeDocument(part: Part, sent: Charset | undefined): Characters {
  const { received } = part
  const mark = markAt(received, 0)
  // A document begins with a character of ASCII, so a byte 0 shows which half of a unit is which.
  const guessed = received.startsWith('\0') ? 'utf-16be' : received.charAt(1) === '\0' ? 'utf-16le' : undefined
  const declaredIn = (text: string) => {
    const { encoding: name, encodingAt: index = 0 } = readDeclaration(text) ?? {}
    if (name === undefined) return undefined
    const charset = charsetOf(name)
    return { name, index, charset: charset && DECLARABLE.includes(charset) ? charset : undefined }
  }
  const ofBytes = mark?.charset ?? (sent === undefined || sent === 'utf-16' ? guessed : undefined)
  // A declaration that can be read byte by byte is in no UTF-16, whatever it says.
  const readable = guessed ? undefined : declaredIn(received)?.charset
  const ofName = sent ?? (readable?.startsWith('utf-16') ? undefined : readable)
  const charset = ofBytes ?? (ofName === 'utf-16' ? 'utf-16be' : (ofName ?? 'utf-8'))
  const characters = charactersOf(decodeText(part, [mark?.length ?? 0, received.length], charset, 'the XML'))
  const declared = declaredIn(characters.value)
  const named = sent ?? declared?.charset
  if (!mark && charset.startsWith('utf-16')) {
    if (named === undefined) refuse(part, 0, 'it is in UTF-16, and nothing says so')
    if (named === 'utf-16') report(part, 'nonStrict', 0, 'The XML is in UTF-16, and has no byte order mark.')
  }
  const isDecided = sent !== undefined && fits(sent, charset)
  if (declared && !isDecided && !(declared.charset && fits(declared.charset, charset))) {
    const problem = declared.charset ? `the bytes are in ${charset.toUpperCase()}` : 'which is not read'
    const reason = `The XML says that it is in ${quote(toBytes(declared.name))}, ${declared.charset ? 'but ' : ''}${problem}.`
    report(part, 'fail', characters.at(declared.index), reason)
  }
  return characters
}

/** A body that begins with another character of ASCII than that of an element, such as one in JSON. */
const NO_XML = /^[ \t\r\n]*([!-;=-~])/

/**
 * Reads a document. What keeps it from being read is noted.
 *
 * @param charset That of the Content-Type; undefined if it has none
 * @returns Undefined if it has no root
 */
export function readXml(part: Part, charset: Charset | undefined): Element | undefined {
  const [, sign] = NO_XML.exec(part.received) ?? []
  let root: Element | undefined
  explain(part, sign && `The body is no XML: it begins with \`${sign}\`.`, () =>
    untilStop(() => {
      const builder = new ElementBuilder(part, decodeDocument(part, charset))
      builder.read()
      root = builder.root
    }),
  )
  return root
}

const showName = (name: QualifiedName) => quote(toBytes(name.replace(/^\{\}/, '')))

const isBlank = (text: Bytes) => /^[ \t\r\n]*$/.test(text)

/**
 * Compares XML with a document: names, namespaces, attributes and texts. Prefixes, comments, instructions, the order of
 * elements with different names and the white space between elements do not count.
 *
 * @param charset That of the Content-Type; undefined if it has none
 */
export function compareXml(part: Part, charset: Charset | undefined, expected: string): void {
  const wanted = readXml(makePart(toBytes(expected)), undefined)
  const root = readXml(part, charset)
  if (!wanted || !root) return
  if (root.name !== wanted.name) {
    report(part, 'fail', root.at, `The root of the XML is ${showName(root.name)}, not ${showName(wanted.name)}.`)
  } else compareElement(part, root, wanted)
}
function compareCharacters(part: Part, actual: Text, expected: Bytes, what: string): void {
  const index = findDifference(actual.value, expected)
  if (index >= 0) report(part, 'fail', actual.at(index), `${what} is ${quote(actual.value)}, not ${quote(expected)}.`)
}

function compareElement(part: Part, actual: Element, expected: Element): void {
  const what = `${showName(expected.name)} in the XML`
  for (const [name, { text, at }] of actual.attributes) {
    const wanted = expected.attributes.get(name)
    if (!wanted) report(part, 'fail', at, `${what} has an attribute ${showName(name)}, which should not be there.`)
    else compareCharacters(part, text, wanted.text.value, `the attribute ${showName(name)} of ${what}`)
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
  if (!isFree) {
    compareCharacters(part, actual.text, expected.text.value, `the text of ${what}`)
    const isData = expected.text.value !== '' && expected.writtenAt === undefined
    if (isData && actual.writtenAt !== undefined)
      report(part, 'nonStrict', actual.writtenAt, `The text of ${what} is no CDATA section.`)
  } else if (!isBlank(actual.text.value)) {
    const index = actual.text.value.search(/[^ \t\r\n]/)
    report(part, 'fail', actual.text.at(index), `${what} has a text beside its elements.`)
  }
}
