import { describe, expect, it } from 'vitest'
import { parseTree } from '../../../src/xml/tree.ts'
import { eachRow } from '../../support/each-row.ts'
import { refusalOf } from '../../support/xml.ts'

// What is a document (XML 1.0), and what is not, or is not accepted by the service.

describe('a document is accepted', () => {
  it('in every form that XML has', () =>
    eachRow(
      [
        ['an empty element', '<planet/>'],
        ['a start tag and an end tag', '<planet></planet>'],
        ['spaces within its tags', '<planet \t\r\n></planet \n><!-- -->'],
        ['spaces in an empty tag', '<planet />'],
        ['white space and comments around it', ' \r\n\t<!-- a --> <planet/> <!-- b -->\n'],
        ['a name of other scripts', '<行星 名="火星"/>'],
        ['a prefix', '<g:planet xmlns:g="urn:galaxy"/>'],
        ['a prefix that nothing declares', '<g:planet/>'],
        ['attributes in both quotes', `<planet a="'" b='"'/>`],
        ['spaces around the equals sign of an attribute', '<planet a = "b"\n\tc\n=\n"d"/>'],
        ['an attribute with ">"', '<planet a=">" b="/>" c="]]>" d="-->" e="?>"/>'],
        ['an attribute with white space', '<planet a=" \t\r\n "/>'],
        ['an attribute with references', '<planet a="&lt;&#38;&#x1FA90;&quot;"/>'],
        ['an empty attribute', '<planet a=""/>'],
        ['attributes that differ by their prefix', '<planet a:x="" b:x="" x=""/>'],
        ['attributes that differ by their case', '<planet a="" A=""/>'],
        ['an empty comment', '<planet><!----></planet>'],
        ['a comment with single hyphens', '<!-- - -a- b --><planet/>'],
        ['a comment with text that is rejected elsewhere', '<planet><!-- <!DOCTYPE a> <?b?> & < ]]> --></planet>'],
        [
          'a CDATA section with text that is rejected elsewhere',
          '<planet><![CDATA[<!DOCTYPE a> <?b?> & < -- ]]></planet>',
        ],
        ['CDATA sections that split their own end', '<planet><![CDATA[]]]]><![CDATA[>]]></planet>'],
        ['"]]" without its ">"', '<planet>]] ]></planet>'],
        ['"]]>" with a reference', '<planet>]]&gt;</planet>'],
        ['">" in text', '<planet>a > b</planet>'],
        ['quotes in text', `<planet>"it's"</planet>`],
        ['every kind of reference', '<planet>&amp;&lt;&gt;&quot;&apos;&#9;&#xA;&#x10ffFF;</planet>'],
        ['a reference with leading zeros', '<planet>&#00065;&#x00041;</planet>'],
        ['a reference with very many leading zeros', `<planet>&#${'0'.repeat(20)}65;&#x${'0'.repeat(20)}41;</planet>`],
        ['words that look like a DOCTYPE', '<planet>&lt;!DOCTYPE a></planet>'],
        ['a character beyond 16 bits', '<planet>🪐\u{10ffff}</planet>'],
        ['controls outside of ASCII', '<planet>\u007f\u0085\u2028</planet>'],
      ],
      ([, text]) => {
        expect(() => parseTree(text)).not.toThrow()
      },
    ))

  it('with every kind of declaration', () =>
    eachRow(
      [
        ['its version alone', `<?xml version="1.0"?>`],
        ['apostrophes', `<?xml version='1.0'?>`],
        ['UTF-8', `<?xml version="1.0" encoding="UTF-8"?>`],
        ['UTF-8 in lower case', `<?xml version="1.0" encoding="utf-8"?>`],
        ['all of its parts', `<?xml version='1.0' encoding='Utf-8' standalone='yes'?>`],
        ['no encoding', `<?xml version="1.0" standalone="no"?>`],
        ['all sorts of white space', `<?xml\tversion = "1.0"\r\n encoding\n=\n"UTF-8"  ?>`],
      ],
      ([, declaration]) => {
        expect(parseTree(`${declaration}<planet/>`).name).toBe('planet')
        expect(parseTree(`${declaration}\n<!-- --><planet/>`).name).toBe('planet')
      },
    ))

  it('with 32 levels of anything', () =>
    eachRow(
      [
        ['elements', `${'<a>'.repeat(31)}<a/>${'</a>'.repeat(31)}`],
        ['elements with text inside', `${'<a>'.repeat(32)}x${'</a>'.repeat(32)}`],
        ['elements more than once, side by side', `<a>${`${'<a>'.repeat(31)}${'</a>'.repeat(31)}`.repeat(3)}</a>`],
      ],
      ([, text]) => {
        expect(() => parseTree(text)).not.toThrow()
      },
    ))
})

describe('nesting that is too deep is rejected', () => {
  it('of anything', () =>
    eachRow(
      [
        ['33 elements', '<a>'.repeat(33) + '</a>'.repeat(33)],
        ['32 elements with an empty one inside', `${'<a>'.repeat(32)}<a/>${'</a>'.repeat(32)}`],
        ['the second of two that are side by side', `<a><b/>${'<a>'.repeat(32)}${'</a>'.repeat(32)}</a>`],
        ['10,000 elements', '<a>'.repeat(10_000) + '</a>'.repeat(10_000)],
        ['as many elements as fit, never closed', '<a>'.repeat(87_000)],
      ],
      ([, text]) => {
        expect(refusalOf(() => parseTree(text)).message).toMatch(/more than 32 levels/)
      },
    ))
})

describe('a DOCTYPE is rejected, wherever it is and however it is written', () => {
  const entity = '<!ENTITY x "y">'

  it('in every place and form', () =>
    eachRow(
      [
        ['alone', '<!DOCTYPE planet>'],
        ['before its root', '<!DOCTYPE planet><planet/>'],
        ['after a declaration', '<?xml version="1.0"?>\n<!DOCTYPE planet><planet/>'],
        ['after a comment', '<!-- --><!DOCTYPE planet><planet/>'],
        ['within the root', '<planet><!DOCTYPE planet></planet>'],
        ['after the root', '<planet/><!DOCTYPE planet>'],
        ['in lower case', '<!doctype planet><planet/>'],
        ['in mixed case', '<!DocType planet><planet/>'],
        ['of HTML', '<!DOCTYPE html><planet/>'],
        ['with nothing after the word', '<!DOCTYPE'],
        ['with a system identifier', '<!DOCTYPE planet SYSTEM "http://evil.test/planet.dtd"><planet/>'],
        ['with a public identifier', '<!DOCTYPE planet PUBLIC "-//X" "http://evil.test/planet.dtd"><planet/>'],
        ['with an entity', `<!DOCTYPE planet [${entity}]><planet>&x;</planet>`],
        ['with a file as an entity', '<!DOCTYPE planet [<!ENTITY x SYSTEM "file:///etc/passwd">]><planet>&x;</planet>'],
        ['with a parameter entity', '<!DOCTYPE planet [<!ENTITY % x SYSTEM "http://evil.test/x"> %x;]><planet/>'],
        ['with an attribute list', '<!DOCTYPE planet [<!ATTLIST planet name CDATA "x">]><planet/>'],
        ['twice', '<!DOCTYPE a><!DOCTYPE planet><planet/>'],
      ],
      ([, text]) => {
        expect(refusalOf(() => parseTree(text)).message).toMatch(/DOCTYPE is not allowed/)
      },
    ))
})

describe('any other text that is not a document, or is not accepted, is rejected with its reason', () => {
  const reasons: Record<string, [RegExp, [string, string][]]> = {
    'nothing in it': [
      /no root element/,
      [
        ['nothing', ''],
        ['white space', ' \r\n\t '],
        ['a comment', '<!-- -->'],
        ['a declaration', '<?xml version="1.0"?>'],
      ],
    ],
    'text outside of its root': [
      /text outside the root/,
      [
        ['plain text', 'hello'],
        ['JSON', '{"name":"Mars"}'],
        ['a form', 'name=Mars'],
        ['text before it', 'x<planet/>'],
        ['text after it', '<planet/>x'],
        ['a no-break space', '\u00a0<planet/>'],
        ['a reference', '&#32;<planet/>'],
        ['a second byte-order mark', '\ufeff<planet/>'],
        ['the base64 of a document', 'PHBsYW5ldC8+'],
        ['UTF-7', '+ADw-planet/+AD4-'],
      ],
    ],
    'tags that do not match': [
      /not closed|an end tag has no start tag|second root/,
      [
        ['an element that is not closed', '<planet>'],
        ['an inner element that is not closed', '<planet><name></planet>'],
        ['elements that overlap', '<planet><a><b></a></b></planet>'],
        ['an end tag in another case', '<planet></Planet>'],
        ['an end tag with another prefix', '<a:planet></b:planet>'],
        ['an end tag without its prefix', '<a:planet></planet>'],
        ['an end tag alone', '</planet>'],
        ['one end tag too many', '<planet></planet></planet>'],
        ['two roots', '<planet/><planet/>'],
        ['two roots with content', '<planet></planet><planet></planet>'],
      ],
    ],
    'a tag that is none': [
      /malformed tag/,
      [
        ['"<" alone', '<planet><</planet>'],
        ['"<" in text', '<planet>1 < 2</planet>'],
        ['a tag without a name', '<planet><></></planet>'],
        ['a space before the name', '< planet/>'],
        ['a name that begins with a digit', '<1st/>'],
        ['a name that begins with a hyphen', '<-a/>'],
        ['a name with a sign', '<a$b/>'],
        ['a name with two colons', '<a:b:c/>'],
        ['a name that begins with a colon', '<:a/>'],
        ['a name that ends with a colon', '<a:/>'],
        ['a truncated tag', '<planet'],
        ['a tag truncated in an attribute', '<planet a="b'],
        ['a truncated end tag', '<planet></planet'],
        ['an end tag with an attribute', '<planet></planet a="b">'],
        ['an end tag with a space before its name', '<planet></ planet>'],
        ['an end tag that is also empty', '<planet></planet/>'],
        ['a space after the slash', '<planet/ >'],
        ['two slashes', '<planet//>'],
        ['an attribute without a value', '<planet a/>'],
        ['an attribute without quotes', '<planet a=b/>'],
        ['an attribute with quotes that differ', `<planet a="b'/>`],
        ['attributes without a space between', '<planet a="b"c="d"/>'],
        ['an attribute with "<"', '<planet a="<"/>'],
        ['an attribute with a bare "&"', '<planet a="a & b"/>'],
        ['an attribute with an unknown entity', '<planet a="&copy;"/>'],
        ['an attribute whose name begins with a digit', '<planet 1="b"/>'],
        // White space is four characters (XML 1.0, section 2.3); other languages have more.
        ['a no-break space within a tag', '<planet\u00a0a="b"/>'],
        ['a line separator within a tag', '<planet\u2028/>'],
        ['an ideographic space within an end tag', '<planet></planet\u3000>'],
        ['a no-break space around the equals sign of an attribute', '<planet a\u00a0="b"/>'],
      ],
    ],
    'an attribute twice': [
      /attribute is repeated/,
      [
        ['side by side', '<planet a="" a=""/>'],
        ['with another between', '<planet a="1" b="2" a="3"/>'],
        ['in an inner element', '<planet><name a="" a=""/></planet>'],
        ['with a prefix', '<planet x:a="" x:a=""/>'],
        ['a declaration of a namespace', '<planet xmlns="urn:a" xmlns="urn:b"/>'],
      ],
    ],
    'a comment that is none': [
      /comment is not closed|contains "--"/,
      [
        ['"--" in it', '<!-- -- --><planet/>'],
        ['three hyphens at its end', '<!-- ---><planet/>'],
        ['not closed', '<planet><!-- </planet>'],
        ['closed too early', '<!--><planet/>'],
        ['closed too early by one', '<!---><planet/>'],
      ],
    ],
    'a declaration or section that is none': [
      /declaration or a CDATA section is not closed, or is not allowed here/,
      [
        ['an entity', '<!ENTITY x "y"><planet/>'],
        ['an entity within the root', '<planet><!ENTITY x "y"></planet>'],
        ['a parameter entity', '<!ENTITY % x "y"><planet/>'],
        ['an element', '<!ELEMENT planet ANY><planet/>'],
        ['a notation', '<!NOTATION gif SYSTEM "x"><planet/>'],
        ['a CDATA section outside of the root', '<![CDATA[]]><planet/>'],
        ['a CDATA section after the root', '<planet/><![CDATA[x]]>'],
        ['a CDATA section that is not closed', '<planet><![CDATA[</planet>'],
        ['a CDATA section in lower case', '<planet><![cdata[]]></planet>'],
        ['a conditional section', '<planet><![INCLUDE[x]]></planet>'],
      ],
    ],
    'a processing instruction': [
      /processing instruction is not allowed|declaration/,
      [
        ['before its root', '<?xml-stylesheet href="x"?><planet/>'],
        ['within its root', '<planet><?php echo 1 ?></planet>'],
        ['after its root', '<planet/><?x?>'],
        ['a second declaration', '<?xml version="1.0"?><?xml version="1.0"?><planet/>'],
        ['a declaration after a space', ' <?xml version="1.0"?><planet/>'],
        ['a declaration after a comment', '<!-- --><?xml version="1.0"?><planet/>'],
        ['a declaration within its root', '<planet><?xml version="1.0"?></planet>'],
        ['a declaration in capitals', '<?XML version="1.0"?><planet/>'],
        ['XML 1.1', '<?xml version="1.1"?><planet/>'],
        ['XML 2.0', '<?xml version="2.0"?><planet/>'],
        ['a declaration without a version', '<?xml encoding="UTF-8"?><planet/>'],
        ['an empty declaration', '<?xml?><planet/>'],
        ['a declaration with its parts in another order', '<?xml version="1.0" standalone="no" encoding="UTF-8"?><a/>'],
        ['a declaration with an unknown part', '<?xml version="1.0" author="x"?><planet/>'],
        ['a declaration that says maybe', '<?xml version="1.0" standalone="maybe"?><planet/>'],
        ['a declaration that is closed like a tag', '<?xml version="1.0"><planet/>'],
        ['a declaration with a no-break space', '<?xml\u00a0version="1.0"?><planet/>'],
      ],
    ],
    '"]]>" in text': [
      /"]]&gt;"/,
      [
        ['alone', '<planet>]]></planet>'],
        ['with more brackets', '<planet>a]]]>b</planet>'],
        ['after a CDATA section', '<planet><![CDATA[x]]>]]></planet>'],
        ['after a reference', '<planet>&amp;]]></planet>'],
      ],
    ],
    'a "&" that is no reference': [
      /"&" that does not begin a valid character reference/,
      [
        ['alone', '<planet>a & b</planet>'],
        ['at its end', '<planet>&</planet>'],
        ['without a semicolon', '<planet>&amp</planet>'],
        ['an entity of HTML', '<planet>&nbsp;</planet>'],
        ['an entity that nothing declares', '<planet>&x;</planet>'],
        ['an entity in capitals', '<planet>&AMP;</planet>'],
        ['a reference without a number', '<planet>&#;</planet>'],
        ['a reference without a hexadecimal number', '<planet>&#x;</planet>'],
        ['a reference with a capital X', '<planet>&#X41;</planet>'],
        ['a reference with a sign', '<planet>&#-65;</planet>'],
        ['a reference with letters that are not digits', '<planet>&#6g;</planet>'],
        ['a reference with a space', '<planet>&# 65;</planet>'],
        ['a parameter entity', '<planet>%x;&%x;</planet>'],
      ],
    ],
  }

  describe.each(Object.entries(reasons))('%s', (_, [reason, documents]) => {
    it('is rejected with that reason', () =>
      eachRow(documents, ([, text]) => {
        expect(refusalOf(() => parseTree(text)).message).toMatch(reason)
      }))
  })
})

describe('a reference to an invalid character is rejected', () => {
  const references = [
    '&#0;',
    '&#x0;',
    '&#x00000000;',
    '&#1;',
    '&#8;',
    '&#11;',
    '&#xC;',
    '&#x1F;',
    '&#xD800;',
    '&#xDFFF;',
    '&#xFFFE;',
    '&#65535;',
    '&#x110000;',
    '&#1114112;',
    '&#999999999;',
    '&#xFFFFFFFF;',
    '&#x100000041;',
    '&#4294967361;',
    // A pair of surrogates is not a character either: a reference is to one code point.
    '&#xD83E;&#xDE90;',
  ]

  it('in text', () =>
    eachRow(references, (reference) => {
      refusalOf(() => parseTree(`<planet>${reference}</planet>`))
      refusalOf(() => parseTree(`<planet><name>a${reference}b</name></planet>`))
    }))

  it('in an attribute', () =>
    eachRow(references, (reference) => {
      refusalOf(() => parseTree(`<planet note="${reference}"/>`))
      refusalOf(() => parseTree(`<planet><name note='a${reference}b'/></planet>`))
    }))
})

describe('a character that XML cannot carry is rejected, wherever it is', () => {
  it('every such character', () =>
    eachRow(
      ['\u0000', '\u0001', '\b', '\v', '\f', '\u001b', '\u001f', '\ud800', '\udfff', '\ufffe', '\uffff'],
      (character) => {
        for (const text of [
          `<planet>${character}</planet>`,
          `<planet a="${character}"/>`,
          `<planet><![CDATA[${character}]]></planet>`,
          `<planet><!--${character}--></planet>`,
          `<planet${character}/>`,
          `${character}<planet/>`,
          `<planet/>${character}`,
        ]) {
          expect(refusalOf(() => parseTree(text)).message).toMatch(/U\+[0-9A-F]{4}/)
        }
      },
    ))
})

it('the line of an error is reported', () => {
  expect(refusalOf(() => parseTree('<planet>\n<name>\n</planet>')).message).toContain('line 3')
  expect(refusalOf(() => parseTree('<planet>\n&copy;</planet>')).message).toContain('line 2')
})

describe('a refusal never quotes a text, which could be a password', () => {
  it('whatever is wrong', () =>
    eachRow(
      [
        ['an element that is not closed', '<credentials><password>hunter2</credentials>'],
        ['an unknown entity', '<password>hunter2&hunter2;</password>'],
        ['a bare "&"', '<password>hunter2 & hunter2</password>'],
        ['text outside', '<password/>hunter2'],
        ['a bare "<"', '<password>hunter2<hunter2</password>'],
        ['a control character', '<password>hunter2\u0000</password>'],
        ['a reference to an invalid character', '<password>hunter2&#0;</password>'],
        ['an attribute', '<user password="hunter2" password="hunter2"/>'],
      ],
      ([, text]) => {
        expect(refusalOf(() => parseTree(text)).message).not.toContain('hunter')
      },
    ))
})
