import type { ExpectedBody } from '../case.ts'
import { type Charset, charsetOf, requireCharset } from './charset.ts'
import { type Field, readField, reportFaults } from './field.ts'
import { type Part, quote, report } from './part.ts'
import type { Bytes } from './text.ts'

/** Characters of a boundary (RFC 2046, 5.1.1). */
const BOUNDARY = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/

/** What a Content-Type says about how to read the body. */
export interface BodyType {
  /** Of a text: its encoding; absent if it does not say. */
  charset?: Charset
  /** Of `multipart`: undefined if there is no legal one. */
  boundary?: Bytes
}

export function compareContentType(part: Part, { as, mediaType }: Exclude<ExpectedBody, { as: 'none' }>): BodyType {
  const { received } = part
  if (received === '') {
    // RFC 9110, 8.3: a recipient may take it for bytes.
    report(part, as === 'bytes' ? 'nonStrict' : 'fail', 0, 'The body has no Content-Type.')
    return {}
  }
  const field = readField(received, [0, received.length], 'http', 'Content-Type')
  if (field.value !== mediaType)
    report(part, 'fail', field.at, `The Content-Type is ${quote(field.value)}, not "${mediaType}".`)
  if (as === 'bytes') return {}
  const charset = field.parameters.get('charset')
  if (as === 'text' || as === 'xml') {
    reportFaults(part, field, ['charset'])
    const read = charset && requireCharset(part, charset, 'the Content-Type')
    return read ? { charset: read } : {}
  }
  // These media types have no such parameter (RFC 8259, 11; RFC 2045, 5), and their bytes are UTF-8.
  if (charset && charsetOf(charset.value) !== 'utf-8')
    report(
      part,
      'nonStrict',
      charset.at,
      `The charset of the Content-Type is ${quote(charset.value)}, which ${mediaType} does not have.`,
    )
  if (as !== 'multipart' && as !== 'items') return {}
  const boundary = findBoundary(part, field, received.length, 'the Content-Type')
  return boundary === undefined ? {} : { boundary }
}

/**
 * The boundary that a Content-Type names.
 *
 * @param end The end of what should name it
 * @returns Undefined if there is no legal one, which is noted
 */
export function findBoundary(part: Part, field: Field, end: number, what: string): Bytes | undefined {
  reportFaults(part, field, ['boundary', ''])
  const boundary = field.parameters.get('boundary')
  if (!boundary) report(part, 'fail', end, `${what} names no boundary.`)
  else if (!BOUNDARY.test(boundary.value))
    report(part, 'fail', boundary.at, `The boundary ${quote(boundary.value)} of ${what} is none of RFC 2046.`)
  else return boundary.value
  return undefined
}
