/** How long the rest of a body may take to arrive after the response is ready. */
const REST_MAX_MS = 10_000

type Reader = ReadableStreamDefaultReader<Uint8Array>
type Wait = (milliseconds: number) => Promise<void>

/** A request whose body the app need not read to its end, and the function to call when the response is ready. */
interface DrainableRequest {
  request: Request
  /** Reads the rest of the body and discards it. */
  drainBody(): Promise<void>
}

/**
 * Lets the app stop reading a body before its end. Between the entry and the object of a universe, a body that nobody
 * reads to its end breaks the connection. Then the client would not get the response that says what is wrong (413, for
 * example).
 *
 * @param url The URL that the app sees
 * @param wait Resolves after a time in milliseconds
 */
export function withWholeBody(original: Request, url: URL, wait: Wait): DrainableRequest {
  if (!original.body) return { request: new Request(url, original), drainBody: async () => {} }
  // The runtime refuses to create a GET or HEAD request with a new body, but copies such a request with its own body.
  if (BODILESS_METHODS.includes(original.method)) return withOwnBody(new Request(url, original), wait)
  const reader: Reader = original.body.getReader()
  // The runtime allows one read at a time, and the last read of the app may still be in progress.
  let latestRead: Promise<unknown> = Promise.resolve()
  let isAtEnd = false
  const read: Reader['read'] = () => {
    const next = latestRead.then(async () => {
      const result = await reader.read()
      isAtEnd = result.done
      return result
    })
    latestRead = next
    return next
  }
  const source: UnderlyingSource<Uint8Array> = {
    async pull(controller) {
      const { done, value } = await read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  }
  // Without a buffer, the body is read only when the app asks for it.
  const body = new ReadableStream<Uint8Array>(source, { highWaterMark: 0 })
  const { method, headers, signal } = original
  return {
    // `manual` is the value in every request that the runtime passes to a Worker.
    request: new Request(url, { method, headers, signal, redirect: 'manual', body }),
    async drainBody() {
      if (!isAtEnd) await discard(reader, read, wait)
    },
  }
}

/** The methods that usually have no body. */
const BODILESS_METHODS = ['GET', 'HEAD']

/** A request whose body the app reads directly. If the app has begun to read it, the app also reads the rest. */
function withOwnBody(request: Request, wait: Wait): DrainableRequest {
  return {
    request,
    async drainBody() {
      if (!request.body || request.bodyUsed) return
      const reader: Reader = request.body.getReader()
      await discard(reader, () => reader.read(), wait)
    },
  }
}

/** Reads a body to its end and discards it. Gives up after `REST_MAX_MS`. */
async function discard(reader: Reader, read: Reader['read'], wait: Wait): Promise<void> {
  const timeout = wait(REST_MAX_MS).then(() => 'timeout' as const)
  // A read fails if the client has left. Then nothing more arrives, as at the end of the body.
  const end = readToEnd(read).catch(() => 'end' as const)
  if ((await Promise.race([end, timeout])) === 'timeout') await reader.cancel()
}

async function readToEnd(read: () => Promise<{ done: boolean }>): Promise<'end'> {
  while (!(await read()).done);
  return 'end'
}
