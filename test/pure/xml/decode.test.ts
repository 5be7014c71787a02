import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { PlanetInput } from '../../../src/schemas/planet.ts'
import { type DecodedXml, decodeXml } from '../../../src/xml/decode.ts'
import { eachRow } from '../../support/each-row.ts'
import { refusalOf, XSI } from '../../support/xml.ts'

// The value of a document, according to the schema that is expected.

const Thing = z.object({
  text: z.string().optional(),
  number: z.number().nullable().optional(),
  truth: z.boolean().optional(),
  kind: z.enum(['7', 'true']).optional(),
  list: z.array(z.string()).optional(),
  numbers: z.array(z.number()).optional(),
  free: z.object({ known: z.string().optional() }).catchall(z.number()).optional(),
  things: z.array(z.object({ name: z.string(), list: z.array(z.string()).optional() })).optional(),
  anything: z.unknown(),
})

/** The value of a document with this content, which must have no errors. */
function read(content: string): unknown {
  const { value, faults } = decodeXml(`<thing>${content}</thing>`, Thing)
  expect(faults).toEqual([])
  return value
}

function faultsOf(content: string): DecodedXml['faults'] {
  return decodeXml(`<thing>${content}</thing>`, Thing).faults
}

describe('text is read character by character', () => {
  it('in every form', () =>
    eachRow(
      [
        ['nothing', '<text></text>', ''],
        ['an empty element', '<text/>', ''],
        ['white space alone', '<text> \n\t </text>', ' \n\t '],
        ['white space around it', '<text> Mars </text>', ' Mars '],
        ['every entity', '<text>&lt;&gt;&amp;&quot;&apos;</text>', `<>&"'`],
        ['an entity of an entity', '<text>&amp;lt;&amp;#65;</text>', '&lt;&#65;'],
        ['decimal references', '<text>&#77;&#97;&#129680;</text>', 'Ma🪐'],
        ['hexadecimal references', '<text>&#x4D;&#x0061;&#x1fa90;&#x1FA90;</text>', 'Ma🪐🪐'],
        ['references to white space', '<text>&#9;&#10;&#13;&#32;</text>', '\t\n\r '],
        ['a CDATA section', '<text><![CDATA[<a>&amp;</a>]]></text>', '<a>&amp;</a>'],
        ['an empty CDATA section', '<text><![CDATA[]]></text>', ''],
        ['a CDATA section with white space', '<text><![CDATA[ \n ]]></text>', ' \n '],
        ['CDATA sections between texts', '<text>a<![CDATA[<]]>b<![CDATA[>]]>c</text>', 'a<b>c'],
        ['the end of a CDATA section in two', '<text><![CDATA[]]]]><![CDATA[>]]></text>', ']]>'],
        ['a comment in a CDATA section', '<text><![CDATA[<!-- a -->]]></text>', '<!-- a -->'],
        ['comments between texts', '<text>a<!-- b -->c<!-- <d> & --></text>', 'ac'],
        ['a reference cut by a comment, which is not a reference', '<text>&amp;<!-- -->amp;</text>', '&amp;'],
        ['line ends of Windows', '<text>a\r\nb\r\n</text>', 'a\nb\n'],
        ['line ends of old Macs', '<text>a\rb\r\rc</text>', 'a\nb\n\nc'],
        ['line ends in a CDATA section', '<text><![CDATA[a\r\nb\rc]]></text>', 'a\nb\nc'],
        ['a reference before a line feed', '<text>&#13;\n</text>', '\r\n'],
        ['line ends of Unicode', '<text>\u0085\u2028</text>', '\u0085\u2028'],
        ['a number', '<text>007</text>', '007'],
        ['a number with an exponent', '<text> 1e3 </text>', ' 1e3 '],
        ['a hexadecimal number', '<text>0x1A</text>', '0x1A'],
        ['a word for a value', '<text>true</text>', 'true'],
        ['another word for a value', '<text>null</text>', 'null'],
        ['JSON', '<text>{"a":[1]}</text>', '{"a":[1]}'],
        ['names of the parser', '<text>#text :@ __proto__ constructor</text>', '#text :@ __proto__ constructor'],
        ['any script', '<text>火星 🪐 é é</text>', '火星 🪐 é é'],
      ],
      ([, content, text]) => {
        expect(read(content)).toEqual({ text })
      },
    ))
})

describe('a number is a finite double as XML Schema writes it, with white space around it', () => {
  it('in every form', () =>
    eachRow(
      [
        ['0', 0],
        ['-0.5e-3', -0.0005],
        ['007', 7],
        ['+5', 5],
        ['-1.5', -1.5],
        ['.5', 0.5],
        ['5.', 5],
        [' 1e3 ', 1000],
        ['\r\n\t1E-3\n', 0.001],
        ['1e+21', 1e21],
        ['5e-324', 5e-324],
        ['1.7976931348623157e308', Number.MAX_VALUE],
        ['0.1000000000000000055511151231257827', 0.1],
        ['9007199254740993', 9007199254740992],
        ['1<!-- -->2', 12],
        ['<![CDATA[7]]>', 7],
        ['&#55;', 7],
      ],
      ([content, number]) => {
        expect(read(`<number>${content}</number>`)).toEqual({ number })
      },
    ))

  it('what a double cannot represent is rejected', () =>
    eachRow(['-0', ' -0.0 ', '1e-400', '-.1e-399', '1e400'], (content) => {
      const value = read(`<number>${content}</number>`)
      expect(Thing.safeParse(value).success).toBe(false)
    }))

  it('what is not a number stays a text for the schema to reject', () =>
    eachRow(
      [
        '',
        ' ',
        'INF',
        '-INF',
        'NaN',
        'Infinity',
        '0x1A',
        '0b1',
        '0o7',
        '1_000',
        '1,5',
        '1 000',
        '1e',
        'e3',
        '.',
        '+',
        '--1',
        '1e3.5',
        '1n',
        '१',
        'true',
        '{}',
        // White space of XML is four characters (XML 1.0, section 2.3).
        '\u00a01',
        '1\u3000',
        '\u20281',
      ],
      (content) => {
        expect(read(`<number>${content}</number>`)).toEqual({ number: content })
        expect(Thing.safeParse(read(`<number>${content}</number>`)).success).toBe(false)
      },
    ))

  it('a number that a double cannot represent is rejected by the schema, as in JSON', () => {
    expect(Thing.safeParse(read('<number>1e400</number>')).success).toBe(false)
    expect(Thing.safeParse({ number: JSON.parse('1e400') }).success).toBe(false)
  })
})

describe('a boolean is what XML Schema calls one', () => {
  it('in every form', () =>
    eachRow(
      [
        ['true', true],
        ['1', true],
        [' false\n', false],
        ['0', false],
      ],
      ([content, truth]) => {
        expect(read(`<truth>${content}</truth>`)).toEqual({ truth })
      },
    ))

  it('nothing else is one', () =>
    eachRow(['', 'TRUE', 'yes', '2', 'truefalse', '\u00a0true'], (content) => {
      expect(read(`<truth>${content}</truth>`)).toEqual({ truth: content })
    }))
})

it('a member of an enum stays a text, whatever it looks like', () => {
  expect(read('<kind>7</kind>')).toEqual({ kind: '7' })
  expect(read('<kind>true</kind>')).toEqual({ kind: 'true' })
})

describe('a list is its element repeated', () => {
  it('of any length', () =>
    eachRow(
      [
        ['one item', '<list>a</list>', { list: ['a'] }],
        ['an empty item', '<list/>', { list: [''] }],
        ['several', '<list>a</list><list>b</list><list>a</list>', { list: ['a', 'b', 'a'] }],
        ['several with others between', '<list>a</list><text>x</text><list>b</list>', { list: ['a', 'b'], text: 'x' }],
        ['numbers', '<numbers>1</numbers><numbers> 2 </numbers>', { numbers: [1, 2] }],
        [
          'objects with lists',
          '<things><name>a</name><list>1</list></things><things><name>b</name></things>',
          { things: [{ name: 'a', list: ['1'] }, { name: 'b' }] },
        ],
        ['an empty object', '<things/>', { things: [{}] }],
        ['none', '', {}],
      ],
      ([, content, value]) => {
        expect(read(content)).toEqual(value)
      },
    ))
})

describe('an object is its elements', () => {
  it('in any order and form', () =>
    eachRow(
      [
        ['white space between', ' \r\n\t<text>a</text>\n  <number>1</number>\n', { text: 'a', number: 1 }],
        ['comments between', '<!-- a --><text>a</text><!-- b -->', { text: 'a' }],
        ['white space as a reference and as CDATA', '&#32;<text>a</text><![CDATA[ ]]>', { text: 'a' }],
        ['no elements', '<free/>', { free: {} }],
        ['white space alone', '<free> \n </free>', { free: {} }],
        ['free names', '<free><known>7</known><x>7</x></free>', { free: { known: '7', x: 7 } }],
        [
          'an escaped name',
          '<free><surface_x0020_pressure>1</surface_x0020_pressure></free>',
          { free: { 'surface pressure': 1 } },
        ],
        ['a known name that is escaped', '<t_x0065_xt>a</t_x0065_xt>', { text: 'a' }],
        [
          'prefixes, which mean nothing',
          '<g:text xmlns:g="urn:g">a</g:text><h:number>1</h:number>',
          { text: 'a', number: 1 },
        ],
        ['a namespace, which means nothing', '<text xmlns="urn:g">a</text>', { text: 'a' }],
        ['attributes, which mean nothing', '<text number="1" list="x" nil="true" type="b">a</text>', { text: 'a' }],
        ['names in another case, which are different', '<Text>a</Text>', { Text: 'a' }],
      ],
      ([, content, value]) => {
        expect(read(content)).toEqual(value)
      },
    ))

  it('in the order of the document', () => {
    expect(Object.keys(Object(read('<truth>1</truth><text>a</text><number>1</number>')))).toEqual([
      'truth',
      'text',
      'number',
    ])
  })

  it('the root can have any name', () =>
    eachRow(['thing', 'planet', 'anything', 'g:thing', '火星', 'constructor', '__proto__', '_x0020_'], (name) => {
      expect(decodeXml(`<${name}><text>a</text></${name}>`, Thing)).toEqual({ value: { text: 'a' }, faults: [] })
    }))
})

describe('an unknown element is read by its form, for the schema to reject or to ignore', () => {
  it('in every form', () =>
    eachRow(
      [
        ['text', '<x>007</x>', { x: '007' }],
        ['nothing', '<x/>', { x: '' }],
        ['elements', '<x><y>1</y><z/></x>', { x: { y: '1', z: '' } }],
        ['a member of any type', '<anything><a>1</a></anything>', { anything: { a: '1' } }],
        ['elements where a text is expected', '<text><b>bold</b></text>', { text: { b: 'bold' } }],
        ['elements where a number is expected', '<number><b>1</b></number>', { number: { b: '1' } }],
        ['elements in an item', '<list><b>1</b></list>', { list: [{ b: '1' }] }],
      ],
      ([, content, value]) => {
        expect(read(content)).toEqual(value)
      },
    ))
})

describe('a name that every object has is an ordinary name', () => {
  it('as an element', () =>
    eachRow(
      [
        'constructor',
        'prototype',
        'toString',
        'valueOf',
        'hasOwnProperty',
        '__defineGetter__',
        '__proto__',
        '_x005F__proto__',
        'xmlns',
        'xml',
        'nil',
        '_x0023_text',
        '_x003A__x0040_',
        '_x0023_cdata',
        '_.',
      ],
      (element) => {
        const { value, faults } = decodeXml(
          `<thing><${element}>1</${element}><free><${element}>1</${element}></free></thing>`,
          Thing,
        )
        const name = element.replaceAll(/_x([0-9A-F]{4})_/g, (_, digits) =>
          String.fromCharCode(Number.parseInt(digits, 16)),
        )
        expect(faults).toEqual([])
        expect(Object.getOwnPropertyNames(value)).toEqual([name, 'free'])
        expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
        expect(Object.getOwnPropertyDescriptor(value, name)?.value).toBe('1')
        expect(Object.getOwnPropertyDescriptor(Object(value).free, name)?.value).toBe(1)
      },
    ))

  it('as an attribute', () =>
    eachRow(['constructor', '__proto__', 'toString', 'hasOwnProperty'], (name) => {
      expect(read(`<text ${name}="1" x:${name}="2">a</text>`)).toEqual({ text: 'a' })
    }))

  it('a document changes no other object', () => {
    decodeXml(
      '<thing><__proto__><polluted>1</polluted></__proto__><constructor><prototype/></constructor></thing>',
      Thing,
    )
    expect('polluted' in {}).toBe(false)
  })
})

describe('xsi:nil is null', () => {
  it('however it is written', () =>
    eachRow(
      [
        ['under its usual prefix', '<number xsi:nil="true"/>'],
        ['as a number', '<number xsi:nil="1"/>'],
        ['with white space', '<number xsi:nil=" true\n"/>'],
        ['in apostrophes', "<number xsi:nil='true'></number>"],
        ['with its namespace', `<number xmlns:xsi="${XSI}" xsi:nil="true"/>`],
        ['under another prefix', `<number xmlns:i="${XSI}" i:nil="true"/>`],
        ['under another prefix that is declared after it', `<number i:nil="true" xmlns:i="${XSI}"/>`],
        ['among other attributes', '<number a="b" xsi:nil="true" c="d"/>'],
        ['by references', '<number xsi:nil="&#116;r&#x75;e"/>'],
        ['by a namespace with references', `<number xmlns:i="${XSI.replace('-', '&#45;')}" i:nil="true"/>`],
      ],
      ([, content]) => {
        expect(read(content)).toEqual({ number: null })
      },
    ))

  it('under a prefix that an element around it declares', () => {
    expect(decodeXml(`<thing xmlns:i="${XSI}"><number i:nil="true"/></thing>`, Thing).value).toEqual({ number: null })
  })

  it('nothing else is null', () =>
    eachRow(
      [
        ['false', '<number xsi:nil="false">1</number>'],
        ['0', '<number xsi:nil="0">1</number>'],
        ['another word', '<number xsi:nil="yes">1</number>'],
        ['another case', '<number xsi:nil="TRUE">1</number>'],
        ['without a prefix', '<number nil="true">1</number>'],
        [
          'without a prefix in its namespace, which attributes do not take',
          `<number xmlns="${XSI}" nil="true">1</number>`,
        ],
        ['under a prefix of another namespace', '<number xmlns:i="urn:i" i:nil="true">1</number>'],
        ['under an undeclared prefix', '<number i:nil="true">1</number>'],
        ['under the usual prefix for another namespace', '<number xmlns:xsi="urn:i" xsi:nil="true">1</number>'],
        ['another attribute of the namespace', '<number xsi:type="true">1</number>'],
        ['another case of its name', '<number xsi:Nil="true">1</number>'],
      ],
      ([, content]) => {
        expect(read(content)).toEqual({ number: 1 })
      },
    ))

  it('under a prefix that is redeclared for another namespace is not', () => {
    const inner = '<number xmlns:i="urn:i" i:nil="true">1</number>'
    expect(decodeXml(`<thing xmlns:i="${XSI}">${inner}</thing>`, Thing).value).toEqual({ number: 1 })
  })

  it('under a prefix that only a sibling declares is not', () => {
    expect(read(`<text xmlns:i="${XSI}">a</text><number i:nil="true">1</number>`)).toEqual({ text: 'a', number: 1 })
  })

  it('is null for a text, for an object and for an item, as in JSON', () => {
    expect(read('<text xsi:nil="true"/><free xsi:nil="true"/><list xsi:nil="true"/>')).toEqual({
      text: null,
      free: null,
      list: [null],
    })
  })

  it('is null at the top', () => {
    expect(decodeXml('<thing xsi:nil="true"/>', Thing)).toEqual({ value: null, faults: [] })
  })
})

describe('an error that only XML can have gets a pointer', () => {
  it('to the member that it is about', () =>
    eachRow(
      [
        ['a text twice', '<text>a</text><text>b</text>', ['/text']],
        ['nil, but with a text', '<text xsi:nil="true">a</text>', ['/text']],
        ['nil, but with an element', '<free xsi:nil="true"><a>1</a></free>', ['/free']],
        ['the same text twice', '<text>a</text><text>a</text>', ['/text']],
        ['a text three times', '<text>a</text><number>1</number><text>b</text><text>c</text>', ['/text']],
        ['null and a number', '<number xsi:nil="true"/><number>1</number>', ['/number']],
        ['an object twice', '<free/><free/>', ['/free']],
        ['a free name twice', '<free><x>1</x><x>2</x></free>', ['/free/x']],
        ['a name twice, once escaped', '<free><x>1</x><_x0078_>2</_x0078_></free>', ['/free/x']],
        ['a name twice, once with a prefix', '<text>a</text><g:text>b</g:text>', ['/text']],
        [
          'in an item',
          '<things><name>a</name></things><things><name>a</name><name>b</name></things>',
          ['/things/1/name'],
        ],
        [
          'a pointer that needs escapes',
          '<free><a_x002F_b>1</a_x002F_b><a_x002F_b>1</a_x002F_b></free>',
          ['/free/a~1b'],
        ],
        ['text beside elements', '<text>a</text>b', ['']],
        ['text between elements', '<free>x<known>a</known></free>', ['/free']],
        ['text instead of elements', '<free>x</free>', ['/free']],
        ['CDATA beside elements', '<text>a</text><![CDATA[b]]>', ['']],
        ['a no-break space beside elements', '<text>a</text>\u00a0', ['']],
        ['text beside unknown elements', '<x>a<y/></x>', ['/x']],
        ['text instead of an item', '<things>Phobos</things>', ['/things/0']],
        ['several of these', 'x<text/><text/><free>y<z/><z/></free>', ['', '/text', '/free', '/free/z']],
      ],
      ([, content, pointers]) => {
        const found = faultsOf(content).map(({ pointer }) => pointer)
        expect(found.toSorted()).toEqual(pointers.toSorted())
      },
    ))
})

it('a document that cannot be parsed is rejected', () => {
  expect(refusalOf(() => decodeXml('<thing>', Thing)).code).toBe('malformed-body')
  expect(refusalOf(() => decodeXml('', Thing)).code).toBe('malformed-body')
})

it('a schema of an unknown kind is a programming error, and reported', () => {
  expect(() => decodeXml('<a/>', z.object({ date: z.date() }))).toThrow(/schemas of the type date/)
})

describe('a planet', () => {
  it('is read by its schema', () => {
    const text = `<?xml version="1.0" encoding="UTF-8"?>
      <planet xmlns:xsi="${XSI}">
        <name>007</name>
        <description xsi:nil="true"/>
        <habitabilityIndex> 0.68 </habitabilityIndex>
        <physicalProperties>
          <mass>1e3</mass>
          <temperature><min>-1.5</min><at_x0020_noon>3</at_x0020_noon></temperature>
          <surface_x0020_pressure>1</surface_x0020_pressure>
        </physicalProperties>
        <atmosphere><compound>CO2</compound><percentage>95.3</percentage><note>1</note></atmosphere>
        <satellites><name>1</name><orbit><distance>2</distance></orbit></satellites>
        <tags>1</tags>
      </planet>`
    expect(decodeXml(text, PlanetInput)).toEqual({
      faults: [],
      value: {
        name: '007',
        description: null,
        habitabilityIndex: 0.68,
        physicalProperties: { mass: 1000, temperature: { min: -1.5, 'at noon': 3 }, 'surface pressure': 1 },
        atmosphere: [{ compound: 'CO2', percentage: 95.3, note: '1' }],
        satellites: [{ name: '1', orbit: { distance: 2 } }],
        tags: ['1'],
      },
    })
  })
})
