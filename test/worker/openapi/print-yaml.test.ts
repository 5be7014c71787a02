import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { printYaml } from '../../../src/openapi/print-yaml.ts'

// The parser of another maker reads what was written, by the rules of both versions of YAML.

function expectSame(value: object): void {
  const text = printYaml(value)
  const expected = JSON.parse(JSON.stringify(value))
  expect(parse(text, { version: '1.1' })).toEqual(expected)
  expect(parse(text, { version: '1.2' })).toEqual(expected)
}

describe('a text stays a text', () => {
  it.each([
    ['words that mean something', ['true', 'False', 'yes', 'NO', 'on', 'Off', 'y', 'N', 'null', '~', '']],
    [
      'numbers',
      [
        '1',
        '-1',
        '1.5',
        '1e3',
        '0x1f',
        '0o17',
        '017',
        '1_000',
        '.inf',
        '-.INF',
        '.nan',
        '190:20:30',
        '+1',
        'e0',
        'E-1',
      ],
    ],
    ['dates', ['2026-11-22', '2026-11-22T10:00:00Z', '2001-1-1 1:1:1']],
    [
      'syntax',
      ['- a', '? a', ': a', 'a: b', 'a:', 'a #b', '#a', '&a', '*a', '!a', '|', '>', '%a', '@a', '`a', '---', '...'],
    ],
    ['brackets and quotes', ['[a]', '{a}', 'a, b', "'a'", '"a"', "it's", 'a"b', 'a\\b', '<<', '=']],
    ['what looks like syntax', ['a:b', 'a#b', 'https://galaxy.test/a?b#c', '/planets/{planetId}', '$ref', '#/a/b']],
    ['spaces at the ends', [' a', 'a ', '  ', 'a  b', 'a  #b', '\ta', 'a\t']],
    [
      'lines',
      [
        'a\nb',
        'a\nb\n',
        'a\n',
        'a\n\n',
        'a\n\nb',
        '\na',
        ' a\nb',
        'a\n  b\n c',
        'a \n b ',
        'a\n \n',
        '\n',
        'a\n#b\n- c: d',
      ],
    ],
    ['line ends of other kinds', ['a\r\nb', 'a\rb', 'a\u0085b', 'a\u2028b', 'a\nb\u2029c', 'a\n\tb']],
    [
      'characters that need an escape',
      ['\0', '\u0007', '\u007f', '\u009f', '\ufeff', '\ufffe', 'a\n\0', '\u00a0', '\u3000a'],
    ],
    ['other scripts', ['über', '火星', 'Mars 🪐', '🪐\n火星']],
  ])('%s', (_, texts) => {
    for (const text of texts) {
      expectSame({ text })
      expectSame([text])
      expectSame({ [text]: [[text], { [text]: { text } }] })
    }
  })
})

it('numbers, lists and objects stay what they are', () => {
  expectSame({ numbers: [0, -1, 0.1, 1e21, -1e21, 1.5e300, 1e-7], literals: [true, false, null] })
  expectSame({ empty: [[], {}, ''], nested: [[[1, [2]], []], { a: { b: [{ c: {} }] } }] })
  expectSame({ absent: undefined, all: { absent: undefined }, kept: 1 })
})

it('any document can be read', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.stringMatching(/^[a-z:# \n'"-]*$/))
  const document = fc.object({
    key: text,
    values: [text, fc.double({ noNaN: true, noDefaultInfinity: true })],
    maxDepth: 3,
  })
  fc.assert(
    fc.property(document, (value) => expectSame(value)),
    { numRuns: 500 },
  )
})

it('a text of several lines is written in lines', () => {
  expect(printYaml({ description: 'One.\n\n- two\n', tags: ['a\nb'] })).toBe(
    'description: |\n  One.\n\n  - two\ntags:\n  - |-\n    a\n    b\n',
  )
})
