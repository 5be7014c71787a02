import { describe, expect, it } from 'vitest'
import { sendToEcho } from '../../support/echo.ts'

const MESSAGE_MAX_BYTES = 1024 * 1024
const TOO_BIG = [1009, 'A message may have 1048576 bytes at most.']

interface Opened {
  response: Response
  socket: WebSocket
  /** What comes, in order. */
  received: (string | ArrayBuffer)[]
  closed: Promise<[code: number, reason: string]>
  /** Resolves when this many messages have come. */
  until(count: number): Promise<void>
}

async function open(path: string, headers = {}, wait = () => new Promise<void>(() => {})): Promise<Opened> {
  const response = await sendToEcho(path, { headers: { Upgrade: 'websocket', ...headers } }, { wait })
  const socket = response.webSocket
  if (!socket) throw new Error(`no WebSocket, but ${response.status}`)
  socket.binaryType = 'arraybuffer'
  const received: Opened['received'] = []
  let notify = () => {}
  socket.addEventListener('message', ({ data }) => {
    received.push(data)
    notify()
  })
  const closed = new Promise<[number, string]>((resolve) =>
    socket.addEventListener('close', ({ code, reason }) => resolve([code, reason])),
  )
  socket.accept()
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      notify = () => received.length >= count && resolve()
      notify()
    })
  return { response, socket, received, closed, until }
}

describe('a WebSocket to the echo', () => {
  it('gets every message back as it came, in order', async () => {
    const { socket, received, until } = await open('/echo/chat/1?a=b')
    const bytes = new Uint8Array([0xff, 0, 0x80])
    for (const message of ['hello', '', bytes, '🪐\0', new Uint8Array()]) socket.send(message)
    await until(5)
    expect(received).toEqual(['hello', '', bytes.buffer, '🪐\0', new ArrayBuffer()])
    socket.close()
  })

  it.each(['/echo', '/echo/stream', '/echo/503', '/echo/a.xml'])('is opened at %s too', async (path) => {
    const { response, socket } = await open(path)
    expect(response.status).toBe(101)
    socket.close()
  })

  it('is opened with the headers of the service', async () => {
    const { response, socket } = await open('/echo')
    expect(response.headers.get('X-Request-ID')).toMatch(/^[0-9a-f-]{36}$/)
    socket.close()
  })

  it.each([
    ['chat, superchat', 'chat'],
    ['', null],
  ])('with the protocols "%s" gets %s, without which browsers give up', async (asked, given) => {
    const { response, socket } = await open('/echo', asked === '' ? {} : { 'Sec-WebSocket-Protocol': asked })
    expect(response.headers.get('Sec-WebSocket-Protocol')).toBe(given)
    socket.close()
  })

  it.each([
    ['text', 'a'.repeat(MESSAGE_MAX_BYTES)],
    ['text of two bytes a character', 'é'.repeat(MESSAGE_MAX_BYTES / 2)],
    ['bytes', new Uint8Array(MESSAGE_MAX_BYTES)],
  ])('takes a message of 1 MiB of %s', async (_, message) => {
    const { socket, received, until } = await open('/echo')
    socket.send(message)
    await until(1)
    expect(received[0]).toEqual(typeof message === 'string' ? message : message.buffer)
    socket.close()
  })

  it.each([
    ['text', 'a'.repeat(MESSAGE_MAX_BYTES + 1)],
    ['text of two bytes a character', 'é'.repeat(MESSAGE_MAX_BYTES / 2 + 1)],
    ['bytes', new Uint8Array(MESSAGE_MAX_BYTES + 1)],
  ])('is closed with 1009 by more than 1 MiB of %s', async (_, message) => {
    const { socket, received, closed } = await open('/echo')
    socket.send(message)
    expect(await closed).toEqual(TOO_BIG)
    expect(received).toEqual([])
  })

  it('is closed with 1000 after 60 seconds', async () => {
    const waits: number[] = []
    let end = () => {}
    const wait = (milliseconds = 0) => {
      waits.push(milliseconds)
      return new Promise<void>((resolve) => (end = resolve))
    }
    const { socket, until, closed } = await open('/echo?delay=5', {}, wait)
    socket.send('a')
    await until(1)
    expect(waits).toEqual([60_000])
    end()
    expect(await closed).toEqual([1000, 'An echo is open for 60 seconds.'])
  })

  it('sends back 64 MiB in all, and is closed with 1008 by more', async () => {
    const { socket, until, closed } = await open('/echo')
    const message = new ArrayBuffer(MESSAGE_MAX_BYTES)
    for (let sent = 0; sent < 64; sent++) socket.send(message)
    await until(64)
    socket.send('x')
    expect(await closed).toEqual([1008, 'An echo sends back 67108864 bytes at most.'])
  })

  it('that the client has closed is not closed again when its time is over', async () => {
    let end = () => {}
    const { socket, closed } = await open('/echo', {}, () => new Promise<void>((resolve) => (end = resolve)))
    socket.close(1000, 'enough')
    expect((await closed)[0]).toBe(1000)
    end()
    await new Promise((resolve) => setTimeout(resolve))
    expect(socket.readyState).toBe(WebSocket.CLOSED)
  })

  it('is not what a POST gets, nor another protocol', async () => {
    for (const init of [{ method: 'POST', headers: { Upgrade: 'websocket' } }, { headers: { Upgrade: 'h2c' } }]) {
      expect((await sendToEcho('/echo', init)).status).toBe(200)
    }
  })
})
