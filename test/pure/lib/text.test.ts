import { describe, expect, it } from 'vitest'
import { countCodePoints, findUnserialisable } from '../../../src/lib/text.ts'
import { eachRow } from '../../support/each-row.ts'

describe('the length of a text is that which a reader sees', () => {
  it('in code points', () =>
    eachRow(
      [
        ['', 0],
        ['Mars', 4],
        ['é', 1],
        ['e\u0301', 2],
        ['火星', 2],
        ['🪐', 1],
        ['🪐'.repeat(200), 200],
        ['👩‍🚀', 3],
        ['\uD83E', 1],
      ],
      ([text, count]) => {
        expect(countCodePoints(text)).toBe(count)
      },
    ))
})

describe('a character that every format can carry is accepted', () => {
  it('every such character', () =>
    eachRow(
      [
        ['nothing', ''],
        ['tab, line feed and carriage return', '\t\n\r'],
        ['the first and the last of ASCII', ' ~'],
        ['DEL and the C1 controls', '\u007F\u0080\u009F'],
        ['line and paragraph separators', '\u2028\u2029'],
        ['the characters next to the surrogates', '\uD7FF\uE000'],
        ['the replacement character', '\uFFFD'],
        ['a byte-order mark inside', 'a\uFEFFb'],
        ['the first and the last beyond the basic plane', '\u{10000}\u{10FFFF}'],
        ['an emoji, which is a pair of surrogates', '🪐'],
        ['markup', '<a href="x">&amp;</a>]]>'],
      ],
      ([, text]) => {
        expect(findUnserialisable(text)).toBeUndefined()
      },
    ))
})

describe('a character that XML cannot carry is found and named', () => {
  it('every such character', () =>
    eachRow(
      [
        ['the null character', '\u0000', 'U+0000'],
        ['the control before tab', '\u0008', 'U+0008'],
        ['vertical tab', '\u000B', 'U+000B'],
        ['form feed', '\u000C', 'U+000C'],
        ['the control after carriage return', '\u000E', 'U+000E'],
        ['the last control', '\u001F', 'U+001F'],
        ['a high surrogate alone', '\uD83E', 'U+D83E'],
        ['a low surrogate alone', '\uDE90', 'U+DE90'],
        ['surrogates the wrong way round', '\uDE90\uD83E', 'U+DE90'],
        ['a surrogate after a whole pair', '🪐\uD800', 'U+D800'],
        ['the mirrored byte-order mark', '\uFFFE', 'U+FFFE'],
        ['the last of the basic plane', '\uFFFF', 'U+FFFF'],
        ['the first of several', 'a\u0001b\u0000', 'U+0001'],
      ],
      ([, text, name]) => {
        expect(findUnserialisable(text)).toBe(name)
        expect(findUnserialisable(`before ${text} after`)).toBe(name)
      },
    ))
})
