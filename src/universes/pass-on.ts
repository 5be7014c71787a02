/** How much more of a body is read when the response is ready, in bytes, and for how long. */
const REST_MAX_BYTES = 1024 * 1024
const REST_MAX_MS = 1000

type Reader = ReadableStreamDefaultReader<Uint8Array>
type Send = (request: Request) => Promise<Response>
type Wait = (milliseconds: number) => Promise<void>

/**
 * Passes a request on to the object of a universe. The object gets the body piece by piece, as it reads it, so this
 * function reads no more than the limit of the operation and some KiB. When the object has responded or failed, up to
 * `REST_MAX_BYTES` are read and discarded: a client that sends its whole body before it reads gets the response if its
 * body is not much too large. Otherwise the connection ends, as in the common world.
 *
 * The body is not passed on as it is, because the connection to the client breaks if the object does not read all of
 * it. Then the client would not get the response.
 *
 * @param takesBodyOfReads Whether the object reads the body of a GET or HEAD request, which usually has none
 * @param wait Resolves after a time in milliseconds
 */
export async function passOn(request: Request, takesBodyOfReads: boolean, send: Send, wait: Wait): Promise<Response> {
  const { body, method, url, headers } = request
  // The runtime refuses to create a GET or HEAD request with a new body.
  const isRead = method === 'GET' || method === 'HEAD'
  if (!body || (isRead && takesBodyOfReads)) return await send(request)
  const reader: Reader = body.getReader()
  const source = new BodySource(reader)
  // `manual` is the value in every request that the runtime passes to a Worker.
  const init = { method, headers, redirect: 'manual' } as const
  try {
    return await send(new Request(url, isRead ? init : { ...init, body: source.stream(), signal: source.broken }))
  } finally {
    await source.discardRest(wait)
  }
}

/** The body of a request, which is read by the object, and then to its end or to a limit. */
class BodySource {
  readonly #reader: Reader
  readonly #broken = new AbortController()
  #isAtEnd = false
  /** The runtime allows one read at a time, and a read for the object can still be in progress. */
  #latestRead: Promise<unknown> = Promise.resolve()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Aborted if the client leaves before the end of the body. */
  get broken(): AbortSignal {
    return this.#broken.signal
  }

  /** The body for the object. */
  stream(): ReadableStream<Uint8Array> {
    const source: UnderlyingSource<Uint8Array> = {
      pull: async (controller) => {
        const piece = await this.#read().catch(() => this.#breakOff())
        if (piece) controller.enqueue(piece)
        else controller.close()
      },
    }
    // Without a buffer, the body is only read if the object asks for it.
    return new ReadableStream(source, { highWaterMark: 0 })
  }

  /** The next piece; undefined at the end. */
  #read(): Promise<Uint8Array | undefined> {
    const next = this.#latestRead.then(async () => {
      const { done, value } = await this.#reader.read()
      this.#isAtEnd = done
      return value
    })
    this.#latestRead = next
    return next
  }

  /**
   * Ends the request to the object if the client has left. The object must not see the end of the body: it would take
   * what has arrived for a whole body, because it cannot tell an error of the body from its end.
   */
  #breakOff(): Promise<never> {
    this.#broken.abort()
    return new Promise(() => {})
  }

  /** Reads up to `REST_MAX_BYTES` and discards them. Then nothing more is read. */
  async discardRest(wait: Wait): Promise<void> {
    if (this.#isAtEnd) return
    // A read fails if the client has left. Then nothing more arrives, as at the end of the body.
    await Promise.race([this.#readRest().catch(() => {}), wait(REST_MAX_MS)])
    if (!this.#isAtEnd) await this.#reader.cancel().catch(() => {})
  }

  async #readRest(): Promise<void> {
    for (let length = 0; length < REST_MAX_BYTES; ) {
      const piece = await this.#read()
      if (!piece) return
      length += piece.byteLength
    }
  }
}
