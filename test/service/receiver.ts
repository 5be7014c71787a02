import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

// A receiver of callbacks on this machine, which keeps what comes, to the byte, and answers as a test wants it to.

/** A call as it came. */
export interface Arrival {
  /** When its headers were there, in milliseconds of `performance.now()`. */
  at: number
  method: string
  path: string
  /** Names in lower case. */
  headers: Record<string, string>
  body: Buffer
}

/** What a receiver does with a call that it has read; the call is its number at this receiver, from 0. */
export type Behaviour = (response: ServerResponse, call: number) => void

export interface Receiver {
  port: number
  /** A URL that leads here. */
  url(path?: string): string
  /** Calls that were read to their end, in the order of their ends. */
  arrivals: readonly Arrival[]
  /** Connections that were ever made, with a call or without. */
  connections(): number
  close(): Promise<void>
}

/** Opens a receiver at a free port, of one address, or of all with `::`. */
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

/** Answers the first calls one by one, and all later ones as the last of them. */
export function answerInTurn(first: Behaviour, ...rest: Behaviour[]): Behaviour {
  const turns = [first, ...rest]
  return (response, call) => (turns[call] ?? turns.at(-1) ?? first)(response, call)
}

/** Takes the call, and never answers. */
export const hang: Behaviour = () => {}

/** What became of an answer that never wants to end. */
export interface Endless {
  behave: Behaviour
  sentBytes(): number
  /** Settles with the milliseconds that the first such answer took until the caller hung up, or all of it was sent. */
  ended: Promise<number>
}

/** Answers 200 with so many bytes, as fast as they are taken. */
export function flood(bytes: number): Endless {
  const chunk = Buffer.alloc(64 * 1024, 'x')
  return endless(async (write) => {
    for (let sent = 0; sent < bytes; sent += chunk.byteLength) if (!(await write(chunk))) return
  })
}

/** Answers 200 with a byte at a time, for ever. */
export function drip(intervalMs: number): Endless {
  return endless(async (write) => {
    while (await write(Buffer.from('x'))) await sleep(intervalMs)
  })
}

/** @returns Of a write, whether the caller is still there */
type Write = (chunk: Buffer) => Promise<boolean>

function endless(send: (write: Write) => Promise<void>): Endless {
  let sent = 0
  const end = Promise.withResolvers<number>()
  const writeTo = (response: ServerResponse): Write => {
    const closed = new Promise((resolve) => response.once('close', resolve))
    return async (chunk) => {
      if (response.closed) return false
      sent += chunk.byteLength
      const isFull = !response.write(chunk)
      if (isFull) await Promise.race([closed, new Promise((resolve) => response.once('drain', resolve))])
      return !response.closed
    }
  }
  return {
    behave(response) {
      const start = performance.now()
      response.once('close', () => end.resolve(performance.now() - start))
      response.writeHead(200)
      void send(writeTo(response)).then(() => response.end())
    },
    sentBytes: () => sent,
    ended: end.promise,
  }
}
