import type { RenderedPage } from '../../design/rendered-page.ts'
import type { Reply } from '../../domain/reply.ts'
import type { FormatName } from './formats.ts'

/** A body that is sent unchanged, such as an image, or an HTML page. */
export class FileBody {
  readonly mediaType: string
  readonly content: BodyInit | RenderedPage | null

  constructor(mediaType: string, content: FileBody['content']) {
    this.mediaType = mediaType
    this.content = content
  }
}

/**
 * A document that `writeDocument` has already serialised, because it is sent often but rarely changes. `Document` is
 * the type of the document.
 */
export class WrittenBody<Document = unknown> {
  /** Exists only in the type. Without it, the compiler would accept the body of one document in place of another. */
  declare readonly document: Document
  readonly format: FormatName
  readonly content: Uint8Array

  constructor(format: FormatName, content: Uint8Array) {
    this.format = format
    this.content = content
  }
}

/** The end of a WebSocket, for the client, or for the entry of the Worker, which then makes a stream of it. */
export class SocketBody {
  readonly socket: WebSocket
  /** The media type of the stream; undefined if the client gets the socket itself. */
  readonly mediaType: string | undefined

  constructor(socket: WebSocket, mediaType?: string) {
    this.socket = socket
    this.mediaType = mediaType
  }
}

/** A page of a list. The number of items that are sent is only known when they are written, see `writePage`. */
export class PageBody<Item = unknown, Others extends object = object> {
  readonly items: readonly Item[]
  /**
   * Creates the other members of the document, and the headers, for a page with the first `count` items. The
   * root-relative URLs in these members and headers begin with `basePath`.
   */
  readonly envelope: (count: number, basePath: string) => { others: Others; headers: Readonly<Record<string, string>> }

  constructor(items: PageBody<Item, Others>['items'], envelope: PageBody<Item, Others>['envelope']) {
    this.items = items
    this.envelope = envelope
  }

  /** Returns the page with more members in its document. */
  with<More extends object>(more: More): PageBody<Item, Others & More> {
    return new PageBody(this.items, (count, basePath) => {
      const { others, headers } = this.envelope(count, basePath)
      return { others: { ...others, ...more }, headers }
    })
  }
}

export function reply<const Status extends number>(
  status: Status,
  body?: undefined,
  headers?: Readonly<Record<string, string>>,
): Reply<Status, undefined>
export function reply<const Status extends number, Body>(
  status: Status,
  body: Body,
  headers?: Readonly<Record<string, string>>,
): Reply<Status, Body>
export function reply(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, body, headers }
}
