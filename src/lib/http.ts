/** Statuses whose responses have no body (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
const BODILESS = [204, 205, 304]

export function mayHaveBody(status: number): boolean {
  return !BODILESS.includes(status)
}

/** Whether a request opens a WebSocket (RFC 6455, section 4.1). */
export function isSocketRequest({ method, headers }: Request): boolean {
  return method === 'GET' && headers.get('Upgrade')?.toLowerCase() === 'websocket'
}

/**
 * Releases what a response holds that is not sent: its body, and its WebSocket. Nobody else would close the other end
 * of them.
 */
export async function discardResponse({ body, webSocket }: Response): Promise<void> {
  webSocket?.accept()
  webSocket?.close()
  await body?.cancel()
}

/** Headers that the platform adds. They mean nothing to the sender of the request, and should not be revealed. */
const PLATFORM_HEADERS = /^(?:cf-.*|x-forwarded-.*|x-real-ip|true-client-ip)$/

/** @param name In lower case */
export const isPlatformHeader = (name: string): boolean => PLATFORM_HEADERS.test(name)

/** The headers of a request without those that the platform added. The names are in lower case. */
export function withoutPlatformHeaders(headers: Headers): [name: string, value: string][] {
  return [...headers].filter(([name]) => !isPlatformHeader(name))
}

export interface ByteRange {
  /** The position of the first byte, from 0. */
  offset: number
  length: number
}

/**
 * Parses a Range header with one range of bytes (RFC 9110, section 14.1.2).
 *
 * @param size Size of the representation in bytes
 * @returns `whole` if the header must be ignored, because it has another unit, several ranges or no valid range;
 * `unsatisfiable` if the range contains no byte of the representation
 */
export function parseByteRange(header: string, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, first = '', last = ''] = /^\s*bytes\s*=\s*(\d*)-(\d*)\s*$/i.exec(header) ?? []
  if (first === '' && last === '') return 'whole'
  if (first === '') return lastBytes(Number(last), size)
  const start = Number(first)
  const end = last === '' ? Infinity : Number(last)
  if (end < start) return 'whole'
  if (start >= size) return 'unsatisfiable'
  return { offset: start, length: Math.min(end + 1, size) - start }
}

/** The range of the last `count` bytes, or of all bytes if there are fewer. */
function lastBytes(count: number, size: number): ByteRange | 'unsatisfiable' {
  const length = Math.min(count, size)
  return length === 0 ? 'unsatisfiable' : { offset: size - length, length }
}
