import { describe, expect, it } from 'vitest'
import { openSocket, type SocketServices } from '../../../../src/features/echo/socket.ts'
import { ByteBudget } from '../../../../src/lib/byte-budget.ts'
import { sendToEcho } from '../../../support/echo.ts'

const MESSAGE_MAX_BYTES = 1024 * 1024
const TOO_BIG = [1009, 'A message can have at most 1048576 bytes.']

interface Opened {
  response: Response
  socket: WebSocket
  /** The received messages, in order. */
  received: (string | ArrayBuffer)[]
  closed: Promise<[code: number, reason: string]>
  /** Resolves when this many messages have arrived. */
  until(count: number): Promise<void>
}

async function open(path: string, headers = {}, wait = () => new Promise<void>(() => {})): Promise<Opened> {
  return follow(await sendToEcho(path, { headers: { Upgrade: 'websocket', ...headers } }, { wait }))
}

/** The client's end of a WebSocket. */
function follow(response: Response): Opened {
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
  it('gets every message back as it was sent, in order', async () => {
    const { socket, received, until } = await open('/echo/chat/1?a=b')
    const bytes = new Uint8Array([0xff, 0, 0x80])
    for (const message of ['hello', '', bytes, '🪐\0', new Uint8Array()]) socket.send(message)
    await until(5)
    expect(received).toEqual(['hello', '', bytes.buffer, '🪐\0', new ArrayBuffer()])
    socket.close()
  })

  it.each(['/echo', '/echo/stream', '/echo/503', '/echo/a.xml'])('also opens at %s', async (path) => {
    const { response, socket } = await open(path)
    expect(response.status).toBe(101)
    socket.close()
  })

  it('opens with the headers of the service', async () => {
    const { response, socket } = await open('/echo')
    expect(response.headers.get('X-Request-ID')).toMatch(/^[0-9a-f-]{36}$/)
    socket.close()
  })

  it.each([
    ['chat, superchat', 'chat'],
    ['', null],
  ])('with the protocols "%s" gets %s, which browsers require', async (asked, given) => {
    const { response, socket } = await open('/echo', asked === '' ? {} : { 'Sec-WebSocket-Protocol': asked })
    expect(response.headers.get('Sec-WebSocket-Protocol')).toBe(given)
    socket.close()
  })

  it.each([
    ['text', 'a'.repeat(MESSAGE_MAX_BYTES)],
    ['text with two bytes per character', 'é'.repeat(MESSAGE_MAX_BYTES / 2)],
    ['bytes', new Uint8Array(MESSAGE_MAX_BYTES)],
  ])('accepts a message of 1 MiB of %s', async (_, message) => {
    const { socket, received, until } = await open('/echo')
    socket.send(message)
    await until(1)
    expect(received[0]).toEqual(typeof message === 'string' ? message : message.buffer)
    socket.close()
  })

  it.each([
    ['text', 'a'.repeat(MESSAGE_MAX_BYTES + 1)],
    ['text with two bytes per character', 'é'.repeat(MESSAGE_MAX_BYTES / 2 + 1)],
    ['bytes', new Uint8Array(MESSAGE_MAX_BYTES + 1)],
  ])('is closed with 1009 after more than 1 MiB of %s', async (_, message) => {
    const { socket, received, closed } = await open('/echo')
    socket.send(message)
    expect(await closed).toEqual(TOO_BIG)
    expect(received).toEqual([])
  })

  it('is closed with 1000 after 60 seconds', async () => {
    const waits: number[] = []
    let isOver = false
    const wait = async (milliseconds = 0) => {
      waits.push(milliseconds)
      while (!isOver) await scheduler.wait(1)
    }
    const { socket, until, closed } = await open('/echo?delay=5', {}, wait)
    socket.send('a')
    await until(1)
    expect(waits).toEqual([60_000])
    isOver = true
    expect(await closed).toEqual([1000, 'An echo closes after 60 seconds.'])
  })

  it('that the client has closed is not closed again at its time limit', async () => {
    let end = () => {}
    const { socket, closed } = await open('/echo', {}, () => new Promise<void>((resolve) => (end = resolve)))
    socket.close(1000, 'enough')
    expect((await closed)[0]).toBe(1000)
    end()
    await new Promise((resolve) => setTimeout(resolve))
    expect(socket.readyState).toBe(WebSocket.CLOSED)
  })

  it('is not opened by a POST or for another protocol', async () => {
    for (const init of [{ method: 'POST', headers: { Upgrade: 'websocket' } }, { headers: { Upgrade: 'h2c' } }]) {
      expect((await sendToEcho('/echo', init)).status).toBe(200)
    }
  })
})

/** A clock that a test sets, with waits that it ends. */
class FakeTime {
  ms = Date.now()
  readonly waits: { milliseconds: number; end: () => void }[] = []

  readonly now = () => new Date(this.ms)

  readonly wait = (milliseconds: number) =>
    new Promise<void>((resolve) => this.waits.push({ milliseconds, end: resolve }))
}

/** Lets what has happened take effect. */
const settle = () => new Promise((resolve) => setTimeout(resolve))

/** Sockets that share what they may be sent. */
class Stage {
  readonly time = new FakeTime()
  readonly sentToSockets = new ByteBudget()
  /** How often a connection was cut. */
  cuts = 0

  respond(address: string, overrides: Partial<SocketServices> = {}): Response {
    const { now, wait } = this.time
    const { sentToSockets } = this
    const cut = () => void this.cuts++
    return openSocket(new Headers(), address, { now, wait, sentToSockets, ending: undefined, cut, ...overrides })
  }

  open(address = '192.0.2.1', overrides: Partial<SocketServices> = {}): Opened {
    return follow(this.respond(address, overrides))
  }

  /** Sends messages of 1 MiB on new sockets, 4 MiB on each. All come back. */
  async fill(address: string, mebibytes: number): Promise<void> {
    for (let left = mebibytes; left > 0; left -= 4) {
      const { socket, until } = this.open(address)
      const count = Math.min(left, 4)
      for (let index = 0; index < count; index++) socket.send(MESSAGE)
      await until(count)
      socket.close()
    }
  }

  /** Sends a message on a new socket. @returns The size of the echo in bytes, or why the socket was closed */
  async tryOnce(address: string, message: string): Promise<number | [code: number, reason: string]> {
    const { socket, received, until, closed } = this.open(address)
    socket.send(message)
    const result = await Promise.race([until(1), closed])
    if (!result) socket.close()
    return result ?? String(received[0]).length
  }
}

const MIB = 1024 * 1024
const MESSAGE = 'a'.repeat(MIB)
const SOCKET_FULL = [1008, 'A socket gets at most 4194304 bytes.']
const ADDRESS_FULL = [1008, 'The sockets of your address get at most 16777216 bytes in 70 seconds. Try again later.']
const ALL_FULL = [1008, 'All sockets together get at most 50331648 bytes in 70 seconds. Try again later.']

describe('a WebSocket', () => {
  it('gets 4 MiB back, and is then closed with 1008', async () => {
    const { socket, received, until, closed } = new Stage().open()
    for (const text of ['a', 'b', 'c', 'd']) socket.send(text.repeat(MIB))
    await until(4)
    expect(received.map((data) => String(data)[0])).toEqual(['a', 'b', 'c', 'd'])
    await settle()
    expect(socket.readyState).toBe(WebSocket.OPEN)
    socket.send('')
    expect(await closed).toEqual(SOCKET_FULL)
    expect(received).toHaveLength(4)
  })

  it('gets 8,192 empty messages back, because each counts as 512 bytes', async () => {
    const { socket, received, until, closed } = new Stage().open()
    for (let count = 0; count < 8192; count++) socket.send('')
    await until(8192)
    socket.send('')
    expect(await closed).toEqual(SOCKET_FULL)
    expect(received).toHaveLength(8192)
  })

  it('that was closed gets nothing more', async () => {
    const { socket, received, closed } = new Stage().open()
    for (let count = 0; count < 10; count++) socket.send(MESSAGE)
    expect(await closed).toEqual(SOCKET_FULL)
    expect(received).toHaveLength(4)
  })

  it('that opens after its world has ended is closed at once', async () => {
    const { closed } = new Stage().open('192.0.2.1', { ending: AbortSignal.abort('This universe has ended.') })
    expect(await closed).toEqual([1001, 'This universe has ended.'])
  })
})

describe('the connection of a WebSocket', () => {
  it('is cut ten seconds after the close, if the client has not answered it', async () => {
    const stage = new Stage()
    // Nobody accepts the client's end, so nothing is read or answered.
    const response = stage.respond('192.0.2.1')
    for (const index of [0, 1]) {
      const waits = stage.time.waits.map(({ milliseconds }) => milliseconds)
      expect([waits, stage.cuts]).toEqual([[60_000, 10_000].slice(0, index + 1), 0])
      stage.time.waits[index]?.end()
      await settle()
    }
    expect(stage.cuts).toBe(1)
    // This use keeps the client's end in memory. The runtime closes a socket whose other end is removed.
    expect(response.webSocket).not.toBeNull()
  })

  it('is cut ten seconds after the client has closed it, because the client may have read nothing', async () => {
    const stage = new Stage()
    const { socket, closed } = stage.open()
    socket.close()
    await closed
    await settle()
    expect([stage.time.waits.map(({ milliseconds }) => milliseconds), stage.cuts]).toEqual([[60_000, 10_000], 0])
    stage.time.waits[1]?.end()
    await settle()
    expect(stage.cuts).toBe(1)
  })
})

describe('all WebSockets', () => {
  it('of an address get 16 MiB back in 70 seconds, and those of another address are not concerned', async () => {
    const stage = new Stage()
    await stage.fill('192.0.2.1', 15)
    expect(await stage.tryOnce('192.0.2.1', `${MESSAGE}b`)).toEqual(TOO_BIG)
    expect(await stage.tryOnce('192.0.2.1', MESSAGE)).toBe(MIB)
    expect(await stage.tryOnce('192.0.2.1', '')).toEqual(ADDRESS_FULL)
    expect(await stage.tryOnce('192.0.2.2', MESSAGE)).toBe(MIB)
    stage.time.ms += 69_999
    expect(await stage.tryOnce('192.0.2.1', '')).toEqual(ADDRESS_FULL)
    stage.time.ms += 1
    expect(await stage.tryOnce('192.0.2.1', MESSAGE)).toBe(MIB)
  })

  it('get 48 MiB back in 70 seconds', async () => {
    const stage = new Stage()
    for (const address of ['192.0.2.1', '192.0.2.2']) await stage.fill(address, 16)
    await stage.fill('192.0.2.3', 15)
    expect(await stage.tryOnce('192.0.2.4', MESSAGE)).toBe(MIB)
    for (const address of ['192.0.2.3', '192.0.2.4']) expect(await stage.tryOnce(address, '')).toEqual(ALL_FULL)
    stage.time.ms += 70_000
    expect(await stage.tryOnce('192.0.2.4', MESSAGE)).toBe(MIB)
  })

  it('begin anew if the clock was set back', async () => {
    const stage = new Stage()
    await stage.fill('192.0.2.1', 16)
    expect(await stage.tryOnce('192.0.2.1', '')).toEqual(ADDRESS_FULL)
    stage.time.ms -= 3_600_000
    expect(await stage.tryOnce('192.0.2.1', MESSAGE)).toBe(MIB)
  })
})
