import { joinBytes, utf16 } from '../../../../laboratory/test/judge/encoders.ts'
import { bytesOf } from '../../../support/pictures.ts'
import { describeRule } from './rows.ts'

// Rule 9.

const RFC7578 = 'RFC 7578'
const NOT_TWICE = 'rule 9: a parameter or a header of a part twice: fail'
const QUOTES = 'rule 9: a boundary that needs quotes and has none, white space around =: non-strict'
const TRANSFER = 'rule 9: 7bit, 8bit, binary are free, any other Content-Transfer-Encoding is fail'
const TYPE_COUNTS = 'rule 9: the Content-Type of a part counts where encoding names one and for objects'
const TEXT_TYPE = 'rule 9: a text part has none or text/plain'
const CHARSET = 'rule 9: a text is decoded by the charset of its part'

type Piece = string | Uint8Array

/** A part: its head, which begins with the parameters of its Content-Disposition, and its content. */
const part = (head: string, content: Piece, boundary = 'x') =>
  joinBytes(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`, content, '\r\n')
const form = (...parts: readonly Piece[]) => joinBytes(...parts, '--x--\r\n')

const A = part('name="tags"', 'a')
const B = part('name="tags"', 'b')
const TAGS = form(A, B)
const withBoundary = (boundary: string) =>
  joinBytes(part('name="tags"', 'a', boundary), part('name="tags"', 'b', boundary), `--${boundary}--`)

const NAME = part('name=name', 'blue')
const COUNT = part('name=count', '3')
const TEXT = part('name=text', 'größe 火')
const texts = (name: Piece, text: Piece = TEXT) => form(name, COUNT, text)

const COLOR = 'name="color"\r\nContent-Type: application/json'
const EMPTY = 'name="file"; filename="empty.bin"'
const FILE = Uint8Array.from({ length: 256 }, (_, code) => code)
const PIXEL = bytesOf(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNgAAAAAgAB5Sfe/AAAAABJRU5ErkJggg=='),
)
const file = (head: string, content: Piece = FILE) => form(part(head, content))

describeRule('rule 9: multipart', [
  { to: 'multipart/array', form: 'the usual form', body: TAGS, is: 'pass', by: 'rule 9' },
  {
    to: 'multipart/array',
    form: 'names as tokens',
    body: form(part('name=tags', 'a'), part('name=tags', 'b')),
    is: 'pass',
    by: 'rule 9: tokens and quoted strings',
  },
  {
    to: 'multipart/array',
    form: 'a boundary in quotes',
    type: 'multipart/form-data; boundary="a=b c?"',
    body: withBoundary('a=b c?'),
    is: 'pass',
    by: 'RFC 2046 5.1.1: bchars, in quotes where it has other characters than a token',
  },
  {
    to: 'multipart/array',
    form: 'padding after the boundaries',
    body: joinBytes('--x \t\r\n', A.subarray(5), '--x\t\r\n', B.subarray(5), '--x-- \r\n'),
    is: 'pass',
    by: 'RFC 2046 5.1.1: transport-padding',
  },
  {
    to: 'multipart/array',
    form: 'a preamble and an epilogue',
    body: joinBytes('before\r\n', TAGS, 'after\r\n--x\r\n'),
    is: 'pass',
    by: 'RFC 2046 5.1.1: preamble and epilogue are ignored',
  },
  {
    to: 'multipart/array',
    form: 'no line end at the end',
    body: TAGS.subarray(0, -2),
    is: 'pass',
    by: 'RFC 2046 5.1.1: close-delimiter',
  },
  {
    to: 'multipart/array',
    form: 'other cases of names',
    body: joinBytes('--x\r\ncontent-disposition: Form-Data; NAME=tags\r\n\r\na\r\n', B, '--x--'),
    is: 'pass',
    by: 'RFC 2183 2: names are case-insensitive',
  },
  {
    to: 'multipart/array',
    form: 'a folded header',
    body: form(part('\r\n name="tags"', 'a'), B),
    is: 'pass',
    by: 'RFC 822 3.1.1: folded header fields',
  },
  {
    to: 'multipart/text',
    form: 'parts in another order',
    body: form(TEXT, NAME, COUNT),
    is: 'pass',
    by: 'rule 4: order is free for parts',
  },
  {
    to: 'multipart/text',
    form: 'parts with a type',
    body: texts(part('name=name\r\nContent-Type: TEXT/PLAIN; format=flowed', 'blue')),
    is: 'pass',
    by: TEXT_TYPE,
  },
  {
    to: 'multipart/text',
    form: 'a part in UTF-16',
    body: texts(NAME, part('name=text\r\nContent-Type: text/plain; charset=utf-16', utf16('größe 火', 'little'))),
    is: 'pass',
    by: CHARSET,
  },
  {
    to: 'multipart/text',
    form: 'a part in US-ASCII',
    body: texts(part('name=name\r\nContent-Type: text/plain; charset="us-ascii"', 'blue')),
    is: 'pass',
    by: CHARSET,
  },
  ...['7bit', '8BIT', 'binary'].map(
    (name) =>
      ({
        to: 'multipart/text',
        form: `Content-Transfer-Encoding: ${name}`,
        body: texts(part(`name=name\r\nContent-Transfer-Encoding: ${name}`, 'blue')),
        is: 'pass',
        by: TRANSFER,
      }) as const,
  ),
  {
    to: 'multipart/object',
    form: 'an object in JSON',
    body: form(part(`${COLOR}; charset=utf-8`, '{ "R": 100 }')),
    is: 'pass',
    by: TYPE_COUNTS,
  },
  {
    to: 'multipart/empty-file',
    form: 'an empty file',
    body: file(EMPTY, ''),
    is: 'pass',
    by: 'rule 9: files by their bytes',
  },
  {
    to: 'multipart/empty-file',
    form: 'an empty file of any type',
    body: file(`${EMPTY}\r\nContent-Type: a/b\r\nContent-Length: 0`, ''),
    is: 'pass',
    by: 'rule 9: the Content-Type counts where encoding names one',
  },
  {
    to: 'multipart/json-array',
    form: 'a part for each item',
    body: form(
      part('name=tags\r\nContent-Type: application/json', '"a"'),
      part('name=tags\r\nContent-Type: application/json', '"b"'),
    ),
    is: 'pass',
    by: 'the row multipart/json-array',
  },
  {
    to: 'multipart/json-array',
    form: 'one part with the list',
    body: form(part('name=tags\r\nContent-Type: application/json', '["a","b"]')),
    is: 'pass',
    by: 'the note of multipart/json-array: one part with the list: pass',
  },
  {
    to: 'multipart/file-type',
    form: 'a type that encoding names, in capitals and with a parameter',
    body: form(part('name=image; filename=a\r\nContent-Type: IMAGE/PNG; x=y', PIXEL)),
    is: 'pass',
    by: TYPE_COUNTS,
  },
  {
    to: 'multipart/part-header',
    form: 'a header of a part in another case, with white space',
    body: file('name=file; filename=a\r\nx-PART:  7 '),
    is: 'pass',
    by: 'rule 10: the value without white space around it',
  },
  {
    to: 'multipart/text',
    form: 'an integer with a fraction',
    body: form(NAME, part('name=count', '3.0'), TEXT),
    is: 'non-strict',
    by: 'rule 5: another form than digits with a minus is non-strict',
  },
  {
    to: 'multipart/array',
    form: 'a boundary that needs quotes and has none',
    type: 'multipart/form-data; boundary=a:b',
    body: withBoundary('a:b'),
    is: 'non-strict',
    by: QUOTES,
  },
  {
    to: 'multipart/array',
    form: 'white space around the equals sign of the boundary',
    type: 'multipart/form-data; boundary = x',
    body: TAGS,
    is: 'non-strict',
    by: QUOTES,
  },
  {
    to: 'multipart/array',
    form: 'white space around the equals sign of a name',
    body: form(part('name = "tags"', 'a'), B),
    is: 'non-strict',
    by: QUOTES,
  },
  {
    to: 'multipart/empty-file',
    form: 'a file without filename',
    body: file('name="file"', ''),
    is: 'non-strict',
    by: 'rule 9: without filename: non-strict',
  },

  {
    to: 'multipart/array',
    form: 'a parameter twice',
    body: form(part('name="tags"; name="tags"', 'a'), B),
    is: 'fail',
    by: NOT_TWICE,
  },
  {
    to: 'multipart/array',
    form: 'a parameter twice, in another case',
    body: form(part('name="tags"; NAME=tags', 'a'), B),
    is: 'fail',
    by: NOT_TWICE,
  },
  {
    to: 'multipart/empty-file',
    form: 'filename twice',
    body: file(`${EMPTY}; filename=b`, ''),
    is: 'fail',
    by: NOT_TWICE,
  },
  {
    to: 'multipart/text',
    form: 'a header twice',
    body: texts(part('name=name\r\nContent-Type: text/plain\r\ncontent-type: text/plain', 'blue')),
    is: 'fail',
    by: NOT_TWICE,
  },
  {
    to: 'multipart/text',
    form: 'a charset twice',
    body: texts(part('name=name\r\nContent-Type: text/plain; charset=utf-8; charset=utf-8', 'blue')),
    is: 'fail',
    by: NOT_TWICE,
  },
  {
    to: 'multipart/text',
    form: 'a header of no meaning twice',
    body: texts(part('name=name\r\nX-A: 1\r\nX-A: 1', 'blue')),
    is: 'fail',
    by: NOT_TWICE,
  },
  {
    to: 'multipart/text',
    form: 'base64',
    body: texts(part('name=name\r\nContent-Transfer-Encoding: base64', btoa('blue'))),
    is: 'fail',
    by: TRANSFER,
  },
  {
    to: 'multipart/text',
    form: 'quoted-printable without an escape',
    body: texts(part('name=name\r\nContent-Transfer-Encoding: quoted-printable', 'blue')),
    is: 'fail',
    by: TRANSFER,
  },
  {
    to: 'multipart/text',
    form: 'a charset that is not read',
    body: texts(part('name=name\r\nContent-Type: text/plain; charset=koi8-r', 'blue')),
    is: 'fail',
    by: 'rule 9: another charset: fail',
  },
  {
    to: 'multipart/text',
    form: 'another charset than the bytes',
    body: texts(NAME, part('name=text\r\nContent-Type: text/plain; charset=iso-8859-1', 'größe 火')),
    is: 'fail',
    by: CHARSET,
  },
  {
    to: 'multipart/text',
    form: 'ISO-8859-1 that nothing says',
    body: texts(NAME, part('name=text', bytesOf('gr\xf6\xdfe'))),
    is: 'fail',
    by: 'RFC 7578 5.1.2: UTF-8 is the usual default',
  },
  {
    to: 'multipart/text',
    form: 'a text as JSON',
    body: texts(part('name=name\r\nContent-Type: application/json', 'blue')),
    is: 'fail',
    by: TEXT_TYPE,
  },
  {
    to: 'multipart/text',
    form: 'a text in quotes',
    body: texts(part('name=name', '"blue"')),
    is: 'fail',
    by: 'rule 5: text: the same characters',
  },
  {
    to: 'multipart/object',
    form: 'an object without its type',
    body: form(part('name=color', '{"R":100}')),
    is: 'fail',
    by: TYPE_COUNTS,
  },
  {
    to: 'multipart/object',
    form: 'an object as text',
    body: form(part('name=color\r\nContent-Type: text/plain', '{"R":100}')),
    at: '--x\r\nContent-Disposition: form-data; name=color\r\nContent-Type: ',
    is: 'fail',
    by: TYPE_COUNTS,
  },
  {
    to: 'multipart/file-and-json',
    form: 'an object beside a file, without its type',
    body: form(part('name=file; filename=a', FILE), part('name=meta', '{"name":"blue"}')),
    is: 'fail',
    by: TYPE_COUNTS,
  },
  {
    to: 'multipart/object',
    form: 'a part for each member',
    body: form(part('name="color[R]"', '100')),
    is: 'fail',
    by: 'rule 9: parts by name',
  },
  {
    to: 'multipart/file-type',
    form: 'no type where encoding names one',
    body: form(part('name=image; filename=a', PIXEL)),
    is: 'fail',
    by: TYPE_COUNTS,
  },
  {
    to: 'multipart/file-type',
    form: 'another type than encoding names',
    body: form(part('name=image; filename=a\r\nContent-Type: application/octet-stream', PIXEL)),
    is: 'fail',
    by: TYPE_COUNTS,
  },
  {
    to: 'multipart/json-array',
    form: 'items in JSON without their type',
    body: form(part('name=tags', '"a"'), part('name=tags', '"b"')),
    is: 'fail',
    by: TYPE_COUNTS,
  },
  {
    to: 'multipart/json-array',
    form: 'a list for each item',
    body: form(
      part('name=tags\r\nContent-Type: application/json', '["a"]'),
      part('name=tags\r\nContent-Type: application/json', '["b"]'),
    ),
    is: 'fail',
    by: 'the note of multipart/json-array: a part for each item, or one with the list',
  },
  {
    to: 'multipart/array',
    form: 'a list as one text',
    body: form(part('name=tags', 'a,b')),
    is: 'fail',
    by: 'the row multipart/array: two parts tags',
  },
  {
    to: 'multipart/omitted',
    form: 'undefined for a file that is not given',
    body: form(NAME, part('name=file', 'undefined')),
    is: 'fail',
    by: 'the note of multipart/omitted: undefined: fail',
  },
  {
    to: 'multipart/array',
    form: 'items in another order',
    body: form(B, A),
    is: 'fail',
    by: 'rule 4: order is free, but not in arrays',
  },
  {
    to: 'multipart/array',
    form: 'an item too many',
    body: form(A, B, B),
    is: 'fail',
    by: 'rule 4: names that the case does not have',
  },
  {
    to: 'multipart/array',
    form: 'brackets after the name',
    body: form(part('name="tags[]"', 'a'), part('name="tags[]"', 'b')),
    is: 'fail',
    by: 'rule 9: parts by name',
  },
  {
    to: 'multipart/array',
    form: 'a form-data that is an attachment',
    body: joinBytes('--x\r\nContent-Disposition: attachment; name=tags\r\n\r\na\r\n', B, '--x--'),
    is: 'fail',
    by: `${RFC7578} 4.2: the disposition type is form-data`,
  },
  {
    to: 'multipart/array',
    form: 'lines that end with LF',
    body: '--x\nContent-Disposition: form-data; name=tags\n\na\n--x\nContent-Disposition: form-data; name=tags\n\nb\n--x--\n',
    is: 'fail',
    by: 'RFC 2046 5.1.1: CRLF',
  },
  {
    to: 'multipart/array',
    form: 'no last boundary',
    body: joinBytes(A, B),
    is: 'fail',
    by: 'RFC 2046 5.1.1: close-delimiter',
  },
  {
    to: 'multipart/array',
    form: 'another boundary',
    type: 'multipart/form-data; boundary=y',
    body: TAGS,
    is: 'fail',
    by: 'RFC 2046 5.1.1: boundary',
  },
  {
    to: 'multipart/array',
    form: 'no boundary',
    type: 'multipart/form-data',
    body: TAGS,
    is: 'fail',
    by: `${RFC7578} 4.1: the boundary is required`,
  },
  {
    to: 'multipart/array',
    form: 'a boundary of 71 characters',
    type: `multipart/form-data; boundary=${'x'.repeat(71)}`,
    body: withBoundary('x'.repeat(71)),
    is: 'fail',
    by: 'RFC 2046 5.1.1: no longer than 70 characters',
  },
  {
    to: 'multipart/empty-file',
    form: 'a file with a byte',
    body: file(EMPTY, '\0'),
    is: 'fail',
    by: 'rule 9: files by their bytes',
  },
  {
    to: 'multipart/omitted',
    form: 'an empty part for a file that is not given',
    body: form(NAME, part('name=file; filename=""', '')),
    is: 'fail',
    by: 'the note of multipart/omitted: an empty part: fail',
  },
  {
    to: 'multipart/part-header',
    form: 'a header of a part with another value',
    body: file('name=file; filename=a\r\nX-Part: 8'),
    is: 'fail',
    by: 'the row multipart/part-header',
  },
  {
    to: 'multipart/part-header',
    form: 'an integer in a header of a part, in another form',
    body: file('name=file; filename=a\r\nX-Part: 7.0'),
    is: 'non-strict',
    by: 'rule 5: of integers the same decimal, and another form is non-strict',
  },
  {
    to: 'multipart/part-header',
    form: 'no integer in a header of a part',
    body: file('name=file; filename=a\r\nX-Part: "7"'),
    at: '--x\r\nContent-Disposition: form-data; name=file; filename=a\r\nX-Part: ',
    is: 'fail',
    by: 'rule 5: of integers the same decimal',
  },
  {
    to: 'multipart/part-header',
    form: 'a header of a part twice',
    body: file('name=file; filename=a\r\nX-Part: 7\r\nX-Part: 7'),
    is: 'fail',
    by: NOT_TWICE,
  },
])
