import { ProblemError } from '../domain/problems.ts'
import { findUnserialisable } from '../lib/text.ts'
import { REFERENCE, resolveReferences, SPACE } from './characters.ts'
import { QUALIFIED_NAME } from './names.ts'

/** Maximum nesting of elements. */
const DEPTH_MAX = 32

// The tokens of a document (XML 1.0), without those that are rejected. The flag `y` matches each token exactly at the
// end of the previous one.
const EQUALS = `${SPACE}*=${SPACE}*`
const DECLARATION = new RegExp(
  `<\\?xml${SPACE}+version${EQUALS}(?:"1\\.0"|'1\\.0')(?:${SPACE}+encoding${EQUALS}(?:"([^"]*)"|'([^']*)'))?(?:${SPACE}+standalone${EQUALS}(?:"(?:yes|no)"|'(?:yes|no)'))?${SPACE}*\\?>`,
  'y',
)
const TEXT = new RegExp(`(?:[^<&]+|${REFERENCE})+`, 'uy')
const COMMENT = /<!--(?:[^-]|-[^-])*-->/y
const CDATA = /<!\[CDATA\[(.*?)\]\]>/sy
const ATTRIBUTE_VALUE = [`"`, `'`].map((q) => `${q}[^<&${q}]*(?:${REFERENCE}[^<&${q}]*)*${q}`).join('|')
const ATTRIBUTE = `${SPACE}+(${QUALIFIED_NAME})${EQUALS}(${ATTRIBUTE_VALUE})`
const ATTRIBUTES = new RegExp(ATTRIBUTE, 'gu')
const START_TAG = new RegExp(`<(${QUALIFIED_NAME})((?:${ATTRIBUTE})*)${SPACE}*(/?)>`, 'uy')
const END_TAG = new RegExp(`</(${QUALIFIED_NAME})${SPACE}*>`, 'uy')

/** The names and values of the attributes of an element. In values, references are replaced with their characters. */
export type Attributes = readonly (readonly [name: string, value: string])[]

/** Gets what is in a document, in its order. Comments are left out. */
export interface Reader {
  start(name: string, attributes: Attributes): void
  /** A part of the text of the innermost open element. References are replaced with their characters. */
  text(part: string): void
  end(): void
}

/**
 * Reads a document (XML 1.0). Rejects one that is not well-formed, or has content that the service does not accept: a
 * DOCTYPE (and so any entity), processing instructions, encodings other than UTF-8, deep nesting. By then, the reader
 * has got what comes before.
 *
 * @throws ProblemError 400
 */
export function readDocument(document: string, reader: Reader): void {
  const character = findUnserialisable(document)
  if (character) throw malformed(`it contains ${character}, which is not allowed in texts`)
  // Section 2.11: every line end is a line feed.
  const text = document.replaceAll(/\r\n?/g, '\n')
  const openElements: string[] = []
  let hasRoot = false
  let position = skipDeclaration(text)
  /** Moves behind the next token if it is of this kind. */
  const take = (token: RegExp) => {
    token.lastIndex = position
    const match = token.exec(text)
    if (match) position += match[0].length
    return match
  }
  while (position < text.length) {
    const start = position
    const fail = (reason: string) => malformed(`${reason}, in line ${text.slice(0, start).split('\n').length}`)
    const isInsideRoot = openElements.length > 0
    if (take(COMMENT)) continue
    const section = isInsideRoot ? take(CDATA) : null
    if (section) {
      reader.text(section[1] ?? '')
      continue
    }
    const words = take(TEXT)?.[0]
    if (words !== undefined) {
      if (!isInsideRoot && /[^ \t\n]/.test(words)) throw fail('there is text outside the root element')
      if (words.includes(']]>')) throw fail('"]]>" must be written as "]]&gt;"')
      const resolved = resolveReferences(words)
      if (resolved === undefined) throw fail('a character reference does not name a valid character')
      if (isInsideRoot) reader.text(resolved)
      continue
    }
    const tag = take(START_TAG)
    if (tag) {
      // The third and fourth group are the name and the value of the last attribute.
      const [, name = '', attributes = '', , , slash] = tag
      if (!isInsideRoot && hasRoot) throw fail('there is a second root element')
      const readAttributes = parseAttributes(attributes, fail)
      if (openElements.length >= DEPTH_MAX) throw fail(`elements are nested more than ${DEPTH_MAX} levels deep`)
      hasRoot = true
      reader.start(name, readAttributes)
      if (slash) reader.end()
      else openElements.push(name)
      continue
    }
    const end = take(END_TAG)
    if (!end) throw fail(explain(text.slice(position, position + 9)))
    const expected = openElements.pop()
    if (end[1] !== expected)
      throw fail(expected ? `the element ${expected} is not closed` : 'an end tag has no start tag')
    reader.end()
  }
  if (openElements.length > 0) throw malformed(`the element ${openElements.at(-1)} is not closed`)
  if (!hasRoot) throw malformed('there is no root element')
}

/**
 * Checks the XML declaration, if there is one.
 *
 * @returns The position after the declaration; 0 if there is none
 * @throws ProblemError 400 if it declares an encoding other than UTF-8
 */
function skipDeclaration(text: string): number {
  DECLARATION.lastIndex = 0
  const match = DECLARATION.exec(text)
  if (!match) return 0
  const encoding = match[1] ?? match[2] ?? 'utf-8'
  if (encoding.toLowerCase() !== 'utf-8') throw malformed('its encoding must be UTF-8')
  return match[0].length
}

/** Parses the attributes of a start tag. @throws the error that `fail` makes of a reason, if they are not valid */
function parseAttributes(text: string, fail: (reason: string) => ProblemError): Attributes {
  if (text === '') return []
  const attributes = [...text.matchAll(ATTRIBUTES)].map(([, name = '', quoted = '']) => {
    const value = resolveReferences(quoted.slice(1, -1))
    if (value === undefined) throw fail('an attribute has a reference that does not name a valid character')
    return [name, value] as const
  })
  if (new Set(attributes.map(([name]) => name)).size < attributes.length) throw fail('an attribute is repeated')
  return attributes
}

/** Says why no token matches the beginning of the rest of the document. */
function explain(beginning: string): string {
  if (/^<!DOCTYPE/i.test(beginning)) return 'a DOCTYPE is not allowed'
  if (beginning.startsWith('<!--')) return 'a comment is not closed or contains "--"'
  if (beginning.startsWith('<!')) return 'a declaration or section is not allowed'
  if (/^<\?xml\s/.test(beginning))
    return 'the XML declaration is not at the very beginning, or it is not for XML 1.0 in UTF-8'
  if (beginning.startsWith('<?')) return 'a processing instruction is not allowed'
  if (beginning.startsWith('&')) return 'there is an "&" that does not begin a valid character reference'
  return 'there is a malformed tag'
}

function malformed(reason: string): ProblemError {
  return new ProblemError('malformed-body', `The XML body was rejected: ${reason}.`)
}
