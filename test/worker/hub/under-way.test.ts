import { describe, expect, it } from 'vitest'
import {
  HOLDER_HAD_MAX_BYTES,
  HOLDER_MAX_BYTES,
  HUB_MAX_BYTES,
  SOCKET_MAX_BYTES,
  STUCK_MAX_BYTES,
} from '../../../src/hub/under-way.ts'
import { expectOutcome, FakeObject } from '../../support/fake-hub.ts'

const MIB = 2 ** 20

/** An object in which closed connections are not cut before the test lets the time pass. */
function makeObject() {
  const waits: (() => void)[] = []
  const object = new FakeObject({
    wait: (milliseconds) =>
      milliseconds < 10_000 ? scheduler.wait(0) : new Promise((resolve) => void waits.push(resolve)),
  })
  /** Lets the time pass after which closed connections are cut. */
  const pass = async () => {
    for (const end of waits.splice(0)) end()
    await scheduler.wait(0)
  }
  return { object, pass }
}

/**
 * Sends an event of about so many bytes to the sockets of a planet. Some time passes, in which clients could read it.
 */
async function happen(object: FakeObject, bytes: number, planetId = 1, letter = 'x'): Promise<void> {
  const text = letter.repeat(bytes / new TextEncoder().encode(letter).byteLength)
  object.log.write(planetId, 1, { details: JSON.stringify(text) })
  await object.hub.notify()
  object.now = new Date(object.now.getTime() + 1000)
}

function ping(object: FakeObject, index: number): void {
  object.pings.set(object.sockets[index] as WebSocket, object.now)
}

describe('a socket whose client sends nothing', () => {
  it.each([
    ['as much as it may have', 0, 'open'],
    ['more', 1, 1013],
  ])('gets %s', async (_, excess, expected) => {
    const { object } = makeObject()
    const { closed } = await object.open()
    for (let sent = 0; sent < 7; sent++) await happen(object, MIB)
    await expectOutcome(closed, 'open')
    await happen(object, excess * MIB + MIB - 64 * 1024)
    await expectOutcome(closed, expected)
  })

  it('is closed by its bytes, not by its characters', async () => {
    const { object } = makeObject()
    const { closed } = await object.open()
    for (let sent = 0; sent < 9; sent++) await happen(object, MIB, 1, 'é')
    await expectOutcome(closed, 1013)
  })

  it('gets everything if it comes again after its last event', async () => {
    const { object } = makeObject()
    const ids: string[] = []
    let opened = await object.open()
    for (let sent = 0; sent < 20; sent++) {
      await happen(object, MIB)
      const last = object.log.rows.at(-1)
      await scheduler.wait(0)
      const isClosed = await Promise.race([opened.closed.then(() => true), scheduler.wait(5).then(() => false)])
      if (!isClosed) continue
      const received = opened.frames.map((frame) => JSON.parse(frame).eventId).filter(Boolean)
      ids.push(...received)
      opened = await object.open({}, { lastEventId: received.at(-1) })
      expect(last).toBeDefined()
    }
    await object.hub.notify()
    await scheduler.wait(20)
    ids.push(...opened.frames.map((frame) => JSON.parse(frame).eventId).filter(Boolean))
    expect(ids).toEqual(object.log.rows.map(({ place }) => `${place}.0`))
  })
})

describe('a socket whose client sends frames', () => {
  it.each(['a ping', 'another text'])('gets as much as happens if it sends %s in between', async (kind) => {
    const { object } = makeObject()
    const { closed } = await object.open()
    for (let sent = 0; sent < 20; sent++) {
      await happen(object, MIB)
      if (sent % 5 !== 4) continue
      if (kind === 'a ping') ping(object, 0)
      else await object.hub.receive(object.sockets[0] as WebSocket, 'text')
    }
    await expectOutcome(closed, 'open')
  })

  it('counts what was sent after the last one', async () => {
    const { object } = makeObject()
    const { closed } = await object.open()
    ping(object, 0)
    for (let sent = 0; sent < 9; sent++) await happen(object, MIB)
    await expectOutcome(closed, 1013)
  })
})

describe('the sockets of a holder', () => {
  it('are closed, the one with most under way first, if too much is under way to all of them', async () => {
    const { object } = makeObject()
    const large = await object.open({ subject: 1 })
    const others = [await object.open({ subject: 2 }), await object.open({ subject: 3 })]
    for (let sent = 0; sent < 7; sent++) await happen(object, MIB, 1)
    for (const planet of [2, 3]) for (let sent = 0; sent < 4; sent++) await happen(object, MIB, planet)
    await expectOutcome(large.closed, 'open')
    await happen(object, 2 * MIB, 2)
    await expectOutcome(large.closed, 1013)
    for (const { closed } of others) await expectOutcome(closed, 'open')
  })

  it('are not closed because of another holder', async () => {
    const { object } = makeObject()
    const other = await object.open({ subject: 2, holder: 'user 2' })
    const own = await Promise.all(Array.from({ length: 4 }, () => object.open({ subject: 1 })))
    await happen(object, 3 * MIB, 2)
    for (let sent = 0; sent < 6; sent++) await happen(object, MIB, 1)
    await expectOutcome(other.closed, 'open')
    const ended = await Promise.all(own.map(({ closed }) => Promise.race([closed, scheduler.wait(20)])))
    expect(ended.filter(Boolean).length).toBeGreaterThan(0)
  })

  it('stay open if their clients have read everything', async () => {
    const { object } = makeObject()
    const opened = await Promise.all(Array.from({ length: 4 }, () => object.open()))
    for (let sent = 0; sent < 9; sent++) {
      await happen(object, MIB)
      for (const index of opened.keys()) ping(object, index)
    }
    expect(opened.length * 9 * MIB).toBeGreaterThan(2 * HOLDER_MAX_BYTES)
    for (const { closed } of opened) await expectOutcome(closed, 'open')
  })

  it('are closed, the one that has had most first, if all have had too much, whatever their clients send', async () => {
    const { object } = makeObject()
    const [many, few, other] = [
      await object.open({ subject: 1 }),
      await object.open({ subject: 2 }),
      await object.open({ subject: 1, holder: 'user 2' }),
    ]
    const pingAll = () => object.sockets.forEach((_, index) => void ping(object, index))
    for (let sent = 0; sent < 4; sent++) {
      await happen(object, MIB, 2)
      pingAll()
    }
    for (let sent = 5; sent < HOLDER_HAD_MAX_BYTES / MIB; sent++) {
      await happen(object, MIB, 1)
      pingAll()
    }
    await expectOutcome(many.closed, 'open')
    await happen(object, MIB, 1)
    await expectOutcome(many.closed, 1013)
    for (const { closed } of [few, other]) await expectOutcome(closed, 'open')
  })
})

describe('the sockets of a hub', () => {
  it('are closed, those with most under way first, if too much is under way to all', async () => {
    const { object } = makeObject()
    const small = await object.open({ subject: 2, holder: 'user 0' })
    await happen(object, MIB, 2)
    const count = HUB_MAX_BYTES / (6 * MIB) + 1
    const large = await Promise.all(
      Array.from({ length: count }, (_, index) => object.open({ holder: `user ${index + 1}` })),
    )
    for (let sent = 0; sent < 6; sent++) await happen(object, MIB)
    await expectOutcome(small.closed, 'open')
    const ended = await Promise.all(large.map(({ closed }) => Promise.race([closed, scheduler.wait(20)])))
    expect(ended.filter(Boolean).map((end) => end?.[0])).toContain(1013)
  })
})

describe('a connection that was closed', () => {
  it('is cut if it does not end', async () => {
    const { object, pass } = makeObject()
    await object.open()
    for (let sent = 0; sent < 9; sent++) await happen(object, MIB)
    expect(object.cuts).toHaveLength(0)
    await pass()
    expect(object.cuts).toHaveLength(1)
  })

  it('is not cut if it has ended', async () => {
    const { object, pass } = makeObject()
    await object.open()
    for (let sent = 0; sent < 9; sent++) await happen(object, MIB)
    object.hub.drop(object.sockets[0] as WebSocket, true)
    await pass()
    expect(object.cuts).toHaveLength(0)
  })

  it('is cut if the client has closed it but does not read', async () => {
    const { object, pass } = makeObject()
    await object.open()
    await happen(object, MIB)
    object.hub.drop(object.sockets[0] as WebSocket, false)
    await pass()
    expect(object.cuts).toHaveLength(1)
  })

  it('is cut immediately if too much is under way to the closed ones of a holder', async () => {
    const { object } = makeObject()
    for (let round = 0; round < 4; round++) {
      await object.open()
      for (let sent = 0; sent < 9; sent++) await happen(object, MIB)
    }
    expect(object.cuts.length).toBeGreaterThan(0)
    const kept = object.sockets.length - object.cuts.length
    expect(kept * SOCKET_MAX_BYTES).toBeLessThanOrEqual(HOLDER_MAX_BYTES + SOCKET_MAX_BYTES)
  })
})

describe('connections that were closed after their clients have sent pings', () => {
  it('are cut immediately if they have had too much', async () => {
    const { object } = makeObject()
    const opened = await Promise.all(Array.from({ length: 4 }, () => object.open()))
    const each = HOLDER_HAD_MAX_BYTES / MIB / opened.length
    const send = async (count: number) => {
      for (let sent = 0; sent < count; sent++) {
        await happen(object, MIB)
        for (const index of opened.keys()) ping(object, index)
      }
    }
    await send(each)
    expect(object.cuts).toHaveLength(0)
    // Those that are left get as much as those that were closed have had.
    await send(3 * each)
    expect(object.cuts.length).toBeGreaterThan(0)
  })
})

describe('a hub that has hibernated', () => {
  it('begins anew if connections that it cannot cut take too much memory', async () => {
    const { object, pass } = makeObject()
    const count = STUCK_MAX_BYTES / SOCKET_MAX_BYTES
    for (let index = 0; index < count; index++) await object.open({ holder: `user ${index}`, subject: index })
    object.wake()
    for (let index = 0; index < count; index++) {
      expect(object.restarts).toHaveLength(0)
      for (let sent = 0; sent < 9; sent++) await happen(object, MIB, index)
      await pass()
    }
    expect(object.cuts).toHaveLength(0)
    expect(object.restarts).toHaveLength(1)
  })

  it('goes on if these connections end', async () => {
    const { object, pass } = makeObject()
    const count = STUCK_MAX_BYTES / SOCKET_MAX_BYTES
    for (let index = 0; index < count; index++) await object.open({ holder: `user ${index}`, subject: index })
    object.wake()
    for (let index = 0; index < count; index++) {
      for (let sent = 0; sent < 9; sent++) await happen(object, MIB, index)
      object.hub.drop(object.sockets[index] as WebSocket, true)
      await pass()
    }
    expect(object.restarts).toHaveLength(0)
  })
})
