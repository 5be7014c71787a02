import { Answer } from './answer.ts'
import type { Credential } from './credentials.ts'
import { NoAnswer } from './failure.ts'
import { rootCauseOf } from './root-cause.ts'

/** More than any document of the service has. */
const BODY_MAX_BYTES = 16 * 1024 * 1024
/** How much of the body of a request a report shows, in characters. */
const SHOWN_MAX = 400

export interface RequestOptions {
  headers?: Record<string, string>
  as?: Credential
  /** A body in JSON. */
  json?: unknown
  /** A body in XML. */
  xml?: string
  /** Any other body. */
  body?: string | Uint8Array<ArrayBuffer> | FormData | URLSearchParams
}

/** Sends requests to one base URL. */
export class Client {
  /** Without a slash at its end. */
  readonly url: string
  /** Ends all requests. */
  readonly signal: AbortSignal
  /** How long one request may take, its body included. */
  readonly timeoutMs: number

  constructor(url: string, signal: AbortSignal, timeoutMs: number) {
    this.url = url
    this.signal = signal
    this.timeoutMs = timeoutMs
  }

  /**
   * Sends a request, and reads its response to the end. Redirects are not followed.
   *
   * @param path A path below the base URL, or a URL
   * @throws NoAnswer if there is no response, or not all of it
   */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const url = this.resolve(path, options.as)
    const init = { method, headers: headersOf(options), body: bodyOf(options), redirect: 'manual' as const }
    const request = describe(method, url, options)
    const signal = AbortSignal.any([this.signal, AbortSignal.timeout(this.timeoutMs)])
    try {
      const response = await fetch(url, { ...init, signal } as RequestInit)
      return new Answer(response, await readAll(response), request)
    } catch (error) {
      throw new NoAnswer('a response', reasonOf(error, this.timeoutMs), request)
    }
  }

  get(path: string, options: RequestOptions = {}): Promise<Answer> {
    return this.send('GET', path, options)
  }

  post(path: string, options: RequestOptions = {}): Promise<Answer> {
    return this.send('POST', path, options)
  }

  /** The URL of a path, with what a credential puts into the query. */
  resolve(path: string, as?: Credential): string {
    const url = /^https?:/.test(path) ? path : `${this.url}${path}`
    return as?.query ? `${url}${url.includes('?') ? '&' : '?'}${as.query}` : url
  }
}

function headersOf({ headers, as, json, xml }: RequestOptions): Record<string, string> {
  return {
    ...(json !== undefined && { 'Content-Type': 'application/json' }),
    ...(xml !== undefined && { 'Content-Type': 'application/xml' }),
    ...as?.headers,
    ...headers,
  }
}

function bodyOf({ json, xml, body }: RequestOptions): RequestInit['body'] {
  return json === undefined ? (xml ?? body) : JSON.stringify(json)
}

/** A request as reports show it. */
function describe(method: string, url: string, options: RequestOptions): string {
  const headers = Object.entries(headersOf(options)).map(([name, value]) => `\n  ${name}: ${value}`)
  const body = bodyOf(options)
  const shown = typeof body === 'string' ? `\n  ${body.slice(0, SHOWN_MAX)}` : ''
  return `${method} ${url}${headers.join('')}${shown}`
}

async function readAll(response: { body: ReadableStream<Uint8Array> | null }): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > BODY_MAX_BYTES) throw new Error(`the body is larger than ${BODY_MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const cause = rootCauseOf(error)
  if (cause.name === 'TimeoutError') return `nothing within ${timeoutMs / 1000} seconds`
  if (cause.name === 'AbortError') return 'an interruption'
  return `no response: ${cause.message || cause.code || cause.name}`
}
