import { describe, expect, it } from 'vitest'
import { FakeNetwork } from '../support/callbacks.ts'
import {
  bodyOf,
  clock,
  HOUR_MS,
  makeUniverse,
  type OwnWorld,
  queryInside,
  replaceServices,
  useWorlds,
} from '../support/worlds.ts'

useWorlds()

const RECEIVER = 'https://receiver.example/'

/** Makes a planet that causes a call. */
async function causeCall(world: OwnWorld): Promise<void> {
  const response = await world.own('POST', '/planets', { name: 'Mine', successCallbackUrl: RECEIVER })
  expect(response.status).toBe(201)
}

/** Makes the call of the newest delivery. */
async function deliverNewest(world: OwnWorld): Promise<void> {
  const [delivery] = await queryInside<{ id: number }>(world, 'select max(id) as id from deliveries')
  await world.stub.handleMessage({ delivery: Number(delivery?.id), universe: world.id })
}

describe('a universe whose time is over, though its alarm is late', () => {
  it('calls nobody, and its inboxes receive nothing', async () => {
    const network = new FakeNetwork()
    replaceServices({ fetch: network.fetch })
    const world = await makeUniverse()
    const inbox = await bodyOf(await world.sendJson('POST', '/inboxes', {}))
    await causeCall(world)
    clock.advance(25 * HOUR_MS)
    await deliverNewest(world)
    expect(await world.stub.callInbox(new Request(inbox.url, { method: 'POST', body: '{}' }))).toBeUndefined()
    expect(network.calls).toEqual([])
    expect(await queryInside(world, 'select * from inbox_requests')).toEqual([])
  })
})

describe('the limits of calls to a host', () => {
  it('are not lifted by a reset, so its repetition brings nobody more calls', async () => {
    const network = new FakeNetwork()
    replaceServices({ fetch: network.fetch })
    const world = await makeUniverse()
    for (const calls of [1, 2]) {
      await causeCall(world)
      await deliverNewest(world)
      expect(await queryInside(world, 'select host, calls from call_targets')).toEqual([
        { host: 'receiver.example', calls },
      ])
      expect((await world.own('POST', '/universe/reset')).status).toBe(204)
    }
    expect(network.calls).toHaveLength(2)
  })
})
