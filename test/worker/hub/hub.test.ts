import { describe, expect, it, vi } from 'vitest'
import { STREAM_WINDOW, splitItems } from '../../../src/events/stream-frames.ts'
import { expectOutcome, FakeObject, idsOf } from '../../support/fake-hub.ts'
import { follow } from '../../support/sockets.ts'

const HISTORY_MAX = 1000

describe('a hub', () => {
  it('acknowledges a subscription, then sends each event once, in order', async () => {
    const object = new FakeObject()
    object.log.write(1)
    const { until } = await object.open()
    const expected = [...object.log.write(1, 3), ...object.log.write(1)]
    expect(await object.hub.notify()).toBe(true)
    const frames = await until(5)
    expect(JSON.parse(frames[0] ?? '')).toMatchObject({ status: 'subscribed' })
    expect(idsOf(frames)).toEqual(expected)
  })

  it('sends what a lost notification was about with the next one', async () => {
    const object = new FakeObject()
    const { until } = await object.open()
    const expected = Array.from({ length: 8 }, () => object.log.write(1)).flat()
    await object.hub.notify()
    expect(idsOf(await until(9))).toEqual(expected)
  })

  it('does not read the log while nobody listens', async () => {
    const object = new FakeObject()
    object.log.write(1)
    expect(await object.hub.notify()).toBe(false)
    const { socket } = await object.open()
    object.hub.drop(object.sockets[0] as WebSocket, true)
    socket.close()
    object.log.calls.length = 0
    await object.hub.notify()
    expect(object.log.calls).toEqual([])
  })

  it('reads once for notifications that come during a read, and once more for all of them', async () => {
    const object = new FakeObject()
    const { until } = await object.open()
    object.log.calls.length = 0
    object.log.write(1)
    await Promise.all(Array.from({ length: 20 }, () => object.hub.notify()))
    await until(2)
    // A read that finds nothing asks whether this is still the same log.
    expect(object.log.calls).toEqual(['readAfter', 'readAfter', 'findNewestPlace'])
  })

  it('goes on with the same sockets after a hibernation, and sends nothing twice', async () => {
    const object = new FakeObject()
    const { frames, until } = await object.open()
    const before = object.log.write(1)
    await object.hub.notify()
    await until(2)
    object.wake()
    const after = object.log.write(1)
    await object.hub.notify()
    await until(3)
    expect(idsOf(frames)).toEqual([...before, ...after])
  })

  it('keeps its sockets and its place if the log cannot be read', async () => {
    const object = new FakeObject()
    const { until } = await object.open()
    const expected = object.log.write(1)
    object.log.failure = new Error('the database is busy')
    await expect(object.hub.notify()).rejects.toThrow('busy')
    object.log.failure = undefined
    await object.hub.notify()
    expect(idsOf(await until(2))).toEqual(expected)
  })

  it('closes its sockets if the log has begun anew, and serves those that come then', async () => {
    const object = new FakeObject()
    for (let count = 0; count < 10; count++) object.log.write(1)
    const { closed } = await object.open()
    object.log.rows.length = 0
    object.log.write(1)
    const { until } = await object.open()
    expect((await closed)[0]).toBe(1012)
    const expected = object.log.write(1)
    await object.hub.notify()
    expect(idsOf(await until(2))).toEqual(expected)
  })

  it('sends each of 10,000 subscriptions to one planet every event once, in order, with one reading of the log', async () => {
    const object = new FakeObject({ capacity: 20_000 })
    const count = 10_000
    const opened = await Promise.all(Array.from({ length: count }, () => object.open({}, { limit: count })))
    const first = object.log.write(1, 2)
    object.log.write(2)
    object.log.calls.length = 0
    await object.hub.notify()
    expect(object.log.calls).toEqual(['readAfter'])
    const second = object.log.write(1)
    await object.hub.notify()
    for (const { until } of opened) expect(idsOf(await until(4))).toEqual([...first, ...second])
    expect(await object.connect({}, { limit: count })).toEqual({ refusal: 'limit' })
    for (const { socket } of opened) socket.close()
  })

  it('sends only what a subscription is about', async () => {
    const object = new FakeObject()
    const [one, two] = await Promise.all([object.open({ subject: 1 }), object.open({ subject: 2 })])
    const [ofOne, ofTwo] = [object.log.write(1), object.log.write(2)]
    await object.hub.notify()
    expect(idsOf(await one.until(2))).toEqual(ofOne)
    expect(idsOf(await two.until(2))).toEqual(ofTwo)
  })
})

describe('a socket that wants the past', () => {
  const LARGE = 240 * 1024

  /** An object with a log of 66 large rows. */
  function makeLargeObject() {
    const object = new FakeObject()
    const body = 'x'.repeat(LARGE)
    for (let row = 0; row < 66; row++) object.log.write(1, 1, { body, details: JSON.stringify(body) })
    return object
  }

  it('gets it as fast as others before it, although many that wanted theirs have left', async () => {
    const object = makeLargeObject()
    for (let index = 0; index < 60; index++) {
      // Each begins elsewhere, so that no read serves two of them.
      await object.open({ holder: `user ${index % 12}` }, { lastEventId: `${2 * index + 2}.0` })
    }
    await scheduler.wait(5)
    for (const socket of object.sockets) object.hub.drop(socket, true)
    const began = object.now.getTime()
    const { until } = await object.open({ holder: 'user 99' }, { includesHistory: true })
    const timer = setInterval(() => object.pings.set(object.sockets[60] as WebSocket, new Date(object.now)), 1)
    await until(67)
    clearInterval(timer)
    // 31 MiB, of which one MiB is not waited for, at 4 MiB per second.
    expect(object.now.getTime() - began).toBeLessThan(9000)
  })

  it.each([
    ['rows of any size', 10, 16],
    ['large rows', LARGE, 2],
    ['rows of more than 512 KiB', 600 * 1024, 1],
    ['rows of up to 512 KiB in all', 128 * 1024 - 2, 4],
    ['more', 128 * 1024 - 1, 3],
  ])('gets it from reads of as many rows as may be in memory: %s', async (_, size, expected) => {
    const object = new FakeObject()
    for (let row = 0; row < 20; row++) object.log.write(1, 1, { body: 'x'.repeat(size), details: '{}' })
    const readRows = vi.spyOn(object.log, 'readRows')
    const { until } = await object.open({}, { includesHistory: true })
    await until(21)
    const counts = readRows.mock.calls.map(([places]) => places.length)
    expect(Math.max(...counts)).toBe(expected)
  })

  it('gets it before what happens then, without a gap or a double', async () => {
    const object = new FakeObject()
    const past = Array.from({ length: 50 }, () => object.log.write(1, 2)).flat()
    const opened = await object.open({}, { includesHistory: true })
    const later: string[] = []
    for (let round = 0; round < 40; round++) {
      later.push(...object.log.write(1), ...object.log.write(1))
      void object.hub.notify()
      await scheduler.wait(0)
    }
    await object.hub.notify()
    const all = [...past, ...later]
    expect(idsOf(await opened.until(all.length + 1))).toEqual(all)
  })

  it('gets the newest 1,000 events at most, also from the middle of a row', async () => {
    const object = new FakeObject()
    const past = Array.from({ length: 150 }, () => object.log.write(1, 7)).flat()
    const { until } = await object.open({}, { includesHistory: true })
    expect(idsOf(await until(HISTORY_MAX + 1))).toEqual(past.slice(-HISTORY_MAX))
  })

  it('gets everything after the last event, from the middle of a row', async () => {
    const object = new FakeObject()
    const past = Array.from({ length: 600 }, () => object.log.write(1, 3)).flat()
    const { until } = await object.open({}, { lastEventId: past[4] ?? null, includesHistory: true })
    expect(idsOf(await until(past.length - 4))).toEqual(past.slice(5))
  })

  it('hears of a gap if the log has the last event no more, and gets what the log has', async () => {
    const object = new FakeObject()
    const past = object.log.write(1, 2)
    const { until } = await object.open({}, { lastEventId: '999.0' })
    const frames = await until(3)
    expect(JSON.parse(frames[0] ?? '')).toMatchObject({ status: 'subscribed', gap: true })
    expect(idsOf(frames)).toEqual(past)
  })

  it('goes on after a hibernation where it was', async () => {
    const object = new FakeObject()
    const past = Array.from({ length: 100 }, () => object.log.write(1)).flat()
    const { frames, until } = await object.open({}, { includesHistory: true })
    await until(20)
    object.wake()
    await until(101)
    expect(new Set(idsOf(frames))).toEqual(new Set(past))
  })

  it('is closed with 1013 if the log cannot be read', async () => {
    const object = new FakeObject()
    object.log.write(1)
    const { closed, until } = await object.open({}, { includesHistory: true })
    object.log.failure = new Error('the database is busy')
    await until(1)
    expect((await closed)[0]).toBe(1013)
  })
})

describe('the limits of a hub', () => {
  it('count the sockets of a holder, also those that are opened at the same moment', async () => {
    const object = new FakeObject()
    const connections = await Promise.all(Array.from({ length: 5 }, () => object.connect({}, { limit: 3 })))
    expect(connections.filter((connection) => 'refusal' in connection)).toEqual([
      { refusal: 'limit' },
      { refusal: 'limit' },
    ])
    expect(await object.connect({ holder: 'user 1' }, { limit: 3 })).toHaveProperty('response')
  })

  it('count all sockets', async () => {
    const object = new FakeObject({ capacity: 1 })
    await object.open()
    expect(await object.connect({ holder: 'user 1' })).toEqual({ refusal: 'full' })
  })

  it('have room again when a socket is closed', async () => {
    const object = new FakeObject()
    await object.open({}, { limit: 1 })
    object.hub.drop(object.sockets[0] as WebSocket, true)
    expect(await object.connect({}, { limit: 1 })).toHaveProperty('response')
  })
})

describe('a frame of a client', () => {
  it('that is binary ends the socket with 1003', async () => {
    const object = new FakeObject()
    const { closed } = await object.open()
    await object.hub.receive(object.sockets[0] as WebSocket, new ArrayBuffer(1))
    expect((await closed)[0]).toBe(1003)
  })

  it.each([
    ['more than 64 KiB', 'a'.repeat(64 * 1024 + 1), 1009],
    ['more than 64 KiB in UTF-8', 'é'.repeat(32 * 1024 + 1), 1009],
    ['64 KiB', 'a'.repeat(64 * 1024), 'open'],
    ['64 KiB in UTF-8', 'é'.repeat(32 * 1024), 'open'],
  ])('with %s', async (_, text, expected) => {
    const object = new FakeObject()
    const { closed } = await object.open()
    await object.hub.receive(object.sockets[0] as WebSocket, text)
    await expectOutcome(closed, expected)
  })
})

describe('a hub of streams', () => {
  const STREAM = { channel: 'planetStream', subject: null } as const
  /** The ids of the items in each frame, without the acknowledgement. */
  const itemsOf = (frames: readonly string[]) =>
    frames.slice(1).map((frame) => splitItems(frame).map((item) => JSON.parse(item).id))

  async function untilItems(frames: readonly string[], count: number): Promise<void> {
    while (itemsOf(frames).flat().length < count) await scheduler.wait(1)
  }

  /** With few streams, there are no pauses. */
  async function openOthers(object: FakeObject): Promise<void> {
    for (let count = 0; count < 10; count++) await object.open(STREAM)
  }

  /** A hub whose waits end when the test says so. */
  function openWaiting() {
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
    return { object: new FakeObject({ wait: () => isOver }), end }
  }

  it('sends at once what happens alone', async () => {
    const object = new FakeObject()
    const { until } = await object.open(STREAM)
    const expected = object.log.write(1)
    await object.hub.notify()
    expect(itemsOf(await until(2))).toEqual([expected])
  })

  it('sends what happens soon after that in one frame, if there are many streams', async () => {
    const { object, end } = openWaiting()
    await openOthers(object)
    const { frames, until } = await object.open(STREAM)
    const first = object.log.write(1)
    await object.hub.notify()
    const later = [...object.log.write(1), ...object.log.write(2)]
    const notified = object.hub.notify()
    await until(2)
    expect(itemsOf(frames)).toEqual([first])
    end()
    await notified
    expect(itemsOf(await until(3))).toEqual([first, later])
  })

  it('does not end a pause early because an earlier pause has ended', async () => {
    const ends: (() => void)[] = []
    const object = new FakeObject({ wait: () => new Promise((end) => ends.push(end)) })
    await openOthers(object)
    const { frames, until } = await object.open(STREAM)
    const write = () => {
      const ids = object.log.write(1)
      void object.hub.notify()
      return ids
    }
    const first = write()
    await until(2)
    const second = write()
    await vi.waitFor(() => expect(ends).toHaveLength(1))
    // 11 frames at 600 frames per second are a pause of 18 ms. The hub leaves out the last 5 ms of a pause.
    object.now = new Date(object.now.getTime() + 15)
    const third = write()
    await until(3)
    expect(itemsOf(frames)).toEqual([first, [...second, ...third]])
    const fourth = write()
    await vi.waitFor(() => expect(ends).toHaveLength(2))
    ends[0]?.()
    await scheduler.wait(10)
    expect(itemsOf(frames).flat()).not.toContain(fourth[0])
    ends[1]?.()
    expect(itemsOf(await until(4)).at(-1)).toEqual(fourth)
  })

  it('does not send what has happened before a stream was opened', async () => {
    const object = new FakeObject()
    const { until } = await object.open(STREAM)
    const expected = [object.log.write(1), object.log.write(1)]
    await object.hub.notify()
    await until(2)
    const later = await object.open(STREAM)
    const last = object.log.write(1)
    await object.hub.notify()
    await until(expected.length + 1)
    expect(itemsOf(await later.until(2))).toEqual([last])
  })

  it('holds back what a stream has no room for, and sends it in order then', async () => {
    const object = new FakeObject()
    const { socket, frames, until } = await object.open(STREAM)
    const body = JSON.stringify({ name: 'a', description: 'a'.repeat(STREAM_WINDOW) })
    const first = object.log.write(1, 1, { kind: 'planet_deleted', body })
    await object.hub.notify()
    await until(2)
    const rest: string[] = []
    for (let count = 0; count < 30; count++) {
      rest.push(...object.log.write(1))
      await object.hub.notify()
    }
    await scheduler.wait(10)
    expect(itemsOf(frames)).toEqual([first])
    object.wake()
    await object.hub.notify()
    expect(itemsOf(frames)).toEqual([first])
    await object.hub.receive(object.sockets[0] as WebSocket, String(frames[1]?.length))
    const later = object.log.write(1)
    await object.hub.notify()
    await until(4)
    await scheduler.wait(10)
    expect(itemsOf(frames).flat()).toEqual([...first, ...rest, ...later])
    socket.close()
  })

  it('sends a stream that was up to date what it has no room for, while others wait for old rows', async () => {
    const object = new FakeObject()
    object.log.write(1)
    const { socket, frames, until } = await object.open(STREAM)
    const first = object.log.write(1, 1, large(STREAM_WINDOW))
    await object.hub.notify()
    await until(2)
    const second = object.log.write(1)
    await object.hub.notify()
    object.log.readRows = () => new Promise(() => {})
    const { socket: other } = await object.open({}, { includesHistory: true })
    await object.hub.receive(object.sockets[0] as WebSocket, String(frames[1]?.length))
    await until(3)
    expect(itemsOf(frames).flat()).toEqual([...first, ...second])
    socket.close()
    other.close()
  })

  /** A planet whose item has about this many characters. */
  const large = (length: number) => ({
    kind: 'planet_deleted' as const,
    // Not the name, which an item has twice.
    body: JSON.stringify({ name: 'a', description: 'a'.repeat(length) }),
  })

  it.each(['junk', '-5', 'NaN', '1.5', ''])('is not filled by a stream that says %j', async (message) => {
    const object = new FakeObject()
    const { frames, until } = await object.open(STREAM)
    object.log.write(1, 1, large(STREAM_WINDOW))
    await object.hub.notify()
    await until(2)
    await object.hub.receive(object.sockets[0] as WebSocket, message)
    object.log.write(1)
    await object.hub.notify()
    await scheduler.wait(10)
    expect(frames).toHaveLength(2)
  })

  it('never sends more than a window and a frame, whatever a stream says', async () => {
    const object = new FakeObject()
    const { frames, until } = await object.open(STREAM)
    await object.hub.receive(object.sockets[0] as WebSocket, String(10 * STREAM_WINDOW))
    for (let count = 0; count < 5; count++) {
      object.log.write(1, 1, large(STREAM_WINDOW / 2))
      await object.hub.notify()
    }
    await until(3)
    await scheduler.wait(10)
    expect(frames).toHaveLength(3)
  })

  it('ends a stream if events that it has not received became too old for the log', async () => {
    const object = new FakeObject()
    const { frames, until, closed } = await object.open(STREAM)
    object.log.write(1, 1, large(STREAM_WINDOW))
    await object.hub.notify()
    await until(2)
    object.log.write(1)
    await object.hub.notify()
    object.log.droppedUntil = object.log.rows.at(-1)?.place ?? 0
    // The hub then no longer has the rows in memory.
    object.wake()
    object.now = new Date(object.now.getTime() + 25 * 60 * 60 * 1000)
    object.log.time = object.now
    object.log.write(1)
    await object.hub.notify()
    await object.hub.receive(object.sockets[0] as WebSocket, String(frames[1]?.length))
    expect((await closed)[0]).toBe(1013)
    expect(frames).toHaveLength(2)
  })

  it('goes on with a stream if only events that it has received became too old for the log', async () => {
    const object = new FakeObject()
    const [before = ''] = object.log.write(1)
    const received = object.log.write(1, 1, large(STREAM_WINDOW))
    const { frames, until } = await object.open(STREAM, { lastEventId: before })
    await until(2)
    object.log.droppedUntil = object.log.rows.at(-1)?.place ?? 0
    const missed = object.log.write(1)
    await object.hub.notify()
    object.wake()
    await object.hub.receive(object.sockets[0] as WebSocket, String(frames[1]?.length))
    await until(3)
    expect(itemsOf(frames).flat()).toEqual([...received, ...missed])
  })

  it('remembers after a hibernation what is on the way', async () => {
    const object = new FakeObject()
    const { frames, until } = await object.open(STREAM)
    for (let count = 0; count < 5; count++) {
      object.log.write(1, 1, large(STREAM_WINDOW / 2))
      await object.hub.notify()
      object.wake()
    }
    await until(3)
    await scheduler.wait(10)
    expect(frames).toHaveLength(3)
  })

  it('sends the past in frames of about a window', async () => {
    const object = new FakeObject()
    const [first = ''] = object.log.write(1)
    for (let count = 0; count < 10; count++) object.log.write(1, 1, large(STREAM_WINDOW / 2))
    const { frames, until } = await object.open(STREAM, { lastEventId: first })
    await until(2)
    await scheduler.wait(10)
    expect(itemsOf(frames)).toEqual([[expect.any(String), expect.any(String)]])
  })

  it('sends nothing twice to a stream that catches up while something waits', async () => {
    const { object, end } = openWaiting()
    await openOthers(object)
    const one = await object.open(STREAM)
    const first = object.log.write(1)
    await object.hub.notify()
    await one.until(2)
    const second = object.log.write(1)
    const third = object.log.write(1)
    void object.hub.notify()
    const two = await object.open(STREAM, { lastEventId: first[0] ?? '' })
    await two.until(2)
    end()
    await one.until(3)
    const fourth = object.log.write(1)
    object.now = new Date(object.now.getTime() + 50)
    await object.hub.notify()
    await untilItems(one.frames, 4)
    await untilItems(two.frames, 3)
    expect(itemsOf(one.frames).flat()).toEqual([...first, ...second, ...third, ...fourth])
    expect(itemsOf(two.frames).flat()).toEqual([...second, ...third, ...fourth])
  })

  it('does not send more frames because streams are opened', async () => {
    const { object } = openWaiting()
    await openOthers(object)
    const one = await object.open(STREAM)
    object.log.write(1)
    await object.hub.notify()
    await one.until(2)
    for (let count = 0; count < 20; count++) {
      object.log.write(1)
      await object.open(STREAM)
    }
    await scheduler.wait(10)
    expect(one.frames).toHaveLength(2)
  })
})

describe('a log that has dropped rows since its index was read', () => {
  /** A hub that knows 60 rows, of which the log has 20. The hub has at most 30 of them in memory. */
  async function openForgetful() {
    const object = new FakeObject()
    const body = JSON.stringify({ name: 'a'.repeat(150_000) })
    const rows = Array.from({ length: 60 }, () => object.log.write(1, 1, { body }))
    await (await object.open({}, { includesHistory: true })).until(61)
    object.log.droppedUntil = 80
    return { object, rows: rows.flat() }
  }

  it('sends what is left after a gap', async () => {
    const { object, rows } = await openForgetful()
    const { frames, until } = await object.open({}, { lastEventId: '2.0' })
    await until(21)
    await scheduler.wait(10)
    expect(JSON.parse(frames[0] ?? '')).toMatchObject({ gap: true })
    expect(idsOf(frames)).toEqual(rows.slice(-idsOf(frames).length))
  })

  it('sends the history that is left', async () => {
    const { object, rows } = await openForgetful()
    const { frames, until } = await object.open({}, { includesHistory: true })
    await until(21)
    await scheduler.wait(10)
    expect(idsOf(frames)).toEqual(rows.slice(-idsOf(frames).length))
  })

  it('asks for nothing that is too old', async () => {
    const { object } = await openForgetful()
    object.now = new Date(object.now.getTime() + 25 * 60 * 60 * 1000)
    object.log.time = object.now
    object.log.calls.length = 0
    const later = object.log.write(1)
    const { frames, until } = await object.open({}, { includesHistory: true })
    await until(2)
    expect(idsOf(frames)).toEqual(later)
    expect(object.log.calls).not.toContain('readRows')
  })
})

describe('a notification while the first socket is being opened', () => {
  const CREDENTIAL = { userId: 7, keyId: null, grantId: null, endsAt: null }

  it('is not lost: an ended credential opens no socket', async () => {
    const object = new FakeObject()
    object.log.write(1)
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const opening = object.connect({ credential: CREDENTIAL, userId: 7 }, { lastEventId: '2.0' })
    await scheduler.wait(0)
    object.log.gate = gate
    object.log.write(1, 0, { kind: 'credential_ended', userId: 7, planetId: null, body: '{"userId":7}' })
    const notified = object.hub.notify()
    open()
    await notified
    const connection = await opening
    if ('refusal' in connection) expect(connection.refusal).toBe('credential-ended')
    else expect((await follow(connection.response, connection.response.webSocket as WebSocket).closed)[0]).toBe(4401)
  })

  it('reaches a socket that resumes while the last one leaves', async () => {
    const object = new FakeObject()
    const past = object.log.write(1)
    await (await object.open({}, { includesHistory: true })).until(2)
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    object.log.gate = gate
    const opening = object.open({}, { lastEventId: past[0] ?? '' })
    object.hub.drop(object.sockets[0] as WebSocket, true)
    const expected = object.log.write(1)
    const notified = object.hub.notify()
    open()
    await notified
    expect(idsOf(await (await opening).until(2))).toEqual(expected)
  })
})

it.each([
  { sockets: 64, pause: [] },
  { sockets: 130, pause: [10, 10] },
])('with $sockets sockets, pauses for $pause ms between two readings of the log', async ({ sockets, pause }) => {
  const waits: number[] = []
  const object: FakeObject = new FakeObject({
    wait: async (milliseconds) => {
      waits.push(milliseconds)
      object.now = new Date(object.now.getTime() + milliseconds)
    },
  })
  const opened = await Promise.all(Array.from({ length: sockets }, () => object.open({}, { limit: 1000 })))
  for (let count = 0; count < 3; count++) {
    // However many events a reading finds, the pause after it is the same.
    object.log.write(1, 3)
    await object.hub.notify()
  }
  await opened[0]?.until(10)
  expect(waits).toEqual(pause)
})
