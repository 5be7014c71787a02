/** Statuses whose answers have no body (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
const BODILESS = [204, 205, 304]

export function hasBody(status: number): boolean {
  return !BODILESS.includes(status)
}

/** Set by the platform on the way, so of no meaning to who sent the request, and none of anybody's business. */
const PLATFORM_HEADERS = /^(?:cf-.*|x-forwarded-.*|x-real-ip|true-client-ip)$/

/** The headers of a request as its sender knows them, in lower case. */
export function sentHeaders(headers: Headers): [name: string, value: string][] {
  return [...headers].filter(([name]) => !PLATFORM_HEADERS.test(name))
}

export interface ByteRange {
  offset: number
  length: number
}

/**
 * Finds the one part of a representation that a Range header asks for (RFC 9110, section 14.1.2).
 *
 * @param size of the representation, in bytes
 * @returns `whole` where the header is to be ignored: another unit, several ranges, no range at all
 */
export function parseByteRange(header: string, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, first = '', last = ''] = /^\s*bytes\s*=\s*(\d*)-(\d*)\s*$/i.exec(header) ?? []
  if (first === '' && last === '') return 'whole'
  if (first === '') return suffix(Number(last), size)
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (start >= size) return 'unsatisfiable'
  return start > end ? 'whole' : { offset: start, length: end - start + 1 }
}

/** The last bytes; all of them where there are fewer. */
function suffix(wanted: number, size: number): ByteRange | 'unsatisfiable' {
  const length = Math.min(wanted, size)
  return length === 0 ? 'unsatisfiable' : { offset: size - length, length }
}
