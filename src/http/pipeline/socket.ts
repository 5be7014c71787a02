import { ProblemError } from '../../domain/problems.ts'
import { isSocketRequest } from '../../lib/http.ts'
import type { HonoContext } from './context.ts'

// Requests that open a WebSocket, and its subprotocols (RFC 6455, section 1.9).

/** Each frame is a payload. */
const BARE = 'galaxy.v1'
/** Each frame is an envelope with headers and a payload. */
const ENVELOPE = 'galaxy.envelope.v1'
/** A browser cannot set headers for a socket, so it sends its token as if it were a subprotocol. */
const TOKEN = /^bearer\.(.+)$/

/** @throws ProblemError 426 */
export function requireUpgrade(c: HonoContext): void {
  if (isSocketRequest(c.req.raw)) return
  throw new ProblemError(
    'upgrade-required',
    'This path opens WebSockets only. Use a WebSocket client, which sends GET with the header Upgrade: websocket.',
    { headers: { Upgrade: 'websocket' } },
  )
}

export interface ChosenProtocol {
  /** The name to send in the response; undefined if the client offers no known subprotocol. */
  name: string | undefined
  isEnveloped: boolean
}

/** Chooses the first known subprotocol that the client offers. */
export function chooseProtocol(headers: Headers): ChosenProtocol {
  const offered = offeredProtocols(headers)
  const known = offered.find((name) => name === BARE || name === ENVELOPE)
  // Browsers close the connection if none of the offered subprotocols is chosen. So if none of them is known, the
  // service chooses the one that contains the token.
  return { name: known ?? offered.find((name) => TOKEN.test(name)), isEnveloped: known === ENVELOPE }
}

/** The headers of an upgrade request. A token that was sent as a subprotocol is copied to `Authorization`. */
export function withProtocolToken(headers: Headers): Headers {
  if (headers.has('Authorization')) return headers
  const token = offeredProtocols(headers).find((name) => TOKEN.test(name))
  if (token === undefined) return headers
  const complete = new Headers(headers)
  complete.set('Authorization', token.replace(TOKEN, 'Bearer $1'))
  return complete
}

function offeredProtocols(headers: Headers): string[] {
  return (headers.get('Sec-WebSocket-Protocol') ?? '').split(',').map((name) => name.trim())
}
