import { HopClient } from './hop-client.ts'
import { ReferenceClient } from './reference/client.ts'
import type { Parameter, Schema } from './reference/document.ts'
import type { Members, Value } from './reference/values.ts'

// Clients that write what they send in another way that is as right. Each passes every case.

export const HARMLESS_CLIENTS: readonly (readonly [habit: string, Client: typeof ReferenceClient])[] = [
  ['is behind hops that write requests in other ways', HopClient],
  [
    'writes spaces in queries and forms as plus signs',
    class extends ReferenceClient {
      protected override finish(written: string, place: Parameter['in'] | 'form'): string {
        return place === 'query' || place === 'form' ? written.replaceAll('%20', '+') : written
      }
    },
  ],
  [
    'puts parameters, members and cookies in reverse order',
    class extends ReferenceClient {
      protected override given(...asked: Parameters<ReferenceClient['given']>) {
        return super.given(...asked).toReversed()
      }

      protected override namesOf(schema: Schema, value: Members): readonly string[] {
        return super.namesOf(schema, value).toReversed()
      }

      protected override toPlain(value: Value): ReturnType<ReferenceClient['toPlain']> {
        const plain = super.toPlain(value)
        return typeof plain === 'string' || Array.isArray(plain)
          ? plain
          : Object.fromEntries(Object.entries(plain).toReversed())
      }
    },
  ],
  [
    'names the charset of each body',
    class extends ReferenceClient {
      protected override contentTypeOf(mediaType: string): string {
        return `${mediaType.toUpperCase()};charset="utf-8"`
      }
    },
  ],
  [
    'writes JSON in ASCII',
    class extends ReferenceClient {
      protected override writeJson(value: Value, schema: Schema): string {
        const toEscape = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`
        return super
          .writeJson(value, schema)
          .replaceAll(/[\u0080-\uffff]/g, toEscape)
          .replaceAll('/', '\\/')
      }
    },
  ],
  [
    'writes times with small letters',
    class extends ReferenceClient {
      protected override writeTime(time: Date): string {
        return time.toISOString().toLowerCase()
      }
    },
  ],
  [
    'writes times of India, and spaces around the commas of headers',
    class extends ReferenceClient {
      protected override writeTime(time: Date): string {
        return new Date(time.getTime() + 5.5 * 3_600_000).toISOString().replace('Z', '+05:30')
      }

      protected override writeHeader(parameter: Parameter, value: Value): string {
        return super.writeHeader(parameter, value).replaceAll(',', ' ,  ')
      }
    },
  ],
]
