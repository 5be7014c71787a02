import type { ExpectedParameter } from '../case.ts'
import { makePart, type Part, report } from './part.ts'
import { decodePercent, IN_COOKIE, type PercentRules } from './percent.ts'
import { comparePairs, compareSimple, type Decode, type Pair, readPair } from './styles.ts'
import { type Bytes, plainText, type Slice, split, trim } from './text.ts'

/**
 * Compares a query, or a form.
 * @param where The end of a sentence: what contains the pairs
 */
export function compareQuery(
  part: Part,
  parameters: readonly ExpectedParameter[],
  rules: PercentRules,
  where: string,
): void {
  const { received } = part
  const decode = (slice: Slice, parameter?: ExpectedParameter) =>
    decodePercent(part, slice, { ...rules, allowReserved: parameter?.allowReserved })
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

/** Reads pairs as they are needed, because nothing after a difference is compared. */
function* readPairs(part: Part, whole: Slice, decode: Decode, where: string): Generator<Pair> {
  for (const slice of split(part.received, whole, /&/g)) {
    if (slice[0] < slice[1]) yield readPair(part, slice, decode)
    // The `&` after the empty pair, or the one before it at the end.
    else report(part, 'nonStrict', Math.min(slice[0], whole[1] - 1), `There is an empty pair ${where}.`)
  }
}

/** Compares a header. Headers are never percent-encoded (OpenAPI 3.1.2, 4.8.12.1). @param value Undefined if there is none */
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

/** Reads the cookies of a case from the header `Cookie` (RFC 6265, 4.2.1), as they came, and compares them. */
export function judgeCookies(header: Bytes, parameters: readonly ExpectedParameter[]): Part {
  const names = new Set(
    parameters.flatMap(({ name, expected }) => [
      name,
      ...(expected?.is === 'object' ? Object.keys(expected.members) : []),
    ]),
  )
  const part = makePart('')
  const pairs: Slice[] = []
  for (const [start, end] of split(header, [0, header.length], /;/g)) {
    const [first, last] = trim(header, [start, end])
    const cookie = header.slice(first, last)
    const [name = ''] = cookie.split('=', 1)
    if (!names.has(name)) continue
    const separator = pairs.length > 0 ? header.slice(start - 1, first) : ''
    if (separator === ';') {
      report(part, 'nonStrict', part.received.length, 'No space follows the semicolon between two cookies.')
    }
    part.received += separator
    pairs.push([part.received.length, part.received.length + cookie.length])
    part.received += cookie
  }
  const decode = (slice: Slice) => decodePercent(part, slice, IN_COOKIE)
  const read = pairs.map((slice) => readPair(part, slice, decode))
  comparePairs(part, read, parameters, part.received.length, decode, 'of the cookies')
  return part
}
