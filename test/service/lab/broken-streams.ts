import {
  type BrokenClient,
  DELIMITER,
  each,
  FILE_PART,
  fail,
  headOf,
  INCOMPLETE,
  JSON_PART_HEAD,
} from './differences.ts'
import { ReferenceClient } from './reference/client.ts'
import type { Encoding, Parameter, Schema } from './reference/document.ts'
import type { Part } from './reference/multipart.ts'
import type { StreamEvent } from './reference/streams.ts'
import type { Value } from './reference/values.ts'

// Clients of OpenAPI 3.2 that are broken on purpose, as those in broken-clients.ts: what they fail was written down from
// the published table and rules.

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
]
