import { findUnserialisable } from '../lib/text.ts'
import { EQUALS, REFERENCE, resolveReferences, SPACE } from './characters.ts'
import { DECLARATION } from './encoding.ts'
import { malformed } from './malformed.ts'
import { QUALIFIED_NAME } from './names.ts'

/**
 * Maximum nesting of elements. The value of a document has at most twice as many levels, because an element can become
 * a list with an object in it. LEVELS_MAX (lib/json.ts) allows that many.
 */
const DEPTH_MAX = 32

// The tokens of a document (XML 1.0), without those that are rejected. The flag `y` matches each token exactly at the
// end of the previous one.
const TEXT = new RegExp(`(?:[^<&]+|${REFERENCE})+`, 'uy')
const COMMENT = /<!--(?:[^-]|-[^-])*-->/y
const CDATA = /<!\[CDATA\[.*?\]\]>/sy
const ATTRIBUTE_VALUE = [`"`, `'`].map((q) => `${q}[^<&${q}]*(?:${REFERENCE}[^<&${q}]*)*${q}`).join('|')
const ATTRIBUTE = `${SPACE}+(${QUALIFIED_NAME})${EQUALS}(?:${ATTRIBUTE_VALUE})`
const ATTRIBUTES = new RegExp(ATTRIBUTE, 'gu')
const START_TAG = new RegExp(`<(${QUALIFIED_NAME})((?:${ATTRIBUTE})*)${SPACE}*(/?)>`, 'uy')
const END_TAG = new RegExp(`</(${QUALIFIED_NAME})${SPACE}*>`, 'uy')

/**
 * Rejects a document that is not well-formed, or that has content which the service does not accept: a DOCTYPE (and so
 * any entity), processing instructions, deep nesting. The parser (tree.ts) would accept much of this.
 *
 * @throws ProblemError 400
 */
export function requireWellFormed(text: string): void {
  const character = findUnserialisable(text)
  if (character) throw malformed(`it contains ${character}, which is not allowed in texts`)
  const openElements: string[] = []
  let hasRoot = false
  let position = skipDeclaration(text)
  /** If the next token matches, moves `position` behind it. @returns The match; null if the token does not match */
  const take = (pattern: RegExp) => {
    pattern.lastIndex = position
    const match = pattern.exec(text)
    if (match) position += match[0].length
    return match
  }
  while (position < text.length) {
    const start = position
    const fail = (reason: string) => malformed(`${reason}, in line ${text.slice(0, start).split('\n').length}`)
    const isInsideRoot = openElements.length > 0
    if (take(COMMENT)) continue
    if (isInsideRoot && take(CDATA)) continue
    const characters = take(TEXT)?.[0]
    if (characters !== undefined) {
      if (!isInsideRoot && /[^ \t\r\n]/.test(characters)) throw fail('there is text outside the root element')
      if (characters.includes(']]>')) throw fail('"]]>" must be written as "]]&gt;"')
      continue
    }
    const startTag = take(START_TAG)
    if (startTag) {
      // The third group, which is left out here, is the name of the last attribute.
      const [, name = '', attributes = '', , slash] = startTag
      if (!isInsideRoot && hasRoot) throw fail('there is a second root element')
      const fault = findAttributeFault(attributes)
      if (fault) throw fail(fault)
      if (openElements.length >= DEPTH_MAX) throw fail(`elements are nested more than ${DEPTH_MAX} levels deep`)
      hasRoot = true
      if (!slash) openElements.push(name)
      continue
    }
    const endTag = take(END_TAG)
    if (!endTag) throw fail(explain(text.slice(position, position + BEGINNING_LENGTH)))
    const innermost = openElements.pop()
    if (endTag[1] !== innermost)
      throw fail(innermost ? `the element ${innermost} is not closed` : 'an end tag has no start tag')
  }
  if (openElements.length > 0) throw malformed(`the element ${openElements.at(-1)} is not closed`)
  if (!hasRoot) throw malformed('there is no root element')
}

/** The position after the XML declaration; 0 if there is none. */
function skipDeclaration(text: string): number {
  DECLARATION.lastIndex = 0
  return DECLARATION.exec(text)?.[0].length ?? 0
}

/** Finds what is wrong with the attributes of a tag; undefined if they are valid. */
function findAttributeFault(attributes: string): string | undefined {
  if (attributes === '') return undefined
  const names = [...attributes.matchAll(ATTRIBUTES)].map(([, name]) => name)
  if (new Set(names).size < names.length) return 'an attribute is repeated'
  return resolveReferences(attributes) === undefined
    ? 'an attribute has a reference that does not name a valid character'
    : undefined
}

/** The length of the longest text that `explain` looks for. */
const BEGINNING_LENGTH = '<!DOCTYPE'.length

/** Says why no token matches. @param beginning The beginning of the part of the document that is not read yet */
function explain(beginning: string): string {
  if (/^<!DOCTYPE/i.test(beginning)) return 'a DOCTYPE is not allowed'
  if (beginning.startsWith('<!--')) return 'a comment is not closed or contains "--"'
  if (beginning.startsWith('<!')) return 'a declaration or a CDATA section is not closed, or is not allowed here'
  if (/^<\?xml\s/.test(beginning)) return 'the XML declaration is not at the very beginning, or it is not for XML 1.0'
  if (beginning.startsWith('<?')) return 'a processing instruction is not allowed'
  if (beginning.startsWith('&')) return 'there is an "&" that does not begin a valid character reference'
  return 'there is a malformed tag'
}
