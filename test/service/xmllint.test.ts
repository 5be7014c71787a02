import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ProblemError } from '../../src/domain/problems.ts'
import { decodeXml } from '../../src/xml/decode.ts'
import { decodeXmlBytes } from '../../src/xml/encoding.ts'
import { hasXmllint, judge } from './xmllint.ts'

// xmllint judges XML independently. What our codec refuses must not be well-formed, except for what it refuses on
// purpose.

/** The error with which our codec refuses a document; empty if it accepts it. */
function read(document: string | Uint8Array): string {
  try {
    decodeXml(decodeXmlBytes(Buffer.from(document), undefined), z.unknown())
    return ''
  } catch (error) {
    if (error instanceof ProblemError) return error.message
    throw error
  }
}

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const littleEndian = (text: string) => Buffer.from(text, 'utf16le')
const bigEndian = (text: string) => littleEndian(text).swap16()
const declaredAs = (name: string, text = '<a/>') => `<?xml version="1.0" encoding="${name}"?>${text}`
const marked = (name: string, text?: string) => `\ufeff${declaredAs(name, text)}`
const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth)

const WELL_FORMED = [
  ...['<a/>', '<a></a>', '<a />', '<a\n/>', '<a></a >', '<a\t\r\n></a\n>', '<é/>', '<_/>', '<a.-1/>'],
  ...['<火星>🪐</火星>', ' <a/> ', '\n<!-- --><a/>\n<!-- -->', '\ufeff<a/>', '<!----><a/>', '<!-- - --><a/>'],
  ...['<!--a-b--><a/>', '<?xml version="1.0"?><a/>', "<?xml version='1.0'?>\n<a/>"],
  ...['<?xml version="1.0" encoding="UTF-8"?><a/>'],
  ...['<?xml version="1.0" encoding="utf-8" standalone="yes" ?><a/>'],
  ...['<?xml\tversion = "1.0"\nstandalone = \'no\'?><a/>', '<a b=""/>', "<a b='\"'/>", '<a b = ">"/>'],
  ...['<a b="]]>"/>', '<a b="/>"/>', '<a b="&lt;&#65;&#x1FA90;"/>', '<a b="\n\t"/>', '<a b="" B=""/>'],
  ...['<a x:b="" b=""/>', '<x:a xmlns:x="urn:x"/>', '<x:a/>', '<a b="--"/>', '<a b="--&gt;"/>', '<a>></a>'],
  ...['<a>]]</a>', '<a>]] ></a>', '<a>]]&gt;</a>', `<a>"'</a>`, '<a>&amp;&lt;&gt;&quot;&apos;</a>'],
  ...['<a>&#9;&#xA;&#13;</a>', '<a>&#00065;</a>', '<a>&#0000000000000000000065;</a>'],
  ...['<a>&#x0000000000000000000041;</a>', '<a>&#x10FFFF;&#xE000;&#xFFFD;</a>', '<a><![CDATA[]]></a>'],
  ...['<a><![CDATA[<&]]></a>', '<a><![CDATA[]]]]></a>', '<a><![CDATA[]]]]><![CDATA[>]]></a>'],
  ...['<a><![CDATA[<![CDATA[]]></a>', '<a>\u007f\u0085\u009f</a>', '<a>\u2028\u00a0</a>'],
  ...['<a>\ufdd0\u{1fffe}</a>', '<a>\r\n\r</a>', '<a><!-- & < ]]> --></a>', '<a><b/><b/></a>'],
  ...['US-ASCII', 'us-ascii', 'ASCII', 'ISO646-US', 'ANSI_X3.4-1968'].map((name) => declaredAs(name)),
  ...['UTF-16', 'utf-16', 'UTF-16LE']
    .flatMap((name) => [marked(name), declaredAs(name, '<火>🪐</火>')])
    .map(littleEndian),
  ...['UTF-16', 'utf-16', 'UTF-16BE'].flatMap((name) => [marked(name), declaredAs(name, '<火>🪐</火>')]).map(bigEndian),
  ...[littleEndian('\ufeff<a/>'), bigEndian('\ufeff<a/>'), bigEndian('\ufeff \n<!--é--><a/>'), marked('UTF-8')],
  ...['<a>x<b>y</b>z</a>', nested(32), '<__proto__/>', '<constructor b=""/>', '<xmlfoo/>', '<a xml:lang="en"/>'],
]

const MALFORMED = [
  ...['', ' ', '<', '>', 'a', '{}', '<a', '<a>', '</a>', '<a></b>', '<a></A>', '<a/><b/>', '<a></a></a>'],
  ...['<a><b></a></b>', '<a/>x', 'x<a/>', '< a/>', '<a/ >', '<a//>', '</a/>', '<a></ a>', '<a></a b="">', '<1/>'],
  ...['<-a/>', '<.a/>', '<a$/>', '<a,b/>', '<\u00d7/>', '<\u00b7/>', '<\u037e/>', '<a b/>', '<a b=c/>'],
  ...['<a b="c/>', `<a b="c'/>`, '<a b="c"d="e"/>', '<a b="<"/>', '<a b="&"/>', '<a b="&x;"/>', '<a b="" b=""/>'],
  ...['<a ="b"/>', '<a 1="b"/>', '<a "b"/>', '<a b="&#0;"/>', '<a b="&#xFFFE;"/>', '<a b="&#xD800;"/>'],
  ...['<a b="&#x110000;"/>', '<a b="\u0001"/>', '<a b="&#"/>', '<a b="&lt"/>', '<a\u00a0b=""/>', '<a\u2028/>'],
  ...['<a\u3000b=""/>', '<a></a\u00a0>', '<a b\u00a0=""/>', '\u00a0<a/>', '<a/>\u2003', '\ufeff\ufeff<a/>'],
  ...['<\u00a0a/>', '<a>&</a>', '<a>& </a>', '<a>&amp</a>', '<a>&x;</a>', '<a>&AMP;</a>', '<a>&nbsp;</a>'],
  ...['<a>&#;</a>', '<a>&#x;</a>', '<a>&#X41;</a>', '<a>&#6a;</a>', '<a>&#-1;</a>', '<a>&;</a>', '<a>&#0;</a>'],
  ...['<a>&#1;</a>', '<a>&#x1F;</a>', '<a>&#xD83E;&#xDE90;</a>', '<a>&#xFFFF;</a>', '<a>&#x110000;</a>'],
  ...['<a>&#4294967361;</a>', '&#32;<a/>', '<a>]]></a>', '<a>]]]></a>', '<a><</a>', '<a>1 < 2</a>'],
  ...['<a>\u0000</a>', '<a>\u0001</a>', '<a>\u000b</a>', '<a>\u000c</a>', '<a>\u001f</a>', '<a>\ufffe</a>'],
  ...['<a>\uffff</a>', '<!-- -- --><a/>', '<!-- ---><a/>', '<!--><a/>', '<!---><a/>', '<a><!-- </a>'],
  ...['<!- - --><a/>', '<a><!-- \u0001 --></a>', '<!-- --', '<![CDATA[]]><a/>', '<a/><![CDATA[x]]>'],
  ...['<a><![CDATA[</a>', '<a><![cdata[]]></a>', '<a><![CDATA []]></a>', '<a><! [CDATA[]]></a>'],
  ...['<a><![CDATA[\u0002]]></a>', '<!ENTITY x "y"><a/>', '<a><!ENTITY x "y"></a>', '<!ELEMENT a ANY><a/>'],
  ...['<a><![INCLUDE[]]></a>', '<!doctype a><a/>', '<a><!DOCTYPE a></a>', '<a/><!DOCTYPE a>', '<!DOCTYPE a'],
  ...[' <?xml version="1.0"?><a/>', '<?xml version="1.0"?><?xml version="1.0"?><a/>'],
  ...['<a><?xml version="1.0"?></a>', '<?xml?><a/>', '<?xml encoding="UTF-8"?><a/>', '<?XML version="1.0"?><a/>'],
  ...['<?xml version="2.0"?><a/>', '<?xml version=1.0?><a/>', '<?xml version="1.0" standalone="maybe"?><a/>'],
  ...['<?xml version="1.0" standalone="no" encoding="UTF-8"?><a/>', '<?xml version="1.0"><a/>'],
  ...['<?xml version="1.0"encoding="UTF-8"?><a/>', '<?xml\u00a0version="1.0"?><a/>'],
  ...['<?xml version="1.0" encoding=""?><a/>', latin1('<a>\xe9</a>'), latin1('<a>\xc0\xaf</a>')],
  ...[latin1('<a>\xed\xa0\x80</a>'), latin1('<a>\xf4\x90\x80\x80</a>'), latin1('<a>\xf0\x9f\xaa</a>')],
  ...[latin1('<a\xff/>')],
  ...[littleEndian('<a/>'), bigEndian('<a/>'), littleEndian(marked('UTF-16')).subarray(0, -1)],
  ...[declaredAs('UTF-16'), declaredAs('UTF-16LE'), declaredAs('utf-16be'), declaredAs('US-ASCII', '<a>é</a>')],
  ...[declaredAs('constructor'), bigEndian('\ufeff<a>\ud83e</a>')],
]

/** Documents that are well-formed but refused: what is in them, the error, and the document. */
const REFUSED_ON_PURPOSE: [string, RegExp, string | Uint8Array][] = [
  ['a DOCTYPE', /DOCTYPE/, '<!DOCTYPE a><a/>'],
  ['a DOCTYPE with an entity', /DOCTYPE/, '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'],
  ['a DOCTYPE that names a file', /DOCTYPE/, '<!DOCTYPE a SYSTEM "a.dtd"><a/>'],
  ['a processing instruction', /instruction/, '<?x?><a/>'],
  ['a processing instruction in its root', /instruction/, '<a><?x y?></a>'],
  ['a processing instruction behind its root', /instruction/, '<a/><?xml-stylesheet href="x"?>'],
  ['XML 1.1', /1\.0|instruction/, '<?xml version="1.1"?><a/>'],
  ['33 levels', /levels/, nested(33)],
  ['100 levels', /levels/, nested(100)],
  ['ISO 8859-1 that says so', /UTF-8/, latin1(declaredAs('ISO-8859-1', '<a>\xe9</a>'))],
  ['UTF-7 that says so', /UTF-8/, declaredAs('UTF-7')],
  ['UTF-8 under another name', /UTF-8/, declaredAs('utf8')],
  // Fatal errors (XML 1.0, section 4.3.3), but not for xmllint.
  ['little-endian UTF-16 that says the opposite', /called/, littleEndian(marked('UTF-16BE'))],
  ['big-endian UTF-16 that says the opposite', /called/, bigEndian(declaredAs('UTF-16LE'))],
  ['UTF-16 that says ASCII', /called/, littleEndian(marked('US-ASCII'))],
  ['UTF-16 without a sign of it', /neither/, bigEndian('<?xml version="1.0"?><a/>')],
  // Names that are none where there are namespaces (Namespaces in XML 1.0, section 7).
  ['a name with two colons', /tag/, '<a:b:c/>'],
  ['a name that begins with a colon', /tag/, '<:a/>'],
  ['a name that ends with a colon', /tag/, '<a:/>'],
  ['an attribute that begins with a colon', /tag/, '<a :b=""/>'],
]

describe.runIf(hasXmllint)('our codec refuses exactly what xmllint refuses', () => {
  it.each([
    ['a well-formed document', WELL_FORMED, false],
    ['a malformed document', MALFORMED, true],
  ])('%s', (_, documents, isMalformed) => {
    const verdicts = judge(documents)
    const differences = documents.flatMap((document, index) => {
      const [theirs, ours] = [verdicts[index] ?? '', read(document)]
      const isRight = (theirs !== '') === isMalformed && (ours !== '') === isMalformed
      return isRight ? [] : [{ document: String(document), theirs, ours }]
    })
    expect(differences).toEqual([])
  })

  it.each(REFUSED_ON_PURPOSE)('except for %s', (_, reason, document) => {
    expect(judge([document])).toEqual([''])
    expect(read(document)).toMatch(reason)
  })

  it('any document that is made of random pieces', () => {
    const pieces = fc.constantFrom(
      ...`<a> </a> <a/> <b> </b> b="c" d='e' " ' = / < > & ; &amp; &#65; &#0; &#x0041; &x; ]]> ]`.split(' '),
      ...'<!-- --> -- - <![CDATA[ x 1 é'.split(' '),
      ...['<a ', ' ', '\n', '\u00a0', '\u0001'],
    )
    const document = fc.array(pieces, { maxLength: 8 }).map((parts) => `<a>${parts.join('')}</a>`)
    const documents = fc.sample(
      fc.oneof(
        document,
        fc.array(pieces, { maxLength: 6 }).map((parts) => parts.join('')),
      ),
      2000,
    )
    const verdicts = judge(documents)
    const differences = documents.flatMap((text, index) => {
      const [theirs, ours] = [verdicts[index] ?? '', read(text)]
      return (theirs === '') === (ours === '') ? [] : [{ text, theirs, ours }]
    })
    expect(differences).toEqual([])
  })
})
