import { describe, expect, it } from 'vitest'
import { formatJson } from '../../../src/design/format-json.ts'

describe('JSON for reading', () => {
  it.each([
    ['{"a":1,"b":[true,null]}', '{\n  "a": 1,\n  "b": [\n    true,\n    null\n  ]\n}'],
    ['{}', '{}'],
    ['{"a":[],"b":{}}', '{\n  "a": [],\n  "b": {}\n}'],
    ['[ 1 ,\n2 ]', '[\n  1,\n  2\n]'],
  ])('indents %j', (text, formatted) => expect(formatJson(text)).toBe(formatted))

  it('changes neither numbers nor texts', () => {
    const text = '{"big":12345678901234567890,"zero":1.0,"e":1e3,"text":"a: {\\"b\\",[c]} \\u0041\\\\"}'
    expect(formatJson(text)?.replaceAll(/\n */g, '').replaceAll(/(":) /g, '$1')).toBe(text)
  })

  it.each(['', 'Not today', '{"a":', '5', '"text"', 'null'])('leaves %j alone', (text) => {
    expect(formatJson(text)).toBeUndefined()
  })
})
