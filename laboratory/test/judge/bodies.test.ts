import { describe, expect, it } from 'vitest'
import { eachRow } from '../../../test/support/each-row.ts'
import type { Expected, ExpectedPart, JudgedCase } from '../../case.ts'
import {
  blue,
  bodyCase,
  boolean,
  evening,
  expectJudgement,
  integer,
  jsonCase,
  judgeSent,
  list,
  multipartCase,
  nothing,
  number,
  object,
  text,
  type Wanted,
} from './requests.ts'

const JSON_TYPE = 'application/json'

describe('JSON', () => {
  const planet = object({ name: blue, count: integer(3), flag: boolean(true) })
  const bytes: Expected = { is: 'bytes', value: '+/8=', alphabet: 'base64' }
  const kinds: readonly (readonly [string, Expected, readonly (readonly [string, Wanted])[]])[] = [
    [
      'an object',
      planet,
      [
        ['{"name":"blue","count":3,"flag":true}', 'pass'],
        [' { "flag" : true ,\r\n\t"count":3.0, "n\\u0061me":"\\u0062lue" } ', 'pass'],
        ['{"name":"blue","count":3}', ['fail', 24]],
        ['{"name":"blue","count":3,"flag":true,"x":1}', ['fail', 37]],
        ['{"name":"blue","count":"3","flag":true}', ['fail', 23]],
        ['{"name":"blue","count":4,"flag":true}', ['fail', 23]],
        ['{"name":"blue","count":3,"flag":"true"}', ['fail', 32]],
        ['{"name":"blue","count":3,"flag":1}', ['fail', 32]],
        ['{"name":"blue","count":3,"flag":null}', ['fail', 32]],
        ['{"name":"black","count":4}', ['fail', 11]],
        ['{"name":"blu","count":3,"flag":true}', ['fail', 12]],
        ['{"name":7,"count":3,"flag":true}', ['fail', 8]],
        ['{"name":"blue","name":"blue","count":3,"flag":true}', ['fail', 15]],
        ['{"name":"blue","count":3,"flag":true', ['fail', 36]],
        ['{"name":"blue","count":3,"flag":true}}', ['fail', 37]],
        ['{"name":"blue","count":3,"flag":true,}', ['fail', 37]],
        ["{'name':'blue'}", ['fail', 1]],
        ['{"name" "blue"}', ['fail', 8]],
        ['{"name":"blue" "count":3}', ['fail', 15]],
        ['{}', ['fail', 1]],
        ['{ "name":"blue","count":03}', ['fail', 24]],
        ['[]', ['fail', 0]],
        ['null', ['fail', 0]],
        ['name=blue&count=3', ['fail', 0]],
        ['"{\\"name\\":\\"blue\\"}"', ['fail', 0]],
        ['\ufeff{"name":"blue","count":3,"flag":true}', ['non-strict', 0]],
      ],
    ],
    [
      'null',
      object({ item: nothing }),
      [
        ['{"item":null}', 'pass'],
        ['{}', ['fail', 1]],
        ['{"item":""}', ['fail', 8]],
        ['{"item":"null"}', ['fail', 8]],
      ],
    ],
    [
      'absent',
      object({}),
      [
        ['{}', 'pass'],
        ['{"item":null}', ['fail', 1]],
        [' { } ', 'pass'],
      ],
    ],
    [
      'an empty list and object',
      object({ tags: list(), options: { is: 'object', members: {}, isOpen: true } }),
      [
        ['{"tags":[],"options":{}}', 'pass'],
        ['{"tags":[],"options":{"a":{"b":[1,{"c":null}]}}}', 'pass'],
        ['{"tags":null,"options":{}}', ['fail', 8]],
        ['{"tags":[""],"options":{}}', ['fail', 9]],
        ['{"tags":[],"options":[]}', ['fail', 21]],
        ['{"options":{}}', ['fail', 13]],
      ],
    ],
    [
      'integers of 64 bits',
      list(integer('-9223372036854775808'), integer('9223372036854775807')),
      [
        ['[-9223372036854775808,9223372036854775807]', 'pass'],
        ['[-9223372036854775808,9223372036854775808]', ['fail', 22]],
        ['[-9223372036854776000,9223372036854775807]', ['fail', 1]],
        ['[-9.223372036854775808e18,9223372036854775807.0]', 'pass'],
        ['["-9223372036854775808","9223372036854775807"]', ['fail', 1]],
        ['[-9223372036854775808]', ['fail', 21]],
        ['[-9223372036854775808,9223372036854775807,1]', ['fail', 41]],
        ['[-9223372036854775808,9223372036854775807e0]', 'pass'],
      ],
    ],
    [
      'doubles',
      list(number(0.1), number(1e-7), number(1.7976931348623157e308), number(5e-324)),
      [
        ['[0.1,1e-7,1.7976931348623157e308,5e-324]', 'pass'],
        ['[0.10,0.0000001,17976931348623157E292,4.9e-324]', 'pass'],
        ['[0.1,1e-7,1.7976931348623157e308,0]', ['fail', 33]],
        ['[.1,1e-7]', ['fail', 1]],
        ['[0.1,1e-7,Infinity]', ['fail', 10]],
        ['[0.1,1e-7,1e400,5e-324]', ['fail', 10]],
      ],
    ],
    [
      'a date-time',
      object({ at: evening }),
      [
        ['{"at":"2026-02-28T21:30:00.000Z"}', 'pass'],
        ['{"at":"2026-02-28 21:30:00Z"}', ['non-strict', 17]],
        ['{"at":"2026-02-28T21:30:00"}', ['fail', 7]],
        ['{"at":1772314200}', ['fail', 6]],
        ['{"at":"2026-02-30T21:30:00Z"}', ['fail', 7]],
      ],
    ],
    [
      'bytes',
      object({ bytes }),
      [
        ['{"bytes":"+/8="}', 'pass'],
        ['{"bytes":"\\u002b\\/8="}', 'pass'],
        ['{"bytes":"+/8"}', ['non-strict', 13]],
        ['{"bytes":"-_8="}', ['fail', 10]],
        ['{"bytes":"+/9="}', ['non-strict', 12]],
        ['{"bytes":"+/k="}', ['fail', 12]],
        ['{"bytes":[251,255]}', ['fail', 9]],
      ],
    ],
    [
      'bytes for URLs',
      object({ bytes: { is: 'bytes', value: '+/8=', alphabet: 'base64url' } }),
      [
        ['{"bytes":"-_8="}', 'pass'],
        ['{"bytes":"-_8"}', 'pass'],
        ['{"bytes":"+/8="}', ['fail', 10]],
      ],
    ],
    [
      'a text',
      object({ text: text('\u2028 🪐 " \\ é') }),
      [
        ['{"text":"\u2028 🪐 \\" \\\\ é"}', 'pass'],
        ['{"text":"\\u2028 \\ud83E\\uDE90 \\u0022 \\u005C \\u00e9"}', 'pass'],
        ['{"text":"\u2028 \\ud83e \\" \\\\ é"}', ['fail', 13]],
        ['{"text":"\u2028 ? \\" \\\\ é"}', ['fail', 13]],
        ['{"text":"\u2028 🪐 \\" \\\\ è"}', ['fail', 24]],
        ['{"text":"\u2028 🪐 \\" \\\\ é\n"}', ['fail', 26]],
        ['{"text":"\u2028 🪐 \\" \\x"}', ['fail', 21]],
        ['{"text":"\u2028 🪐', ['fail', 17]],
      ],
    ],
    [
      'a read-only member',
      { is: 'object', members: { name: blue }, tolerated: ['id'] },
      [
        ['{"name":"blue"}', 'pass'],
        ['{"name":"blue","id":"x"}', ['non-strict', 15]],
        ['{"name":"blue","id":{"deep":[]}}', ['non-strict', 15]],
      ],
    ],
    [
      'a map',
      object({ a: integer(1), b: integer(2) }),
      [
        ['{"b":2,"a":1}', 'pass'],
        ['{"a":1,"b":2,"c":3}', ['fail', 13]],
      ],
    ],
    [
      'names',
      object({ __proto__x: integer(1), größe: integer(7), toString: integer(2) }),
      [
        ['{"__proto__x":1,"größe":7,"toString":2}', 'pass'],
        ['{"__proto__":1,"größe":7}', ['fail', 1]],
      ],
    ],
    [
      'a recursive object',
      object({ children: list(object({ children: list() })) }),
      [
        ['{"children":[{"children":[]}]}', 'pass'],
        ['{"children":[{}]}', ['fail', 14]],
        ['{"children":[]}', ['fail', 13]],
      ],
    ],
    [
      'a text alone',
      blue,
      [
        ['"blue"', 'pass'],
        ['blue', ['fail', 0]],
        ['"\\"blue\\""', ['fail', 1]],
      ],
    ],
    [
      'false alone',
      boolean(false),
      [
        ['false', 'pass'],
        ['False', ['fail', 0]],
        ['0', ['fail', 0]],
      ],
    ],
    [
      'null alone',
      nothing,
      [
        ['null', 'pass'],
        ['""', ['fail', 0]],
        ['', ['fail', 0]],
        ['nullx', ['fail', 4]],
      ],
    ],
  ]
  it.each(kinds)('%s', (_, expected, rows) =>
    eachRow(rows, ([body, wanted]) => {
      const judgement = judgeSent(jsonCase(expected), { body, type: JSON_TYPE })
      expectJudgement(judgement, wanted)
      expect(judgement.received).toBe(body)
    }),
  )

  it('is UTF-8', () => {
    const latin = Uint8Array.from('{"name":"grün"}', (character) => character.charCodeAt(0))
    const judgement = judgeSent(jsonCase(object({ name: text('grün') })), { body: latin, type: JSON_TYPE })
    expectJudgement(judgement, ['fail', 11])
    expect([judgement.encoding, judgement.received]).toEqual(['base64', btoa('{"name":"gr\xfcn"}')])
  })

  it('may be nested a hundred times in an open object', () => {
    const open = jsonCase({ is: 'object', members: {}, isOpen: true })
    const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expectJudgement(judgeSent(open, { body: nested(100), type: JSON_TYPE }), 'pass')
    expectJudgement(judgeSent(open, { body: nested(101), type: JSON_TYPE }), ['fail', 105])
  })
})

describe('the Content-Type', () => {
  const json = jsonCase(object({}))
  const vendor = bodyCase({ as: 'json', mediaType: 'application/vnd.galaxy+json', expected: object({}) })
  const rows: readonly (readonly [JudgedCase, string | undefined, Wanted])[] = [
    [json, 'application/json', 'pass'],
    [json, 'Application/JSON ; charset="UTF-8"; x=y', 'pass'],
    [json, 'application/json;charset=utf8', 'pass'],
    [json, 'application/json; charset=iso-8859-1', ['non-strict', 26]],
    [json, 'application/json; charset="utf-16"', ['non-strict', 27]],
    [json, 'text/plain', ['fail', 0]],
    [json, 'application/json, application/json', ['fail', 0]],
    [json, undefined, ['fail', 0]],
    [vendor, 'application/vnd.galaxy+json', 'pass'],
    [vendor, 'application/json', ['fail', 0]],
    [{ ...json, id: 'response/x' }, 'text/plain', 'pass'],
  ]
  it('is that of the case', () =>
    eachRow(
      rows,
      ([judged, type, wanted]) => {
        const judgement = judgeSent(judged, { body: '{}', ...(type && { type }) })
        expectJudgement(judgement, wanted)
        expect(judgement.received).toBe(wanted === 'pass' ? '{}' : (type ?? ''))
      },
      ([{ id }, type]) => `${id}: ${type}`,
    ))

  it('does not count without a body', () => {
    expectJudgement(judgeSent(json, { type: 'text/plain' }), ['fail', 0])
    expect(judgeSent(json, { type: 'text/plain' })).toMatchObject({ reason: 'The body is missing.', received: '' })
    expectJudgement(judgeSent(bodyCase({ as: 'none' }), { type: 'text/plain' }), 'pass')
  })
})

const OF_ANOTHER_KIND: readonly (readonly [Expected, string, string])[] = [
  [list(), '{"x":1}', 'The body is an object, not a list.'],
  [object({}), '[]', 'The body is a list, not an object.'],
  [nothing, '0', 'The body is the number 0, not null.'],
  [blue, '0', 'The body is the number 0, not the text "blue".'],
  [number(3), '"3"', 'The body is the text "3", not the number 3.'],
]

it('another kind of JSON has a reason', () =>
  eachRow(OF_ANOTHER_KIND, ([expected, body, reason]) =>
    expect(judgeSent(jsonCase(expected), { body, type: JSON_TYPE })).toMatchObject({ reason }),
  ))

const PLAIN_BODIES: readonly (readonly [string, JudgedCase, string | Uint8Array, string, Wanted])[] = [
  ['text', bodyCase({ as: 'text', mediaType: 'text/plain', text: 'größe\nb' }), 'größe\nb', 'text/plain', 'pass'],
  [
    'text',
    bodyCase({ as: 'text', mediaType: 'text/plain', text: 'größe\nb' }),
    'größe\r\nb',
    'text/plain',
    ['fail', 7],
  ],
  [
    'text',
    bodyCase({ as: 'text', mediaType: 'text/plain', text: 'größe\nb' }),
    '"größe\\nb"',
    'text/plain',
    ['fail', 0],
  ],
  [
    'text',
    bodyCase({ as: 'text', mediaType: 'text/plain', text: 'größe\nb' }),
    'größe\nb\n',
    'text/plain',
    ['fail', 9],
  ],
  [
    'bytes',
    bodyCase({ as: 'bytes', mediaType: 'application/octet-stream', bytes: 'AP8=' }),
    Uint8Array.of(0, 255),
    'application/octet-stream',
    'pass',
  ],
  [
    'bytes',
    bodyCase({ as: 'bytes', mediaType: 'application/octet-stream', bytes: 'AP8=' }),
    '\0\ufffd',
    'application/octet-stream',
    ['fail', 1],
  ],
  [
    'bytes',
    bodyCase({ as: 'bytes', mediaType: 'application/octet-stream', bytes: 'AP8=' }),
    'AP8=',
    'application/octet-stream',
    ['fail', 0],
  ],
  [
    'bytes',
    bodyCase({ as: 'bytes', mediaType: 'application/octet-stream', bytes: 'AP8=' }),
    Uint8Array.of(0),
    'application/octet-stream',
    ['fail', 1],
  ],
  [
    'bytes',
    bodyCase({ as: 'bytes', mediaType: 'application/octet-stream', bytes: 'AP8=' }),
    Uint8Array.of(0, 255, 1),
    'application/octet-stream',
    ['fail', 2],
  ],
  ['no body', bodyCase({ as: 'none' }), '', '', 'pass'],
  ['no body', bodyCase({ as: 'none' }), '{}', JSON_TYPE, ['fail', 0]],
]

it('text, bytes and no body', () =>
  eachRow(
    PLAIN_BODIES,
    ([, judged, body, type, wanted]) => expectJudgement(judgeSent(judged, { body, type }), wanted),
    ([kind, , body]) => `${kind}: ${body}`,
  ))

describe('XML', () => {
  const XML_TYPE = 'application/xml'
  const judgeXml = (xml: string, body: string) =>
    judgeSent(bodyCase({ as: 'xml', mediaType: XML_TYPE, xml }, 'xml/x'), { body, type: XML_TYPE })
  const attribute = '<planet id="7"><name>blue</name></planet>'
  const tags = '<planet><tags><tag>a</tag><tag>b</tag></tags></planet>'
  const namespace = '<g:planet xmlns:g="https://galaxy.example/ns"><g:name>blue</g:name></g:planet>'
  const escaped = '<planet><name>a &lt; b &amp; c</name></planet>'
  it.each([
    ['{"name":"blue"}', '{', 0],
    [' ["blue"]', '[', 0],
    ['"<planet/>"', '"', 0],
  ])('%s is none, and the reason says how it begins', (body, sign, at) => {
    expect(judgeXml(attribute, body)).toMatchObject({ at, reason: `The body is no XML: it begins with \`${sign}\`.` })
  })

  const rows: readonly (readonly [string, string, Wanted])[] = [
    [attribute, attribute, 'pass'],
    [
      attribute,
      `\ufeff<?xml version="1.0" encoding="UTF-8"?>\n<!-- a --><planet\n id = '&#55;' >\n <name>bl<!-- - -->u<?x?>e</name >\n</planet>\n`,
      'pass',
    ],
    [attribute, '<!DOCTYPE planet><planet id="7"><name><![CDATA[bl]]>ue</name></planet>', 'pass'],
    [attribute, '<!DOCTYPE planet [<!ENTITY e "blue">]><planet id="7"><name>&e;</name></planet>', ['fail', 0]],
    [attribute, '<planet id="7"><name>&e;</name></planet>', ['fail', 21]],
    [attribute, '<planet id="8"><name>blue</name></planet>', ['fail', 12]],
    [attribute, '<planet><name>blue</name></planet>', ['fail', 7]],
    [attribute, '<planet><id>7</id><name>blue</name></planet>', ['fail', 7]],
    [attribute, '<planet id="7" x="1"><name>blue</name></planet>', ['fail', 15]],
    [attribute, '<planet id="7" id="7"><name>blue</name></planet>', ['fail', 15]],
    [attribute, '<planet id="7"><name>black</name></planet>', ['fail', 23]],
    [attribute, '<planet id="7"><name> blue</name></planet>', ['fail', 21]],
    [attribute, '<planet id="7"><name>blu</name></planet>', ['fail', 24]],
    [attribute, '<planet id="7"><name/></planet>', ['fail', 20]],
    [attribute, '<planet id="7"/>', ['fail', 14]],
    [attribute, '<planet id="7"></planet>', ['fail', 15]],
    [attribute, '<Planet id="7"><name>blue</name></Planet>', ['fail', 1]],
    [attribute, '<planet id="7"><name>blue</name><x/></planet>', ['fail', 33]],
    [attribute, '<planet id="7"><name>blue</name>x</planet>', ['fail', 32]],
    [attribute, '<planet id="7"><name>blue</name></planet', ['fail', 32]],
    [attribute, '<planet id="7"><name>blue</planet>', ['fail', 25]],
    [attribute, '<planet id="7"><name>red', ['fail', 21]],
    [attribute, '<planet id="7"><name>blue</name></planet>x', ['fail', 41]],
    [attribute, '<planet id="7"><name>blue</name></planet><planet/>', ['fail', 41]],
    [attribute, '{"id":7,"name":"blue"}', ['fail', 0]],
    [attribute, '<planet id="7"><name>\u0000</name></planet>', ['fail', 21]],
    [tags, tags, 'pass'],
    [tags, '<planet><tags>\n<tag>a</tag>\n<tag>b</tag>\n</tags></planet>', 'pass'],
    [tags, '<planet><tags><tag>b</tag><tag>a</tag></tags></planet>', ['fail', 19]],
    [tags, '<planet><tags>a</tags><tags>b</tags></planet>', ['fail', 14]],
    [tags, '<planet><tags><tag>a</tag></tags></planet>', ['fail', 26]],
    [tags, '<planet><tags><tag>a</tag><tag>b</tag><tag>c</tag></tags></planet>', ['fail', 39]],
    [tags, '<planet><tag>a</tag><tag>b</tag></planet>', ['fail', 9]],
    [namespace, namespace, 'pass'],
    [
      namespace,
      '<planet xmlns="https://galaxy.example/ns"><x:name xmlns:x="https://galaxy.example/ns">blue</x:name></planet>',
      'pass',
    ],
    [namespace, '<planet><name>blue</name></planet>', ['fail', 1]],
    [namespace, '<g:planet xmlns:g="https://galaxy.example/ns"><name>blue</name></g:planet>', ['fail', 47]],
    [namespace, '<g:planet><g:name>blue</g:name></g:planet>', ['fail', 1]],
    [namespace, '<g:planet xmlns:g="https://galaxy.example/other"><g:name>blue</g:name></g:planet>', ['fail', 1]],
    [escaped, '<planet><name>a &#60; b &#x26; c</name></planet>', 'pass'],
    [escaped, '<planet><name><![CDATA[a < b & c]]></name></planet>', 'pass'],
    [escaped, '<planet><name>a &amp;lt; b &amp;amp; c</name></planet>', ['fail', 16]],
    [escaped, '<planet><name>a < b & c</name></planet>', ['fail', 16]],
  ]
  it('what a document says counts, and not how', () =>
    eachRow(rows, ([xml, body, wanted]) => expectJudgement(judgeXml(xml, body), wanted)))
})

describe('multipart', () => {
  const TYPE = 'multipart/form-data; boundary=b'
  const name: ExpectedPart = { name: 'name', expected: blue }
  const file: ExpectedPart = { name: 'file', file: { bytes: btoa('\0\r\n--x\xff') } }
  const meta: ExpectedPart = { name: 'meta', isJson: true, expected: object({ R: integer(100) }) }
  const tags: ExpectedPart = { name: 'tags', isJson: true, expected: list(text('x'), text('y')) }
  const part = (head: string, content: string) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`
  const jsonPart = (content: string) => part('name="tags"\r\nContent-Type: application/json', content)
  const END = '--b--\r\n'
  const latin = (body: string) => Uint8Array.from(body, (character) => character.charCodeAt(0))
  const fileOf = (content: string, head = 'name="file"; filename="a"') => latin(`${part(head, content)}${END}`)
  const FILE_AT = 66
  const rows: readonly (readonly [string, readonly ExpectedPart[], string | Uint8Array, Wanted])[] = [
    ['a text', [name], `${part('name="name"', 'blue')}${END}`, 'pass'],
    ['a token', [name], `${part('name=name', 'blue')}${END}`, 'pass'],
    ['an escaped name', [name], `${part('name="na\\me"', 'blue')}${END}`, 'pass'],
    ['no line break at the end', [name], `${part('name="name"', 'blue')}--b--`, 'pass'],
    [
      'a preamble, padding and an epilogue',
      [name],
      `before\r\n--b \t\r\ncontent-disposition:FORM-DATA;\r\n NAME="name"\r\ncontent-type: Text/Plain\r\n\r\nblue\r\n--b-- \r\n--b\r\nafter`,
      'pass',
    ],
    ['another text', [name], `${part('name="name"', 'black')}${END}`, ['fail', 54]],
    ['a part missing', [name], END, ['fail', 0]],
    ['a part missing', [name, { name: 'x', expected: blue }], `${part('name="name"', 'blue')}${END}`, ['fail', 58]],
    ['another part', [name], `${part('name="name"', 'blue')}${part('name="x"', '')}${END}`, ['fail', 101]],
    ['a part twice', [name], `${part('name="name"', 'blue')}${part('name="name"', 'blue')}${END}`, ['fail', 101]],
    ['no name', [name], `--b\r\nX: y\r\n\r\nblue\r\n${END}`, ['fail', 11]],
    ['no head', [name], `--b\r\n\r\nblue\r\n${END}`, ['fail', 5]],
    [
      'another disposition',
      [name],
      `--b\r\nContent-Disposition: attachment; name="name"\r\n\r\nblue\r\n${END}`,
      ['fail', 26],
    ],
    ['no last boundary', [name], part('name="name"', 'blue'), ['fail', 56]],
    ['another boundary', [name], '--c\r\n\r\n--c--', ['fail', 12]],
    ['bare line feeds', [name], '--b\nContent-Disposition: form-data; name="name"\n\nblue\n--b--\n', ['fail', 60]],
    [
      'a type of a text',
      [name],
      `${part('name="name"\r\nContent-Type: application/json', 'blue')}${END}`,
      ['fail', 64],
    ],
    ['UTF-8', [{ name: 'name', expected: text('größe') }], `${part('name="name"', 'größe')}${END}`, 'pass'],
    [
      'Latin-1',
      [{ name: 'name', expected: text('größe') }],
      latin(`${part('name="name"\r\nContent-Type: text/plain; charset=ISO-8859-1', 'größe')}${END}`),
      'pass',
    ],
    [
      'another text in Latin-1',
      [{ name: 'name', expected: text('größe') }],
      latin(`${part('name="name"\r\nContent-Type: text/plain; charset=ISO-8859-1', 'gröáe')}${END}`),
      ['fail', 101],
    ],
    [
      'Latin-1 without a name for it',
      [{ name: 'name', expected: text('größe') }],
      latin(`${part('name="name"', 'größe')}${END}`),
      ['fail', 54],
    ],
    [
      'Latin-1, named by a part',
      [{ name: 'name', expected: text('größe') }],
      latin(`${part('name="_charset_"', 'iso-8859-1')}${part('name="name"', 'größe')}${END}`),
      'pass',
    ],
    [
      'US-ASCII',
      [name],
      `${part('name="name"\r\nContent-Type: text/plain; charset="us-ascii"', 'blue')}${END}`,
      'pass',
    ],
    [
      'US-ASCII with more',
      [{ name: 'name', expected: text('é') }],
      `${part('name="name"\r\nContent-Type: text/plain; charset=us-ascii', 'é')}${END}`,
      ['fail', 96],
    ],
    [
      'another charset',
      [name],
      `${part('name="name"\r\nContent-Type: text/plain; charset=utf-16', 'blue')}${END}`,
      ['fail', 94],
    ],
    [
      'other scalars',
      [
        { name: 'count', expected: integer(0) },
        { name: 'flag', expected: boolean(false) },
      ],
      `${part('name="flag"', 'False')}${part('name="count"', '0')}${END}`,
      ['non-strict', 52],
    ],
    [
      'a list',
      [
        { name: 'a', expected: text('x') },
        { name: 'a', expected: text('y') },
      ],
      `${part('name="a"', 'x')}${part('name="a"', 'y')}${END}`,
      'pass',
    ],
    ['a list in JSON', [tags], `${jsonPart('["x","y"]')}${END}`, 'pass'],
    ['a part in JSON for each item', [tags], `${jsonPart('"x"')}${jsonPart(' "y"')}${END}`, 'pass'],
    ['another item in JSON', [tags], `${jsonPart('"x"')}${jsonPart('"z"')}${END}`, ['fail', 174]],
    ['an item too few in JSON', [tags], `${jsonPart('"x"')}${END}`, ['fail', 89]],
    ['an item too many in JSON', [tags], `${jsonPart('"x"')}${jsonPart('"y"')}${jsonPart('"y"')}${END}`, ['fail', 221]],
    ['a list in JSON, and an item', [tags], `${jsonPart('["x","y"]')}${jsonPart('"y"')}${END}`, ['fail', 138]],
    ['items that are no JSON', [tags], `${jsonPart('x')}${jsonPart('y')}${END}`, ['fail', 84]],
    [
      'a list in another order',
      [
        { name: 'a', expected: text('x') },
        { name: 'a', expected: text('y') },
      ],
      `${part('name="a"', 'y')}${part('name="a"', 'x')}${END}`,
      ['fail', 49],
    ],
    ['a file', [file], fileOf('\0\r\n--x\xff'), 'pass'],
    ['a file without a name', [file], fileOf('\0\r\n--x\xff', 'name="file"'), ['non-strict', 50]],
    ['a file that is UTF-8 now', [file], fileOf('\0\r\n--x\xc3\xbf'), ['fail', FILE_AT + 6]],
    ['a file cut off', [file], fileOf('\0\r\n--x'), ['fail', FILE_AT + 6]],
    ['a file too long', [file], fileOf('\0\r\n--x\xff\0'), ['fail', FILE_AT + 7]],
    ['an empty file', [{ name: 'file', file: { bytes: '' } }], fileOf(''), 'pass'],
    [
      'a file of a type',
      [{ ...file, contentType: 'image/png' }],
      fileOf('\0\r\n--x\xff', 'name="file"; filename="a"\r\nContent-Type: IMAGE/png'),
      'pass',
    ],
    [
      'a file of another type',
      [{ ...file, contentType: 'image/png' }],
      fileOf('\0\r\n--x\xff', 'name="file"; filename="a"\r\nContent-Type: image/jpg'),
      ['fail', 78],
    ],
    ['a file without its type', [{ ...file, contentType: 'image/png' }], fileOf('\0\r\n--x\xff'), ['fail', 64]],
    [
      'a header',
      [{ ...file, headers: { 'X-Part': { is: 'integer', value: '7' } } }],
      fileOf('\0\r\n--x\xff', 'name="file"; filename="a"\r\nx-part:7 '),
      'pass',
    ],
    [
      'another header',
      [{ ...file, headers: { 'X-Part': { is: 'integer', value: '7' } } }],
      fileOf('\0\r\n--x\xff', 'name="file"; filename="a"\r\nX-Part: 8'),
      ['fail', 72],
    ],
    [
      'no header',
      [{ ...file, headers: { 'X-Part': { is: 'integer', value: '7' } } }],
      fileOf('\0\r\n--x\xff'),
      ['fail', 64],
    ],
    [
      'JSON',
      [meta],
      `${part('name="meta"; filename="blob"\r\nContent-Type: application/json', '{"R":100}')}${END}`,
      'pass',
    ],
    ['JSON without its type', [meta], `${part('name="meta"', '{"R":100}')}${END}`, ['fail', 50]],
    [
      'no JSON',
      [meta],
      `${part('name="meta"\r\nContent-Type: application/json', '[object Object]')}${END}`,
      ['fail', 84],
    ],
  ]
  it('parts', () =>
    eachRow(
      rows,
      ([, parts, body, wanted]) => expectJudgement(judgeSent(multipartCase(parts), { body, type: TYPE }), wanted),
      ([part, , body]) => `${part}: ${body}`,
    ))

  const BODY = `--${'x'.repeat(71)}\r\nContent-Disposition: form-data; name="name"\r\n\r\nblue\r\n--${'x'.repeat(71)}--`
  const boundaries: readonly (readonly [string, string, string, Wanted])[] = [
    [
      'quoted',
      'multipart/form-data; boundary="a b"',
      '--a b\r\nContent-Disposition: form-data; name="name"\r\n\r\nblue\r\n--a b--',
      'pass',
    ],
    [
      'of 70 characters',
      `multipart/form-data; boundary=${'x'.repeat(70)}`,
      BODY.replaceAll('x'.repeat(71), 'x'.repeat(70)),
      'pass',
    ],
    ['of 71 characters', `multipart/form-data; boundary=${'x'.repeat(71)}`, BODY, ['fail', 30]],
    ['missing', 'multipart/form-data', BODY, ['fail', 19]],
    ['of another type', 'multipart/mixed; boundary=b', `${part('name="name"', 'blue')}${END}`, ['fail', 0]],
  ]
  it('the boundary', () =>
    eachRow(boundaries, ([, type, body, wanted]) =>
      expectJudgement(judgeSent(multipartCase([name]), { body, type }), wanted),
    ))
})
