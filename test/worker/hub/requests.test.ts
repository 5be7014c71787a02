import { describe, expect, it, vi } from 'vitest'
import type { PlanetRequest } from '../../../src/features/live/answer-planet-requests.ts'
import { ALL_KEPT_MAX_BYTES, KEPT_MAX, KEPT_MAX_BYTES, WAITING_MAX } from '../../../src/hub/requests.ts'
import { expectOutcome, FakeObject } from '../../support/fake-hub.ts'
import type { OpenSocket } from '../../support/sockets.ts'

const GET = { channel: 'planetRequest' } as const
const KIB = 1024

/** An object that notes what it is asked. */
function makeObject(answer?: (requests: readonly PlanetRequest[]) => Promise<string[]>) {
  /** What was asked with each query, and when, in milliseconds since the beginning. */
  const queries: { texts: string[]; at: number }[] = []
  const object: FakeObject = new FakeObject({
    async answer(requests) {
      queries.push({ texts: requests.map(({ text }) => text), at: object.now.getTime() - start })
      await scheduler.wait(0)
      if (answer) return await answer(requests)
      return requests.map(({ text, isRefused }) => (isRefused ? `refusal of ${text}` : `reply to ${text}`))
    },
  })
  const start = object.now.getTime()
  const ask = async (socket: number, ...texts: string[]) => {
    for (const text of texts) await object.hub.receive(object.sockets[socket] as WebSocket, text)
  }
  return { object, queries, ask }
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => String(index))

describe('requests for planets', () => {
  it('are answered in their order, however long a query takes', async () => {
    const waits = [20, 0, 10]
    const { object, ask } = makeObject(async (requests) => {
      await scheduler.wait(waits.shift() ?? 0)
      return requests.map(({ text }) => `reply to ${text}`)
    })
    const [one, two] = [await object.open(GET), await object.open(GET)]
    for (const text of numbered(40)) await ask(Number(text) % 2, text)
    const replies = [...(await one.until(20)), ...(await two.until(20))]
    const expected = [0, 1].flatMap((socket) => numbered(40).filter((text) => Number(text) % 2 === socket))
    expect(replies).toEqual(expected.map((text) => `reply to ${text}`))
  })

  it('that wait are answered with one query', async () => {
    const { object, queries, ask } = makeObject()
    const opened = [await object.open(GET), await object.open(GET)]
    await ask(0, 'first')
    await ask(0, 'a', 'b')
    await ask(1, 'c', 'd')
    await Promise.all([opened[0]?.until(3), opened[1]?.until(2)])
    expect(queries.map(({ texts }) => texts)).toEqual([['first'], ['a', 'b', 'c', 'd']])
  })

  it('of one holder get at most 128 replies per second and a few at once, over all sockets', async () => {
    const { object, queries, ask } = makeObject()
    const opened = [await object.open(GET), await object.open(GET)]
    await ask(0, ...numbered(100))
    await ask(1, ...numbered(100))
    await Promise.all(opened.map(({ until }) => until(100)))
    const replies = queries.flatMap(({ texts, at }) => texts.map(() => at))
    const inFirstSecond = replies.filter((at) => at < 1000).length
    expect(inFirstSecond).toBeGreaterThan(128)
    expect(inFirstSecond).toBeLessThanOrEqual(128 + 48)
    expect(replies.at(-1)).toBeGreaterThan(1000)
  })

  it('cannot be answered faster because one waits for each reply', async () => {
    const { object, queries, ask } = makeObject()
    const { until } = await object.open(GET)
    for (let count = 1; count <= 200; count++) {
      await ask(0, 'a')
      await until(count)
    }
    expect(queries.at(-1)?.at).toBeGreaterThan(1000)
  })

  it('of a holder do not wait for those of another', async () => {
    const { object, queries, ask } = makeObject()
    const [many, one] = [await object.open(GET), await object.open({ ...GET, holder: 'user 2' })]
    await ask(0, ...numbered(200))
    await scheduler.wait(5)
    await ask(1, 'mine')
    await one.until(1)
    const before = queries.findIndex(({ texts }) => texts.includes('mine'))
    expect(queries.slice(0, before).flatMap(({ texts }) => texts).length).toBeLessThan(200)
    await many.until(200)
  })

  it('of many holders get at most 512 replies per second and a few at once', async () => {
    const { object, queries, ask } = makeObject()
    const opened = []
    for (let index = 0; index < 10; index++) opened.push(await object.open({ ...GET, holder: `user ${index}` }))
    for (const index of opened.keys()) await ask(index, ...numbered(100))
    await Promise.all(opened.map(({ until }) => until(100)))
    const replies = queries.flatMap(({ texts, at }) => texts.map(() => at))
    expect(replies.filter((at) => at < 1000).length).toBeLessThanOrEqual(512 + 64)
  })

  it('for large planets do not close the socket of a client that sends ping', async () => {
    let pings = 0
    const { object, ask } = makeObject(async (requests) => {
      object.pings.set(object.sockets[0] as WebSocket, new Date(++pings))
      return requests.map(() => 'a'.repeat(1023 * KIB))
    })
    const { until, closed } = await object.open(GET)
    await ask(0, ...numbered(33))
    expect(await until(33)).toHaveLength(33)
    await expectOutcome(closed, 'open')
  })

  it('of one holder get at most 8 MiB at once, then 4 MiB per second, however large the planets are', async () => {
    let pings = 0
    const { object, queries, ask } = makeObject(async (requests) => {
      for (const socket of object.sockets) object.pings.set(socket, new Date(++pings))
      return requests.map(() => 'a'.repeat(1023 * KIB))
    })
    const { until } = await object.open(GET)
    await ask(0, ...numbered(40))
    await until(40)
    const replies = queries.flatMap(({ texts, at }) => texts.map(() => at))
    for (const [index, at] of replies.entries())
      expect(((index + 1) * 1023) / KIB).toBeLessThanOrEqual(8 + (4 * at) / 1000)
    expect(replies.at(-1)).toBeGreaterThan(7000)
  })

  it('that cannot be answered close their sockets, and others are answered', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { object, ask } = makeObject(async (requests) => {
      if (requests.some(({ text }) => text === 'bad')) throw new Error('no answer')
      return requests.map(({ text }) => `reply to ${text}`)
    })
    const [bad, good] = [await object.open(GET), await object.open({ ...GET, holder: 'user 2' })]
    await ask(0, 'bad')
    await ask(1, 'a')
    await expectOutcome(bad.closed, 1013)
    expect(await good.until(1)).toEqual(['reply to a'])
    await ask(1, 'b')
    expect(await good.until(2)).toEqual(['reply to a', 'reply to b'])
    expect(log.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
      { event: 'planet-request-failed', error: 'no answer' },
    ])
    log.mockRestore()
  })

  it('of a socket that was closed are forgotten', async () => {
    const { object, queries, ask } = makeObject()
    const { until } = await object.open(GET)
    await object.open(GET)
    await ask(0, 'first')
    await ask(1, 'gone', 'gone')
    object.hub.drop(object.sockets[1] as WebSocket, true)
    await ask(0, 'second')
    await until(2)
    expect(queries.flatMap(({ texts }) => texts)).toEqual(['first', 'second'])
  })
})

describe('too many requests', () => {
  it('are refused in their turn, over all sockets of a holder', async () => {
    const { object, ask } = makeObject()
    const [one, two] = [await object.open(GET), await object.open(GET)]
    // The first is being answered and does not wait any more.
    await ask(0, 'first', ...numbered(WAITING_MAX - 50))
    await ask(1, ...numbered(51))
    expect((await one.until(WAITING_MAX - 49)).some((frame) => frame.startsWith('refusal'))).toBe(false)
    const replies = await two.until(51)
    expect(replies.filter((frame) => frame.startsWith('refusal'))).toEqual(['refusal of 50'])
    expect(replies.at(-1)).toBe('refusal of 50')
    await ask(1, 'later')
    expect((await two.until(52)).at(-1)).toBe('reply to later')
  })

  it.each([
    ['as many as may wait', KEPT_MAX, 'open'],
    ['more', KEPT_MAX + 1, 1013],
  ])('of a holder, %s, leave the socket with most of %s %s', async (_, count, expected) => {
    const { object, ask } = makeObject(() => new Promise(() => {}))
    const { closed: smaller } = await object.open(GET)
    const { closed: larger } = await object.open(GET)
    await ask(0, 'first', ...numbered(KEPT_MAX / 4))
    await ask(1, ...numbered((3 * KEPT_MAX) / 4 - 1))
    await ask(0, ...numbered(count - KEPT_MAX + 1))
    await expectOutcome(larger, expected)
    await expectOutcome(smaller, 'open')
  })

  it.each([
    ['as many bytes as may wait', 0, 'open'],
    ['more bytes', 1, 1013],
  ])('of a holder, %s, leave the socket open or close it', async (_, excess, expected) => {
    const { object, ask } = makeObject(() => new Promise(() => {}))
    const { closed } = await object.open(GET)
    await ask(0, 'first')
    const count = KEPT_MAX_BYTES / (64 * KIB)
    for (let index = 0; index < count - 1; index++) await ask(0, 'é'.repeat(32 * KIB))
    await ask(0, 'a'.repeat(64 * KIB - 1), 'a'.repeat(1 + excess))
    await expectOutcome(closed, expected)
  })

  it.each([
    ['as many bytes as may wait', 0, 'open'],
    ['more bytes', 1, 1013],
  ])('of all, %s leave the largest socket of the holder with most open or close it', async (_, excess, expected) => {
    const { object, ask } = makeObject(() => new Promise(() => {}))
    const { closed: first } = await object.open({ ...GET, holder: 'user 0' })
    // This one is being answered, and does not wait any more.
    await ask(0, 'first')
    const holders = ALL_KEPT_MAX_BYTES / KEPT_MAX_BYTES
    const ends: OpenSocket['closed'][] = []
    for (let holder = 1; holder <= holders; holder++) {
      const sockets = [object.sockets.length, object.sockets.length + 1]
      for (const _ of sockets) ends.push((await object.open({ ...GET, holder: `user ${holder}` })).closed)
      // All holders but the fourth have 10 bytes less, and each has more on its second socket.
      const missing = holder === 4 ? 0 : 10
      await ask(sockets[0] ?? 0, 'a'.repeat(64 * KIB - missing))
      for (let sent = 64 * KIB; sent < KEPT_MAX_BYTES; sent += 64 * KIB)
        await ask(sockets[1] ?? 0, 'a'.repeat(64 * KIB))
    }
    await ask(0, 'a'.repeat(10 * (holders - 1) + excess))
    await expectOutcome(ends[7] ?? first, expected)
    for (const closed of [first, ...ends.slice(0, 7), ...ends.slice(8)]) await expectOutcome(closed, 'open')
  })

  it('of one holder close no socket of another', async () => {
    const { object, ask } = makeObject(() => new Promise(() => {}))
    const { closed } = await object.open({ ...GET, holder: 'user 0' })
    await ask(0, 'first', 'second')
    for (let holder = 1; holder <= 20; holder++) {
      await object.open({ ...GET, holder: `user ${holder}` })
      for (let sent = 0; sent < KEPT_MAX_BYTES; sent += 64 * KIB) await ask(holder, 'a'.repeat(64 * KIB))
    }
    await ask(0, 'third')
    await expectOutcome(closed, 'open')
  })
})
