import { ProblemError } from '../../domain/problems.ts'
import { STREAM_REPORT_MIN, splitItems } from '../../events/stream-frames.ts'
import { chooseMediaType } from '../../http/pipeline/negotiation.ts'
import { isUuid } from '../../http/uuid.ts'
import { escapeLineBreaks } from '../../lib/text.ts'

// Streams of items over HTTP. The Worker opens a socket to the hub for each stream. The frames of the socket contain
// items. An item is JSON that begins with the members `id` and `event` (hub/frames.ts).

/** The path of the stream of the events of planets. */
export const STREAM_PATH = '/planets/events'

/** Server-sent events (HTML Standard, section 9.2). */
const SERVER_SENT_EVENTS = 'text/event-stream'

/** How long a client of server-sent events waits before it connects again. */
const RETRY_MS = 2000
const HEARTBEAT_SECONDS = 15
const STREAM_SECONDS_MAX = 60 * 60

interface StreamFormat {
  /** The text at the beginning of the stream. It shows that the stream has begun. */
  beginning: string
  /** The text directly before the first item, or before the first report of a gap. */
  beforeFirst: string
  writeItem(item: string): string
  /**
   * Writes that events may be missing. Empty if each text of the format is an item, so that a gap has no place.
   *
   * @param lastEventId The event that the log does not have
   */
  writeGap(lastEventId: string): string
  /**
   * A text that readers skip. It is written every HEARTBEAT_SECONDS, because only a write tells the service that the
   * reader has left.
   */
  heartbeat: string
}

/**
 * Readers of the HTML Standard skip a comment. There is no empty line after it, because some readers make an event of
 * every empty line, even if no data comes before it.
 */
const COMMENT = ':\n'

const JSON_LINES: StreamFormat = {
  beginning: '',
  beforeFirst: '',
  writeItem: (item) => `${item}\n`,
  writeGap: () => '',
  // White space before a JSON text (RFC 8259, section 2).
  heartbeat: ' ',
}

/** RFC 7464: each text begins with a record separator. */
const RECORD_SEPARATOR = '\u001e'

/** Registry: the media types of streams. If a caller accepts several equally well, it gets the first of them. */
const STREAM_FORMATS: Readonly<Record<string, StreamFormat>> = {
  [SERVER_SENT_EVENTS]: {
    beginning: COMMENT,
    // In the same block as the data of an event. Some readers would make an event of a block without data.
    beforeFirst: `retry: ${RETRY_MS}\n`,
    writeItem: writeServerSentEvent,
    writeGap: (lastEventId) => `event: gap\ndata: ${escapeLineBreaks(JSON.stringify({ lastEventId }))}\n\n`,
    heartbeat: COMMENT,
  },
  'application/jsonl': JSON_LINES,
  'application/json-seq': {
    ...JSON_LINES,
    writeItem: (item) => `${RECORD_SEPARATOR}${item}\n`,
    // Several separators in a row are one (RFC 7464, section 2.1).
    heartbeat: RECORD_SEPARATOR,
  },
  // Another name of JSON lines.
  'application/x-ndjson': JSON_LINES,
}

/** The media types of streams. */
export const STREAM_TYPES = Object.keys(STREAM_FORMATS)

/** Writes an item as a stream of a media type contains it. @param item JSON that begins with `id` and `event` */
export function writeStreamItem(mediaType: string, item: string): string {
  return STREAM_FORMATS[mediaType]?.writeItem(item) ?? ''
}

/** The beginning of an item, with its id and its event. */
const ITEM_HEAD = /^\{"id":"([^"]+)","event":"(\w+)"/

function writeServerSentEvent(item: string): string {
  const [, id = '', event = ''] = ITEM_HEAD.exec(item) ?? []
  return `id: ${id}\nevent: ${event}\ndata: ${item}\n\n`
}

/** @throws ProblemError 406 */
export function chooseStreamType(headers: Headers): string {
  const chosen = chooseMediaType(headers, STREAM_TYPES)
  if (chosen !== undefined) return chosen
  const types = STREAM_TYPES.join(', ')
  throw new ProblemError('not-acceptable', `None of the media types in Accept is available. Available: ${types}.`)
}

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
  if (!format) throw new Error(`no stream: ${mediaType}`)
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
  /** The text that stands directly before the next item or report of a gap. */
  #beforeNext: string
  /** How many characters of frames the reader has taken since the last report to the hub. */
  #taken = 0

  constructor(socket: WebSocket, format: StreamFormat, resumption: Resumption) {
    this.#socket = socket
    this.#format = format
    this.#resumption = resumption
    this.#beforeNext = format.beforeFirst
    // A write to this stream resolves only when the reader has taken the text.
    const { readable, writable } = new IdentityTransformStream()
    this.readable = readable
    this.#writer = writable.getWriter()
    this.#writer.closed.catch(() => this.#end())
    this.#begin()
  }

  /** Sends heartbeats, and ends the stream after an hour. */
  async beat(wait: (milliseconds: number) => Promise<void>): Promise<void> {
    for (let seconds = 0; seconds < STREAM_SECONDS_MAX; seconds += HEARTBEAT_SECONDS) {
      await wait(HEARTBEAT_SECONDS * 1000)
      if (!this.#isOpen) return
      if (this.#waiting === 0) void this.#write(this.#format.heartbeat)
    }
    this.#end()
  }

  #begin(): void {
    const { isInvalid, lastEventId } = this.#resumption
    void this.#write(this.#format.beginning)
    if (isInvalid && lastEventId !== null) void this.#writeGap(lastEventId)
    this.#socket.addEventListener('message', ({ data }) => void this.#receive(String(data)))
    this.#socket.addEventListener('close', () => this.#end())
    this.#socket.addEventListener('error', () => this.#end())
    this.#socket.accept()
  }

  async #receive(frame: string): Promise<void> {
    // The first frame acknowledges the subscription (`SubscriptionAcknowledged`).
    if (!this.#isAcknowledged) {
      this.#isAcknowledged = true
      if (JSON.parse(frame).gap) await this.#writeGap(this.#resumption.lastEventId ?? '')
      return
    }
    await this.#writeEvents(splitItems(frame).map(this.#format.writeItem).join(''))
    this.#taken += frame.length
    if (this.#taken < STREAM_REPORT_MIN || !this.#isOpen) return
    this.#socket.send(String(this.#taken))
    this.#taken = 0
  }

  async #writeGap(lastEventId: string): Promise<void> {
    const text = this.#format.writeGap(lastEventId)
    if (text !== '') await this.#writeEvents(text)
  }

  /** Writes items or a gap. Resolves like `#write`. */
  async #writeEvents(text: string): Promise<void> {
    const before = this.#beforeNext
    this.#beforeNext = ''
    await this.#write(before + text)
  }

  /** Resolves when the reader has taken the text, or has left. */
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
