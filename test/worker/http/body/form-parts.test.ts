import { describe, expect, it } from 'vitest'
import { readFormParts } from '../../../../src/http/body/form-parts.ts'
import { MalformedMultipart } from '../../../../src/lib/multipart.ts'
import { bytesOf } from '../../../support/pictures.ts'

const FORM = 'multipart/form-data; boundary=x'

const NO_DISPOSITION = 'a part has no Content-Disposition with the type form-data'

interface Told {
  name: string
  filename?: string
  type?: string
  content: string
}

/** The parts of a form. @returns What is wrong with it, if it is malformed */
function read(body: string, contentType = FORM): Told[] | string {
  const parts: Told[] = []
  try {
    readFormParts(bytesOf(body), contentType, ({ name, filename, type, content }) => {
      const text = new TextDecoder('latin1').decode(content)
      parts.push({ name, ...(filename !== undefined && { filename }), ...(type !== '' && { type }), content: text })
    })
    return parts
  } catch (error) {
    if (error instanceof MalformedMultipart) return error.message
    throw error
  }
}

/** A form with one part. */
const formOf = (head: string, content = 'hi') => `--x\r\n${head}\r\n\r\n${content}\r\n--x--\r\n`
const disposed = (parameters: string) => formOf(`Content-Disposition: form-data${parameters}`)

const FILE = { name: 'image', filename: 'a.png', content: 'hi' }
const FIELD = { name: 'image', content: 'hi' }

describe('a part of a form', () => {
  // What the clients really send.
  it.each([
    [
      'a browser',
      'Content-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png',
      { ...FILE, type: 'image/png' },
    ],
    [
      'curl',
      'Content-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png',
      { ...FILE, type: 'image/png' },
    ],
    [".NET's HttpClient", "Content-Disposition: form-data; name=image; filename=a.png; filename*=utf-8''a.png", FILE],
    [
      ".NET's HttpClient, with a type",
      "Content-Type: image/png\r\nContent-Disposition: form-data; name=image; filename=a.png; filename*=utf-8''a.png",
      { ...FILE, type: 'image/png' },
    ],
    [
      ".NET's HttpClient, with a name in Unicode",
      'Content-Disposition: form-data; name=image; filename="=?utf-8?B?w6QucG5n?="; filename*=utf-8\'\'%C3%A4.png',
      { ...FILE, filename: '=?utf-8?B?w6QucG5n?=' },
    ],
    [
      ".NET's HttpClient, with a text",
      'Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=image',
      { ...FIELD, type: 'text/plain; charset=utf-8' },
    ],
    [
      'PowerShell',
      'Content-Disposition: form-data; name="image"; filename="a.png"; filename*=utf-8\'\'a.png\r\nContent-Type: application/octet-stream',
      { ...FILE, type: 'application/octet-stream' },
    ],
    [
      'Go',
      'Content-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: application/octet-stream',
      { ...FILE, type: 'application/octet-stream' },
    ],
    [
      "Apache's HttpClient",
      'Content-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: binary',
      { ...FILE, type: 'image/png' },
    ],
    [
      'OkHttp',
      'Content-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png\r\nContent-Length: 2',
      { ...FILE, type: 'image/png' },
    ],
  ])('of %s is read', (_, head, expected) => {
    expect(read(formOf(head))).toEqual([expected])
  })

  it.each([
    ['tokens', '; name=image; filename=a.png', FILE],
    ['texts in quotes', '; name="image"; filename="a.png"', FILE],
    ['another order', '; filename=a.png; name=image', FILE],
    ['another case', '; NAME=image; FileName=a.png', FILE],
    ['no white space', ';name=image;filename=a.png', FILE],
    ['white space', ' ;\t name = "image" ; filename = a.png ', FILE],
    ['a semicolon at the end', '; name=image; filename=a.png;', FILE],
    ['folded lines', ';\r\n name=image;\r\n\tfilename=a.png', FILE],
    ['an empty file name', '; name=image; filename=""', { ...FILE, filename: '' }],
    ['an empty name', '; name=""', { ...FIELD, name: '' }],
    ['filename* beside filename', "; name=image; filename*=utf-8''b.png; filename=a.png", FILE],
    ['filename* alone', "; name=image; filename*=utf-8''b.png", FIELD],
    ['other parameters', '; name=image; filename=a.png; size=2; creation-date="Wed, 12 Feb 1997 16:29:51 -0500"', FILE],
    ['separators in quotes', '; name="image"; filename="a;b=c, d.png"', { ...FILE, filename: 'a;b=c, d.png' }],
    [
      'escaped quotes and backslashes',
      '; name="image"; filename="a\\"b\\\\c.png"',
      { ...FILE, filename: 'a"b\\c.png' },
    ],
    [
      'a backslash that escapes nothing',
      '; name="image"; filename="C:\\dir\\a.png"',
      { ...FILE, filename: 'C:\\dir\\a.png' },
    ],
    ['what browsers encode', '; name="image"; filename="%22a%0d%0A%20%.png"', { ...FILE, filename: '"a\r\n%20%.png' }],
    ['UTF-8', '; name="image"; filename="\xE2\x98\x83.png"', { ...FILE, filename: '\u2603.png' }],
    ['bytes that are not UTF-8', '; name="image"; filename="\xFF.png"', { ...FILE, filename: '\uFFFD.png' }],
  ])('whose Content-Disposition has %s is read', (_, parameters, expected) => {
    expect(read(disposed(parameters))).toEqual([expected])
  })

  it.each(['CONTENT-DISPOSITION: FORM-DATA', 'content-disposition:form-data', 'Content-Disposition :  Form-Data '])(
    'with the field %j is read',
    (field) => {
      expect(read(formOf(`${field}; name=image; filename=a.png`))).toEqual([FILE])
    },
  )

  it.each<readonly [flaw: string, body: string, reason: string]>([
    ['has no Content-Disposition', formOf('Content-Type: image/png'), NO_DISPOSITION],
    ['has no field at all', '--x\r\n\r\nhi\r\n--x--', NO_DISPOSITION],
    ['is an attachment', formOf('Content-Disposition: attachment; name=image'), NO_DISPOSITION],
    ['has no name', disposed('; filename=a.png'), 'a part has no name'],
    ['has no parameters', disposed(''), 'a part has no name'],
    ['has a parameter without a semicolon', disposed(' name=a'), NO_DISPOSITION],
    [
      'has two Content-Dispositions',
      formOf('Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b'),
      'a part has more than one content-disposition',
    ],
    [
      'has two types',
      formOf('Content-Disposition: form-data; name=a\r\nContent-Type: a/b\r\nContent-Type: a/c'),
      'a part has more than one content-type',
    ],
    ...[
      '; name=a; name=b',
      '; name=a; NAME=b',
      '; name="a',
      '; name="a\\"',
      '; name="a"b',
      '; name',
      '; name=',
      '; =a',
      '; name=a;; filename=b',
    ].map(
      (parameters) =>
        [
          `has the parameters ${parameters}`,
          disposed(parameters),
          'a part has an invalid Content-Disposition',
        ] as const,
    ),
  ])('that %s makes the form malformed', (_, body, reason) => {
    expect(read(body)).toBe(reason)
  })
})

describe('a form', () => {
  it.each(['x', '"x"', ' "x" ', 'x; charset=utf-8'])('has the boundary %j', (boundary) => {
    expect(read(disposed('; name=image'), `Multipart/Form-Data; Boundary=${boundary}`)).toEqual([FIELD])
  })

  it('can have a boundary with spaces and separators', () => {
    const body = disposed('; name=image').replaceAll('--x', "--a b;c='")
    expect(read(body, `multipart/form-data; boundary="a b;c='"`)).toEqual([FIELD])
  })

  it.each(['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary=""'])(
    'without a boundary (%s) is malformed',
    (contentType) => {
      expect(read(disposed('; name=image'), contentType)).toContain('must name a boundary')
    },
  )

  it('has repeated names, empty contents and nested bodies as they are', () => {
    const head = 'Content-Disposition: form-data; name=a\r\n\r\n'
    const nested = 'Content-Type: multipart/mixed; boundary=y\r\n'
    const body = `--x\r\n${head}1\r\n--x\r\n${head}\r\n--x\r\n${nested}${head}--y\r\n\r\nin\r\n--y--\r\n--x--`
    expect(read(body)).toEqual([
      { name: 'a', content: '1' },
      { name: 'a', content: '' },
      { name: 'a', type: 'multipart/mixed; boundary=y', content: '--y\r\n\r\nin\r\n--y--' },
    ])
  })

  it('has contents of every byte, in any number of pieces', () => {
    const content = String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code)).repeat(1000)
    const told = new TextDecoder('latin1').decode(bytesOf(content))
    expect(read(formOf('Content-Disposition: form-data; name=image', content))).toEqual([{ ...FIELD, content: told }])
  })

  it.each([
    ['semicolons', `; name=a${';'.repeat(16_000)}x`],
    ['white space', `; name${' '.repeat(16_000)}x`],
    ['quotes', `; name=${'"'.repeat(16_000)}`],
    ['backslashes', `; name="${'\\'.repeat(16_000)}`],
    ['letters', `; ${'a'.repeat(16_000)}`],
  ])('with many parameters of %s is refused in a time in proportion to its size', (_, parameters) => {
    for (let round = 0; round < 60; round++) expect(read(disposed(parameters))).toBeTypeOf('string')
  })
})
