import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Answer, type Members } from './answer.ts'
import type { Client } from './client.ts'
import type { Credential } from './credentials.ts'
import { Failure, NoAnswer } from './failure.ts'
import { until } from './until.ts'

/** How long a frame may take after its cause. */
const FRAME_TIMEOUT_MS = 15_000
/** How many frames a report shows. */
const SHOWN_FRAMES_MAX = 3
/** The connection ended without a close frame (RFC 6455, section 7.4.1). */
const ABNORMAL_CLOSURE = 1006
/** Any 16 bytes in base64. These are the example of RFC 6455, section 1.2. */
const WEBSOCKET_KEY = 'dGhlIHNhbXBsZSBub25jZQ=='

interface SocketOptions {
  as?: Credential
  protocols?: string[]
}

/** Node's WebSocket. The types of the project are those of Workers, whose WebSocket takes no headers. */
type NodeWebSocket = new (
  url: string,
  options: { headers: Record<string, string>; protocols: string[] },
) => EventTarget & { send(text: string): void; close(): void; protocol: string }

/** An open WebSocket, with the frames that it has received. */
export interface Socket {
  protocol: string
  /** Waits for a frame with this text, which need not be JSON. @throws Failure if it does not arrive */
  expectText(text: string): Promise<void>
  /**
   * Waits for a frame, and reads it as JSON.
   *
   * @throws Failure if no such frame arrives
   */
  expectFrame(what: string, isMeant?: (frame: Members) => boolean): Promise<Members>
  send(text: string): void
  close(): void
}

/**
 * Opens a WebSocket.
 *
 * @throws Failure if it is refused
 */
export async function openSocket(client: Client, path: string, { as, protocols = [] }: SocketOptions = {}) {
  const url = client.resolve(path, as).replace(/^http/, 'ws')
  const NodeSocket = WebSocket as unknown as NodeWebSocket
  const socket = new NodeSocket(url, { headers: as?.headers ?? {}, protocols })
  const frames: string[] = []
  let closeCode: number | undefined
  let isOpen = false
  client.signal.addEventListener('abort', () => socket.close(), { once: true })
  socket.addEventListener('open', () => (isOpen = true))
  socket.addEventListener('message', (event) => frames.push(String((event as MessageEvent).data)))
  socket.addEventListener('close', (event) => (closeCode = (event as CloseEvent).code))
  socket.addEventListener('error', () => (closeCode ??= ABNORMAL_CLOSURE))
  await until(async () => (isOpen || closeCode !== undefined ? true : undefined), client.timeoutMs)
  if (isOpen) return follow(socket, url, frames)
  socket.close()
  const timeout = `nothing within ${client.timeoutMs / 1000} seconds`
  const actual = closeCode === undefined ? timeout : `a WebSocket that was closed with the code ${closeCode}`
  throw new Failure('an open WebSocket', actual, `WebSocket ${url}`)
}

function follow(socket: InstanceType<NodeWebSocket>, url: string, frames: string[]): Socket {
  const request = `WebSocket ${url}`
  return {
    protocol: socket.protocol,
    async expectText(text) {
      const found = await until(async () => (frames.includes(text) ? true : undefined), FRAME_TIMEOUT_MS)
      if (!found) throw new Failure(`the frame ${text}`, `${frames.length} others`, request)
    },
    async expectFrame(what, isMeant = () => true) {
      const find = async () => frames.map(parse).find((frame) => frame !== undefined && isMeant(frame))
      const found = await until(find, FRAME_TIMEOUT_MS)
      if (found) return found
      throw new Failure(
        what,
        `no such frame, but ${frames.length} others: ${frames.slice(0, SHOWN_FRAMES_MAX).join(' ')}`,
        request,
      )
    },
    send: (text) => socket.send(text),
    close: () => socket.close(),
  }
}

function parse(frame: string): Members | undefined {
  try {
    return JSON.parse(frame)
  } catch {
    return undefined
  }
}

/** Asks for a WebSocket that should be refused. @returns The refusal; status 101 if the WebSocket was opened */
export async function askForSocket(client: Client, path: string, { as }: SocketOptions = {}): Promise<Answer> {
  const url = client.resolve(path, as)
  const handshake = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' }
  const headers = { ...handshake, 'Sec-WebSocket-Key': WEBSOCKET_KEY, ...as?.headers }
  const send = url.startsWith('https:') ? requestHttps : requestHttp
  const signal = AbortSignal.any([client.signal, AbortSignal.timeout(client.timeoutMs)])
  return await new Promise((resolve, reject) => {
    const finish = (status: number, rawHeaders: NodeJS.Dict<string | string[]>, body: Buffer) =>
      resolve(new Answer({ status, headers: new Headers(flat(rawHeaders)) }, body, `WebSocket ${url}`))
    const request = send(url, { headers, signal })
    request.on('upgrade', (response, socket) => {
      socket.destroy()
      finish(101, response.headers, Buffer.alloc(0))
    })
    request.on('response', async (response) => {
      const chunks = await Array.fromAsync(response as AsyncIterable<Uint8Array>).catch(() => [])
      finish(response.statusCode ?? 0, response.headers, Buffer.concat(chunks))
    })
    request.on('error', (error) => reject(new NoAnswer('a response', error.message, `WebSocket ${url}`)))
    request.end()
  })
}

function flat(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}
