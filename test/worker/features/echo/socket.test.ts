import { describe, expect, it } from 'vitest'
import { openSocket, openStandIn, replaceStandIn, type SocketServices } from '../../../../src/features/echo/socket.ts'
import { MemoryBudget } from '../../../../src/lib/memory-budget.ts'
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

/** A clock that advances only when the echo waits, so that a test takes no time. A wait of seconds never ends. */
class FakeTime {
  ms = Date.now()
  readonly long: { milliseconds: number; end: () => void }[] = []
  isStopped = false

  readonly now = () => new Date(this.ms)

  readonly wait = (milliseconds: number) => {
    if (milliseconds >= 10_000) return new Promise<void>((end) => this.long.push({ milliseconds, end }))
    if (this.isStopped) return new Promise<void>(() => {})
    this.ms += milliseconds
    return Promise.resolve()
  }
}

interface Staged extends Opened {
  time: FakeTime
  memory: MemoryBudget
  /** How often the connection was cut. */
  cuts: number[]
}

function openStaged(overrides: Partial<SocketServices> = {}): Staged {
  const time = new FakeTime()
  const memory = overrides.socketMemory ?? new MemoryBudget()
  const cuts: number[] = []
  const services = {
    now: time.now,
    wait: time.wait,
    socketMemory: memory,
    ending: undefined,
    cut: () => void cuts.push(time.ms),
  }
  const response = openSocket(new Headers(), { ...services, ...overrides })
  return { ...follow(response), time, memory, cuts }
}

const MIB = 1024 * 1024
const LATER = new Date(Date.now() + 60_000)
const WAITS = [1008, 'At most 1048576 bytes can wait to be read. Read them before you send more.']
const NO_MEMORY = [1008, 'The echo is out of memory. Try again in a minute.']

describe('a WebSocket whose client', () => {
  it('reads each message before it sends the next gets 100 MB back', async () => {
    const { socket, received, until } = openStaged()
    const message = new Uint8Array(1_000_000)
    for (let count = 1; count <= 100; count++) {
      socket.send(message)
      await until(count)
    }
    expect(received.every((data) => data instanceof ArrayBuffer && data.byteLength === 1_000_000)).toBe(true)
    socket.close()
  })

  it('has 1 MiB unread gets the next MiB later, in order', async () => {
    const { socket, received, until } = openStaged()
    for (const text of ['a', 'b', 'c', 'd']) socket.send(text.repeat(MIB / 2))
    await until(4)
    expect(received.map((data) => String(data)[0])).toEqual(['a', 'b', 'c', 'd'])
    socket.close()
  })

  it('does not read is closed with 1008 when 1 MiB waits for it, and not before', async () => {
    const { socket, received, closed, time } = openStaged()
    time.isStopped = true
    socket.send('a'.repeat(MIB))
    socket.send('b'.repeat(MIB))
    await new Promise((resolve) => setTimeout(resolve))
    expect([received.length, socket.readyState]).toEqual([1, WebSocket.OPEN])
    socket.send('c')
    expect(await closed).toEqual(WAITS)
    expect(received).toHaveLength(1)
  })

  it('floods with empty messages is closed with 1008 too: each counts as 512 bytes', async () => {
    const { socket, closed, time } = openStaged()
    time.isStopped = true
    // The first MiB is sent at once, and another one can wait.
    for (let count = 0; count < 3 * 2 * 1024; count++) socket.send('')
    expect(await closed).toEqual(WAITS)
  })

  it('continues to send after that is ignored', async () => {
    const { socket, received, closed, time } = openStaged()
    time.isStopped = true
    for (let count = 0; count < 10; count++) socket.send('a'.repeat(MIB))
    expect(await closed).toEqual(WAITS)
    expect(received).toHaveLength(1)
  })

  it('does not answer the close is cut off after ten seconds', async () => {
    const { now, wait, long } = new FakeTime()
    let cuts = 0
    // Nobody accepts the client's end, so nothing is read or answered.
    const response = openSocket(new Headers(), {
      now,
      wait,
      socketMemory: new MemoryBudget(),
      ending: undefined,
      cut: () => void cuts++,
    })
    for (const index of [0, 1]) {
      expect([long.map(({ milliseconds }) => milliseconds), cuts]).toEqual([[60_000, 10_000].slice(0, index + 1), 0])
      long[index]?.end()
      await new Promise((resolve) => setTimeout(resolve))
    }
    expect(cuts).toBe(1)
    // This use keeps the client's end in memory. The runtime closes a socket whose other end is removed.
    expect(response.webSocket).not.toBeNull()
  })

  it('answers the close is not cut off', async () => {
    const { socket, closed, time, cuts } = openStaged()
    time.long[0]?.end()
    expect(await closed).toEqual([1000, 'An echo closes after 60 seconds.'])
    socket.close()
    await new Promise((resolve) => setTimeout(resolve))
    time.long[1]?.end()
    await new Promise((resolve) => setTimeout(resolve))
    expect(cuts).toEqual([])
  })
})

it('a WebSocket that opens after its world has ended is closed at once', async () => {
  const { closed } = openStaged({ ending: AbortSignal.abort('This universe has ended.') })
  expect(await closed).toEqual([1001, 'This universe has ended.'])
})

describe('all WebSockets together', () => {
  const filledBy = (bytes: number) => {
    const memory = new MemoryBudget()
    memory.take({}, bytes, bytes, LATER, new Date())
    return memory
  }

  it('can have 100 MiB waiting, and one that exceeds that is closed with 1008', async () => {
    const { socket, until, closed } = openStaged({ socketMemory: filledBy(98 * MIB) })
    for (let count = 1; count <= 2; count++) {
      socket.send('a'.repeat(MIB))
      await until(count)
    }
    socket.send('x')
    expect(await closed).toEqual(NO_MEMORY)
  })

  it('leave room for one that sends little', async () => {
    const { socket, until, closed } = openStaged({ socketMemory: filledBy(127 * MIB) })
    socket.send('a'.repeat(MIB))
    await until(1)
    socket.send('x')
    expect(await closed).toEqual(NO_MEMORY)
    const other = openStaged({ socketMemory: filledBy(128 * MIB) })
    other.socket.send('x')
    expect(await other.closed).toEqual(NO_MEMORY)
  })

  it('get back the memory of one that has ended', async () => {
    const { socket, until, closed, memory, time } = openStaged()
    socket.send('a'.repeat(MIB))
    await until(1)
    expect(memory.take({}, 100 * MIB, 100 * MIB, LATER, time.now())).toBe(false)
    socket.close()
    await closed
    expect(memory.take({}, 100 * MIB, 100 * MIB, LATER, time.now())).toBe(true)
  })

  it('get back the memory of one that was cut off without a close, when its time is over', () => {
    const memory = new MemoryBudget()
    memory.take({}, 10, 10, LATER, new Date())
    const before = new Date(LATER.getTime() - 1)
    expect(memory.take({}, 1, 10, LATER, before)).toBe(false)
    expect(memory.take({}, 1, 10, LATER, LATER)).toBe(true)
  })
})

describe('the echo of a world that does not hold the connection', () => {
  function replace() {
    const world = new AbortController()
    const cuts: number[] = []
    const time = new FakeTime()
    const headers = new Headers({ 'Sec-WebSocket-Protocol': 'chat' })
    const standIn = openStandIn(headers, world.signal)
    standIn.headers.set('Sunset', 'soon')
    const services = { now: time.now, wait: time.wait, socketMemory: new MemoryBudget(), cut: () => void cuts.push(1) }
    return { world, standIn, cuts, time, response: replaceStandIn(standIn, headers, services) }
  }

  it('comes from the holder of the connection, with the headers of the world', async () => {
    const { response } = replace()
    expect([response.headers.get('Sunset'), response.headers.get('Sec-WebSocket-Protocol')]).toEqual(['soon', 'chat'])
    const { socket, received, until } = follow(response)
    socket.send('hello')
    await until(1)
    expect(received).toEqual(['hello'])
    socket.close()
  })

  it('closes with the reason that the world gives when it ends', async () => {
    const { world, response } = replace()
    const { closed } = follow(response)
    world.abort('This universe has ended.')
    expect(await closed).toEqual([1001, 'This universe has ended.'])
  })

  it('closes if the world has ended before it opens', async () => {
    const { closed } = follow(openStandIn(new Headers(), AbortSignal.abort('This universe has ended.')))
    expect(await closed).toEqual([1001, 'This universe has ended.'])
  })

  it('closes if the world is gone without a word', async () => {
    const { standIn, response } = replace()
    const { closed } = follow(response)
    standIn.webSocket?.dispatchEvent(new Event('error'))
    expect(await closed).toEqual([1001, 'The service was interrupted. Connect again.'])
  })

  it('ends its socket to the world when the client has left', async () => {
    const { standIn, response } = replace()
    const { socket, closed } = follow(response)
    socket.close()
    await closed
    await expect.poll(() => standIn.webSocket?.readyState).toBe(WebSocket.CLOSED)
  })

  it('is cut off if the client does not confirm the close', async () => {
    // Nobody accepts the client's end, so nothing is read or answered.
    const { time, cuts, response } = replace()
    for (const index of [0, 1]) {
      expect(cuts).toEqual([])
      time.long[index]?.end()
      await new Promise((resolve) => setTimeout(resolve))
    }
    expect(cuts).toEqual([1])
    // This use keeps the client's end in memory. The runtime closes a socket whose other end is removed.
    expect(response.webSocket).not.toBeNull()
  })
})
