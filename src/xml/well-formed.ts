import { ProblemError } from '../lib/errors.ts'
import { findUnserialisable } from '../lib/text.ts'
import { REFERENCE } from './characters.ts'
import { QUALIFIED_NAME } from './names.ts'

/** Elements within elements. */
const DEPTH_MAX = 32

// The tokens of a document (XML 1.0), but for those that are refused. Each is matched from where the last one ended.
const DECLARATION =
  /<\?xml\s+version\s*=\s*(?:"1\.0"|'1\.0')(?:\s+encoding\s*=\s*(?:"([^"]*)"|'([^']*)'))?(?:\s+standalone\s*=\s*(?:"(?:yes|no)"|'(?:yes|no)'))?\s*\?>/y
const TEXT = new RegExp(`(?:[^<&]+|${REFERENCE})+`, 'uy')
const COMMENT = /<!--(?:[^-]|-[^-])*-->/y
const CDATA = /<!\[CDATA\[.*?\]\]>/sy
const ATTRIBUTE_VALUE = [`"`, `'`].map((q) => `${q}[^<&${q}]*(?:${REFERENCE}[^<&${q}]*)*${q}`).join('|')
const ATTRIBUTE = `\\s+(${QUALIFIED_NAME})\\s*=\\s*(?:${ATTRIBUTE_VALUE})`
const START_TAG = new RegExp(`<(${QUALIFIED_NAME})((?:${ATTRIBUTE})*)\\s*(/?)>`, 'uy')
const END_TAG = new RegExp(`</(${QUALIFIED_NAME})\\s*>`, 'uy')

/**
 * Refuses everything that is no well-formed document, or is more than this service takes: a DOCTYPE and with it every
 * entity, processing instructions, other encodings, deep nesting. The parser behind it (tree.ts) lets much of that pass.
 *
 * @throws ProblemError 400
 */
export function requireWellFormed(text: string): void {
  const character = findUnserialisable(text)
  if (character) throw malformed(`it contains ${character}, which no text here may contain`)
  const open: string[] = []
  let hasRoot = false
  let position = skipDeclaration(text)
  const take = (token: RegExp) => {
    token.lastIndex = position
    const match = token.exec(text)
    if (match) position += match[0].length
    return match
  }
  while (position < text.length) {
    const start = position
    const fail = (reason: string) => malformed(`${reason} in line ${text.slice(0, start).split('\n').length}`)
    const inside = open.length > 0
    if (take(COMMENT)) continue
    if (inside && take(CDATA)) continue
    const words = take(TEXT)?.[0]
    if (words !== undefined) {
      if (!inside && /[^ \t\r\n]/.test(words)) throw fail('there is text outside of the root element')
      if (words.includes(']]>')) throw fail('"]]>" has to be written as "]]&gt;"')
      continue
    }
    const tag = take(START_TAG)
    if (tag) {
      if (!inside && hasRoot) throw fail('there is a second root element')
      if (hasTwins(tag[2] ?? '')) throw fail('an attribute is repeated')
      if (open.length >= DEPTH_MAX) throw fail(`elements are nested more than ${DEPTH_MAX} levels deep`)
      hasRoot = true
      if (!tag[4]) open.push(tag[1] ?? '')
      continue
    }
    const end = take(END_TAG)
    if (!end) throw fail(explain(text.slice(position, position + 9)))
    const expected = open.pop()
    if (end[1] !== expected) throw fail(expected ? `the element ${expected} is not closed` : 'nothing is open to close')
  }
  if (open.length > 0) throw malformed(`the element ${open.at(-1)} is not closed`)
  if (!hasRoot) throw malformed('it has no root element')
}

/** @returns Where the document goes on behind its XML declaration */
function skipDeclaration(text: string): number {
  DECLARATION.lastIndex = 0
  const match = DECLARATION.exec(text)
  if (!match) return 0
  const encoding = match[1] ?? match[2] ?? 'utf-8'
  if (encoding.toLowerCase() !== 'utf-8') throw malformed('its encoding has to be UTF-8')
  return match[0].length
}

function hasTwins(attributes: string): boolean {
  const names = [...attributes.matchAll(new RegExp(ATTRIBUTE, 'gu'))].map(([, name]) => name)
  return new Set(names).size < names.length
}

function explain(beginning: string): string {
  if (/^<!DOCTYPE/i.test(beginning)) return 'a DOCTYPE is refused'
  if (beginning.startsWith('<!--')) return 'a comment is not closed, or contains "--",'
  if (beginning.startsWith('<!')) return 'a declaration or section is not allowed'
  if (beginning.startsWith('<?')) return 'a processing instruction is refused'
  if (beginning.startsWith('&')) return 'there is a "&" that is no reference to a character'
  return 'there is a tag that cannot be read'
}

function malformed(reason: string): ProblemError {
  return new ProblemError('malformed-body', `The body is not XML that this takes: ${reason}.`)
}
