import type { MemoryBudget } from '../../lib/memory-budget.ts'
import { Pace } from '../../lib/pace.ts'
import { whenAborted } from '../../lib/when-aborted.ts'

const MIB = 1024 * 1024
/** How long a socket stays open. */
const OPEN_SECONDS = 60
const MESSAGE_MAX_BYTES = MIB
/** The size that a shorter message counts as, so that a flood of empty messages is slowed down too. */
const MESSAGE_MIN_BYTES = 512

/** How much may wait to be sent back. If more waits, the client is not reading, and the socket is closed. */
const WAITING_MAX_BYTES = MIB

/**
 * How much memory all open sockets of one isolate may reserve together, for messages that wait or were sent. A message
 * stays reserved for as long as its socket is open, because the client may not have read it.
 */
const RESERVED_MAX_BYTES = 100 * MIB
/** A socket that reserves at most this much is small. */
const SMALL_SOCKET_BYTES = MIB
/**
 * The higher limit for small sockets. Only small sockets can use the memory between both limits, so that large sockets
 * cannot use up all memory.
 */
const RESERVED_MAX_WITH_SMALL_BYTES = 128 * MIB

/** How long a client has to confirm a close before the connection is cut and its memory is released. */
const CLOSING_SECONDS = 10

/** Codes of RFC 6455, section 7.4.1. */
const NORMAL = 1000
const GOING_AWAY = 1001
const REFUSED = 1008
const TOO_BIG = 1009

/** The services that a socket uses. */
export interface SocketServices {
  now(): Date
  wait(milliseconds: number): Promise<void>
  socketMemory: MemoryBudget
  /** Aborted when the world ends, which closes the socket. The reason of the signal is a sentence for the client. */
  ending: AbortSignal | undefined
  /** Ends the request, and with it the connection, even if messages are still to be sent. */
  cut(): void
  /** Called when the socket has ended. */
  onEnd?(): void
}

/** Opens a WebSocket that sends back every message unchanged, for a minute. */
export function openSocket(headers: Headers, services: SocketServices): Response {
  const { 0: client, 1: server } = new WebSocketPair()
  server.accept()
  server.binaryType = 'arraybuffer'
  const echo = new EchoSocket(server, services)
  server.addEventListener('message', ({ data }) => echo.receive(data))
  server.addEventListener('close', () => echo.end())
  server.addEventListener('error', () => echo.end())
  void services
    .wait(OPEN_SECONDS * 1000)
    .then(() => echo.close(NORMAL, `An echo closes after ${OPEN_SECONDS} seconds.`))
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

/**
 * Opens a stand-in for the echo: a socket that echoes nothing, and only closes when the world ends. A world that cannot
 * cut the connection of a client opens a stand-in. Then the entry of the Worker, which holds the connection, replaces
 * the stand-in with an echo (`replaceStandIn`).
 */
export function openStandIn(headers: Headers, ending: AbortSignal | undefined): Response {
  const { 0: client, 1: server } = new WebSocketPair()
  server.accept()
  const forgetEnding = whenAborted(ending, () => server.close(GOING_AWAY, reasonOf(ending)))
  server.addEventListener('close', () => {
    forgetEnding()
    server.close()
  })
  return new Response(null, { status: 101, webSocket: client, headers: chooseProtocol(headers) })
}

/**
 * Replaces a stand-in with an echo. The echo closes when the stand-in closes.
 *
 * @param answer The response with the stand-in
 * @param headers The headers of the request
 */
export function replaceStandIn(
  answer: Response,
  headers: Headers,
  services: Omit<SocketServices, 'ending' | 'onEnd'>,
): Response {
  const standIn = answer.webSocket
  if (!standIn) throw new Error('there is no socket to replace')
  const ending = new AbortController()
  standIn.addEventListener('close', ({ code, reason }) => ending.abort(code === GOING_AWAY ? reason : LOST))
  standIn.addEventListener('error', () => ending.abort(LOST))
  standIn.accept()
  const echo = openSocket(headers, { ...services, ending: ending.signal, onEnd: () => standIn.close(NORMAL) })
  return new Response(null, { status: 101, webSocket: echo.webSocket, headers: answer.headers })
}

/** The reason that the client gets if a stand-in breaks, or closes without the reason of an ended world. */
const LOST = 'The service was interrupted. Connect again.'

function reasonOf(ending: AbortSignal | undefined): string {
  return String(ending?.reason)
}

/** Aborts a request. The check is needed, because the types of Hono and the contexts of some tests have no `abort`. */
export function abortRequest(context: object): void {
  if ('abort' in context && typeof context.abort === 'function') context.abort(new Error('the client does not read'))
}

interface Message {
  data: string | ArrayBuffer
  /** The size that the message counts as, which is at least `MESSAGE_MIN_BYTES`. */
  bytes: number
}

/** The echo's end of a WebSocket. It sends at a limited pace, because it cannot know what the client has read. */
class EchoSocket {
  readonly #socket: WebSocket
  readonly #services: SocketServices
  readonly #pace: Pace
  #waitingMessages: Message[] = []
  #waitingBytes = 0
  /** The latest time at which the connection ends. */
  readonly #endsAtLatest: Date
  readonly #forgetEnding: () => void
  #isSending = false
  #isClosing = false
  #isOver = false

  constructor(socket: WebSocket, services: SocketServices) {
    this.#socket = socket
    this.#services = services
    this.#pace = new Pace(() => services.now())
    this.#endsAtLatest = new Date(services.now().getTime() + (OPEN_SECONDS + CLOSING_SECONDS) * 1000)
    this.#forgetEnding = whenAborted(services.ending, () => this.close(GOING_AWAY, reasonOf(services.ending)))
  }

  /** Keeps a message until it is sent back. Closes the connection if there is no room for the message. */
  receive(data: string | ArrayBuffer): void {
    if (this.#isClosing) return
    const bytes = Math.max(sizeInBytes(data), MESSAGE_MIN_BYTES)
    const refusal = this.#reserveOrRefuse(bytes)
    if (refusal) {
      this.close(refusal.code, refusal.reason)
      return
    }
    this.#waitingMessages.push({ data, bytes })
    this.#waitingBytes += bytes
    if (!this.#isSending) void this.#sendAll()
  }

  /** Reserves memory for a message. @returns Why the message must end the connection; undefined if there is room */
  #reserveOrRefuse(bytes: number): { code: number; reason: string } | undefined {
    if (bytes > MESSAGE_MAX_BYTES) {
      return { code: TOO_BIG, reason: `A message can have at most ${MESSAGE_MAX_BYTES} bytes.` }
    }
    if (this.#waitingBytes + bytes > WAITING_MAX_BYTES) {
      const reason = `At most ${WAITING_MAX_BYTES} bytes can wait to be read. Read them before you send more.`
      return { code: REFUSED, reason }
    }
    if (this.#reserve(bytes)) return undefined
    return { code: REFUSED, reason: 'The echo is out of memory. Try again in a minute.' }
  }

  /** Starts to close the connection, unless it is already closing. If the client does not confirm in time, cuts it. */
  close(code: number, reason: string): void {
    if (this.#isClosing) return
    this.#isClosing = true
    this.#forgetWaiting()
    this.#socket.close(code, reason)
    void this.#services.wait(CLOSING_SECONDS * 1000).then(() => {
      if (this.#isOver) return
      this.end()
      this.#services.cut()
    })
  }

  /** Releases everything after the connection has ended. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#forgetEnding()
    this.#forgetWaiting()
    // The client has closed the connection first, or the connection broke. This closes the end of the service too.
    if (!this.#isClosing) this.#socket.close(NORMAL, '')
    this.#isClosing = true
    this.#services.socketMemory.giveBack(this)
    this.#services.onEnd?.()
  }

  /** Reserves memory in the budget of all sockets. @returns Whether there was room */
  #reserve(bytes: number): boolean {
    const { socketMemory, now } = this.#services
    const isSmall = socketMemory.heldBy(this) + bytes <= SMALL_SOCKET_BYTES
    const totalMax = isSmall ? RESERVED_MAX_WITH_SMALL_BYTES : RESERVED_MAX_BYTES
    return socketMemory.take(this, bytes, totalMax, this.#endsAtLatest, now())
  }

  /** Sends the waiting messages back, no faster than the client is assumed to read. */
  async #sendAll(): Promise<void> {
    this.#isSending = true
    // Each round looks up the first message again, because messages can be added and dropped during a wait.
    for (let [next] = this.#waitingMessages; next; [next] = this.#waitingMessages) {
      const delay = this.#pace.delayOf(next.bytes)
      if (delay > 0) await this.#services.wait(delay)
      // The socket may have been closed during the wait.
      if (this.#waitingMessages[0] !== next) continue
      this.#waitingMessages.shift()
      this.#waitingBytes -= next.bytes
      this.#pace.noteSent(next.bytes)
      this.#socket.send(next.data)
    }
    this.#isSending = false
  }

  /** Drops the messages that wait to be sent back. */
  #forgetWaiting(): void {
    this.#waitingMessages = []
    this.#waitingBytes = 0
  }
}

/** The size of a message in bytes. */
function sizeInBytes(data: string | ArrayBuffer): number {
  return typeof data === 'string' ? new TextEncoder().encode(data).byteLength : data.byteLength
}
