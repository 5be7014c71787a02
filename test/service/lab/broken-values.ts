import {
  ALL_BYTES,
  type BrokenClient,
  DELIMITER,
  each,
  fail,
  fileHead,
  headOf,
  INCOMPLETE,
  JSON_PART_HEAD,
  part,
  tolerated,
} from './differences.ts'
import { ReferenceClient } from './reference/client.ts'
import type { Schema, Style } from './reference/document.ts'
import { isList, type Members, type Value } from './reference/values.ts'

// Clients that change names and values.

/** The bytes that UTF-8 has as they are. */
const PLAIN_BYTES = ALL_BYTES.slice(0, 128)

export const BROKEN_VALUES: readonly BrokenClient[] = [
  {
    habit: 'writes texts outside of JSON as JSON',
    Client: class extends ReferenceClient {
      protected override writeText(text: string): string {
        return JSON.stringify(text)
      }
    },
    differences: {
      ...each(fail(''), 'path/simple-string', 'path/simple-array', 'path/simple-array-explode', 'path/reserved'),
      ...each(fail(''), 'path/utf8', 'path/unreserved', 'path/comma-item', 'path/two'),
      ...each(fail('.'), 'path/label-string', 'path/label-array', 'path/label-array-explode'),
      ...each(fail(';color='), 'path/matrix-string', 'path/matrix-array', 'path/matrix-array-explode'),
      'path/embedded': fail('report.'),
      ...each(fail('color='), 'query/form-string', 'query/form-array-explode', 'query/form-array', 'query/space-array'),
      ...each(fail('color='), 'query/pipe-array', 'query/single-item', 'query/comma-item'),
      ...each(fail('value='), 'query/reserved', 'query/utf8', 'query/allow-reserved'),
      'query/falsy': fail('flag=false&count=0&text='),
      'query/names': fail('filter%5Bname%5D='),
      'query/reserved-words': fail('class='),
      'query/similar-names': fail('userId='),
      'query/content-json': fail('filter='),
      ...each(fail(''), 'header/string', 'header/array', 'header/unencoded', 'retry/same-key'),
      ...each(fail('color='), 'cookie/string', 'cookie/two', 'form/object'),
      ...each(fail('name='), 'form/text', 'form/omitted'),
      ...each(fail('tags='), 'form/array', 'form/array-unexploded', 'form/space', 'form/pipe'),
      // A text in JSON is the first item.
      'form/json-array': fail('tags=%22'),
      'form/reserved': fail('text='),
      'form/falsy': fail('flag=false&count=0&text='),
      ...each(fail(`${DELIMITER}${headOf('name')}\r\n`), 'multipart/text', 'multipart/omitted'),
      'multipart/array': fail(`${DELIMITER}${headOf('tags')}\r\n`),
      'multipart/falsy': fail(
        `${part(headOf('flag'), 'false')}${part(headOf('count'), '0')}${DELIMITER}${headOf('text')}\r\n`,
      ),
      ...each(fail(''), 'body/text', 'response/text'),
      'xml/attribute': fail('<planet id="7"><name>'),
      'xml/wrapped': fail('<planet><tags><tag>'),
      'xml/unwrapped': fail('<planet><tag>'),
      'xml/namespace': fail('<g:planet xmlns:g="https://galaxy.example/ns"><g:name>'),
      'xml/escaped': fail('<planet><name>'),
    },
  },
  {
    habit: 'writes numbers in JSON as texts',
    Client: class extends ReferenceClient {
      protected override writePlain(value: string | number | bigint | boolean | null): unknown {
        return typeof value === 'number' || typeof value === 'bigint' ? String(value) : value
      }
    },
    differences: {
      'query/content-json': fail('filter=%7B%22R%22%3A'),
      'form/object': fail('color=%7B%22R%22%3A'),
      'multipart/object': fail(`${DELIMITER}${headOf('color')}${JSON_PART_HEAD}{"R":`),
      'body/object': fail('{"name":"blue","count":'),
      'body/falsy': fail('{"flag":false,"count":'),
      ...each(fail('['), 'body/int32', 'body/int64', 'body/double'),
      'body/nested-arrays': fail('[['),
      'body/tuple': fail('["blue",'),
      'body/discriminator': fail('{"kind":"moon","diameter":'),
      ...each(fail('{"a":'), 'body/any-of', 'body/map', 'response/map'),
      'body/open-object': fail('{"name":"blue","extra":'),
      'body/one-of': fail('{"item":'),
      'body/names': fail('{"class":'),
      'body/similar-names': fail('{"fooBar":'),
      'body/top-number': fail(''),
      'response/object': fail('{"name":"blue","count":'),
      'response/int64': fail('{"beyond":'),
      'response/number-forms': fail('{"exponent":'),
      'response/discriminator': fail('{"bodies":[{"kind":"moon","diameter":'),
      ...each(fail('{"status":'), 'response/no-content', 'response/two-successes', 'response/problem'),
      ...each(fail('{"status":'), 'response/default', 'response/range'),
      'response/headers': fail('{"colors":["blue","black","brown"],"count":'),
      'response/xml': fail('{"id":'),
    },
  },
  {
    habit: 'has floats of 32 bits',
    Client: class extends ReferenceClient {
      protected override toWritten(value: number): number {
        return Math.fround(value)
      }
    },
    differences: {
      'query/number': fail('value='),
      'body/int32': fail('[-2147483648,'),
      'body/double': fail('['),
    },
  },
  {
    habit: 'writes times without their zone',
    Client: class extends ReferenceClient {
      protected override writeTime(time: Date): string {
        return super.writeTime(time).replace('+00:00', '')
      }
    },
    differences: {
      ...each(fail(''), 'path/date-time', 'header/date-time'),
      'query/date-time': fail('value='),
      'body/date-time': fail('{"at":"'),
      'response/date-times': fail('{"utc":"'),
      'response/headers': fail('{"colors":["blue","black","brown"],"count":3,"since":"'),
    },
  },
  {
    habit: 'fills paths by position',
    Client: class extends ReferenceClient {
      protected override fillPath(path: string, values: readonly (readonly [string, string])[]): string {
        const texts = values.map(([, text]) => text)
        return path.replaceAll(/\{[^}]*\}/g, () => texts.shift() ?? '')
      }
    },
    differences: { 'path/two': fail('bl') },
  },
  {
    habit: 'takes a parameter for a whole segment of the path',
    Client: class extends ReferenceClient {
      protected override fillPath(path: string, values: readonly (readonly [string, string])[]): string {
        return super.fillPath(path.replaceAll(/[^/{}]+(?=\{)/g, ''), values)
      }
    },
    differences: { 'path/embedded': fail('') },
  },
  {
    habit: 'has one value for a name',
    Client: class extends ReferenceClient {
      protected override arrange(values: Readonly<Record<string, Members>>): Readonly<Record<string, Members>> {
        const all: Members = Object.assign({}, ...Object.values(values))
        return Object.fromEntries(Object.keys(values).map((place) => [place, all]))
      }
    },
    differences: { 'query/same-name': fail('') },
  },
  {
    habit: 'writes names in camel case',
    Client: class extends ReferenceClient {
      protected override nameOf(name: string): string {
        return name.replaceAll(/_([a-z])/g, (_, letter) => letter.toUpperCase())
      }
    },
    differences: { 'query/similar-names': fail('userId=a&'), 'body/similar-names': fail('{"fooBar":') },
  },
  {
    habit: 'puts an underscore before words of its language',
    Client: class extends ReferenceClient {
      protected override nameOf(name: string): string {
        return name === 'class' || name === 'in' ? `_${name}` : name
      }
    },
    differences: { 'query/reserved-words': fail(''), 'body/names': fail('{') },
  },
  {
    habit: 'knows no style of queries but form',
    Client: class extends ReferenceClient {
      protected override styleOf({ style }: Style): string | undefined {
        return style === 'spaceDelimited' || style === 'pipeDelimited' ? 'form' : style
      }
    },
    differences: {
      ...each(fail('color=blue'), 'query/space-array', 'query/pipe-array'),
      ...each(fail('color='), 'query/space-object', 'query/pipe-object'),
      ...each(fail('tags=a'), 'form/space', 'form/pipe'),
    },
  },
  {
    habit: 'writes only the members that a schema has by itself',
    Client: class extends ReferenceClient {
      protected override namesOf(schema: Schema): readonly string[] {
        return Object.keys(schema.properties ?? {})
      }
    },
    differences: {
      ...each(fail('{'), 'body/discriminator', 'body/any-of', 'body/all-of', 'body/map', 'response/map'),
      'body/open-object': fail('{"name":"blue"'),
      'response/discriminator': fail('{"bodies":[{'),
    },
  },
  {
    habit: 'sends what is read-only',
    Client: class extends ReferenceClient {
      protected override insteadOfAbsentMember({ readOnly }: Schema): null | undefined {
        return readOnly ? null : undefined
      }
    },
    differences: { 'body/read-only': tolerated('{') },
  },
  {
    habit: 'does not send what is write-only',
    Client: class extends ReferenceClient {
      protected override namesOf(schema: Schema, value: Members): readonly string[] {
        const members = this.document.membersOf(schema)
        return super.namesOf(schema, value).filter((name) => !members[name]?.writeOnly)
      }
    },
    differences: { 'body/write-only': fail('{"name":"blue"') },
  },
  {
    habit: 'does not read what is read-only',
    Client: class extends ReferenceClient {
      protected override isRead({ readOnly }: Schema): boolean {
        return !readOnly
      }
    },
    differences: { 'response/read-only': fail('{"name":"blue"') },
  },
  {
    habit: 'requires every member of a response',
    Client: class extends ReferenceClient {
      protected override requireMembers(members: Readonly<Record<string, Schema>>, json: object): void {
        const missing = Object.keys(members).find((name) => !(name in json))
        if (missing !== undefined) throw new Error(`There is no ${missing}.`)
      }
    },
    differences: each(INCOMPLETE, 'response/absent', 'response/write-only'),
  },
  {
    habit: 'leaves out empty lists',
    Client: class extends ReferenceClient {
      protected override isGiven(value: Value | undefined): value is Value {
        return value !== undefined && !(isList(value) && value.length === 0)
      }
    },
    differences: {
      'body/empty': fail('{"options":{}'),
      'body/recursive': fail('{"name":"a","children":[{"name":"b"'),
      'response/empty': fail('{"options":{},"text":""'),
      'response/recursive': fail('{"name":"a","children":[{"name":"b","children":[{"name":"c"'),
    },
  },
  {
    habit: 'wraps what is no object',
    Client: class extends ReferenceClient {
      protected override writeJsonBody(...[value, schema]: Parameters<ReferenceClient['writeJsonBody']>): string {
        const written = super.writeJsonBody(value, schema)
        return written.startsWith('{') ? written : `{"value":${written}}`
      }
    },
    differences: {
      ...each(fail(''), 'body/int32', 'body/int64', 'body/double', 'body/nested-arrays', 'body/tuple'),
      ...each(fail(''), 'body/top-string', 'body/top-number', 'body/top-boolean', 'body/top-null', 'body/top-array'),
    },
  },
  {
    habit: 'sends null if a body is not given',
    Client: class extends ReferenceClient {
      protected override get insteadOfBody(): { mediaType: string; value: Value } {
        return { mediaType: 'application/json', value: null }
      }
    },
    differences: { 'body/no-body': fail('') },
  },
  {
    habit: 'reads bytes as text',
    Client: class extends ReferenceClient {
      protected override writeRaw(bytes: Uint8Array): Uint8Array {
        return Buffer.from(Buffer.from(bytes).toString())
      }
    },
    differences: {
      ...each(fail(`${DELIMITER}${fileHead('file', 'bytes.bin')}\r\n${PLAIN_BYTES}`), 'multipart/file'),
      ...each(fail(`${DELIMITER}${fileHead('file', 'bytes.bin')}\r\n${PLAIN_BYTES}`), 'multipart/file-and-json'),
      'multipart/part-header': fail(`${DELIMITER}${fileHead('file', 'bytes.bin')}X-Part: 7\r\n\r\n${PLAIN_BYTES}`),
      'multipart/files': fail(
        `${part(fileHead('files', 'first.bin'), 'first')}${DELIMITER}${fileHead('files', 'second.bin')}\r\n${PLAIN_BYTES}`,
      ),
      'multipart/file-type': fail(`${DELIMITER}${fileHead('image', 'pixel.png', 'image/png')}\r\n`),
      ...each(fail(PLAIN_BYTES), 'body/bytes', 'response/bytes'),
    },
  },
  {
    habit: 'writes bytes in JSON as a list of numbers',
    Client: class extends ReferenceClient {
      protected override writeBytes(bytes: Uint8Array): unknown {
        return [...bytes]
      }
    },
    differences: each(fail('{"bytes":'), 'body/base64', 'body/base64url', 'response/base64'),
  },
  {
    habit: 'writes the names of enumerations, and not their values',
    Client: class extends ReferenceClient {
      protected override writePlain(value: string | number | bigint | boolean | null, schema: Schema): unknown {
        const isNamed = schema.enum !== undefined || schema.const !== undefined
        return isNamed ? String(value).toUpperCase() : super.writePlain(value, schema)
      }
    },
    differences: { 'body/enum': fail('{"type":"'), 'body/const': fail('{"kind":"') },
  },
  {
    habit: 'writes durations in hours',
    Client: class extends ReferenceClient {
      protected override writePlain(value: string | number | bigint | boolean | null, schema: Schema): unknown {
        return schema.format === 'duration' ? 'PT26H' : super.writePlain(value, schema)
      }
    },
    differences: { 'body/duration': fail('{"for":"P') },
  },
  {
    habit: 'writes one value of a choice as a text',
    Client: class extends ReferenceClient {
      protected override writePlain(value: string | number | bigint | boolean | null, schema: Schema): unknown {
        return schema.oneOf?.some(({ type }) => type === 'integer') ? String(value) : super.writePlain(value, schema)
      }
    },
    differences: { 'body/one-of': fail('{"item":') },
  },
  {
    habit: 'does not know how a document describes XML',
    Client: class extends ReferenceClient {
      protected override writeXml(value: Value): string {
        const members = Object.entries(value as Members).map(([name, member]) =>
          [member].flat().map(
            (item) =>
              `<${name}>${this.textOf(item as Value)
                .replaceAll('&', '&amp;')
                .replaceAll('<', '&lt;')}</${name}>`,
          ),
        )
        return `<planet>${members.flat().join('')}</planet>`
      }
    },
    differences: {
      'xml/attribute': fail('<planet'),
      'xml/wrapped': fail('<planet><tags>'),
      'xml/unwrapped': fail('<planet><'),
      'xml/namespace': fail('<'),
    },
  },
  {
    habit: 'does not escape texts in XML',
    Client: class extends ReferenceClient {
      protected override writeXml(...[value, schema]: Parameters<ReferenceClient['writeXml']>): string {
        return super.writeXml(value, schema).replaceAll('&lt;', '<').replaceAll('&amp;', '&')
      }
    },
    differences: { 'xml/escaped': fail('<planet><name>a ') },
  },
]
