import type { MemoryBudget } from '../../lib/memory-budget.ts'
import { Pace } from '../../lib/pace.ts'
import { whenAborted } from '../../lib/when-aborted.ts'

const MIB = 1024 * 1024
const OPEN_SECONDS = 60
const MESSAGE_MAX_BYTES = MIB
/** The size that a shorter message counts as, so that a flood of empty messages is slowed down too. */
const MESSAGE_MIN_BYTES = 512

/** How much may wait to be sent back. If more waits, the client does not read its echo. */
const WAITING_MAX_BYTES = MIB

/**
 * How much memory all open sockets of one isolate may reserve together, for messages that wait or were sent. A message
 * stays reserved for as long as its socket is open, because the client may not have read it.
 */
const RESERVED_MAX_BYTES = 100 * MIB
/** A socket that reserves at most this much is small. */
const SMALL_SOCKET_BYTES = MIB
/** The higher limit for small sockets. Only they can use the difference, so large sockets cannot lock them out. */
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
  /** Closes the socket. */
  ending: AbortSignal | undefined
  /** Ends the request, and with it the connection, whatever is still to be sent. */
  cut(): void
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
  // A browser that offers protocols closes the connection if none of them is selected.
  const [protocol = ''] = (headers.get('Sec-WebSocket-Protocol') ?? '').split(',').map((name) => name.trim())
  return new Response(null, {
    status: 101,
    webSocket: client,
    headers: protocol === '' ? {} : { 'Sec-WebSocket-Protocol': protocol },
  })
}

interface Message {
  data: string | ArrayBuffer
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
    this.#forgetEnding = whenAborted(services.ending, () => this.close(GOING_AWAY, 'This universe has ended.'))
  }

  receive(data: string | ArrayBuffer): void {
    if (this.#isClosing) return
    const bytes = Math.max(sizeInBytes(data), MESSAGE_MIN_BYTES)
    const refusal = this.#reserveOrRefuse(bytes)
    if (refusal) {
      this.close(...refusal)
      return
    }
    this.#waitingMessages.push({ data, bytes })
    this.#waitingBytes += bytes
    if (!this.#isSending) void this.#sendAll()
  }

  /** Reserves memory for a message. @returns Why the message must end the connection; undefined if there is room */
  #reserveOrRefuse(bytes: number): [code: number, reason: string] | undefined {
    if (bytes > MESSAGE_MAX_BYTES) return [TOO_BIG, `A message can have at most ${MESSAGE_MAX_BYTES} bytes.`]
    if (this.#waitingBytes + bytes > WAITING_MAX_BYTES) {
      return [REFUSED, `${WAITING_MAX_BYTES} bytes are waiting to be read. Read them before you send more.`]
    }
    return this.#reserve(bytes) ? undefined : [REFUSED, 'The echo is out of memory. Try again in a minute.']
  }

  /** Starts to close the connection, unless it is closing already. Cuts it if the client does not confirm in time. */
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
    if (!this.#isClosing) this.#socket.close(NORMAL, '')
    this.#isClosing = true
    this.#services.socketMemory.giveBack(this)
  }

  /** Reserves memory in the budget of all sockets. @returns Whether there was room */
  #reserve(bytes: number): boolean {
    const { socketMemory, now } = this.#services
    const isSmall = socketMemory.heldBy(this) + bytes <= SMALL_SOCKET_BYTES
    const totalMax = isSmall ? RESERVED_MAX_WITH_SMALL_BYTES : RESERVED_MAX_BYTES
    return socketMemory.take(this, bytes, totalMax, this.#endsAtLatest, now())
  }

  /** Sends the waiting messages back, at the pace that the client is assumed to read at. */
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

  #forgetWaiting(): void {
    this.#waitingMessages = []
    this.#waitingBytes = 0
  }
}

/** The size of a message in bytes. */
function sizeInBytes(data: string | ArrayBuffer): number {
  return typeof data === 'string' ? new TextEncoder().encode(data).byteLength : data.byteLength
}
