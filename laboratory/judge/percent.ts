import type { ExpectedParameter } from '../case.ts'
import { type Part, report } from './part.ts'
import { type Slice, type Text, TextBuilder } from './text.ts'

/** How a place of a URL, or a form, is decoded. */
export interface PercentRules {
  /** The end of a sentence: the place. */
  where: string
  /** A plus sign is a space. */
  plusIsSpace?: true
  /** Characters that are not legal here, and that only tolerant servers read. */
  nonStrict: RegExp
  /** A reserved character should not be encoded. */
  allowReserved?: true
  /** Triples of the value itself, in capitals, which stay as they are. */
  triples?: readonly string[]
}

/** The rules for the value of a parameter. With `allowReserved`, its own triples pass unchanged (OpenAPI 3.2.0). */
export function rulesFor(rules: PercentRules, { allowReserved, expected }: Partial<ExpectedParameter>): PercentRules {
  if (!allowReserved) return rules
  const text = expected?.is === 'text' ? expected.value : ''
  return { ...rules, allowReserved, triples: text.toUpperCase().match(/%[\dA-F]{2}/g) ?? [] }
}

/**
 * A URL parser encodes a backquote, braces and a circumflex in paths by itself. So a path that has them raw tells nothing
 * about the client.
 */
export const IN_PATH: PercentRules = { where: 'in the path', nonStrict: /[[\]|]/ }

/** A runtime or a hop encodes all other characters that are not legal. */
export const IN_QUERY: PercentRules = { where: 'in the query', plusIsSpace: true, nonStrict: /[[\]|{}^`]/ }

/** A query that is no form as a whole: a plus sign is itself (RFC 3986). */
export const IN_QUERYSTRING: PercentRules = { where: IN_QUERY.where, nonStrict: IN_QUERY.nonStrict }

/** No hop changes a body, so every character that RFC 3986 does not allow in a query counts. */
export const IN_FORM: PercentRules = { where: 'in the form', plusIsSpace: true, nonStrict: /[^\w.~!$&'()*+,;=:@/?%-]/ }

/** Cookies have characters of their own: RFC 6265, 4.1.1. */
export const IN_COOKIE: PercentRules = {
  where: 'in the cookies',
  nonStrict: /[^\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]/,
}

/** Reserved characters that have no purpose inside a value of a query. */
const LEFT_RAW = /[:/?@!$'()*,;]/

const TRIPLE = /^%[\da-fA-F]{2}$/

/** Decodes percent-encoded bytes (RFC 3986, 2.1), and notes what is not legal. It never fails. */
export function decodePercent(part: Part, [start, end]: Slice, rules: PercentRules): Text {
  const text = new TextBuilder()
  const { received } = part
  for (let at = start; at < end; at++) {
    const byte = received.charAt(at)
    const triple = byte === '%' ? received.slice(at, Math.min(at + 3, end)) : ''
    if (rules.triples?.includes(triple.toUpperCase())) {
      text.add(triple.toUpperCase(), at)
      at += 2
    } else if (TRIPLE.test(triple)) {
      const decoded = String.fromCharCode(Number.parseInt(triple.slice(1), 16))
      if (rules.allowReserved && LEFT_RAW.test(decoded)) {
        const reason = `The reserved character ${decoded} ${rules.where} is encoded, although allowReserved leaves it.`
        report(part, 'nonStrict', at, reason)
      }
      text.add(decoded, at)
      at += 2
    } else {
      if (byte === '%')
        report(part, 'fail', at, `A percent sign ${rules.where} is not encoded, and no two hex digits follow it.`)
      if (rules.nonStrict.test(byte)) {
        const name = byte > ' ' && byte < '\x7f' ? `The character ${byte}` : 'A character that has to be'
        report(part, 'nonStrict', at, `${name} is not encoded ${rules.where}.`)
      }
      text.add(rules.plusIsSpace && byte === '+' ? ' ' : byte, at)
    }
  }
  const built = text.build(end)
  for (const triple of rules.triples ?? []) requireUnencoded(part, built, triple, rules)
  return built
}

/** A triple of the value is one triple on the wire. Any other form of it is an encoding of its characters. */
function requireUnencoded(part: Part, { value, at }: Text, triple: string, { where }: PercentRules): void {
  const upper = value.toUpperCase()
  for (let index = upper.indexOf(triple); index >= 0; index = upper.indexOf(triple, index + 1)) {
    if (at(index) !== at(index + triple.length - 1))
      report(part, 'fail', at(index), `The triple ${triple} ${where} is encoded again.`)
  }
}
