import { runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { handleMessage } from '../../src/features/callbacks/consumer.ts'
import { finishDeferred } from '../support/deferred.ts'
import { UNIVERSE_HOST } from '../support/world.ts'
import {
  bodyOf,
  COMMON,
  clock,
  commonServices,
  configure,
  fromAnywhere,
  HOUR_MS,
  hostUrlOf,
  makeUniverse,
  queryInside,
  queue,
  universes,
  useWorlds,
  type World,
  worldAt,
} from '../support/worlds.ts'

useWorlds()

/** Takes what is queued and due, as the consumer of the queue does. @returns The messages */
async function deliver() {
  const taken = []
  await finishDeferred()
  for (;;) {
    const index = queue.held.findIndex(({ delaySeconds }) => delaySeconds === 0)
    const [next] = index < 0 ? [] : queue.held.splice(index, 1)
    if (!next) return taken
    taken.push(next.message)
    await universes.handleMessage(next.message, (own) => handleMessage(own, commonServices))
    await finishDeferred()
  }
}

/** An inbox of a world that responds with a status. */
async function createInbox(world: World, status = 200): Promise<{ id: string; url: string }> {
  const response = await world.send('/inboxes', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...fromAnywhere() },
    body: JSON.stringify({ status }),
  })
  expect(response.status).toBe(201)
  return await bodyOf(response)
}

/** What an inbox has received. */
async function receivedBy(world: World, { id }: { id: string }) {
  const { data } = await bodyOf(await world.send(`/inboxes/${id}`))
  return data as { body: string; signatures: Record<string, string> }[]
}

async function signUp(world: World): Promise<string> {
  const account = JSON.stringify({ email: 'ada@example.com', password: 'correct horse' })
  const init = () => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...fromAnywhere() },
    body: account,
  })
  await world.send('/user/signup', init())
  return (await bodyOf(await world.send('/auth/token', init()))).token
}

const VALID = { xSignature: 'valid', webhookSignature: 'valid' }
const UNKNOWN = { xSignature: 'unknown', webhookSignature: 'unknown' }

describe('a callback of a universe', () => {
  it('reaches inboxes of every world; that of its own recognises it', async () => {
    const [world, other] = [await makeUniverse(), await makeUniverse()]
    // The other worlds have a user and a delivery with the same ids.
    for (const same of [other, COMMON]) {
      const token = await signUp(same)
      await same.sendJson(
        'POST',
        '/planets',
        { name: 'Same', successCallbackUrl: (await createInbox(same)).url },
        token,
      )
    }
    await deliver()
    for (const [receiver, signatures] of [
      [world, VALID],
      [other, UNKNOWN],
      [COMMON, UNKNOWN],
    ] as const) {
      const inbox = await createInbox(receiver)
      const planet = { name: 'Told', successCallbackUrl: inbox.url }
      const { id } = await bodyOf(await world.own('POST', '/planets', planet))
      expect(await deliver()).toEqual([{ delivery: expect.any(Number), universe: world.id }])
      const [call, ...more] = await receivedBy(receiver, inbox)
      expect(more).toEqual([])
      expect(call?.signatures).toEqual(signatures)
      expect(JSON.parse(call?.body ?? '')).toMatchObject({ id, name: 'Told' })
      const { data } = await bodyOf(await world.own('GET', `/deliveries?planetId=${id}`))
      expect(data).toMatchObject([{ status: 'delivered' }])
    }
  })

  it('of the common world reaches an inbox of a universe, which does not recognise it', async () => {
    const world = await makeUniverse()
    const [token, inbox] = [await signUp(COMMON), await createInbox(world)]
    await COMMON.sendJson('POST', '/planets', { name: 'Told', successCallbackUrl: inbox.url }, token)
    expect(await deliver()).toEqual([{ delivery: expect.any(Number) }])
    expect(await receivedBy(world, inbox)).toMatchObject([{ signatures: UNKNOWN }])
  })

  it('reaches the inbox of a universe by host, and says the address that the request came by', async () => {
    configure({ universeHost: UNIVERSE_HOST })
    const [world, other] = [await makeUniverse(), await makeUniverse()]
    const [byHost, otherByHost] = [world, other].map((one) => worldAt(hostUrlOf(one), one.id)) as [World, World]
    for (const [receiver, signatures] of [
      [byHost, VALID],
      [otherByHost, UNKNOWN],
    ] as const) {
      const inbox = await createInbox(receiver)
      expect(inbox.url.startsWith(receiver.url)).toBe(true)
      await byHost.sendJson('POST', '/planets', { name: 'Told', successCallbackUrl: inbox.url }, world.token)
      await deliver()
      expect(await receivedBy(receiver, inbox)).toMatchObject([{ signatures }])
    }
  })

  it('is tried again by the alarm if its message was lost, and at its time', async () => {
    const world = await makeUniverse()
    const inbox = await createInbox(world, 503)
    await world.own('POST', '/planets', { name: 'Told', successCallbackUrl: inbox.url })
    await finishDeferred()
    // The message is lost.
    queue.held.splice(0)
    for (let attempt = 1; attempt <= 3; attempt++) {
      clock.advance(HOUR_MS)
      expect(await runDurableObjectAlarm(world.stub)).toBe(true)
      expect(queue.held.every(({ message }) => message.universe === world.id)).toBe(true)
      expect(await deliver()).toHaveLength(1)
      expect(await receivedBy(world, inbox)).toHaveLength(attempt)
      queue.held.splice(0)
    }
    expect((await world.sendJson('PUT', `/inboxes/${inbox.id}`, { status: 200 })).status).toBe(200)
    clock.advance(HOUR_MS * 6)
    await runDurableObjectAlarm(world.stub)
    await deliver()
    expect(await queryInside(world, 'select status from deliveries')).toEqual([{ status: 'delivered' }])
    clock.advance(HOUR_MS)
    await runDurableObjectAlarm(world.stub)
    expect(await deliver()).toEqual([])
  })

  it('cannot go to the host of images, which a universe itself does not use', async () => {
    configure({ imageHost: 'images.test', closedHosts: ['images.test'] })
    const world = await makeUniverse()
    for (const path of ['/echo', '/images/a.png']) {
      const planet = { name: 'Told', successCallbackUrl: `https://images.test${path}` }
      const response = await world.own('POST', '/planets', planet)
      expect([response.status, (await bodyOf(response)).errors]).toEqual([
        400,
        [{ pointer: '/successCallbackUrl', detail: expect.stringContaining('must not lead to this service') }],
      ])
    }
  })

  it('cannot reach an inbox of a universe that has ended, or was reset', async () => {
    const [world, ended, reset] = [await makeUniverse(), await makeUniverse(), await makeUniverse()]
    const inboxes = [await createInbox(ended), await createInbox(reset)]
    await ended.own('DELETE', '/universe')
    await reset.own('POST', '/universe/reset')
    for (const { url } of inboxes) await world.own('POST', '/planets', { name: 'Told', successCallbackUrl: url })
    await deliver()
    expect(await queryInside(world, 'select distinct status, retries from deliveries')).toEqual([
      { status: 'pending', retries: 1 },
    ])
  })

  it('does not tell subscriptions of other worlds', async () => {
    const [world, other] = [await makeUniverse(), await makeUniverse()]
    const inboxes = [await createInbox(world), await createInbox(other), await createInbox(COMMON)] as const
    const token = await signUp(COMMON)
    await world.own('POST', '/webhooks', { url: inboxes[0].url, events: ['newPlanet'] })
    await other.own('POST', '/webhooks', { url: inboxes[1].url, events: ['newPlanet'] })
    await COMMON.sendJson('POST', '/webhooks', { url: inboxes[2].url, events: ['newPlanet'] }, token)
    await deliver()
    const before = [await receivedBy(other, inboxes[1]), await receivedBy(COMMON, inboxes[2])]
    await world.own('POST', '/planets', { name: 'New' })
    await deliver()
    const bodies = (await receivedBy(world, inboxes[0])).map(({ body }) => JSON.parse(body))
    expect(JSON.stringify(bodies)).toContain('"New"')
    expect([await receivedBy(other, inboxes[1]), await receivedBy(COMMON, inboxes[2])]).toEqual(before)
  })
})
