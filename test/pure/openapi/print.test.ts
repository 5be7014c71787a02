import { expect, it } from 'vitest'
import { describeWorld } from '../../../documents/documents.ts'
import { printJson } from '../../../documents/openapi/print.ts'
import { API_VERSIONS } from '../../../src/http/api-versions.ts'

const LONG = 'x'.repeat(150)

it.each(API_VERSIONS)('the document of API version %s is parsed as it was written', (apiVersion) => {
  const document = describeWorld('common', apiVersion)
  expect(JSON.parse(printJson(document))).toEqual(JSON.parse(JSON.stringify(document)))
})

it('what fits into a line is one line', () => {
  expect(printJson({ a: [1, 'b', null], c: { d: true } })).toBe('{"a": [1, "b", null], "c": {"d": true}}\n')
  expect(printJson({ a: [], b: {}, c: undefined })).toBe('{"a": [], "b": {}}\n')
})

it('what does not fit is broken, and nothing else', () => {
  expect(printJson({ a: [1, 2], b: { [LONG]: [LONG] } })).toBe(
    `{\n  "a": [1, 2],\n  "b": {\n    "${LONG}": [\n      "${LONG}"\n    ]\n  }\n}\n`,
  )
})

it('empty brackets are not broken, however far to the right', () => {
  expect(printJson({ [LONG]: {}, [`${LONG}2`]: [] })).toBe(`{\n  "${LONG}": {},\n  "${LONG}2": []\n}\n`)
})

it('a line has the maximum length, with its indent, its name and the comma after it', () => {
  // Of the 140 characters, `  "a": [""],` takes 12.
  const widest = 'x'.repeat(128)
  expect(printJson({ a: [widest], b: LONG }).split('\n')[1]).toBe(`  "a": ["${widest}"],`)
  expect(printJson({ a: [`${widest}x`], b: LONG }).split('\n')[1]).toBe('  "a": [')
})

it('the headers of a response are one line, however many; other references are not', () => {
  const refer = (kind: string) => (_: unknown, index: number) => [
    `X-${index}`,
    { $ref: `#/components/${kind}/X-${index}` },
  ]
  const entries = Array.from({ length: 10 })
  const headers = Object.fromEntries(entries.map(refer('headers')))
  const responses = Object.fromEntries(entries.map(refer('responses')))
  expect(printJson({ headers, responses }).match(/^.*\$ref.*$/gm)).toHaveLength(1 + 10)
})

it('strings and names are written as JSON writes them', () => {
  const value = { 'a"\n\u2028': ['\\', '\u0000', '💫', 1e21, -0.5, LONG] }
  expect(JSON.parse(printJson(value))).toEqual(value)
})
