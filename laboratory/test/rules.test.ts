import { describe, expect, it } from 'vitest'
import { eachRow } from '../../test/support/each-row.ts'
import type { PartName } from '../case.ts'
import { wireOf } from '../documents/wire.ts'
import { nameSection } from '../rule.ts'
import { OF_CASES, ruleOf, rulesOf } from '../suite/rules.ts'
import { OF_SECTIONS } from '../suite/section-rules.ts'
import { CASES } from '../suite/suite.ts'

// Whether the words stand in their sections cannot be tested here.

/** A sentence is read beside a verdict, also on a phone. */
const MAX_LENGTH = 220

const RULES = CASES.flatMap((spec) => {
  const { own, others } = rulesOf(spec)
  return [own, ...Object.values(others).filter((rule) => rule !== undefined)]
})

function specOf(id: string) {
  const spec = CASES.find((one) => one.id === id)
  if (!spec) throw new Error(`no case ${id}`)
  return spec
}

describe('the rules', () => {
  it('are short, and in a section that has a name', () =>
    eachRow(RULES, ({ url, text }) => {
      expect(text.length).toBeLessThanOrEqual(MAX_LENGTH)
      expect(text).toMatch(/\S{3}/)
      // Code is between two backticks.
      expect(text.split('`').length % 2).toBe(1)
      expect(url).toMatch(/^https:\/\/[^#]+#\S+$/)
      expect(nameSection(url)).toMatch(/^(?:RFC \d+|OpenAPI 3\.\d\.\d|JSON Schema(?: Validation)? 2020-12|XML 1\.0), ./)
    }))

  it('begin with a small letter if they are our words, and are few', () => {
    const ours = CASES.filter((spec) => rulesOf(spec).own.kind === 'ours')
    for (const spec of ours) expect(rulesOf(spec).own.text).toMatch(/^[a-z].*\.$/)
    expect(ours.length).toBeLessThan(CASES.length / 10)
  })

  it('are all used', () => {
    expect(Object.keys(OF_CASES).filter((id) => !CASES.some((spec) => spec.id === id))).toEqual([])
    const sections = new Set(CASES.filter(({ id }) => !OF_CASES[id]).map(({ specification }) => specification))
    expect(Object.keys(OF_SECTIONS).filter((url) => !sections.has(url))).toEqual([])
  })

  it('quote of the table of styles the form that we would send', () => {
    const rows = CASES.filter((spec) => rulesOf(spec).own.url.endsWith('#style-examples')).filter(
      (spec) => rulesOf(spec).own.kind === 'row',
    )
    return eachRow(rows, (spec) => {
      const cell = /`([^`]+)`$/.exec(rulesOf(spec).own.text)?.[1]
      expect((wireOf(spec) ?? '').replace(/^(?:X-Color|Cookie): /, '')).toBe(cell)
    })
  })
})

describe('the rule of a part', () => {
  const parts: readonly (readonly [id: string, part: PartName | null | undefined, section: string])[] = [
    ['body/object', 'body', 'RFC 8259, section 4'],
    ['body/object', undefined, 'RFC 8259, section 4'],
    ['body/object', 'header content-type', 'RFC 9110, section 8.3'],
    ['body/object', 'header content-encoding', 'RFC 9110, section 8.4'],
    ['body/object', 'path', 'OpenAPI 3.1.2, paths object'],
    ['multipart/text', 'query', 'OpenAPI 3.1.2, operation object'],
    ['query/utf8', 'query', 'RFC 3986, section 2.5'],
    ['query/utf8', 'body', 'RFC 9110, section 9.3.1'],
    ['query/same-name', 'header id', 'OpenAPI 3.1.2, parameter object'],
    ['query/same-name', 'path', 'OpenAPI 3.1.2, parameter object'],
    ['body/no-body', 'body', 'OpenAPI 3.1.2, request body object'],
    ['response/accept', 'header accept', 'RFC 9110, section 12.5.1'],
    // The method is in no part, and the path is where the redirect leads.
    ['redirect/303-post', null, 'RFC 9110, section 15.4.4'],
    ['redirect/303-post', 'body', 'RFC 9110, section 15.4.4'],
    ['redirect/relative', 'path', 'RFC 9110, section 10.2.2'],
    ['body/duration', 'body', 'RFC 3339, appendix A'],
    ['form/json-array', 'body', 'OpenAPI 3.2.0, encoding by name'],
    ['xml/escaped', 'body', 'XML 1.0, syntax'],
    ['body/enum', 'body', 'JSON Schema Validation 2020-12, section 6.1.2'],
  ]
  it('is its own if the case is not about it', () =>
    eachRow(parts, ([id, part, section]) => expect(nameSection(ruleOf(specOf(id), part).url)).toBe(section)))
})
