/** How long the rest of a body may take to arrive after the response is ready. */
const REST_SECONDS = 10

type Reader = ReadableStreamDefaultReader<Uint8Array>
type Wait = (milliseconds: number) => Promise<void>

/** A request whose body need not be read, and the function to call when its response is ready. */
interface ReadRequest {
  request: Request
  /** Reads the rest of the body and discards it. */
  readRest(): Promise<void>
}

/**
 * Lets the app stop in the middle of a body, or before it. Between the entry and the object of a universe, a body that
 * nobody reads to its end breaks the connection, and the client would not get the response that says why (413, for
 * example).
 *
 * @param url The URL that the app sees
 * @param wait Resolves after a time in milliseconds
 */
export function withWholeBody(original: Request, url: URL, wait: Wait): ReadRequest {
  if (!original.body) return { request: new Request(url, original), readRest: async () => {} }
  // The runtime refuses to make such a request with another body, but it copies one with the body that came with it.
  if (READS.includes(original.method)) return withOwnBody(new Request(url, original), wait)
  const reader: Reader = original.body.getReader()
  // The runtime allows one read at a time, and the last one of the app may still be under way.
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
  const body = new ReadableStream<Uint8Array>(source, { highWaterMark: 0 })
  const { method, headers, signal } = original
  return {
    request: new Request(url, { method, headers, signal, redirect: 'manual', body }),
    async readRest() {
      if (!isAtEnd) await discard(reader, read, wait)
    },
  }
}

/** The methods that usually have no body. */
const READS = ['GET', 'HEAD']

/** A request whose body the app reads directly. If the app has begun to read it, the app also reads the rest. */
function withOwnBody(request: Request, wait: Wait): ReadRequest {
  return {
    request,
    async readRest() {
      if (!request.body || request.bodyUsed) return
      const reader: Reader = request.body.getReader()
      await discard(reader, () => reader.read(), wait)
    },
  }
}

/** Reads a body to its end, but only for some seconds. */
async function discard(reader: Reader, read: Reader['read'], wait: Wait): Promise<void> {
  const isLate = wait(REST_SECONDS * 1000).then(() => true)
  // A client that has left has nothing more to send.
  const rest = readAll(read).catch(() => false)
  if (await Promise.race([rest, isLate])) await reader.cancel()
}

/** Reads to the end. @returns False, because nothing is left */
async function readAll(read: () => Promise<{ done: boolean }>): Promise<boolean> {
  while (!(await read()).done);
  return false
}
