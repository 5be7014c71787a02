import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'

/** A response of the service, which a fault may change. */
export interface Passing {
  /** The id of the universe; empty in the common world. */
  universe: string
  method: string
  /** Within the universe, if the request is for one. */
  path: string
  requestHeaders: IncomingMessage['headers']
  status: number
  headers: IncomingMessage['headers']
  body: string
}

/** What happens to the connection instead of the response; undefined if the response goes on. */
type Instead = 'close' | 'silence' | undefined

/** Something that a proxy does wrong. It changes what it should, or says what happens to the connection instead. */
export type Fault = (passing: Passing) => Instead | Promise<Instead>

/** A proxy in front of the service that does some things wrong. */
export interface FaultyProxy {
  url: string
  /** The base URLs of the universes that were made through it. */
  universes: string[]
  close(): Promise<void>
}

/** What is not read to its end before it goes on. */
const STREAMS = /event-stream|jsonl|ndjson|json-seq|^image\//

/** @param refusesSocket Whether a WebSocket is closed instead of opened */
export async function startFaultyProxy(
  serviceUrl: string,
  faults: readonly Fault[] = [],
  refusesSocket: (path: string) => boolean = () => false,
): Promise<FaultyProxy> {
  const { hostname, port } = new URL(serviceUrl)
  const universes: string[] = []
  const sockets = new Set<Socket>()
  const note = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }

  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const uncompressed = { ...headers, 'accept-encoding': 'identity' }
    const onward = request({ hostname, port, method, path, headers: uncompressed }, async (response) => {
      if (STREAMS.test(response.headers['content-type'] ?? '')) {
        response.pipe(outgoing.writeHead(response.statusCode ?? 0, response.headers))
        return
      }
      const passing = { ...describe(incoming, response), body: await text(response) }
      if (path === '/universes' && passing.status === 201) universes.push(JSON.parse(passing.body).url)
      await passOn(passing, outgoing, faults)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  server.on('connection', note)
  server.on('upgrade', (incoming: IncomingMessage, client: Socket) => {
    if (refusesSocket(incoming.url ?? '')) return client.destroy()
    const service = connect(Number(port), hostname)
    note(service)
    const lines = incoming.rawHeaders.map((part, index) => (index % 2 === 0 ? `\r\n${part}: ` : part))
    service.write(`GET ${incoming.url} HTTP/1.1${lines.join('')}\r\n\r\n`)
    client.pipe(service).pipe(client)
    client.on('close', () => service.destroy())
    service.on('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return {
    url: `http://localhost:${address.port}`,
    universes,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function describe(incoming: IncomingMessage, response: IncomingMessage): Omit<Passing, 'body'> {
  const [, universe = '', path = ''] = /^(?:\/u\/([^/]+))?(.*)$/.exec(incoming.url ?? '') ?? []
  return {
    universe,
    method: incoming.method ?? '',
    path,
    requestHeaders: incoming.headers,
    status: response.statusCode ?? 0,
    headers: response.headers,
  }
}

async function passOn(passing: Passing, outgoing: ServerResponse, faults: readonly Fault[]): Promise<void> {
  for (const fault of faults) {
    const instead = await fault(passing)
    if (instead === 'close') return void outgoing.destroy()
    if (instead === 'silence') return
  }
  const { 'content-length': _, 'transfer-encoding': __, ...headers } = passing.headers
  outgoing.writeHead(passing.status, headers).end(passing.body)
}
