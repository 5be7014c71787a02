import { EQUALS, REFERENCE, resolveReferences, SPACE } from './characters.ts'
import { PLAIN_XML_NAME, QUALIFIED_NAME } from './names.ts'

// The one reader that says whether a text is a document (XML 1.0, fifth edition). The service builds values on top of
// it, and the laboratory compares documents with it.

/** An attribute, with its value as it is written. Offsets are indexes in the text. */
export interface XmlAttribute {
  name: string
  at: number
  value: string
  valueAt: number
}

/** What a document consists of, in its order. Comments and the declaration are left out. */
export type XmlToken =
  | { is: 'start'; name: string; at: number; attributes: readonly XmlAttribute[]; end: number; isEmpty: boolean }
  /** Characters and references as they are written, or the content of a CDATA section. */
  | { is: 'text' | 'data'; text: string; at: number }
  /** The end tag of the innermost element, or the `/>` of an empty one. */
  | { is: 'end'; at: number }

/** What a reader refuses beside what is not well-formed. */
export interface XmlLimits {
  /** Maximum nesting of elements. */
  depthMax: number
  /** Whether XML 1.1, a DOCTYPE and processing instructions are refused too. */
  isPlain?: true
}

/** The error for a text that is no document, or that has what the limits refuse. */
export class NotWellFormed extends Error {
  /** The index in the text. */
  readonly at: number

  constructor(reason: string, at: number) {
    super(reason)
    this.at = at
  }
}

// The flag `y` matches each token exactly at the end of the previous one.
const TEXT = new RegExp(`(?:[^<&]+|${REFERENCE})+`, 'uy')
const COMMENT = /<!--(?:[^-]|-[^-])*-->/y
const CDATA = /<!\[CDATA\[(.*?)\]\]>/sy
const inQuotes = (pattern: (quote: string) => string) => [`"`, `'`].map(pattern).join('|')
const ATTRIBUTE_VALUE = inQuotes((q) => `${q}[^<&${q}]*(?:${REFERENCE}[^<&${q}]*)*${q}`)
const ATTRIBUTE = `${SPACE}+(${QUALIFIED_NAME})${EQUALS}(${ATTRIBUTE_VALUE})`
const ATTRIBUTES = new RegExp(ATTRIBUTE, 'gu')
const START_TAG = new RegExp(`<(${QUALIFIED_NAME})((?:${ATTRIBUTE})*)${SPACE}*(?<slash>/?)>`, 'uy')
const END_TAG = new RegExp(`</(${QUALIFIED_NAME})${SPACE}*>`, 'uy')
/** The name of an instruction is not `xml`, in any case (section 2.6), and has no colon (Namespaces in XML, section 7). */
const INSTRUCTION = new RegExp(`<\\?(?!xml[\\s?])${PLAIN_XML_NAME}(?:${SPACE}[^]*?)?\\?>`, 'iuy')
const PUBLIC_ID = inQuotes((q) => `${q}[ \\r\\na-zA-Z0-9\\-()+,./:=?;!*#@$_%${q === '"' ? "'" : ''}]*${q}`)
const SYSTEM_ID = inQuotes((q) => `${q}[^${q}]*${q}`)
/** A document type without declarations of its own (section 2.8). */
const DOCTYPE = new RegExp(
  `<!DOCTYPE${SPACE}+${QUALIFIED_NAME}(?:${SPACE}+(?:SYSTEM|PUBLIC${SPACE}+(?:${PUBLIC_ID}))${SPACE}+(?:${SYSTEM_ID}))?${SPACE}*(?:\\[${SPACE}*\\]${SPACE}*)?>`,
  'uy',
)
/** The pattern of the XML declaration (XML 1.0, section 2.8), with the groups `version` and `encoding`. */
const DECLARATION = new RegExp(
  `<\\?xml${SPACE}+version${EQUALS}(["'])(?<version>1\\.[0-9]+)\\1(?:${SPACE}+encoding${EQUALS}(["'])(?<encoding>[^"']*)\\3)?(?:${SPACE}+standalone${EQUALS}(?:"(?:yes|no)"|'(?:yes|no)'))?${SPACE}*\\?>`,
  'y',
)

/** The name of an encoding (section 4.3.3, EncName). */
const ENCODING_NAME = /^[A-Za-z][\w.-]*$/
/** A character that no document may have (section 2.2, Char). */
const NO_CHARACTER = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u

/** The XML declaration of a document: its length, and what it says. */
export interface XmlDeclaration {
  length: number
  version: string
  /** Undefined if it names none. */
  encoding: string | undefined
  /** The index of that name. */
  encodingAt: number
}

/** Reads the XML declaration with which a document begins, if it does. */
export function readDeclaration(text: string): XmlDeclaration | undefined {
  DECLARATION.lastIndex = 0
  const match = DECLARATION.exec(text)
  if (!match) return undefined
  const { version = '', encoding } = match.groups ?? {}
  const encodingAt = match[0].indexOf(encoding ?? '', match[0].indexOf('encoding'))
  return { length: match[0].length, version, encoding, encodingAt }
}

/**
 * Reads a document, token by token. Nothing is interpreted: references stay, and names keep their prefixes.
 *
 * @throws NotWellFormed, when the reading arrives at the fault (at a character that is not allowed, at the beginning)
 */
export function* readTokens(text: string, { depthMax, isPlain }: XmlLimits): Generator<XmlToken> {
  const forbidden = NO_CHARACTER.exec(text)
  if (forbidden) {
    const reason = `it contains ${nameOf(forbidden[0])}, which is not allowed in texts`
    throw new NotWellFormed(reason, forbidden.index)
  }
  const openElements: string[] = []
  let hasRoot = false
  let hasType = false
  let position = 0
  /** If the next token matches, moves `position` behind it. @returns The match; null if the token does not match */
  const take = (pattern: RegExp) => {
    pattern.lastIndex = position
    const match = pattern.exec(text)
    if (match) position += match[0].length
    return match
  }
  const declaration = readDeclaration(text)
  position = declaration?.length ?? 0
  if (isPlain && declaration && declaration.version !== '1.0')
    throw new NotWellFormed('its declaration is not for XML 1.0', 0)
  if (!ENCODING_NAME.test(declaration?.encoding ?? 'UTF-8'))
    throw new NotWellFormed('its declaration does not name an encoding', 0)
  while (position < text.length) {
    const at = position
    const fail = (reason: string) => new NotWellFormed(reason, at)
    const isInsideRoot = openElements.length > 0
    if (take(COMMENT) || (!isPlain && take(INSTRUCTION))) continue
    if (!(isPlain || hasRoot || hasType) && take(DOCTYPE)) {
      hasType = true
      continue
    }
    const data = isInsideRoot ? take(CDATA) : null
    if (data) {
      yield { is: 'data', text: data[1] ?? '', at: at + '<![CDATA['.length }
      continue
    }
    const characters = take(TEXT)?.[0]
    if (characters !== undefined) {
      if (!isInsideRoot && /[^ \t\r\n]/.test(characters)) throw fail('there is text outside the root element')
      if (characters.includes(']]>')) throw fail('"]]>" must be written as "]]&gt;"')
      requireReferences(characters, at)
      if (isInsideRoot) yield { is: 'text', text: characters, at }
      continue
    }
    const startTag = take(START_TAG)
    if (startTag) {
      const [, name = '', written = ''] = startTag
      if (!isInsideRoot && hasRoot) throw fail('there is a second root element')
      const attributes = readAttributes(written, at + 1 + name.length)
      if (openElements.length >= depthMax) throw fail(`elements are nested more than ${depthMax} levels deep`)
      hasRoot = true
      const isEmpty = startTag.groups?.slash === '/'
      yield { is: 'start', name, at: at + 1, attributes, end: at + 1 + name.length + written.length, isEmpty }
      if (isEmpty) yield { is: 'end', at: position - '/>'.length }
      else openElements.push(name)
      continue
    }
    const endTag = take(END_TAG)
    if (!endTag) throw fail(explain(text.slice(position, position + BEGINNING_LENGTH), isPlain))
    const innermost = openElements.pop()
    if (endTag[1] !== innermost)
      throw fail(innermost ? `the element ${innermost} is not closed` : 'an end tag has no start tag')
    yield { is: 'end', at }
  }
  if (openElements.length > 0) throw new NotWellFormed(`the element ${openElements.at(-1)} is not closed`, text.length)
  if (!hasRoot) throw new NotWellFormed('there is no root element', text.length)
}

const nameOf = (character: string) => `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`

/** @throws NotWellFormed if a reference does not name a character of XML, which the grammar of references allows */
function requireReferences(written: string, at: number): void {
  if (!written.includes('&') || resolveReferences(written) !== undefined) return
  for (const { index, 0: reference } of written.matchAll(/&[^;]*;/g)) {
    if (resolveReferences(reference) === undefined)
      throw new NotWellFormed('a character reference does not name a valid character', at + index)
  }
}

/** @throws NotWellFormed if one is repeated, or has a reference to no character */
function readAttributes(written: string, start: number): XmlAttribute[] {
  if (written === '') return []
  const names = new Set<string>()
  return [...written.matchAll(ATTRIBUTES)].map(({ index, 0: whole, 1: name = '', 2: quoted = '' }) => {
    const at = start + index + whole.indexOf(name)
    if (names.has(name)) throw new NotWellFormed('an attribute is repeated', at)
    names.add(name)
    const valueAt = start + index + whole.length - quoted.length + 1
    const value = quoted.slice(1, -1)
    requireReferences(value, valueAt)
    return { name, at, value, valueAt }
  })
}

/** The length of the longest text that `explain` looks for. */
const BEGINNING_LENGTH = '<!DOCTYPE'.length

/** Says why no token matches. @param beginning The beginning of the part of the document that is not read yet */
function explain(beginning: string, isPlain: true | undefined): string {
  if (/^<!DOCTYPE/i.test(beginning))
    return isPlain ? 'a DOCTYPE is not allowed' : 'a DOCTYPE is malformed or misplaced, or has declarations of its own'
  if (beginning.startsWith('<!--')) return 'a comment is not closed or contains "--"'
  if (beginning.startsWith('<!')) return 'a declaration or a CDATA section is not closed, or is not allowed here'
  if (/^<\?xml\s/.test(beginning)) return 'the XML declaration is not at the very beginning, or it is not for XML 1.0'
  if (beginning.startsWith('<?')) return `a processing instruction is ${isPlain ? 'not allowed' : 'malformed'}`
  if (beginning.startsWith('&')) return 'there is an "&" that does not begin a valid character reference'
  return 'there is a malformed tag'
}
