import { parseMoment } from '../../src/lib/time.ts'
import type { Expected } from '../case.ts'
import { type Part, quote, report } from './part.ts'
import { findDifference, type Text, toBytes } from './text.ts'

/** A value that is one text, one number, or nothing. */
export type Scalar = Exclude<Expected, { is: 'list' | 'object' }>

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/

/** The form that is the same for the same decimal number, or undefined if the text is none. It costs linear time. */
function normalizeDecimal(text: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? []
  const digits = whole + fraction
  if (digits === '') return undefined
  let [start, end] = [0, digits.length]
  while (digits[start] === '0') start++
  while (end > start && digits[end - 1] === '0') end--
  if (start === end) return '0'
  const power = Number(exponent) - fraction.length + digits.length - end
  return `${sign === '-' ? '-' : ''}${digits.slice(start, end)}e${power}`
}

export const isSameInteger = (text: string, expected: string): boolean =>
  normalizeDecimal(text) === normalizeDecimal(expected)

export const isSameNumber = (text: string, expected: number): boolean =>
  normalizeDecimal(text) !== undefined && Number(text) === expected

/** The instant of a date-time of RFC 3339, or of one with a space for its T, in whole milliseconds. */
const instantOf = (text: string): number | undefined => parseMoment(text.replace(/^(.{10}) /, '$1T'))?.getTime()

const ALPHABETS = { base64: /^[A-Za-z0-9+/]*(={0,2})$/, base64url: /^[A-Za-z0-9_-]*(={0,2})$/ }

const withoutPadding = (text: string) => text.replace(/=+$/, '')

/** The bytes of a text in base64 of RFC 4648, or undefined if it is none. */
function decodeBase64(text: string, alphabet: keyof typeof ALPHABETS): string | undefined {
  if (!ALPHABETS[alphabet].test(text)) return undefined
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return undefined
  }
}

function compareCharacters(part: Part, text: Text, expected: string, what: string): void {
  const value = toBytes(expected)
  const index = findDifference(text.value, value)
  if (index < 0) return
  report(part, 'fail', text.at(index), `${what} is ${quote(text.value)}, not ${quote(value)}.`)
}

function compareBase64(part: Part, text: Text, { value: base64, alphabet }: Scalar & { is: 'bytes' }, what: string) {
  const { value } = text
  const isUrl = alphabet === 'base64url'
  const written = isUrl ? base64.replaceAll('+', '-').replaceAll('/', '_') : base64
  if (decodeBase64(value, alphabet) !== atob(base64)) return compareCharacters(part, text, written, what)
  // Of the same bytes, only bits after the last one can differ (RFC 4648, 3.5: encoders MUST set them to zero).
  const tail = findDifference(withoutPadding(value), withoutPadding(written))
  if (tail >= 0) report(part, 'nonStrict', text.at(tail), `${what} has bits after its last byte that are not zero.`)
  else if (!isUrl && value.length % 4 !== 0) report(part, 'nonStrict', text.at(value.length), `${what} has no padding.`)
}

/** Compares values that are written as texts in JSON too. @param what The place of the value, in a sentence */
export function compareText(part: Part, text: Text, expected: Scalar & { value: unknown }, what: string): void {
  const { value } = text
  if (expected.is === 'instant') {
    const instant = instantOf(value)
    if (instant === undefined || instant !== instantOf(expected.value)) {
      const difference = instant === undefined ? 'no date-time of RFC 3339' : 'another instant'
      report(part, 'fail', text.at(0), `${what} is ${difference}: ${quote(value)}.`)
    } else if (value[10] === ' ') {
      report(part, 'nonStrict', text.at(10), `${what} has a space where RFC 3339 has a T.`)
    }
  } else if (expected.is === 'bytes') {
    compareBase64(part, text, expected, what)
  } else {
    compareCharacters(part, text, String(expected.value), what)
  }
}

/** What is expected that has no value, in words. */
export const KINDS = { null: 'null', list: 'a list', object: 'an object' } as const

/** Notes that another value than the expected one is there. @param value In quotes */
function reportOther(part: Part, at: number, value: string, expected: Expected, what: string): void {
  const wanted = 'value' in expected ? quote(toBytes(String(expected.value))) : KINDS[expected.is]
  report(part, 'fail', at, `${what} is ${value}, not ${wanted}.`)
}

const BOOLEANS: Readonly<Record<string, boolean | undefined>> = {
  true: true,
  false: false,
  True: true,
  False: false,
  1: true,
  0: false,
}

/** Compares a value that is written as a text: in a URL, a form, a header, a cookie, a part. */
export function compareScalar(part: Part, text: Text, expected: Expected, what: string): void {
  const { value } = text
  const nonStrict = (index: number) =>
    report(
      part,
      'nonStrict',
      text.at(index),
      `${what} is ${quote(value)}, another form of ${expected.is === 'boolean' ? expected.value : 'this integer'}.`,
    )
  if (expected.is === 'text' || expected.is === 'instant' || expected.is === 'bytes') {
    compareText(part, text, expected, what)
  } else if (expected.is === 'integer' && isSameInteger(value, expected.value)) {
    const form = /^-?0(?=\d)|[^\d-]/.exec(value)
    if (form) nonStrict(form.index)
  } else if (expected.is === 'boolean' && BOOLEANS[value] === expected.value) {
    if (value !== String(expected.value)) nonStrict(0)
  } else if (expected.is !== 'number' || !isSameNumber(value, expected.value)) {
    reportOther(part, text.at(0), quote(value), expected, what)
  }
}
