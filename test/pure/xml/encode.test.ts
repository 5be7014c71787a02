import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ImageUploadedMessage } from '../../../src/schemas/image.ts'
import { Planet, PlanetInput, PlanetPage } from '../../../src/schemas/planet.ts'
import { Problem } from '../../../src/schemas/problem.ts'
import { Index } from '../../../src/schemas/service-index.ts'
import { Credentials, SignUp, Token, User } from '../../../src/schemas/user.ts'
import { encodeXml } from '../../../src/xml/encode.ts'
import { eachRow } from '../../support/each-row.ts'
import { XSI } from '../../support/xml.ts'

const Thing = z.unknown().meta({ xml: { name: 'thing' } })
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** The content of the root. */
function write(value: unknown): string {
  const text = encodeXml(value, Thing)
  const [before, after] = [`${HEAD}<thing xmlns:xsi="${XSI}">`, '</thing>']
  expect(text.slice(0, before.length)).toBe(before)
  expect(text.slice(-after.length)).toBe(after)
  return text.slice(before.length, -after.length)
}

describe('a value is written', () => {
  it('of every type', () =>
    eachRow(
      [
        ['nothing', {}, ''],
        ['a text', { text: 'Mars' }, '<text>Mars</text>'],
        ['an empty text', { text: '' }, '<text></text>'],
        ['white space', { text: ' \n\t ' }, '<text> \n\t </text>'],
        ['a number', { number: -1.5 }, '<number>-1.5</number>'],
        ['a great number', { number: 1e308 }, '<number>1e+308</number>'],
        ['a tiny number', { number: 5e-324 }, '<number>5e-324</number>'],
        ['a truth', { truth: false }, '<truth>false</truth>'],
        ['null', { text: null }, '<text xsi:nil="true"/>'],
        ['an absent member', { text: undefined }, ''],
        ['an empty object', { free: {} }, '<free></free>'],
        ['an object', { a: { b: { c: 1 } } }, '<a><b><c>1</c></b></a>'],
        ['an empty list', { list: [] }, ''],
        ['a list of one', { list: ['a'] }, '<list>a</list>'],
        ['a list', { list: ['a', '', null] }, '<list>a</list><list></list><list xsi:nil="true"/>'],
        ['a list of objects', { list: [{ a: 1 }, {}] }, '<list><a>1</a></list><list></list>'],
      ],
      ([, value, content]) => {
        expect(write(value)).toBe(content)
      },
    ))

  it('in the order of its members', () => {
    expect(write({ b: 1, a: 2, constructor: 3 })).toBe('<b>1</b><a>2</a><constructor>3</constructor>')
  })
})

describe('text and names cannot become markup', () => {
  it('whatever is in them', () =>
    eachRow(
      [
        ['signs', '<a b="c">&\'', '&lt;a b="c"&gt;&amp;\''],
        ['an entity', '&lt;&#65;', '&amp;lt;&amp;#65;'],
        ['the end of a CDATA section', ']]>', ']]&gt;'],
        ['a CDATA section', '<![CDATA[x]]>', '&lt;![CDATA[x]]&gt;'],
        ['a comment', '<!-- x -->', '&lt;!-- x --&gt;'],
        ['a carriage return', 'a\r\nb\r', 'a&#13;\nb&#13;'],
        ['a character beyond 16 bits', '🪐', '🪐'],
        ['controls that XML allows', '\t\n\u007f\u0085', '\t\n\u007f\u0085'],
        ['characters that XML cannot carry', 'a\u0000\u001b\ud800\ufffe\uffffb', 'a\ufffd\ufffd\ufffd\ufffd\ufffdb'],
        ['a lone surrogate beside a pair', '\ud83e\ud83e\ude90', '\ufffd🪐'],
      ],
      ([, text, content]) => {
        expect(write({ text })).toBe(`<text>${content}</text>`)
        expect(write({ list: [text] })).toBe(`<list>${content}</list>`)
      },
    ))

  it('every name', () =>
    eachRow(
      [
        ['a b><x', '_x0061_'],
        ['a/', 'a_x002F_'],
        ['!--', '_x0021_'],
        ['?php', '_x003F_php'],
        ['xsi:nil="true"', 'xsi_x003A_nil_x003D_'],
        ['\u0000', '_x0000_'],
      ],
      ([name]) => {
        expect(write({ [name]: 1 })).toMatch(/^<([\w.-]+)>1<\/\1>$/)
        expect(write({ [name]: null })).toMatch(/^<[\w.-]+ xsi:nil="true"\/>$/)
      },
    ))
})

describe('the root has the name that the schema gives', () => {
  it('for each schema', () =>
    eachRow(
      [
        ['planet', Planet],
        ['planet', PlanetInput],
        ['planets', PlanetPage],
        ['user', User],
        ['user', SignUp],
        ['credentials', Credentials],
        ['token', Token],
        ['imageUploadedMessage', ImageUploadedMessage],
        ['index', Index],
      ],
      ([name, schema]) => {
        expect(encodeXml({}, schema)).toBe(`${HEAD}<${name} xmlns:xsi="${XSI}"></${name}>`)
      },
    ))

  it('a problem has its namespace, and an element around each list (RFC 9457, appendix B)', () => {
    const problem = { title: 'a<b', errors: [{ pointer: '/a' }, { pointer: '/b' }], missing: ['x'], stale: [] }
    const items = '<i><pointer>/a</pointer></i><i><pointer>/b</pointer></i>'
    expect(encodeXml(problem, Problem)).toBe(
      `${HEAD}<problem xmlns="urn:ietf:rfc:7807" xmlns:xsi="${XSI}"><title>a&lt;b</title><errors>${items}</errors><missing><i>x</i></missing></problem>`,
    )
  })

  it('a schema without a root name is a programming error, and reported', () => {
    expect(() => encodeXml({}, z.object({}).meta({ id: 'Nameless' }))).toThrow(/Nameless has no name/)
    expect(() => encodeXml({}, z.object({}))).toThrow(/without an id has no name/)
  })
})
