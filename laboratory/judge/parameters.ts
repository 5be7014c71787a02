import type { ExpectedParameter } from '../case.ts'
import { compareJson } from './json.ts'
import { makePart, type Part, report } from './part.ts'
import { decodePercent, IN_COOKIE, IN_QUERYSTRING, type PercentRules, rulesFor } from './percent.ts'
import { comparePairs, compareSimple, type Decode, type Pair, readPair } from './styles.ts'
import { type Bytes, plainText, type Slice, split, trim } from './text.ts'

/** Compares a query, or a form. */
export function compareQuery(part: Part, parameters: readonly ExpectedParameter[], rules: PercentRules): void {
  const { received } = part
  const { where } = rules
  const decode = (slice: Slice, parameter?: ExpectedParameter) =>
    decodePercent(part, slice, rulesFor(rules, parameter ?? {}))
  const whole: Slice = [0, received.length]
  comparePairs(
    part,
    received === '' ? [] : readPairs(part, whole, decode, where),
    parameters,
    received.length,
    decode,
    where,
  )
}

/** Compares a query that is JSON as a whole. */
export function compareQuerystring(part: Part, { expected }: ExpectedParameter): void {
  const { received } = part
  if (received === '') report(part, 'fail', 0, 'The query is missing.')
  else if (expected) compareJson(part, decodePercent(part, [0, received.length], IN_QUERYSTRING), expected, 'the query')
}

/** Reads pairs as they are needed, because nothing after a difference is compared. */
function* readPairs(part: Part, whole: Slice, decode: Decode, where: string): Generator<Pair> {
  for (const slice of split(part.received, whole, /&/g)) {
    if (slice[0] < slice[1]) yield readPair(part, slice, decode)
    // The `&` after the empty pair, or the one before it at the end.
    else report(part, 'nonStrict', Math.min(slice[0], whole[1] - 1), `There is an empty pair ${where}.`)
  }
}

/** Headers are never percent-encoded (OpenAPI 3.1.2, 4.8.12.1). @param value Undefined if there is none */
export function compareHeader(part: Part, value: Bytes | undefined, parameter: ExpectedParameter): void {
  const { name, expected } = parameter
  if (!expected) {
    if (value !== undefined) report(part, 'fail', 0, `The header ${name} should not be there.`)
  } else if (value === undefined) {
    report(part, 'fail', 0, `The header ${name} is missing.`)
  } else {
    const decode = (slice: Slice) => plainText(value, trim(value, slice))
    compareSimple(part, [0, value.length], parameter, decode)
  }
}

/** What separates two cookies (RFC 6265, 4.2.1). */
const BETWEEN_COOKIES = '; '

/**
 * Reads the cookies of a case from the header `Cookie` (RFC 6265, 4.2.1), as they came, and compares them. What is wrong
 * between the cookies of others is noted where the next cookie of the case is, or at the end.
 */
export function judgeCookies(header: Bytes, parameters: readonly ExpectedParameter[]): Part {
  const part = makePart('')
  // Of cases that are not about cookies, none is judged.
  if (parameters.length === 0) return part
  const names = new Set(
    parameters.flatMap(({ name, expected }) => [
      name,
      ...(expected?.is === 'object' ? Object.keys(expected.members) : []),
    ]),
  )
  const pairs: Slice[] = []
  const [from, to] = trim(header, [0, header.length])
  for (const [start, end] of split(header, [from, to], /;/g)) {
    const [first, last] = trim(header, [start, end])
    const cookie = header.slice(first, last)
    const separator = start > from ? header.slice(start - 1, first) : ''
    if (cookie === '' && from < to) {
      report(part, 'nonStrict', part.received.length, 'A semicolon comes before or after no cookie.')
    } else if (separator !== '' && separator !== BETWEEN_COOKIES) {
      report(part, 'nonStrict', part.received.length, 'What separates two cookies is not a semicolon and one space.')
    }
    const [name = ''] = cookie.split('=', 1)
    if (!names.has(name)) continue
    part.received += pairs.length > 0 ? separator : ''
    pairs.push([part.received.length, part.received.length + cookie.length])
    part.received += cookie
  }
  // With the style `cookie`, nothing is decoded (OpenAPI 3.2.0, "Style Values").
  const decode = (slice: Slice, parameter?: ExpectedParameter) =>
    parameter?.style === 'cookie' ? plainText(part.received, slice) : decodePercent(part, slice, IN_COOKIE)
  const read = pairs.map((slice) => readPair(part, slice, decode))
  comparePairs(part, read, parameters, part.received.length, decode, IN_COOKIE.where)
  return part
}
