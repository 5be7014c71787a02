import { describe, expect, it } from 'vitest'
import { ProblemError } from '../../../src/domain/problems.ts'
import { decodeXmlBytes } from '../../../src/xml/encoding.ts'
import { eachRow } from '../../support/each-row.ts'

// XML 1.0, section 4.3.3 and appendix F, and RFC 7303, section 3. test/service/xmllint.test.ts compares documents with
// an independent parser; here are the Content-Types too, which it does not know.

type Order = 'utf-8' | 'utf-16le' | 'utf-16be'

const TEXT = '<planet><name>火星 🪐</name></planet>'
const PLAIN = '<planet><name>Mars</name></planet>'
const declared = (name: string, text = TEXT) => `<?xml version="1.0" encoding="${name}"?>\n${text}`

function encode(text: string, order: Order): Uint8Array {
  if (order === 'utf-8') return new TextEncoder().encode(text)
  const view = new DataView(new ArrayBuffer(text.length * 2))
  for (let index = 0; index < text.length; index++)
    view.setUint16(index * 2, text.charCodeAt(index), order === 'utf-16le')
  return new Uint8Array(view.buffer)
}

/** The text of a document, or the error with which it is refused. */
function read(text: string, order: Order, charset?: string): string {
  try {
    return decodeXmlBytes(encode(text, order), charset)
  } catch (error) {
    if (error instanceof ProblemError) return error.message
    throw error
  }
}

describe('a document is read', () => {
  it('in every encoding that XML requires', () =>
    eachRow<[name: string, document: string, order: Order, charset?: string]>(
      [
        ['in UTF-8', TEXT, 'utf-8'],
        ['in UTF-8 with its mark', `\ufeff${TEXT}`, 'utf-8'],
        ['in UTF-8 that says so in both places', declared('UTF-8'), 'utf-8', 'UTF-8'],
        ['in UTF-8 whose Content-Type says utf8', TEXT, 'utf-8', 'utf8'],
        ['in US-ASCII', declared('US-ASCII', PLAIN), 'utf-8'],
        ['in US-ASCII as lxml calls it', declared('ASCII', PLAIN), 'utf-8'],
        ['in US-ASCII, which is UTF-8 too', declared('us-ascii', PLAIN), 'utf-8', 'utf-8'],
        ['in US-ASCII by its Content-Type', PLAIN, 'utf-8', 'us-ascii'],
        ...(['utf-16le', 'utf-16be'] as const).flatMap((order): [string, string, Order, string?][] => [
          [`in ${order} with its mark`, `\ufeff${TEXT}`, order],
          [`in ${order} with its mark that says so`, `\ufeff${declared('UTF-16')}`, order],
          [`in ${order} with its mark that names the order`, `\ufeff${declared(order)}`, order],
          [`in ${order} without a mark`, declared('UTF-16'), order],
          [`in ${order} without a mark that names the order`, declared(order), order],
          [`in ${order} by its Content-Type`, TEXT, order, order.toUpperCase()],
          [`in ${order} by its Content-Type without the order`, TEXT, order, 'utf-16'],
          [`in ${order} that says so everywhere`, `\ufeff${declared('utf-16')}`, order, 'UTF-16'],
        ]),
      ],
      ([, document, order, charset]) => {
        expect(read(document, order, charset)).toBe(document.replace(/^\ufeff/, ''))
      },
    ))
})

describe('a document is refused', () => {
  it('in any other, and if its encoding is not clear', () =>
    eachRow<[name: string, reason: RegExp, document: string, order: Order, charset?: string]>(
      [
        [
          'in UTF-8 that is called UTF-16, as .NET does',
          /called utf-16, but it is in UTF-8/,
          declared('utf-16'),
          'utf-8',
        ],
        ['in UTF-8 whose Content-Type says UTF-16', /called UTF-16, but it is in UTF-8/, TEXT, 'utf-8', 'UTF-16'],
        [
          'in UTF-16 that is called UTF-8',
          /called UTF-8, but it is in UTF-16LE/,
          `\ufeff${declared('UTF-8')}`,
          'utf-16le',
        ],
        ['in UTF-16 whose Content-Type says UTF-8', /called utf-8, but/, `\ufeff${TEXT}`, 'utf-16be', 'utf-8'],
        [
          'with the other order in its declaration',
          /called UTF-16BE, but it is in UTF-16LE/,
          declared('UTF-16BE'),
          'utf-16le',
        ],
        ['with the other order in its Content-Type', /called utf-16le, but/, `\ufeff${TEXT}`, 'utf-16be', 'utf-16le'],
        ['with two names', /called US-ASCII, but/, declared('US-ASCII'), 'utf-16le', 'utf-16le'],
        ['in US-ASCII with other characters', /called ASCII, but it has other/, declared('ASCII'), 'utf-8'],
        ['in US-ASCII with a mark', /called ASCII, but it has other/, `\ufeff${declared('ASCII', PLAIN)}`, 'utf-8'],
        ['in UTF-16 without a sign of it', /neither a byte order mark nor a declaration/, TEXT, 'utf-16le'],
        ['in UTF-16 with a declaration without a name', /neither/, `<?xml version="1.0"?>${TEXT}`, 'utf-16be'],
        [
          'in another encoding',
          /must be UTF-8, UTF-16 or US-ASCII, and not "ISO-8859-1"/,
          declared('ISO-8859-1'),
          'utf-8',
        ],
        ['in another encoding by its Content-Type', /not "windows-1252"/, PLAIN, 'utf-8', 'windows-1252'],
        ['with an empty name', /not ""/, declared(''), 'utf-8'],
        ['with the name of something else', /not "constructor"/, declared('constructor'), 'utf-8'],
        ['in UTF-16 with half a pair', /not valid UTF-16LE/, `\ufeff<a>\ud83e</a>`, 'utf-16le'],
      ],
      ([, reason, document, order, charset]) => {
        expect(read(document, order, charset)).toMatch(reason)
      },
    ))

  it('with a long name, which the error cuts', () => {
    expect(read(declared('x'.repeat(5000)), 'utf-8').length).toBeLessThan(300)
  })

  it('with half a character', () => {
    const bytes = encode(`\ufeff${TEXT}`, 'utf-16be')
    expect(() => decodeXmlBytes(bytes.subarray(0, -1), undefined)).toThrow(/not valid UTF-16BE/)
  })

  it('with bytes that are not UTF-8', () => {
    expect(() => decodeXmlBytes(new Uint8Array([0x3c, 0x61, 0xe9]), undefined)).toThrow(/not valid UTF-8/)
  })
})

it('a document without a byte is an empty text', () => {
  expect(decodeXmlBytes(new Uint8Array(), undefined)).toBe('')
})
