import type { ByteBudget, ByteLimits } from '../../lib/byte-budget.ts'
import { whenAborted } from '../../lib/when-aborted.ts'

const MIB = 1024 * 1024
const OPEN_SECONDS = 60
/** How long a client has to confirm a close before the connection is cut, which frees its memory. */
const CLOSING_SECONDS = 10

const MESSAGE_MAX_BYTES = MIB
/** The size that a shorter message counts as, because each message also takes memory of its own. */
const MESSAGE_MIN_BYTES = 512
/**
 * How much a socket is sent. All this is limited, because the runtime keeps in memory what a client does not read, and
 * does not tell how much that is.
 */
const SOCKET_MAX_BYTES = 4 * MIB
/**
 * How much all sockets are sent for as long as a connection can last: those of one client address, and those of one
 * instance of the service. What was sent in two periods can be unread at the same time, and the platform gives an
 * instance 128 MB.
 */
const LIMITS: ByteLimits = {
  periodSeconds: OPEN_SECONDS + CLOSING_SECONDS,
  holderMax: 16 * MIB,
  totalMax: 48 * MIB,
}
/** Why a socket is closed, for each of these limits. */
const REASONS = {
  holder: explain('The sockets of your address get', LIMITS.holderMax),
  total: explain('All sockets together get', LIMITS.totalMax),
}

function explain(who: string, max: number): string {
  return `${who} at most ${max} bytes in ${LIMITS.periodSeconds} seconds. Try again later.`
}

/** Codes of RFC 6455, section 7.4.1. */
const NORMAL = 1000
const GOING_AWAY = 1001
const REFUSED = 1008
const TOO_BIG = 1009

export interface SocketServices {
  now(): Date
  wait(milliseconds: number): Promise<void>
  /** Counts what all sockets are sent, by client address. */
  sentToSockets: ByteBudget
  /** Aborted when the world ends, which closes the socket. The reason of the signal is a sentence for the client. */
  ending: AbortSignal | undefined
  /** Ends the request, and with it the connection, even if messages are still to be sent. */
  cut(): void
}

/**
 * Opens a WebSocket that sends back every message unchanged, for a minute, or until it has sent too much.
 *
 * @param address The client address
 */
export function openSocket(headers: Headers, address: string, services: SocketServices): Response {
  const { now, wait, sentToSockets, ending, cut } = services
  const { 0: client, 1: server } = new WebSocketPair()
  server.accept()
  server.binaryType = 'arraybuffer'
  let sent = 0
  let isClosing = false

  function close(code: number, reason: string): void {
    if (isClosing) return
    isClosing = true
    forgetEnding()
    server.close(code, reason)
    // A client can confirm a close, or close the socket itself, and leave unread what it was sent. If nothing is left
    // to be sent, there is nothing to cut.
    void wait(CLOSING_SECONDS * 1000).then(cut)
  }

  /** Notes a message that is to be sent back. @returns Why it is not sent back, with the code for the close */
  function note(bytes: number): [code: number, reason: string] | undefined {
    if (bytes > MESSAGE_MAX_BYTES) return [TOO_BIG, `A message can have at most ${MESSAGE_MAX_BYTES} bytes.`]
    if (sent + bytes > SOCKET_MAX_BYTES) return [REFUSED, `A socket gets at most ${SOCKET_MAX_BYTES} bytes.`]
    const exceeded = sentToSockets.take(address, bytes, LIMITS, now())
    if (exceeded) return [REFUSED, REASONS[exceeded]]
    sent += bytes
    return undefined
  }

  function receive(data: string | ArrayBuffer): void {
    if (isClosing) return
    const refusal = note(Math.max(sizeInBytes(data), MESSAGE_MIN_BYTES))
    if (refusal) close(...refusal)
    else server.send(data)
  }

  const forgetEnding = whenAborted(ending, () => close(GOING_AWAY, String(ending?.reason)))
  server.addEventListener('message', ({ data }) => receive(data))
  server.addEventListener('close', () => close(NORMAL, ''))
  server.addEventListener('error', () => close(NORMAL, ''))
  void wait(OPEN_SECONDS * 1000).then(() => close(NORMAL, `An echo closes after ${OPEN_SECONDS} seconds.`))
  return new Response(null, { status: 101, webSocket: client, headers: chooseProtocol(headers) })
}

/**
 * The header that selects the first protocol that the client offers. If none is selected, browsers close the
 * connection.
 */
function chooseProtocol(headers: Headers): Record<string, string> {
  const [protocol = ''] = (headers.get('Sec-WebSocket-Protocol') ?? '').split(',').map((name) => name.trim())
  return protocol === '' ? {} : { 'Sec-WebSocket-Protocol': protocol }
}

/** The check is needed, because the types of Hono and the contexts of some tests have no `abort`. */
export function abortRequest(context: object): void {
  if ('abort' in context && typeof context.abort === 'function') context.abort(new Error('the client does not read'))
}

function sizeInBytes(data: string | ArrayBuffer): number {
  return typeof data === 'string' ? new TextEncoder().encode(data).byteLength : data.byteLength
}
