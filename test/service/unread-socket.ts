import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { ownAddress } from './own-address.ts'

// WebSocket clients that send but do not read, which no library does. So their frames are made by hand (RFC 6455,
// section 5.2).

const MESSAGE_BYTES = 64 * 1024
const CLOSE = 0x88

export interface UnreadSocket {
  /** Sends messages until their total size is `bytes`, or the connection ends. */
  send(bytes: number): Promise<void>
  /** Sends a close frame. */
  close(): Promise<void>
  /** Reads everything until the end. @returns The number of bytes, and the code of the close frame if there was one */
  drain(): Promise<{ bytes: number; code: number | undefined }>
  /** Resolves when the service has ended the connection. Nothing is read meanwhile. */
  untilCut(): Promise<void>
  destroy(): void
}

/**
 * Opens a WebSocket to the echo of a world and reads only the response to the handshake.
 *
 * @param url Its base URL
 * @param address The header with the address of the client
 */
export async function openUnread(url: string, address = ownAddress()): Promise<UnreadSocket> {
  const socket = await openPaused(`${url}/echo`, address)
  return {
    send: (bytes) => send(socket, bytes),
    close: () => write(socket, closeFrame()),
    drain: () => drain(socket),
    untilCut: () => untilCut(socket),
    destroy: () => socket.destroy(),
  }
}

/**
 * Opens a WebSocket as a TCP connection that is not read after the response to the handshake.
 *
 * @param url With http
 * @param headers More headers of the request
 * @throws Error if the service opens no WebSocket
 */
export async function openPaused(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Socket> {
  const { hostname, port, host, pathname, search } = new URL(url)
  const socket = connect(Number(port), hostname)
  // The service cuts off a client that does not read, so this error is expected.
  socket.on('error', () => {})
  const all = {
    Host: host,
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    'Sec-WebSocket-Version': '13',
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`)
  await new Promise((resolve) => socket.once('readable', resolve))
  const head = String(socket.read())
  if (!head.startsWith('HTTP/1.1 101')) throw new Error(`no WebSocket: ${head}`)
  return socket
}

/** A frame with a short text, masked with zeros. @param text Less than 126 bytes */
export function textFrame(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([0x81, 0x80 | bytes.byteLength, 0, 0, 0, 0]), bytes])
}

const PROBE_MS = 250

/** Only a write tells that the other end is gone, because nothing is read. */
async function untilCut(socket: Socket): Promise<void> {
  const probe = setInterval(() => socket.write(frame().subarray(0, 1)), PROBE_MS)
  if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(probe)
}

async function send(socket: Socket, bytes: number): Promise<void> {
  for (let sent = 0; sent < bytes && !socket.destroyed; sent += MESSAGE_BYTES) {
    await write(socket, frame())
  }
}

async function write(socket: Socket, bytes: Buffer): Promise<void> {
  if (!socket.write(bytes)) await drained(socket)
}

/** A close with the code 1000, masked with zeros. */
function closeFrame(): Buffer {
  return Buffer.from([CLOSE, 0x82, 0, 0, 0, 0, 0x03, 0xe8])
}

/** A binary message, masked with zeros. */
function frame(): Buffer {
  const head = Buffer.alloc(14)
  head.writeUInt16BE(0x82ff)
  head.writeBigUInt64BE(BigInt(MESSAGE_BYTES), 2)
  return Buffer.concat([head, Buffer.alloc(MESSAGE_BYTES)])
}

/** Resolves when the socket accepts more data, or when the connection ends. */
async function drained(socket: Socket): Promise<void> {
  const listening = new AbortController()
  await Promise.race(
    ['drain', 'close'].map(
      (event) =>
        new Promise<void>((resolve) => {
          socket.once(event, resolve)
          listening.signal.addEventListener('abort', () => socket.off(event, resolve))
        }),
    ),
  )
  listening.abort()
}

function drain(socket: Socket): Promise<{ bytes: number; code: number | undefined }> {
  let [bytes, tail] = [0, Buffer.alloc(0)]
  return new Promise((resolve) => {
    const end = () => {
      const at = tail.lastIndexOf(CLOSE)
      resolve({ bytes, code: at < 0 ? undefined : tail.readUInt16BE(at + 2) })
      socket.destroy()
    }
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength
      tail = Buffer.concat([tail, chunk]).subarray(-127)
      if (tail.includes(CLOSE)) end()
    })
    socket.once('close', end)
  })
}
