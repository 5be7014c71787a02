import type { Expected, ExpectedParameter, Style } from '../case.ts'
import { compareJson } from './json.ts'
import { explain, type Part, quote, report } from './part.ts'
import { compareScalar } from './scalars.ts'
import { type Slice, split, type Text, toBytes } from './text.ts'

export type Decode = (slice: Slice) => Text

export interface Pair {
  name: Text
  /** Absent if there is no equals sign. */
  value?: Slice
  end: number
}

const COMMA = /,/g

/** What separates items in one value. A space and a bar have no other purpose in a URL, so they count encoded too. */
const SEPARATORS: Readonly<Partial<Record<Style, RegExp>>> = {
  spaceDelimited: /%20|[+ ]/g,
  pipeDelimited: /%7c|\|/gi,
}

/** Splits `name=value`. */
export function readPair(part: Part, [start, end]: Slice, decode: Decode): Pair {
  const equals = part.received.slice(start, end).indexOf('=')
  if (equals < 0) return { name: decode([start, end]), end }
  return { name: decode([start, start + equals]), value: [start + equals + 1, end], end }
}

/** The sentence for a list that arrived as one item, because the comma between its items is encoded. */
function describeEncodedComma(
  part: Part,
  slices: readonly Slice[],
  wanted: number,
  decode: Decode,
): string | undefined {
  const [slice] = slices
  if (slices.length > 1 || wanted < 2 || !slice || !/%2c/i.test(part.received.slice(...slice))) return undefined
  return `The comma between items is encoded, so one item arrived: ${quote(decode(slice).value)}.`
}

/** Compares the items of a list in one value. */
function compareItems(part: Part, slices: readonly Slice[], items: readonly Expected[], decode: Decode, what: string) {
  explain(part, describeEncodedComma(part, slices, items.length, decode), () => {
    items.forEach((item, index) => {
      const slice = slices[index]
      if (slice) compareScalar(part, decode(slice), item, `Item ${index + 1} of ${what}`)
    })
  })
  const end = slices.at(-1)?.[1] ?? 0
  if (slices.length < items.length) {
    report(part, 'fail', end, `Of ${what} ${slices.length} of ${items.length} items arrived.`)
  }
  // The separator of the item too many, which begins where the last item ends.
  const last = slices[items.length - 1]
  if (last && slices.length > items.length)
    report(part, 'fail', last[1], `${what} has more than ${items.length} items.`)
}

/** Compares the members of an object in one value. @param end The end of what contains them */
function compareMembers(
  part: Part,
  pairs: readonly Pair[],
  members: Readonly<Record<string, Expected>>,
  end: number,
  decode: Decode,
  what: string,
) {
  comparePairs(
    part,
    pairs,
    Object.entries(members).map(([name, expected]) => ({
      in: 'path',
      name,
      style: 'simple',
      explode: false,
      expected,
    })),
    end,
    decode,
    `of ${what}`,
  )
}

/**
 * Compares one value with the style that is written inside it. It is split first and decoded afterwards.
 * @param explode Whether members are `name=value`
 */
export function compareInline(
  part: Part,
  slice: Slice,
  expected: Expected,
  separator: RegExp,
  explode: boolean,
  decode: Decode,
  what: string,
): void {
  const slices = [...split(part.received, slice, separator)]
  // Of a separator that is not legal here, it is noted.
  slices.slice(1).forEach(([start], index) => {
    decode([slices[index]?.[1] ?? start, start])
  })
  if (expected.is === 'list') compareItems(part, slices, expected.items, decode, what)
  else if (expected.is === 'object') {
    const count = Object.keys(expected.members).length
    const pairs = explode
      ? slices.map((pair) => readPair(part, pair, decode))
      : slices.flatMap((name, index) => {
          const value = slices[index + 1]
          return index % 2 > 0 ? [] : [{ name: decode(name), ...(value && { value }), end: name[1] }]
        })
    explain(part, describeEncodedComma(part, slices, 2 * count, decode), () =>
      compareMembers(part, pairs, expected.members, slice[1], decode, what),
    )
  } else compareScalar(part, decode(slice), expected, what)
}

/** What should come under a name, in this order. */
interface Target {
  parameter: ExpectedParameter
  values: readonly Expected[]
  taken: number
}

/** The names under which parameters arrive. */
function targetsOf(parameters: readonly ExpectedParameter[]): ReadonlyMap<string, Target> {
  const targets = new Map<string, Target>()
  for (const parameter of parameters) {
    const { name, expected, style, explode, isJson } = parameter
    const add = (key: string, values: readonly Expected[]) => targets.set(toBytes(key), { parameter, values, taken: 0 })
    const isExploded = (explode || style === 'deepObject') && !isJson
    if (expected?.is === 'object' && isExploded) {
      for (const [member, value] of Object.entries(expected.members)) {
        add(style === 'deepObject' ? `${name}[${member}]` : member, [value])
      }
    } else if (expected) {
      add(name, expected.is === 'list' && isExploded ? expected.items : [expected])
    }
  }
  return targets
}

/**
 * A list in JSON comes as a value for each item (OpenAPI 3.2.0, "Encoding By Name"). It may also come as one value,
 * because 3.1.2 can be read so.
 */
function splitList(part: Part, target: Target, [start, end]: Slice): void {
  const [first] = target.values
  const { isJson, in: place } = target.parameter
  if (!isJson || place !== 'form' || target.taken > 0 || first?.is !== 'list') return
  // Only the first character counts, and it may be encoded.
  if (!/^(?:%(?:20|0[9ad])|[+ \t\r\n])*(?:\[|%5b)/i.test(part.received.slice(start, end))) target.values = first.items
}

/**
 * Compares pairs with the parameters that should arrive. Their order is free, but of those with one name.
 * @param end The end of what contains them
 * @param where The end of a sentence: what contains them
 */
export function comparePairs(
  part: Part,
  pairs: Iterable<Pair>,
  parameters: readonly ExpectedParameter[],
  end: number,
  decode: (slice: Slice, parameter?: ExpectedParameter) => Text,
  where: string,
): void {
  const targets = targetsOf(parameters)
  for (const { name, value, end: endOfPair } of pairs) {
    // What comes after a difference cannot be the first one.
    if (part.fail && part.fail.at < name.at(0)) break
    const target = targets.get(name.value)
    if (target && value) splitList(part, target, value)
    const expected = target?.values[target.taken]
    const what = `${quote(name.value)} ${where}`
    if (!target || !expected) {
      report(
        part,
        'fail',
        name.at(0),
        target ? `${what} came more often than it should.` : `${what} should not be there.`,
      )
      continue
    }
    target.taken++
    if (!value && expected.is === 'text' && expected.value === '') {
      report(part, 'nonStrict', endOfPair, `${what} has no equals sign.`)
      continue
    }
    const { parameter } = target
    const slice = value ?? [endOfPair, endOfPair]
    const decodeValue: Decode = (range) => decode(range, parameter)
    if (parameter.isJson) compareJson(part, decodeValue(slice), expected, what)
    else compareInline(part, slice, expected, SEPARATORS[parameter.style] ?? COMMA, false, decodeValue, what)
  }
  for (const [name, { values, taken }] of targets) {
    if (taken < values.length) {
      const missing = taken === 0 ? 'is missing' : `came ${taken} instead of ${values.length} times`
      report(part, 'fail', end, `${quote(name)} ${where} ${missing}.`)
    }
  }
}

/** Compares a value in the style `simple`, of paths and headers. */
export function compareSimple(part: Part, slice: Slice, parameter: ExpectedParameter, decode: Decode): void {
  const { expected, explode, name } = parameter
  if (expected) compareInline(part, slice, expected, COMMA, explode, decode, name)
}

/** The dot is an unreserved character: encoded it is the same (RFC 3986, 2.3). */
const DOT = /\.|%2e/gi
const SEMICOLON = /;/g

/** The range after a sign that a style begins with. */
function skipSign(part: Part, [start, end]: Slice, sign: RegExp, name: string): Slice {
  const first = new RegExp(`^(?:${sign.source})`, 'i').exec(part.received.slice(start, Math.min(start + 3, end)))
  if (!first) report(part, 'fail', start, `${name} does not begin with ${sign === DOT ? 'a dot' : 'a semicolon'}.`)
  return [start + (first?.[0].length ?? 0), end]
}

export function compareLabel(part: Part, whole: Slice, parameter: ExpectedParameter, decode: Decode): void {
  const { expected, explode, name } = parameter
  const slice = skipSign(part, whole, DOT, name)
  if (!expected) return
  const dotted = [...split(part.received, slice, DOT)]
  const wanted =
    expected.is === 'list'
      ? expected.items.length
      : expected.is === 'object'
        ? 2 * Object.keys(expected.members).length
        : 1
  const isOld = !explode && wanted > 1 && dotted.length === wanted && !part.received.slice(...slice).includes(',')
  if (isOld)
    report(
      part,
      'nonStrict',
      dotted[0]?.[1] ?? slice[0],
      `${name} has dots for commas, as in the examples of OpenAPI 3.0.3 and 3.1.0.`,
    )
  compareInline(part, slice, expected, explode || isOld ? DOT : COMMA, explode, decode, name)
}

/** Compares a value in the style `matrix`: pairs, each after a semicolon. */
export function compareMatrix(part: Part, whole: Slice, parameter: ExpectedParameter, decode: Decode): void {
  const slice = skipSign(part, whole, SEMICOLON, parameter.name)
  const pairs = split(part.received, slice, SEMICOLON).map((range) => readPair(part, range, decode))
  comparePairs(part, pairs, [parameter], whole[1], decode, 'of the path')
}
