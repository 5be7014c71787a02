import {
  type BrokenClient,
  DELIMITER,
  each,
  FAILED,
  FILE_PART,
  fail,
  headOf,
  INCOMPLETE,
  JSON_PART_HEAD,
  NOT_FOLLOWED,
  NOT_RETRIED,
  namelessHead,
  part,
  REFUSED,
  tolerated,
} from './differences.ts'
import { ReferenceClient } from './reference/client.ts'
import type { Located, Parameter, Schema, Style } from './reference/document.ts'
import { type CalendarDate, isList, isMembers, type Value } from './reference/values.ts'
import { isJson } from './reference/writer.ts'

// Clients that are broken on purpose: each is the reference client with one habit changed. What the laboratory says about
// them was written down from its published table and rules, and not taken from what it said.

export const BROKEN_CLIENTS: readonly BrokenClient[] = [
  {
    habit: 'drops falsy values',
    Client: class extends ReferenceClient {
      protected override isGiven(value: Value | undefined): value is Value {
        return Boolean(value)
      }
    },
    differences: {
      ...each(fail(''), 'query/falsy', 'header/integer', 'form/falsy', 'multipart/falsy'),
      ...each(fail('{'), 'body/null', 'body/falsy', 'body/merge-patch'),
      ...each(fail(''), 'body/top-boolean', 'body/top-null'),
      'response/null': fail('{"name":"blue"'),
      'response/empty': fail('{"tags":[],"options":{}'),
    },
  },
  {
    habit: 'joins all lists with commas',
    Client: class extends ReferenceClient {
      protected override isExploded(style: Style, value: Value): boolean {
        return !isList(value) && super.isExploded(style, value)
      }
    },
    differences: {
      'path/label-array-explode': fail('.blue'),
      'path/matrix-array-explode': fail(';color=blue'),
      'query/form-array-explode': fail('color=blue'),
      'query/boolean-array': fail('flags='),
      'form/array': fail('tags=a'),
    },
  },
  {
    habit: 'names the items of lists with brackets, as PHP reads them',
    Client: class extends ReferenceClient {
      protected override nameOfItems(name: string): string {
        return `${name}[]`
      }
    },
    differences: {
      'path/matrix-array-explode': fail(';'),
      ...each(fail(''), 'query/form-array-explode', 'query/boolean-array', 'query/single-item', 'form/array'),
      ...each(fail(`${DELIMITER}Content-Disposition: form-data; name="`), 'multipart/array', 'multipart/files'),
    },
  },
  {
    habit: 'writes labels as the tables of OpenAPI 3.0.3 do',
    Client: class extends ReferenceClient {
      protected override writeLabel(write: (template: string) => string, name: string, star: string): string {
        return super.writeLabel(write, name, star).replaceAll(',', '.')
      }
    },
    differences: { 'path/label-array': tolerated('.blue'), 'path/label-object': tolerated('.R') },
  },
  {
    habit: 'does not encode plus signs',
    Client: class extends ReferenceClient {
      protected override finish(written: string): string {
        return written.replaceAll('%2B', '+')
      }
    },
    differences: {
      'query/reserved': fail('value=a%26b%3Dc'),
      'query/date-time': fail('value='),
      'form/reserved': fail('text=a%26b%3Dc'),
    },
  },
  {
    habit: 'encodes the commas between items',
    Client: class extends ReferenceClient {
      protected override finish(written: string): string {
        return written.replaceAll(',', '%2C')
      }
    },
    differences: {
      ...each(fail('blue'), 'path/simple-array', 'path/simple-array-explode'),
      'path/simple-object': fail(''),
      'path/simple-object-explode': fail('R='),
      'path/label-array': fail('.blue'),
      'path/label-object': fail('.'),
      'path/matrix-array': fail(';color=blue'),
      'path/matrix-object': fail(';color='),
      'path/comma-item': fail('a%2Cb'),
      'query/form-array': fail('color=blue'),
      'query/form-object': fail('color='),
      'query/comma-item': fail('color=a%2Cb'),
      'form/array-unexploded': fail('tags=a'),
    },
  },
  {
    habit: 'does not encode commas in items',
    Client: class extends ReferenceClient {
      protected override finish(written: string): string {
        return written.replaceAll('%2C', ',')
      }
    },
    differences: { 'path/comma-item': fail('a'), 'query/comma-item': fail('color=a') },
  },
  {
    habit: 'does not encode brackets and bars',
    Client: class extends ReferenceClient {
      protected override finish(written: string): string {
        return written.replaceAll('%5B', '[').replaceAll('%5D', ']').replaceAll('%7C', '|')
      }
    },
    differences: {
      'query/pipe-array': tolerated('color=blue'),
      'query/pipe-object': tolerated('color=R'),
      'query/deep-object': tolerated('color'),
      'query/names': tolerated('filter'),
      'query/content-json': tolerated('filter=%7B%22R%22%3A100%2C%22G%22%3A'),
      'form/pipe': tolerated('tags=a'),
      'form/deep-object': tolerated('color'),
      'form/json-array': tolerated('tags='),
    },
  },
  {
    habit: 'does not encode slashes in paths',
    Client: class extends ReferenceClient {
      protected override finish(written: string, place: Parameter['in'] | 'form'): string {
        return place === 'path' ? written.replaceAll('%2F', '/') : written
      }
    },
    differences: { 'path/reserved': fail('a') },
  },
  {
    habit: 'does not encode question marks in paths',
    Client: class extends ReferenceClient {
      protected override finish(written: string, place: Parameter['in'] | 'form'): string {
        return place === 'path' ? written.replaceAll('%3F', '?') : written
      }
    },
    differences: { 'path/reserved': fail('a%2Fb') },
  },
  {
    habit: 'writes a space in a path as a plus sign',
    Client: class extends ReferenceClient {
      protected override finish(written: string, place: Parameter['in'] | 'form'): string {
        return place === 'path' ? written.replaceAll('%20', '+') : written
      }
    },
    differences: { 'path/reserved': fail('a%2Fb%3Fc%23d'), 'path/utf8': fail('gr%C3%B6%C3%9Fe') },
  },
  {
    habit: 'encodes twice',
    Client: class extends ReferenceClient {
      protected override prepare(text: string): string {
        return encodeURIComponent(text)
      }
    },
    differences: {
      ...each(fail('a'), 'path/reserved', 'path/comma-item', 'header/unencoded'),
      'path/utf8': fail('gr'),
      ...each(fail(''), 'path/date-time', 'header/date-time'),
      'query/reserved': fail('value=a'),
      'query/utf8': fail('value=gr'),
      'query/date-time': fail('value='),
      'query/comma-item': fail('color=a'),
      'query/allow-reserved': tolerated('value=a'),
      'query/content-json': fail('filter='),
      'form/reserved': fail('text=a'),
      'form/object': fail('color='),
      'form/json-array': fail('tags='),
    },
  },
  {
    habit: 'encodes URLs and forms in Latin-1',
    Client: class extends ReferenceClient {
      protected override finish(written: string): string {
        return written.replaceAll(/(?:%[89A-F][\dA-F])+/g, (encoded) =>
          [...decodeURIComponent(encoded)].map(encodeInLatin1).join(''),
        )
      }
    },
    differences: {
      'path/utf8': fail('gr'),
      'query/utf8': fail('value=gr'),
      'query/names': fail('filter%5Bname%5D=a&%24top=1&a.b=c&'),
      'form/reserved': fail('text=a%26b%3Dc%2Bd%20e%25f%20'),
    },
  },
  {
    habit: 'writes bodies in Latin-1',
    Client: class extends ReferenceClient {
      protected override toBytes(text: string): Uint8Array {
        return Buffer.from(text.replaceAll(/[^\0-\xff]/gu, '?'), 'latin1')
      }
    },
    differences: {
      'multipart/text': fail(
        `${part(headOf('name'), 'blue')}${part(headOf('count'), '3')}${DELIMITER}${headOf('text')}\r\ngr`,
      ),
      'body/strings': fail('{"text":"'),
      'body/names': fail('{"class":1,"$id":2,"@type":3,"a-b":4,"c d":5,"e.f":6,'),
      'body/text': fail('gr'),
      'response/strings': fail('{"escape":"'),
      'response/map': fail('{"a":1,"b c":2,'),
      'response/text': fail('gr'),
      'response/vendor-json': fail('{"name":"gr'),
    },
  },
  {
    habit: 'writes objects with toString',
    Client: class extends ReferenceClient {
      protected override expand(name: string, style: Style, value: Value): string {
        return super.expand(name, style, isMembers(value) ? String(value) : value)
      }
    },
    differences: {
      ...each(fail(''), 'path/simple-object', 'path/simple-object-explode', 'header/object', 'header/object-explode'),
      ...each(fail('.'), 'path/label-object', 'path/label-object-explode'),
      'path/matrix-object': fail(';color='),
      'path/matrix-object-explode': fail(';'),
      ...each(fail(''), 'query/form-object-explode', 'query/deep-object', 'form/deep-object'),
      ...each(fail('color='), 'query/form-object', 'query/space-object', 'query/pipe-object'),
    },
  },
  {
    habit: 'writes objects and lists in forms and parts with toString',
    Client: class extends ReferenceClient {
      protected override writeEmbeddedJson(value: Value): string {
        return String(value)
      }
    },
    differences: {
      'form/object': fail('color='),
      'form/json-array': fail('tags='),
      'multipart/object': fail(`${DELIMITER}${headOf('color')}${JSON_PART_HEAD}`),
      'multipart/json-array': fail(`${DELIMITER}${headOf('tags')}${JSON_PART_HEAD}`),
      'multipart/file-and-json': fail(`${FILE_PART}${DELIMITER}${headOf('meta')}${JSON_PART_HEAD}`),
    },
  },
  {
    habit: 'sends JSON in parts as text',
    Client: class extends ReferenceClient {
      protected override typeOfJsonPart(): string {
        return 'text/plain'
      }
    },
    differences: {
      'multipart/object': fail(`${DELIMITER}${headOf('color')}Content-Type: `),
      'multipart/json-array': fail(`${DELIMITER}${headOf('tags')}Content-Type: `),
      'multipart/file-and-json': fail(`${FILE_PART}${DELIMITER}${headOf('meta')}Content-Type: `),
    },
  },
  {
    habit: 'sends JSON in parts without a type',
    Client: class extends ReferenceClient {
      protected override typeOfJsonPart(): undefined {
        return undefined
      }
    },
    differences: {
      'multipart/object': fail(`${DELIMITER}${headOf('color')}`),
      'multipart/json-array': fail(`${DELIMITER}${headOf('tags')}`),
      'multipart/file-and-json': fail(`${FILE_PART}${DELIMITER}${headOf('meta')}`),
    },
  },
  {
    habit: 'sends files without their names',
    Client: class extends ReferenceClient {
      protected override fileNameOf(): undefined {
        return undefined
      }
    },
    differences: {
      ...each(tolerated(namelessHead('file')), 'multipart/file', 'multipart/file-and-json', 'multipart/empty-file'),
      'multipart/files': tolerated(namelessHead('files')),
      'multipart/file-type': tolerated(namelessHead('image', 'image/png')),
      'multipart/part-header': tolerated(`${namelessHead('file')}X-Part: 7\r\n`),
    },
  },
  {
    habit: 'sends undefined for what is not given',
    Client: class extends ReferenceClient {
      protected override get insteadOfAbsent(): string {
        return 'undefined'
      }
    },
    differences: {
      ...each(fail(''), 'query/omitted', 'header/omitted', 'cookie/omitted'),
      'form/omitted': fail('name=blue&'),
      'multipart/omitted': fail(`${part(headOf('name'), 'blue')}${DELIMITER}Content-Disposition: form-data; name="`),
    },
  },
  {
    habit: 'sends an empty text for what is not given',
    Client: class extends ReferenceClient {
      protected override get insteadOfAbsent(): string {
        return ''
      }
    },
    differences: {
      ...each(fail(''), 'query/omitted', 'header/omitted', 'cookie/omitted'),
      'form/omitted': fail('name=blue&'),
      'multipart/omitted': fail(`${part(headOf('name'), 'blue')}${DELIMITER}Content-Disposition: form-data; name="`),
    },
  },
  {
    habit: 'sends null for members of JSON that are not given',
    Client: class extends ReferenceClient {
      protected override insteadOfAbsentMember({ readOnly }: Schema): null | undefined {
        return readOnly ? undefined : null
      }
    },
    differences: {
      ...each(fail('{'), 'body/absent', 'body/merge-patch'),
      'response/absent': fail('{"name":"blue",'),
    },
  },
  {
    habit: 'leaves out null',
    Client: class extends ReferenceClient {
      protected override isGiven(value: Value | undefined): value is Value {
        return value !== undefined && value !== null
      }
    },
    differences: {
      ...each(fail('{'), 'body/null', 'body/merge-patch'),
      'body/top-null': fail(''),
      'response/null': fail('{"name":"blue"'),
    },
  },
  {
    habit: 'has doubles for int64',
    Client: class extends ReferenceClient {
      protected override toInteger(text: string): number {
        return Number(text)
      }
    },
    differences: {
      'path/int64': fail(''),
      'query/int64': fail('value='),
      'body/int64': fail('['),
      'response/int64': fail('{"beyond":'),
    },
  },
  {
    habit: 'moves dates to another time zone',
    Client: class extends ReferenceClient {
      protected override writeDate({ text }: CalendarDate): string {
        return new Date(`${text}T00:00:00+01:00`).toISOString().slice(0, 10)
      }
    },
    differences: {
      'path/date': fail('2026-02-2'),
      'query/date': fail('value=2026-02-2'),
      ...each(fail('{"on":"2026-02-2'), 'body/date', 'response/date'),
    },
  },
  {
    habit: 'writes booleans as Python shows them',
    Client: class extends ReferenceClient {
      protected override writeBoolean(value: boolean): string {
        return value ? 'True' : 'False'
      }
    },
    differences: {
      'query/falsy': tolerated('flag='),
      'query/boolean-array': tolerated('flags='),
      'form/text': tolerated('name=blue&count=3&flag='),
      'form/falsy': tolerated('flag='),
      'multipart/falsy': tolerated(`${DELIMITER}${headOf('flag')}\r\n`),
    },
  },
  {
    habit: 'writes all bytes in the alphabet of base64',
    Client: class extends ReferenceClient {
      protected override writeBytes(bytes: Uint8Array): unknown {
        return super.writeBytes(bytes, 'base64')
      }
    },
    differences: { 'body/base64url': fail('{"bytes":"') },
  },
  {
    habit: 'writes a text that is the whole JSON without quotes',
    Client: class extends ReferenceClient {
      protected override writeJsonBody(...[value, schema]: Parameters<ReferenceClient['writeJsonBody']>): string {
        return typeof value === 'string' ? value : super.writeJsonBody(value, schema)
      }
    },
    differences: { 'body/top-string': fail('') },
  },
  {
    habit: 'writes line breaks of texts as CR LF',
    Client: class extends ReferenceClient {
      protected override writePlainText(value: Value): string {
        return super.writePlainText(value).replaceAll('\n', '\r\n')
      }
    },
    differences: each(fail('größe'), 'body/text', 'response/text'),
  },
  {
    habit: 'sends no Content-Type',
    Client: class extends ReferenceClient {
      protected override contentTypeOf(): undefined {
        return undefined
      }
    },
    differences: {
      ...each(fail(''), 'form/text', 'form/array', 'form/object', 'form/array-unexploded', 'form/deep-object'),
      ...each(fail(''), 'form/space', 'form/pipe', 'form/json-array', 'form/reserved', 'form/falsy', 'form/omitted'),
      ...each(fail(''), 'multipart/text', 'multipart/file', 'multipart/files', 'multipart/array', 'multipart/object'),
      ...each(fail(''), 'multipart/json-array', 'multipart/file-type', 'multipart/file-and-json'),
      ...each(fail(''), 'multipart/part-header', 'multipart/omitted', 'multipart/empty-file', 'multipart/falsy'),
      ...each(fail(''), 'body/object', 'body/null', 'body/absent', 'body/falsy', 'body/empty', 'body/int32'),
      ...each(fail(''), 'body/int64', 'body/double', 'body/date-time', 'body/date', 'body/duration', 'body/base64'),
      ...each(fail(''), 'body/base64url', 'body/strings', 'body/enum', 'body/const', 'body/discriminator'),
      ...each(fail(''), 'body/one-of', 'body/any-of', 'body/all-of', 'body/map', 'body/open-object', 'body/read-only'),
      ...each(fail(''), 'body/write-only', 'body/names', 'body/similar-names', 'body/recursive', 'body/nested-arrays'),
      ...each(fail(''), 'body/tuple', 'body/top-string', 'body/top-number', 'body/top-boolean', 'body/top-null'),
      ...each(fail(''), 'body/top-array', 'body/text', 'body/vendor-json', 'body/merge-patch'),
      // A server may take it for bytes.
      'body/bytes': tolerated(''),
      ...each(fail(''), 'xml/attribute', 'xml/wrapped', 'xml/unwrapped', 'xml/namespace', 'xml/escaped'),
      ...each(fail(''), 'redirect/307-post', 'redirect/308-put', 'retry/post-once', 'retry/same-key'),
    },
  },
  {
    habit: 'calls all JSON application/json',
    Client: class extends ReferenceClient {
      protected override contentTypeOf(mediaType: string): string {
        return isJson(mediaType) ? 'application/json' : mediaType
      }
    },
    differences: each(fail(''), 'body/vendor-json', 'body/merge-patch'),
  },
  {
    habit: 'encodes headers',
    Client: class extends ReferenceClient {
      protected override writeHeader(parameter: Parameter, value: Value): string {
        return this.expand(parameter.name, { ...parameter, style: 'simple' }, value)
      }
    },
    differences: { 'header/unencoded': fail('a'), 'header/date-time': fail('') },
  },
  {
    habit: 'joins cookies with an ampersand',
    Client: class extends ReferenceClient {
      protected override joinCookies(cookies: readonly string[]): string {
        return cookies.join('&')
      }
    },
    differences: { 'cookie/two': fail('color=blue') },
  },
  {
    habit: 'joins cookies with a semicolon alone',
    Client: class extends ReferenceClient {
      protected override joinCookies(cookies: readonly string[]): string {
        return cookies.join(';')
      }
    },
    differences: { 'cookie/two': tolerated('color=blue') },
  },
  {
    habit: 'accepts only XML',
    Client: class extends ReferenceClient {
      protected override accept(): string {
        return 'application/xml'
      }
    },
    differences: { 'response/accept': fail('application/xml') },
  },
  {
    habit: 'refuses members that are not documented',
    Client: class extends ReferenceClient {
      protected override fromUnknownMember(name: string): never {
        throw new Error(`The member ${name} is not documented.`)
      }
    },
    differences: { 'response/unknown-member': INCOMPLETE },
  },
  {
    habit: 'refuses values outside of an enumeration',
    Client: class extends ReferenceClient {
      protected override fromJson(...[json, schema]: Parameters<ReferenceClient['fromJson']>): Value {
        const { enum: values } = this.document.resolve(schema)
        if (values && !values.includes(String(json))) throw new Error(`${json} is none of ${values.join(', ')}.`)
        return super.fromJson(json, schema)
      }
    },
    differences: { 'response/unknown-enum': REFUSED },
  },
  {
    habit: 'does not read errors',
    Client: class extends ReferenceClient {
      protected override async decode(operation: Located, response: Response) {
        if (!response.ok) throw new Error(`The status is ${response.status}.`)
        return await super.decode(operation, response)
      }
    },
    differences: each(INCOMPLETE, 'response/problem', 'response/default', 'response/range'),
  },
  {
    habit: 'reads the digits of numbers alone',
    Client: class extends ReferenceClient {
      protected override toNumber(text: string): number {
        return Number.parseInt(text, 10)
      }
    },
    differences: { 'response/number-forms': fail('{"exponent":') },
  },
  {
    habit: 'ignores the zone of times',
    Client: class extends ReferenceClient {
      protected override toDate(text: string): Date {
        return new Date(text.replace(/(?:Z|[+-]\d\d:\d\d)$/, 'Z'))
      }
    },
    differences: {
      'response/date-times': fail('{"utc":"2026-02-28T21:30:00.500+00:00","offset":"'),
      'response/headers': fail('{"colors":["blue","black","brown"],"count":3,"since":"'),
    },
  },
  {
    habit: 'follows 303 with the method and the body again',
    Client: class extends ReferenceClient {
      protected override methodAfter(_status: number, method: string): string {
        return method
      }
    },
    differences: { 'redirect/303-post': FAILED },
  },
  {
    habit: 'follows every redirect with GET',
    Client: class extends ReferenceClient {
      protected override methodAfter(): string {
        return 'GET'
      }
    },
    differences: each(FAILED, 'redirect/307-post', 'redirect/308-put'),
  },
  {
    habit: 'loses the query of a redirect',
    Client: class extends ReferenceClient {
      protected override targetOf(location: string, url: URL): URL {
        return new URL(location.replace(/\?.*/, ''), url)
      }
    },
    differences: { 'redirect/relative': fail('') },
  },
  {
    habit: 'follows no redirect',
    Client: class extends ReferenceClient {
      protected override isRedirected(): boolean {
        return false
      }
    },
    differences: each(
      NOT_FOLLOWED,
      ...['301-get', '303-post', '307-post', '308-put', 'relative'].map((name) => `redirect/${name}`),
    ),
  },
  {
    habit: 'retries at once',
    Client: class extends ReferenceClient {
      protected override waitFor(): number {
        return 0
      }
    },
    differences: each(FAILED, 'retry/after-seconds', 'retry/after-date', 'retry/limit-429', 'retry/same-key'),
  },
  {
    habit: 'retries with another key',
    Client: class extends ReferenceClient {
      protected override headersAgain(headers: Record<string, string>): Record<string, string> {
        return { ...headers, 'Idempotency-Key': crypto.randomUUID() }
      }
    },
    differences: { 'retry/post-once': FAILED, 'retry/same-key': fail('') },
  },
  {
    habit: 'retries without a key',
    Client: class extends ReferenceClient {
      protected override headersAgain({ 'Idempotency-Key': _, ...others }: Record<string, string>) {
        return others
      }
    },
    differences: { 'retry/post-once': FAILED, 'retry/same-key': fail('') },
  },
  {
    habit: 'retries after every error',
    Client: class extends ReferenceClient {
      protected override isRetried(status: number): boolean {
        return status >= 400
      }
    },
    differences: { 'retry/not-400': FAILED },
  },
  {
    habit: 'retries after no response',
    Client: class extends ReferenceClient {
      protected override isRetried(): boolean {
        return false
      }
    },
    differences: each(NOT_RETRIED, 'retry/after-seconds', 'retry/after-date', 'retry/limit-429', 'retry/same-key'),
  },
]

function encodeInLatin1(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return `%${(code < 256 ? code : 0x3f).toString(16).toUpperCase()}`
}
