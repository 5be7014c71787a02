import {
  type BrokenClient,
  DELIMITER,
  each,
  FILE_PART,
  fail,
  headOf,
  INCOMPLETE,
  JSON_PART_HEAD,
  tolerated,
} from './differences.ts'
import { type Message, ReferenceClient } from './reference/client.ts'
import type { Encoding, Parameter, Schema } from './reference/document.ts'
import type { Part } from './reference/multipart.ts'
import type { StreamEvent } from './reference/streams.ts'
import type { Value } from './reference/values.ts'

// Clients of OpenAPI 3.2 that are broken on purpose, as those in broken-clients.ts: what they fail was written down from
// the published table and rules.

/** The first item of `response/events-json`. */
const BLUE = '{"id":"1","event":"count","retry":1500,"data":{"name":"blue","count":3}}'

const MIXED = each(fail(`${DELIMITER}Content-Type: `), 'multipart/mixed', 'multipart/nested')

export const BROKEN_IN_32: readonly BrokenClient[] = [
  {
    habit: 'encodes raw cookies',
    Client: class extends ReferenceClient {
      protected override writeRawCookie(name: string, values: readonly string[], isExploded: boolean): string {
        return super.writeRawCookie(name, values.map(encodeURIComponent), isExploded)
      }
    },
    differences: { 'cookie/raw': fail('color=a%2') },
  },
  {
    habit: 'encodes triples again',
    Client: class extends ReferenceClient {
      protected override prepare(text: string): string {
        return text.replaceAll(/%(?=[\dA-F]{2})/g, '%25')
      }
    },
    differences: {
      'path/allow-reserved': fail('a'),
      'header/unencoded': fail('a/b c%2'),
      'cookie/raw': fail('color=a%2'),
    },
  },
  {
    habit: 'writes spaces as plus signs in a query that is JSON',
    Client: class extends ReferenceClient {
      protected override finish(written: string, place: Parameter['in'] | 'form'): string {
        return place === 'querystring' ? written.replaceAll('%20', '+') : written
      }
    },
    differences: { 'query/querystring-json': fail('%7B%22text%22%3A%22a') },
  },
  {
    habit: 'makes one part of a list in JSON',
    Client: class extends ReferenceClient {
      protected override isSplit({ contentType }: Encoding): boolean {
        return contentType === undefined
      }
    },
    differences: { 'multipart/json-items': fail(`${DELIMITER}${headOf('tags')}${JSON_PART_HEAD}`) },
  },
  {
    habit: 'sorts parts',
    Client: class extends ReferenceClient {
      protected override inOrder(parts: readonly Part[]): readonly Part[] {
        return parts.toSorted((one, other) => Buffer.compare(one.content, other.content))
      }
    },
    differences: MIXED,
  },
  {
    habit: 'loses the types of parts',
    Client: class extends ReferenceClient {
      protected override typeOfItem(): undefined {
        return undefined
      }

      protected override typeOfJsonPart(): undefined {
        return undefined
      }
    },
    differences: {
      ...each(fail(DELIMITER), 'multipart/mixed', 'multipart/nested'),
      'multipart/json-items': fail(`${DELIMITER}${headOf('tags')}`),
      'multipart/object': fail(`${DELIMITER}${headOf('color')}`),
      'multipart/file-and-json': fail(`${FILE_PART}${DELIMITER}${headOf('meta')}`),
    },
  },
  {
    habit: 'sends one list for lines of JSON',
    Client: class extends ReferenceClient {
      protected override writeLines(items: readonly Value[], schema: Schema): string {
        return this.writeJson(items, { type: 'array', items: schema })
      }
    },
    differences: { 'body/jsonl': fail('') },
  },
  {
    habit: 'takes each line of data for an event',
    Client: class extends ReferenceClient {
      protected override dataOf(lines: readonly string[]): readonly string[] {
        return lines
      }
    },
    differences: {
      'response/events': fail('[{"event":"moon","data":"one'),
      // The first line is no JSON.
      'response/events-json': INCOMPLETE,
    },
  },
  {
    habit: 'takes comments for events',
    Client: class extends ReferenceClient {
      protected override fromComment(data: string): StreamEvent {
        return { data }
      }
    },
    differences: { 'response/events': fail('[{"data":"') },
  },
  {
    habit: 'ends a line at a line separator',
    Client: class extends ReferenceClient {
      protected override get lineEnd(): RegExp {
        return /[\n\u2028]/
      }
    },
    differences: { 'response/jsonl': INCOMPLETE },
  },
  {
    habit: 'loses a last line without an end',
    Client: class extends ReferenceClient {
      protected override get keepsRest(): boolean {
        return false
      }
    },
    differences: { 'response/jsonl': fail('[{"text":"a\u2028b"},{"text":"c\\nd"}') },
  },
  {
    habit: 'loses objects of an unknown kind',
    Client: class extends ReferenceClient {
      protected override fromJson(json: unknown, schema: Schema): Value {
        const { mapping, propertyName = '' } = this.document.resolve(schema.items ?? {}).discriminator ?? {}
        const isKnown = (item: Record<string, string>) => !mapping || (item[propertyName] ?? '') in mapping
        return super.fromJson(Array.isArray(json) ? json.filter(isKnown) : json, schema)
      }
    },
    differences: { 'response/default-mapping': fail('{"bodies":[{"kind":"moon","diameter":3475}') },
  },
  {
    habit: 'drops falsy values in OpenAPI 3.2',
    Client: class extends ReferenceClient {
      protected override isGiven(value: Value | undefined): value is Value {
        return Boolean(value)
      }
    },
    differences: {
      ...each(fail(''), 'query/falsy', 'header/integer', 'form/falsy', 'multipart/falsy'),
      ...each(fail('{'), 'body/null', 'body/falsy', 'body/merge-patch'),
      ...each(fail(''), 'body/top-boolean', 'body/top-null'),
      'query/querystring-form': fail('text=a%20b%2Bc%26d&tags=x&tags=y'),
      'query/querystring-json': fail('%7B%22text%22%3A%22a%20b%2Bc%22%2C%22tags%22%3A%5B%22x%22%2C%22y%22%5D'),
      'body/query-method': fail('{"name":"blue"'),
      'response/null': fail('{"name":"blue"'),
      'response/empty': fail('{"tags":[],"options":{}'),
      'response/events-json': fail(`[${BLUE},{"id":"2","event":"count","data":{"name":"a\\nb"`),
      'response/jsonl': fail('[{"text":"a\u2028b"},{"text":"c\\nd"},{'),
    },
  },
  {
    habit: 'separates raw cookies and their items as URLs do',
    Client: class extends ReferenceClient {
      protected override writeRawCookie(name: string, values: readonly string[], isExploded: boolean): string {
        return isExploded ? values.map((value) => `${name}=${value}`).join('&') : `${name}=${values.join('%2C')}`
      }
    },
    differences: each(fail('color=blue'), 'cookie/raw-array', 'cookie/raw-array-unexploded'),
  },
  {
    habit: 'writes a space in a cookie as a plus sign',
    Client: class extends ReferenceClient {
      protected override finish(written: string, place: Parameter['in'] | 'form'): string {
        return place === 'cookie' ? written.replaceAll('%20', '+') : written
      }
    },
    differences: { 'cookie/percent-encoded': fail('color=a') },
  },
  {
    habit: 'sends no body with methods that HTTP did not always have',
    Client: class extends ReferenceClient {
      protected override async fetch({ headers: { 'Content-Type': type, ...headers }, body, ...message }: Message) {
        const isOld = ['GET', 'POST', 'PUT', 'PATCH'].includes(message.method)
        const own = isOld && type !== undefined ? { ...headers, 'Content-Type': type } : headers
        return await super.fetch({ ...message, headers: own, body: isOld ? body : undefined })
      }
    },
    differences: each(fail(''), 'body/query-method', 'body/additional-method'),
  },
  {
    habit: 'writes XML without the nodes of OpenAPI 3.2',
    Client: class extends ReferenceClient {
      protected override writeXml(value: Value, schema: Schema): string {
        return super
          .writeXml(value, schema)
          .replaceAll(/ id="(\d)">(\w+)</g, '><id>$1</id><name>$2</name><')
          .replace(/<!\[CDATA\[.*\]\]>/, 'a &lt; b &amp; c')
          .replaceAll('XmlNodeReferenceMoon', 'moon')
      }
    },
    differences: {
      'xml/node-list': fail('<planets><planet'),
      'xml/node-cdata': tolerated('<note>'),
      'xml/node-reference': fail('<planet><'),
    },
  },
  {
    habit: 'loses the last item of a stream',
    Client: class extends ReferenceClient {
      protected override async readItems(mediaType: string, response: Response): Promise<readonly unknown[]> {
        return (await super.readItems(mediaType, response)).slice(0, -1)
      }
    },
    differences: {
      'response/events': fail('[{"event":"moon","data":"one\\ntwo"},{"data":"three: 3"}'),
      'response/events-json': fail(`[${BLUE}`),
      'response/jsonl': fail('[{"text":"a\u2028b"},{"text":"c\\nd"}'),
      'response/json-seq': fail('[{"text":"a"}'),
      'response/multipart-mixed': fail('[{"name":"blue"}'),
    },
  },
]
