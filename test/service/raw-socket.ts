import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'

// A WebSocket client that shows what happens on its connection, which libraries hide. So its frames are made by hand
// (RFC 6455, section 5.2).

export const TEXT = 1
export const BINARY = 2
export const CLOSE = 8

export interface RawSocket {
  /** Resolves with the first frame. */
  begun: Promise<string>
  /** Resolves with the next frame of text. */
  next(): Promise<string>
  /** Resolves with the code of the close frame. */
  closed: Promise<number>
  /** Resolves when the service has ended the connection: how many milliseconds after its close frame. */
  ended: Promise<number>
  /** Sends a frame. */
  send(opcode: number, payload?: string | Uint8Array): void
  destroy(): void
}

/**
 * Opens a WebSocket.
 *
 * @param url With the scheme http
 * @param answersClose Whether the client answers a close frame, as it must (RFC 6455, section 5.5.1)
 */
export function openRaw(url: string, headers: Record<string, string> = {}, answersClose = true): RawSocket {
  const { hostname, port, host, pathname, search } = new URL(url)
  const socket = connect(Number(port), hostname)
  const [begun, closed, ended] = [
    Promise.withResolvers<string>(),
    Promise.withResolvers<number>(),
    Promise.withResolvers<number>(),
  ]
  let noteText = (_text: string) => {}
  let closedAt = Number.NaN
  let isOpen = false
  let received: Buffer = Buffer.alloc(0)

  function noteFrame(opcode: number, payload: Buffer): void {
    if (opcode === CLOSE) {
      closedAt = Date.now()
      closed.resolve(payload.readUInt16BE(0))
      if (answersClose) send(CLOSE, payload.subarray(0, 2))
    } else {
      begun.resolve(String(payload))
      noteText(String(payload))
    }
  }

  function send(opcode: number, payload: string | Uint8Array = ''): void {
    socket.write(frame(opcode, Buffer.from(payload)))
  }

  socket.on('data', (data) => {
    received = Buffer.concat([received, data])
    if (!isOpen) {
      const end = received.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = String(received.subarray(0, end))
      if (!head.startsWith('HTTP/1.1 101')) return begun.reject(new Error(`no WebSocket: ${head}`))
      isOpen = true
      received = received.subarray(end + 4)
    }
    for (let next = readFrame(received); next; next = readFrame(received)) {
      received = next.rest
      noteFrame(next.opcode, next.payload)
    }
  })
  const noteEnd = () => ended.resolve(Date.now() - closedAt)
  socket.on('end', noteEnd)
  // The service may also cut the connection.
  socket.on('error', noteEnd)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const key = randomBytes(16).toString('base64')
  socket.write(
    [
      `GET ${pathname}${search} HTTP/1.1`,
      `Host: ${host}`,
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${key}`,
      ...lines,
      '\r\n',
    ].join('\r\n'),
  )
  return {
    begun: begun.promise,
    next: () =>
      new Promise((resolve) => {
        noteText = resolve
      }),
    closed: closed.promise,
    ended: ended.promise,
    send,
    destroy: () => socket.destroy(),
  }
}

/** A frame of a client, masked with zeros. */
function frame(opcode: number, payload: Buffer): Buffer {
  const isLong = payload.byteLength > 125
  const head = Buffer.alloc(isLong ? 14 : 6)
  head[0] = 0x80 | opcode
  head[1] = 0x80 | (isLong ? 127 : payload.byteLength)
  if (isLong) head.writeBigUInt64BE(BigInt(payload.byteLength), 2)
  return Buffer.concat([head, payload])
}

/** The first frame of a service that has arrived completely, and the bytes after it. */
function readFrame(bytes: Buffer): { opcode: number; payload: Buffer; rest: Buffer } | undefined {
  const [first, second] = bytes
  if (first === undefined || second === undefined) return undefined
  const headLength = { 126: 4, 127: 10 }[second] ?? 2
  if (bytes.byteLength < headLength) return undefined
  const lengths = { 4: () => bytes.readUInt16BE(2), 10: () => Number(bytes.readBigUInt64BE(2)), 2: () => second }
  const end = headLength + lengths[headLength as keyof typeof lengths]()
  if (bytes.byteLength < end) return undefined
  return { opcode: first & 0x0f, payload: bytes.subarray(headLength, end), rest: bytes.subarray(end) }
}
