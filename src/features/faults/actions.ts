import { AS_ASKED_FOR } from '../../domain/broken-off.ts'
import type { Services } from '../../services.ts'
import type { ResponseSchemas } from './response-schemas.ts'
import { breakDocument, KEYWORD_KINDS, type KeywordKind } from './violate.ts'

// What can be done to a finished response. Each function returns a new response, or undefined if it has no place in this
// one: no body, no JSON, no such keyword. Then the response is still whole.

export const LABELS = ['html', 'text', 'bytes', 'none', 'utf-16', 'gzip'] as const
export type Label = (typeof LABELS)[number]

/** What is wrong with an answer that breaks the document. */
export const KINDS = [...KEYWORD_KINDS, 'status', 'content-type', 'header', 'syntax', 'empty'] as const
export type ViolationKind = (typeof KINDS)[number]

export function isKeywordKind(kind: ViolationKind): kind is KeywordKind {
  return KEYWORD_KINDS.some((name) => name === kind)
}

/** Registry: what can be changed in an answer. */
export const CHANGES = ['slow', 'cut', 'label', 'violate'] as const

/** In how many parts a slow body comes. */
const PARTS = 10

/** No cache keeps such a response, and no browser runs anything in it: worlds addressed by path share an origin. */
const HARMLESS = { 'Cache-Control': 'no-store', 'Content-Security-Policy': "default-src 'none'; sandbox" }

/** From the object of a universe to the entry, which makes the stream: after how many bytes it is cut. */
export const CUT_HEADER = 'X-Galaxy-Cut'

/** How long after its last byte a body is broken off. At once, the runtime would send neither head nor bytes. */
const FLUSHED_MS = 50

/** Makes a response harmless, in place. */
export function makeHarmless({ headers }: Response): void {
  for (const [name, value] of Object.entries(HARMLESS)) headers.set(name, value)
}

/** The response with another body. What is left of its own body is released. */
function respond(response: Response, body: BodyInit | null, init: ResponseInit = {}): Response {
  if (response.body && !response.body.locked) void response.body.cancel().catch(() => {})
  const changed = new Response(body, { status: response.status, headers: response.headers, ...init })
  makeHarmless(changed)
  return changed
}

/** A response of which nothing is sent: its body fails before the first byte, so the runtime closes the connection. */
export function lostResponse(): Response {
  const lost = new ReadableStream({
    start: (controller) => controller.error(new Error(`the response is dropped, ${AS_ASKED_FOR}`)),
  })
  // A proxy that already has the head sends only this status.
  return new Response(lost, { status: 502 })
}

/**
 * Sends a body in ten parts.
 *
 * @param seconds From the first part to the last
 * @param ended Runs when nothing more is sent
 */
export async function slow(
  response: Response,
  seconds: number,
  wait: Services['wait'],
  ended: () => void,
): Promise<Response | undefined> {
  const sized = await sizeOf(response)
  if (!sized) return undefined
  const { length, open } = sized
  const ends = Array.from({ length: PARTS }, (_, index) => Math.ceil((length * (index + 1)) / PARTS))
  const { readable, writable } = new FixedLengthStream(length)
  const body = open()
  void send(body, writable, Infinity, async (sent) => {
    if (sent > 0 && ends.includes(sent)) await wait((seconds * 1000) / (PARTS - 1))
    return (ends.find((end) => end > sent) ?? length) - sent
  }).finally(ended)
  return respond(response, readable)
}

/** Ends the connection after so many bytes of the body. The head has the length of the whole body. */
export async function cut(response: Response, bytes: number): Promise<Response | undefined> {
  const sized = await sizeOf(response)
  if (!sized || bytes >= sized.length) return undefined
  return respond(response, cutBody(sized.open(), new FixedLengthStream(sized.length), bytes))
}

/** Ends the connection after so many bytes of a body without a length. */
export function cutStream(body: ReadableStream<Uint8Array>, bytes: number): ReadableStream<Uint8Array> {
  return cutBody(body, new IdentityTransformStream(), bytes)
}

function cutBody(
  body: ReadableStream<Uint8Array>,
  { readable, writable }: IdentityTransformStream,
  bytes: number,
): ReadableStream<Uint8Array> {
  void send(body, writable, bytes)
  return readable
}

/**
 * Sends a body piece by piece. A write resolves when the piece was taken, so nothing of it is lost if the next one is
 * not sent.
 *
 * @param end After how many bytes the body is broken off
 * @param pace Waits until the next piece may be sent, and returns its greatest length
 */
async function send(
  body: ReadableStream<Uint8Array>,
  writable: WritableStream<Uint8Array>,
  end: number,
  pace: (sent: number) => Promise<number> = async () => Infinity,
): Promise<void> {
  const writer = writable.getWriter()
  let sent = 0
  try {
    for await (const chunk of body) {
      for (let rest = chunk; rest.byteLength > 0; ) {
        const piece = rest.subarray(0, Math.min(end - sent, await pace(sent)))
        if (piece.byteLength > 0) await writer.write(piece)
        sent += piece.byteLength
        if (sent === end) {
          await scheduler.wait(FLUSHED_MS)
          throw new Error(`the response is cut, ${AS_ASKED_FOR}`)
        }
        rest = rest.subarray(piece.byteLength)
      }
    }
    await writer.close()
  } catch (error) {
    // The reader may have left, so that there is nothing to break off.
    await writer.abort(error).catch(() => {})
  }
}

/** The body of a response and its length in bytes; undefined if it is empty. */
async function sizeOf(response: Response): Promise<{ length: number; open(): ReadableStream<Uint8Array> } | undefined> {
  const { body, headers } = response
  if (!body) return undefined
  const known = headers.get('Content-Length')
  if (known !== null) return { length: Number(known), open: () => body }
  const bytes = await response.clone().bytes()
  return bytes.byteLength === 0 ? undefined : { length: bytes.byteLength, open: () => new Blob([bytes]).stream() }
}

/** The media type of a JSON body; undefined for any other body. */
function jsonTypeOf({ headers }: Response): string | undefined {
  const [mediaType = ''] = (headers.get('Content-Type') ?? '').split(';')
  return /[/+]json$/.test(mediaType) ? mediaType : undefined
}

/** Whether a response has a body that is JSON. */
export function hasJson(response: Response): boolean {
  return response.body !== null && jsonTypeOf(response) !== undefined
}

/** The text of a JSON body; undefined if there is none. The response stays whole. */
async function jsonOf(response: Response): Promise<string | undefined> {
  if (!hasJson(response)) return undefined
  return (await response.clone().text()) || undefined
}

/** Sends a JSON body under a wrong type, charset or coding. Its bytes stay the same, but `html` has no markup in it. */
export async function label(response: Response, name: Label): Promise<Response | undefined> {
  const [mediaType, text] = [jsonTypeOf(response), await jsonOf(response)]
  if (mediaType === undefined || text === undefined) return undefined
  const headers = new Headers(response.headers)
  const types: Partial<Record<Label, string>> = {
    html: 'text/html; charset=utf-8',
    text: 'text/plain; charset=utf-8',
    bytes: 'application/octet-stream',
    'utf-16': `${mediaType}; charset=utf-16`,
  }
  headers.set('Content-Type', types[name] ?? mediaType)
  if (name === 'gzip') headers.set('Content-Encoding', 'gzip')
  // Bytes, because a text would get a type of its own.
  const body = new TextEncoder().encode(name === 'html' ? withoutMarkup(text) : text)
  if (name === 'none') headers.delete('Content-Type')
  return respond(response, body, { headers, ...(name === 'gzip' && { encodeBody: 'manual' }) })
}

/** The same JSON without characters that mean something in HTML. In JSON they stand in texts only. */
function withoutMarkup(json: string): string {
  return json.replaceAll(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)
}

/** A response that breaks the document, and the pointer to the place if there is one. */
export interface Violation {
  response: Response
  pointer?: string
}

/** Statuses that no operation has, by the class of the true one. */
const UNDOCUMENTED_STATUSES: readonly number[] = [203, 418, 508]

const UNDOCUMENTED_TYPE = 'application/vnd.galaxy.undocumented+json'

/**
 * Makes a JSON answer break the document.
 *
 * @param pointer Where a keyword has to fail; undefined for the first place where it can
 */
export async function violate(
  response: Response,
  kind: Exclude<ViolationKind, 'header'>,
  operationId: string,
  { operations, components }: ResponseSchemas,
  pointer?: string,
): Promise<Violation | undefined> {
  const text = await jsonOf(response)
  if (text === undefined) return undefined
  if (kind === 'empty') return { response: respond(response, null) }
  // No part of an object or a list is JSON.
  if (kind === 'syntax') return { response: respond(response, text.slice(0, Math.ceil(text.length / 2))) }
  if (kind === 'status') {
    const status = UNDOCUMENTED_STATUSES.find((one) => Math.floor(one / 100) === Math.floor(response.status / 100))
    return status === undefined ? undefined : { response: respond(response, text, { status }) }
  }
  if (kind === 'content-type') {
    const headers = new Headers(response.headers)
    headers.set('Content-Type', UNDOCUMENTED_TYPE)
    return { response: respond(response, text, { headers }) }
  }
  const schema = operations[operationId]?.[response.status]
  if (!schema) return undefined
  const broken = breakDocument(JSON.parse(text), schema, components, kind, pointer)
  return broken && { response: respond(response, JSON.stringify(broken.document)), pointer: broken.pointer }
}
