/** A body that is sent as it is. */
export class FileBody {
  readonly mediaType: string
  readonly content: BodyInit | null

  constructor(mediaType: string, content: BodyInit | null) {
    this.mediaType = mediaType
    this.content = content
  }
}

/** What a handler answers. */
export interface Reply<Status extends number = number, Body = unknown> {
  status: Status
  body: Body
  headers: Readonly<Record<string, string>>
}

/** An answer without a body. */
export function reply<const Status extends number>(
  status: Status,
  body?: undefined,
  headers?: Readonly<Record<string, string>>,
): Reply<Status, undefined>
/** An answer with a body, and with headers of its own. */
export function reply<const Status extends number, Body>(
  status: Status,
  body: Body,
  headers?: Readonly<Record<string, string>>,
): Reply<Status, Body>
export function reply(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, body, headers }
}
