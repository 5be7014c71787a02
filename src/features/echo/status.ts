import { PHRASES } from '../../lib/status-phrases.ts'

/** Headers that a response with a status must have (RFC 9110, sections 15.5.2, 15.5.6, 15.5.8 and 15.5.22). */
const REQUIRED_HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': 'Bearer realm="Echo"' },
  405: { Allow: 'OPTIONS' },
  407: { 'Proxy-Authenticate': 'Bearer realm="Echo"' },
  426: { Upgrade: 'websocket' },
}

// A status from 200 to 599. The extension of a format (such as `.json`) may follow, as in any path of the echo.
const STATUS_SEGMENT = /\/([2-5]\d\d)(?:\.(?:json|xml|html))?$/

/** The status that the last segment of a path requests; undefined if it requests none. */
export function requestedStatus(path: string): number | undefined {
  const digits = STATUS_SEGMENT.exec(path)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** The title of an error status. A status without a phrase gets the name of its class. */
export function titleOf(status: number): string {
  return PHRASES[status] ?? (status < 500 ? 'Client Error' : 'Server Error')
}

/** The headers that a response with a status needs. @param target The URL to which a redirect leads */
export function statusHeaders(status: number, target: string): Readonly<Record<string, string>> {
  const isRedirect = status >= 300 && status < 400 && status !== 304
  return isRedirect ? { Location: target } : (REQUIRED_HEADERS[status] ?? {})
}
