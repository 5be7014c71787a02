import { compress, joinBytes, utf16 } from '../../../../laboratory/test/judge/encoders.ts'
import { bytesOf } from '../../../support/pictures.ts'
import { describeRule, type Row } from './rows.ts'
import { sendRow } from './send-row.ts'

// Rule 8, through the service: the media type, its charset, and the coding of a body.

const BLUE = '{"name":"blue","count":3,"flag":true}'
const NAMES = '{"class":1,"$id":2,"@type":3,"a-b":4,"c d":5,"e.f":6,"größe":7,"1st":8}'
const PLANET = '<planet id="7"><name>blue</name></planet>'
const TEXT = 'größe\nb'
const BYTES = Uint8Array.from({ length: 256 }, (_, code) => code)
const FORM = 'application/x-www-form-urlencoded'

const PARAMETERS = 'rule 8: parameters do not count, except boundary and charset'
const TYPE = 'rule 8: type and subtype'
const TEXTS = 'rule 8: a text is decoded by charset and passes if it gives the value'
const NO_CHARSET = 'rule 8: JSON, forms and multipart have no charset: another one is non-strict over bytes of UTF-8'
const NONE = 'rule 8: a body without a Content-Type: fail'
const CODED = 'rule 8: gzip and deflate are decoded and are non-strict at best'
const NOT_CODED = 'rule 8: bytes that are not what it says, or a coding that we do not know: fail'
const TOO_LARGE = 'lab.md: a body over 256 KiB: 413; decoded: at most 256 KiB, and 100 times the bytes'

const GZIP = await compress(BLUE, 'gzip')
const GZIP_OF_NOTHING = await compress('', 'gzip')
const coded = (name: string) => ({ 'Content-Encoding': name })
/** White space for JSON, of which no compressor makes much less. */
const noise = Array.from(
  { length: 300 * 1024 },
  (_, at) => ' \t\r\n'[Math.imul(at ^ (at >> 7), 2654435761) >>> 30],
).join('')

const ROWS: readonly Row[] = [
  {
    to: 'body/object',
    form: 'a charset of UTF-8',
    type: 'application/json; charset=UTF-8',
    body: BLUE,
    is: 'pass',
    by: 'rule 8',
  },
  {
    to: 'body/object',
    form: 'a type in capitals',
    type: 'APPLICATION/Json',
    body: BLUE,
    is: 'pass',
    by: 'RFC 9110 8.3.1: type and subtype tokens are case-insensitive',
  },
  {
    to: 'body/object',
    form: 'other parameters',
    type: 'application/json;odata=none;profile="a;b=c"',
    body: BLUE,
    is: 'pass',
    by: PARAMETERS,
  },
  { to: 'body/text', form: 'a text in UTF-8 without a charset', type: 'text/plain', body: TEXT, is: 'pass', by: TEXTS },
  {
    to: 'body/text',
    form: 'a text in ISO-8859-1',
    type: 'text/plain; charset=ISO-8859-1',
    body: bytesOf('gr\xf6\xdfe\nb'),
    is: 'pass',
    by: TEXTS,
  },
  {
    to: 'body/text',
    form: 'a text in windows-1252, its charset in quotes',
    type: 'text/plain; charset="Windows-1252"',
    body: bytesOf('gr\xf6\xdfe\nb'),
    is: 'pass',
    by: TEXTS,
  },
  {
    to: 'body/text',
    form: 'a text in UTF-16',
    type: 'text/plain; charset=utf-16',
    body: utf16(TEXT, 'little'),
    is: 'pass',
    by: TEXTS,
  },
  {
    to: 'xml/attribute',
    form: 'XML in US-ASCII',
    type: 'application/xml; charset=us-ascii',
    body: PLANET,
    is: 'pass',
    by: TEXTS,
  },
  {
    to: 'xml/attribute',
    form: 'XML in UTF-16',
    type: 'application/xml; charset=utf-16',
    body: utf16(PLANET, 'big'),
    is: 'pass',
    by: TEXTS,
  },
  {
    to: 'query/form-string',
    form: 'a coding without a body',
    query: 'color=blue',
    headers: coded('gzip'),
    is: 'pass',
    by: 'rule 8: without a body it does not count',
  },
  {
    to: 'body/no-body',
    form: 'a coded body of nothing where there should be none',
    headers: coded('gzip'),
    body: GZIP_OF_NOTHING,
    at: 0,
    is: 'fail',
    by: 'rule 4: a case without a body expects none (RFC 9110 8.4: content is what the coding was applied to)',
  },
  {
    to: 'response/object',
    form: 'a coding at the PUT of a response',
    headers: coded('gzip'),
    body: BLUE,
    is: 'pass',
    by: 'rule 8: nor at the PUT of response',
  },
  {
    to: 'response/object',
    form: 'no type at the PUT of a response',
    type: null,
    body: BLUE,
    is: 'pass',
    by: 'lab.md: PUT is judged as a body without its Content-Type',
  },
  {
    to: 'response/object',
    form: 'gzip at the PUT of a response',
    headers: coded('gzip'),
    body: GZIP,
    is: 'pass',
    by: 'rule 8: nor at the PUT of response',
  },
  {
    to: 'body/bytes',
    form: 'bytes without a type',
    type: null,
    body: BYTES,
    is: 'non-strict',
    by: 'rule 8: of body/bytes: non-strict (RFC 9110 8.3: MAY assume application/octet-stream)',
  },
  {
    to: 'body/object',
    form: 'JSON with charset=iso-8859-1',
    type: 'application/json; charset=iso-8859-1',
    body: BLUE,
    is: 'non-strict',
    by: NO_CHARSET,
  },
  {
    to: 'body/names',
    form: 'JSON with charset=us-ascii over letters of UTF-8',
    type: 'application/json; charset=us-ascii',
    body: NAMES,
    is: 'non-strict',
    by: NO_CHARSET,
  },
  {
    to: 'form/omitted',
    form: 'a form with charset=ISO-8859-1',
    type: `${FORM}; charset=ISO-8859-1`,
    body: 'name=blue',
    is: 'non-strict',
    by: NO_CHARSET,
  },
  {
    to: 'multipart/omitted',
    form: 'multipart with charset=utf-16',
    type: 'multipart/form-data; boundary=x; charset=utf-16',
    body: '--x\r\nContent-Disposition: form-data; name=name\r\n\r\nblue\r\n--x--',
    is: 'non-strict',
    by: NO_CHARSET,
  },
  { to: 'body/object', form: 'gzip', headers: coded('gzip'), body: GZIP, is: 'non-strict', by: CODED },
  {
    to: 'body/object',
    form: 'deflate',
    headers: coded('Deflate'),
    body: await compress(BLUE, 'deflate'),
    is: 'non-strict',
    by: CODED,
  },
  {
    to: 'body/bytes',
    form: 'bytes under gzip',
    headers: coded('gzip'),
    body: await compress(BYTES, 'gzip'),
    is: 'non-strict',
    by: CODED,
  },
  {
    to: 'form/omitted',
    form: 'a form under gzip',
    headers: coded('gzip'),
    body: await compress('name=blue', 'gzip'),
    is: 'non-strict',
    by: CODED,
  },
  {
    to: 'body/top-string',
    form: 'a body of 256 KiB after its coding',
    headers: coded('gzip'),
    body: await compress(`"blue"${noise.slice(0, 256 * 1024 - 6)}`, 'gzip'),
    is: 'non-strict',
    by: TOO_LARGE,
  },

  { to: 'body/object', form: 'JSON without a type', type: null, body: BLUE, is: 'fail', by: NONE },
  { to: 'body/text', form: 'a text without a type', type: null, body: TEXT, is: 'fail', by: NONE },
  { to: 'form/omitted', form: 'a form without a type', type: null, body: 'name=blue', is: 'fail', by: NONE },
  { to: 'body/object', form: 'text/json', type: 'text/json', body: BLUE, is: 'fail', by: TYPE },
  { to: 'body/object', form: 'JSON as a form', type: FORM, body: BLUE, is: 'fail', by: TYPE },
  {
    to: 'body/vendor-json',
    form: 'application/json for a type of its own',
    type: 'application/json',
    body: '{"name":"blue"}',
    is: 'fail',
    by: TYPE,
  },
  { to: 'body/bytes', form: 'another type for bytes', type: 'text/plain', body: BYTES, is: 'fail', by: TYPE },
  {
    to: 'body/object',
    form: 'a type that is none',
    type: 'json',
    body: BLUE,
    is: 'fail',
    by: 'RFC 9110 8.3.1: media-type = type "/" subtype',
  },
  {
    to: 'body/object',
    form: 'two types',
    type: 'application/json, text/plain',
    body: BLUE,
    is: 'fail',
    by: 'RFC 9110 8.3.1: media-type',
  },
  {
    to: 'body/text',
    form: 'UTF-8 under ISO-8859-1',
    type: 'text/plain; charset=iso-8859-1',
    body: TEXT,
    at: 'gr',
    is: 'fail',
    by: TEXTS,
  },
  {
    to: 'body/text',
    form: 'ISO-8859-1 under UTF-8',
    type: 'text/plain; charset=utf-8',
    body: bytesOf('gr\xf6\xdfe\nb'),
    at: 2,
    is: 'fail',
    by: TEXTS,
  },
  {
    to: 'body/text',
    form: 'letters under US-ASCII',
    type: 'text/plain; charset=us-ascii',
    body: TEXT,
    at: 'gr',
    is: 'fail',
    by: TEXTS,
  },
  {
    to: 'body/text',
    form: 'a charset that is not read',
    type: 'text/plain; charset=koi8-r',
    body: TEXT,
    is: 'fail',
    by: 'rule 8: UTF-8, UTF-16, US-ASCII, ISO-8859-1, windows-1252',
  },
  {
    to: 'body/object',
    form: 'JSON in UTF-16',
    type: 'application/json; charset=utf-16',
    body: utf16(BLUE, 'big'),
    is: 'fail',
    by: 'RFC 8259 8.1: JSON text MUST be encoded using UTF-8',
  },
  {
    to: 'body/names',
    form: 'JSON in ISO-8859-1',
    type: 'application/json; charset=iso-8859-1',
    body: bytesOf(NAMES),
    is: 'fail',
    by: `${NO_CHARSET} only`,
  },
  { to: 'body/object', form: 'gzip over plain bytes', headers: coded('gzip'), body: BLUE, is: 'fail', by: NOT_CODED },
  {
    to: 'body/object',
    form: 'gzip over deflate',
    headers: coded('gzip'),
    body: await compress(BLUE, 'deflate'),
    is: 'fail',
    by: NOT_CODED,
  },
  {
    to: 'body/object',
    form: 'deflate without the head of zlib',
    headers: coded('deflate'),
    body: await compress(BLUE, 'deflate-raw'),
    is: 'fail',
    by: 'RFC 9110 8.4.1.2: a "zlib" data format',
  },
  {
    to: 'body/object',
    form: 'gzip without its end',
    headers: coded('gzip'),
    body: GZIP.subarray(0, -3),
    is: 'fail',
    by: NOT_CODED,
  },
  {
    to: 'body/object',
    form: 'gzip and more',
    headers: coded('gzip'),
    body: joinBytes(GZIP, 'x'),
    is: 'fail',
    by: NOT_CODED,
  },
  { to: 'body/object', form: 'brotli', headers: coded('br'), body: BLUE, is: 'fail', by: NOT_CODED },
  { to: 'body/object', form: 'aws-chunked', headers: coded('aws-chunked'), body: BLUE, is: 'fail', by: NOT_CODED },
  { to: 'body/object', form: 'gzip that nothing says', body: GZIP, at: 0, is: 'fail', by: 'rule 6: JSON' },
  {
    to: 'body/object',
    form: 'another value under gzip',
    headers: coded('gzip'),
    body: await compress(BLUE.replace('3', '4'), 'gzip'),
    is: 'fail',
    by: CODED,
  },
  {
    to: 'body/object',
    form: 'gzip twice, said once',
    headers: coded('gzip'),
    body: await compress(GZIP, 'gzip'),
    is: 'fail',
    by: CODED,
  },
  { to: 'body/top-string', form: 'more than 256 KiB', body: `"blue"${' '.repeat(256 * 1024)}`, is: 413, by: TOO_LARGE },
  {
    to: 'body/top-string',
    form: 'more than 256 KiB after its coding',
    headers: coded('gzip'),
    body: await compress(`"blue"${noise.slice(0, 256 * 1024)}`, 'gzip'),
    is: 413,
    by: TOO_LARGE,
  },
  {
    to: 'body/top-string',
    form: 'more than 100 times its bytes',
    headers: coded('deflate'),
    body: await compress(`"blue"${' '.repeat(200 * 1024)}`, 'deflate'),
    is: 413,
    by: TOO_LARGE,
  },
]
describeRule('rule 8: media types, charsets and codings', ROWS, sendRow)
