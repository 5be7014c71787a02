import { ProblemError } from '../domain/problems.ts'
import { STREAM_REPORT_MIN, splitItems } from '../events/stream-frames.ts'
import { isUuid } from '../lib/uuid.ts'
import { chooseMediaType } from './pipeline/negotiation.ts'

// Streams of items over HTTP. The Worker opens a socket to the hub for each stream. The frames of the socket contain
// items. An item is JSON that begins with the members `id` and `event` (hub/frames.ts).

/** The path of the stream of the events of planets. */
export const STREAM_PATH = '/planets/events'

/** Server-sent events (HTML Standard, section 9.2). */
const SERVER_SENT_EVENTS = 'text/event-stream'

/** How long a client of server-sent events waits before it connects again. */
const RETRY_MS = 2000
const HEARTBEAT_SECONDS = 15
/** After this time, a stream ends. */
const STREAM_SECONDS_MAX = 60 * 60
/** A stream whose format has no heartbeat ends after this time without an item. */
const IDLE_SECONDS = 5 * 60

/** How the items of a stream are written. */
interface StreamFormat {
  writeItem(item: string): string
  /** The text at the beginning of the stream. */
  beginning: string
  /**
   * Writes that events may be missing. Empty if each text of the format is an item, so that a gap has no place.
   *
   * @param lastEventId The event that the log does not have
   */
  writeGap(lastEventId: string): string
  /** The heartbeat, by which both ends notice a broken connection. Empty if the format has no heartbeat. */
  heartbeat: string
}

/** Registry: the media types of streams. If a caller accepts several equally well, it gets the first of them. */
const STREAM_FORMATS: Readonly<Record<string, StreamFormat>> = {
  [SERVER_SENT_EVENTS]: {
    writeItem: writeServerSentEvent,
    beginning: `retry: ${RETRY_MS}\n\n`,
    writeGap: (lastEventId) => `event: gap\ndata: ${JSON.stringify({ lastEventId })}\n\n`,
    heartbeat: ':\n\n',
  },
  'application/jsonl': { writeItem: (item) => `${item}\n`, beginning: '', writeGap: () => '', heartbeat: '' },
  // RFC 7464: each text begins with a record separator.
  'application/json-seq': { writeItem: (item) => `\u001e${item}\n`, beginning: '', writeGap: () => '', heartbeat: '' },
}

/** The media types of streams. */
export const STREAM_TYPES = Object.keys(STREAM_FORMATS)

/** The beginning of an item, with its id and its event. */
const ITEM_HEAD = /^\{"id":"([^"]+)","event":"(\w+)"/

function writeServerSentEvent(item: string): string {
  const [, id = '', event = ''] = ITEM_HEAD.exec(item) ?? []
  return `id: ${id}\nevent: ${event}\ndata: ${item}\n\n`
}

/** Chooses the media type of a stream. @throws ProblemError 406 */
export function chooseStreamType(headers: Headers): string {
  const chosen = chooseMediaType(headers, STREAM_TYPES)
  if (chosen !== undefined) return chosen
  const types = STREAM_TYPES.join(', ')
  throw new ProblemError('not-acceptable', `None of the media types in Accept is available. Available: ${types}.`)
}

/** Where a client wants to continue. */
interface Resumption {
  /** The last event that the client has; null if the client has none. */
  lastEventId: string | null
  /** Whether `lastEventId` cannot be the id of an event, because it is not a UUID. */
  isInvalid: boolean
}

/**
 * Reads where a client wants to continue. The header takes precedence over the query, because `EventSource` connects
 * again with the same URL, and sends the newer id in the header.
 */
export function readResumption(headers: Headers, query: URLSearchParams): Resumption {
  const sentId = headers.get('Last-Event-ID') ?? query.getAll('lastEventId').at(-1) ?? ''
  const lastEventId = sentId === '' ? null : sentId
  return { lastEventId, isInvalid: lastEventId !== null && !isUuid(lastEventId) }
}

/**
 * Rejects a stream that cannot continue where the client asks. Server-sent events report a gap instead, because an
 * error would end an `EventSource` for good.
 *
 * @throws ProblemError 400
 */
export function requireResumable({ isInvalid }: Resumption, mediaType: string): void {
  if (!isInvalid || mediaType === SERVER_SENT_EVENTS) return
  throw new ProblemError(
    'bad-request',
    'Last-Event-ID (or lastEventId in the query) must be the id of an event: a UUID.',
  )
}

/**
 * The content of a stream.
 *
 * @param socket The end of a socket of the hub, which has not been accepted yet
 * @param wait Resolves after a time in milliseconds
 */
export function streamFrom(
  socket: WebSocket,
  mediaType: string,
  resumption: Resumption,
  wait: (milliseconds: number) => Promise<void>,
): ReadableStream<Uint8Array> {
  const format = STREAM_FORMATS[mediaType]
  if (!format) throw new Error(`${mediaType} is not a media type of streams`)
  const stream = new SocketStream(socket, format, resumption)
  void stream.beat(wait)
  return stream.readable
}

/**
 * Turns the items of a socket into a stream of bytes, and tells the hub how much the reader of the stream has taken.
 */
class SocketStream {
  readonly readable: ReadableStream<Uint8Array>
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>
  readonly #socket: WebSocket
  readonly #format: StreamFormat
  readonly #resumption: Resumption
  readonly #encoder = new TextEncoder()
  #isAcknowledged = false
  #isOpen = true
  /** How many written texts the reader has not taken yet. */
  #waiting = 0
  /** For how long the hub has sent no items. */
  #idleSeconds = 0
  /** How many characters of frames the reader has taken since the last report to the hub. */
  #taken = 0

  constructor(socket: WebSocket, format: StreamFormat, resumption: Resumption) {
    this.#socket = socket
    this.#format = format
    this.#resumption = resumption
    // A write to this stream resolves only when the reader has taken the text.
    const { readable, writable } = new IdentityTransformStream()
    this.readable = readable
    this.#writer = writable.getWriter()
    this.#writer.closed.catch(() => this.#end())
    this.#begin()
  }

  /** Sends heartbeats, and ends the stream after an hour. Without heartbeats, an idle stream ends earlier. */
  async beat(wait: (milliseconds: number) => Promise<void>): Promise<void> {
    const { heartbeat } = this.#format
    for (let seconds = 0; seconds < STREAM_SECONDS_MAX; seconds += HEARTBEAT_SECONDS) {
      await wait(HEARTBEAT_SECONDS * 1000)
      if (!this.#isOpen) return
      this.#idleSeconds += HEARTBEAT_SECONDS
      // Without heartbeats, the stream cannot notice that its reader has left.
      if (heartbeat === '' && this.#idleSeconds >= IDLE_SECONDS) break
      if (this.#waiting === 0) void this.#write(heartbeat)
    }
    this.#end()
  }

  #begin(): void {
    const { isInvalid, lastEventId } = this.#resumption
    void this.#write(this.#format.beginning)
    if (isInvalid && lastEventId !== null) void this.#write(this.#format.writeGap(lastEventId))
    this.#socket.addEventListener('message', ({ data }) => void this.#receive(String(data)))
    this.#socket.addEventListener('close', () => this.#end())
    this.#socket.addEventListener('error', () => this.#end())
    this.#socket.accept()
  }

  async #receive(frame: string): Promise<void> {
    // The first frame acknowledges the subscription (`SubscriptionAcknowledged`).
    if (!this.#isAcknowledged) {
      this.#isAcknowledged = true
      if (JSON.parse(frame).gap) await this.#write(this.#format.writeGap(this.#resumption.lastEventId ?? ''))
      return
    }
    this.#idleSeconds = 0
    await this.#write(splitItems(frame).map(this.#format.writeItem).join(''))
    this.#taken += frame.length
    if (this.#taken < STREAM_REPORT_MIN || !this.#isOpen) return
    this.#socket.send(String(this.#taken))
    this.#taken = 0
  }

  /** Writes a text. Resolves when the reader has taken the text, or has left. */
  async #write(text: string): Promise<void> {
    if (text === '' || !this.#isOpen) return
    this.#waiting++
    try {
      await this.#writer.write(this.#encoder.encode(text))
    } catch {
      this.#end()
    }
    this.#waiting--
  }

  #end(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#socket.close()
    // This fails if the reader has cancelled the stream.
    this.#writer.close().catch(() => {})
  }
}
