import { createServer, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** A request in a universe. */
interface Seen {
  universe: string
  /** Method and path within the universe. */
  request: string
  body: string
}

/** A server in front of the service, at which the users of two universes meet. */
export interface MeetingPoint {
  url: string
  /** The requests in universes, in the order in which they came. */
  seen: readonly Seen[]
  close(): void
}

/**
 * Starts a server that hands requests over to the service. It keeps the first PUT of each universe until two universes
 * have sent one. So their users only get on if they work at the same time.
 */
export async function startMeetingPoint(serviceUrl: string): Promise<MeetingPoint> {
  const seen: Seen[] = []
  const twoWriters = Promise.withResolvers<void>()
  const writers = new Set<string>()

  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming
    const body = await text(incoming)
    const [, universe, path] = /^\/u\/(\w+)(.*)$/.exec(url) ?? []
    if (universe !== undefined) seen.push({ universe, request: `${method} ${path}`, body })
    if (universe !== undefined && method === 'PUT') {
      if (writers.add(universe).size >= 2) twoWriters.resolve()
      await twoWriters.promise
    }
    // With the `Host` of the client, so that the service names the address that the client knows.
    const { 'transfer-encoding': _, ...others } = headers
    const length = { 'content-length': String(Buffer.byteLength(body)) }
    request(new URL(url, serviceUrl), { method, headers: { ...others, ...length } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
      .on('error', (error) => outgoing.destroy(error))
      .end(body)
  })

  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://localhost:${address.port}`, seen, close }
}
