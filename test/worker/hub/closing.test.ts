import { describe, expect, it } from 'vitest'
import { heldConnections } from '../../../src/events/held-connections.ts'
import { FakeObject } from '../../support/fake-hub.ts'

// The end of connections whose sockets the hub has closed. test/service/live-close.test.ts shows what a client sees.

/** An object in which no time passes, so that it cuts no connection because its client does not answer. */
const makeObject = () => new FakeObject({ wait: () => new Promise(() => {}) })

/** Holds a connection as the entry of the Worker does. */
function hold(object: FakeObject, connectionId: string) {
  const cutting = new AbortController()
  const ended = heldConnections.hold(object.id, connectionId, cutting)
  return { ended, isCut: () => cutting.signal.aborted }
}

describe('a connection', () => {
  it('is cut when the client has answered the close of the hub', async () => {
    const object = makeObject()
    await object.open()
    object.hub.endAll('over')
    expect(object.cuts).toHaveLength(0)
    object.hub.drop(object.sockets[0] as WebSocket, false)
    expect(object.cuts).toHaveLength(1)
  })

  it('is not cut when the client has closed it first, because the answer is on its way', async () => {
    const object = makeObject()
    await object.open()
    object.hub.drop(object.sockets[0] as WebSocket, false)
    expect(object.cuts).toHaveLength(0)
  })

  it('from before a hibernation is cut by the entry, and no other one is', async () => {
    const object = makeObject()
    const [held, other] = [hold(object, 'one'), hold(object, 'two')]
    for (const connectionId of ['one', 'two']) await object.open({ connectionId })
    object.wake()
    object.hub.endAll('over')
    object.hub.drop(object.sockets[0] as WebSocket, false)
    await held.ended
    expect([held.isCut(), other.isCut()]).toEqual([true, false])
    object.hub.drop(object.sockets[1] as WebSocket, false)
    await other.ended
  })

  it.each([true, false])('is no longer held by the entry when it has ended (hibernated: %s)', async (hibernates) => {
    const object = makeObject()
    const held = hold(object, 'one')
    await object.open({ connectionId: 'one' })
    if (hibernates) object.wake()
    object.hub.drop(object.sockets[0] as WebSocket, true)
    await held.ended
  })

  it('that ended with its object is no longer held by the entry', async () => {
    const object = makeObject()
    const held = hold(object, 'one')
    object.wake()
    await held.ended
  })
})
