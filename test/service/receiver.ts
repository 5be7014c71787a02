import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

// A receiver of callbacks on this machine. It records the exact bytes of each call, and responds as a test wants.

/** A received call. */
export interface Arrival {
  /** When its headers arrived, in milliseconds of `performance.now()`. */
  at: number
  method: string
  path: string
  /** Names in lower case. */
  headers: Record<string, string>
  body: Buffer
}

/** What a receiver does with a call that it has read. `call` is the number of the call at this receiver, from 0. */
export type Behaviour = (response: ServerResponse, call: number) => void

export interface Receiver {
  port: number
  /** A URL of this receiver. */
  url(path?: string): string
  /** The calls that were read completely, in the order in which they ended. */
  arrivals: readonly Arrival[]
  /** The number of connections since the start, with a call or without. */
  connections(): number
  close(): Promise<void>
}

/** Opens a receiver at a free port of one address, or of all addresses with `::`. */
export async function openReceiver(behave: Behaviour = answer(200), address = '127.0.0.1'): Promise<Receiver> {
  const arrivals: Arrival[] = []
  let calls = 0
  let connections = 0
  const server = createServer(async (request, response) => {
    const call = calls++
    const arrival = await read(request).catch(() => undefined)
    if (!arrival) return
    arrivals.push(arrival)
    behave(response, call)
  })
  server.on('connection', () => connections++)
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, address, resolve))
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('a TCP server has a port')
  return {
    port: bound.port,
    url: (path = '/') => `http://127.0.0.1:${bound.port}${path}`,
    arrivals,
    connections: () => connections,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function read(request: IncomingMessage): Promise<Arrival> {
  const at = performance.now()
  const { method = '', url: path = '' } = request
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  return { at, method, path, headers, body: Buffer.concat(chunks) }
}

export function answer(status: number, body = '', headers: Record<string, string> = {}): Behaviour {
  return (response) => response.writeHead(status, headers).end(body)
}

/** Responds to each of the first calls in its own way, and to all later calls in the last of these ways. */
export function answerInTurn(first: Behaviour, ...rest: Behaviour[]): Behaviour {
  const turns = [first, ...rest]
  return (response, call) => (turns[call] ?? turns.at(-1) ?? first)(response, call)
}

/** Reads the call and never responds. */
export const hang: Behaviour = () => {}

/** A response that does not end by itself, and what became of it. */
export interface Endless {
  behave: Behaviour
  /** Resolves when the caller of the first such response has closed the connection. */
  ended: Promise<void>
  /** The number of bytes that were written. Some of them may not have been read: the system keeps a few MB. */
  sentBytes(): number
}

/** Responds with 200 and bytes without end, as fast as the caller reads them. */
export function flood(): Endless {
  const chunk = Buffer.alloc(64 * 1024, 'x')
  return endless(async (write) => {
    while (await write(chunk));
  })
}

/** Responds with 200 and sends one byte at a time, forever. */
export function drip(intervalMs: number): Endless {
  return endless(async (write) => {
    while (await write(Buffer.from('x'))) await sleep(intervalMs)
  })
}

/** Writes a part of a response. @returns Whether the connection is still open */
type Write = (chunk: Buffer) => Promise<boolean>

function endless(send: (write: Write) => Promise<void>): Endless {
  const end = Promise.withResolvers<void>()
  let sentBytes = 0
  const writeTo = (response: ServerResponse): Write => {
    const closed = new Promise((resolve) => response.once('close', resolve))
    return async (chunk) => {
      if (response.closed) return false
      const isFull = !response.write(chunk)
      sentBytes += chunk.byteLength
      if (isFull) await Promise.race([closed, new Promise((resolve) => response.once('drain', resolve))])
      return !response.closed
    }
  }
  return {
    behave(response) {
      response.once('close', end.resolve)
      response.writeHead(200)
      void send(writeTo(response)).then(() => response.end())
    },
    ended: end.promise,
    sentBytes: () => sentBytes,
  }
}
