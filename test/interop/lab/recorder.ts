import { createServer, type IncomingMessage } from 'node:http'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'

/** A request as a client sent it. */
export interface SentRequest {
  /** Milliseconds since 1970, because dates in answers are whole seconds. */
  at: number
  method: string
  /** The path after that of the bench, with the query, as it came. */
  url: string
  headers: [name: string, value: string][]
  /** In base64. Empty if there is none. */
  body: string
}

interface Recorder {
  /** The URL of the bench for the client. */
  url: string
  /** Ends the recording. @returns All requests to cases, in their order */
  stop(): Promise<SentRequest[]>
}

/** Bytes of a request line or a header, which Node gives with a character for each, as the service reads them. */
const asUtf8 = (text: string) => Buffer.from(text, 'latin1').toString('utf8')

/**
 * Stands between a client and a bench. What passes is not changed: bytes go on as they come, and a connection that one
 * side breaks is broken on the other. A copy of what the client sends is read by the HTTP parser of Node.
 */
export async function record(bench: string): Promise<Recorder> {
  const { hostname, port, pathname } = new URL(bench)
  const requests: Promise<SentRequest & { path: string }>[] = []
  // It never listens: it reads the copies. Clients send what strict parsers refuse.
  const reader = createServer({ insecureHTTPParser: true }, (request, response) => {
    requests.push(readRequest(request, Date.now()))
    response.end()
  })
  const sockets = new Set<Socket>()
  const proxy = createTcpServer((client) => {
    const service = connect(Number(port), hostname)
    const copy = new Duplex({ read() {}, write: (_, __, done) => done() })
    reader.emit('connection', copy)
    client.on('data', (bytes) => copy.push(bytes))
    client.on('end', () => copy.push(null))
    client.pipe(service).pipe(client)
    for (const [one, other] of [
      [client, service],
      [service, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  if (typeof address !== 'object' || address === null) throw new Error('The recorder has no port.')
  return {
    url: `http://127.0.0.1:${address.port}${pathname}`,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => proxy.close(resolve))
      const all = await Promise.all(requests)
      return all
        .filter(({ path }) => path.startsWith(`${pathname}/`))
        .map(({ path, ...request }) => ({ ...request, url: path.slice(pathname.length) }))
        .filter(({ url }) => /^\/+[a-z]+\/+[a-z0-9-]/.test(url))
    },
  }
}

async function readRequest(request: IncomingMessage, at: number): Promise<SentRequest & { path: string }> {
  const { method = '', url = '', rawHeaders } = request
  const headers: [string, string][] = []
  for (let i = 0; i < rawHeaders.length; i += 2) headers.push([rawHeaders[i] ?? '', asUtf8(rawHeaders[i + 1] ?? '')])
  // A client that breaks off has sent no request.
  const body = await buffer(request).catch(() => Buffer.alloc(0))
  return { at, method, path: asUtf8(url), url: '', headers, body: body.toString('base64') }
}
