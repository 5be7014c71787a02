import { describe, expect, it } from 'vitest'
import { expectOutcome, FakeObject } from '../../support/fake-hub.ts'

const KIB = 1024

/** An object with two sockets of one holder, and one of another. */
async function makeObject() {
  const object = new FakeObject()
  const sockets = [await object.open(), await object.open(), await object.open({ holder: 'user 2' })]
  const send = async (index: number, texts: number, bytes: number) => {
    for (let sent = 0; sent < texts; sent++) {
      await object.hub.receive(object.sockets[index] as WebSocket, 'a'.repeat(bytes))
    }
  }
  const pass = (milliseconds: number) => {
    object.now = new Date(object.now.getTime() + milliseconds)
  }
  return { object, closed: sockets.map(({ closed }) => closed), send, pass }
}

describe('what clients send', () => {
  it.each([
    ['9 MiB', 144, 64 * KIB, 'open'],
    ['more than 9 MiB', 145, 64 * KIB, 1013],
    ['2,304 short texts', 2304, 1, 'open'],
    ['more short texts', 2305, 1, 1013],
  ])('at once can be %s, on all sockets of a holder', async (_, texts, bytes, expected) => {
    const { closed, send } = await makeObject()
    await send(0, 100, bytes)
    await send(1, texts - 100, bytes)
    await expectOutcome(closed[1] as Promise<[number, string]>, expected)
    await expectOutcome(closed[0] as Promise<[number, string]>, 'open')
    await send(2, 10, bytes)
    await expectOutcome(closed[2] as Promise<[number, string]>, 'open')
  })

  it.each([
    ['4 MiB', 64, 'open'],
    ['more', 65, 1013],
  ])('per second can be %s', async (_, texts, expected) => {
    const { closed, send, pass } = await makeObject()
    await send(0, 144, 64 * KIB)
    for (let second = 0; second < 5; second++) {
      pass(1000)
      await send(0, texts, 64 * KIB)
    }
    await expectOutcome(closed[0] as Promise<[number, string]>, expected)
  })

  it('ends the connection of a socket that was closed, if it goes on', async () => {
    const { object, closed, send } = await makeObject()
    await send(0, 145, 64 * KIB)
    await expectOutcome(closed[0] as Promise<[number, string]>, 1013)
    expect(object.cuts).toHaveLength(0)
    await send(0, 1, 64 * KIB)
    expect(object.cuts).toHaveLength(1)
  })

  it('counts also if it is binary', async () => {
    const { object, closed } = await makeObject()
    const sendBinary = () => object.hub.receive(object.sockets[0] as WebSocket, new ArrayBuffer(64 * KIB))
    await sendBinary()
    await expectOutcome(closed[0] as Promise<[number, string]>, 1003)
    for (let sent = 1; sent < 144; sent++) await sendBinary()
    expect(object.cuts).toHaveLength(0)
    await sendBinary()
    expect(object.cuts).toHaveLength(1)
  })

  it('counts also for a socket that is opened later', async () => {
    const { object, closed, send } = await makeObject()
    await send(0, 145, 64 * KIB)
    await expectOutcome(closed[0] as Promise<[number, string]>, 1013)
    object.hub.drop(object.sockets[0] as WebSocket, true)
    object.hub.drop(object.sockets[1] as WebSocket, true)
    const { closed: later } = await object.open()
    await send(3, 1, 64 * KIB)
    await expectOutcome(later, 1013)
  })
})
