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
