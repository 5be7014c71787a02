import { beforeEach, describe, expect, it } from 'vitest'
import type { TargetLimits } from '../../src/env.ts'
import { handleMessage } from '../../src/features/callbacks/consumer.ts'
import { FakeNetwork } from '../support/callbacks.ts'
import { finishDeferred } from '../support/deferred.ts'
import { failingDatabase } from '../support/failing-database.ts'
import { readLog } from '../support/log-lines.ts'
import {
  bodyOf,
  COMMON,
  clock,
  commonEnv,
  commonServices,
  configure,
  fromAnywhere,
  MINUTE_MS,
  makeUniverse,
  type OwnWorld,
  queryInside,
  queue,
  replaceServices,
  universes,
  useWorlds,
} from '../support/worlds.ts'

// One person can make many universes. All of them together call a host no more often than the common world may.

useWorlds()
const log = readLog()
beforeEach(async () => void (await commonEnv.DB.exec('delete from call_targets')))

const HOST = 'receiver.example'
const RECEIVER = `https://${HOST}/planets`
const LIMITS: TargetLimits = { concurrent: 2, callsUnproven: 3, callsProven: 5 }
/** More than the time over which universes spread their next calls. */
const SPREAD_MS = 8000
const SERVER_ERROR = () => new Response('', { status: 503 })

/** A network, and universes whose calls to a host are limited. */
async function start(universeCount: number, answer?: FakeNetwork['answer']) {
  const network = new FakeNetwork(answer)
  replaceServices({ fetch: network.fetch })
  configure({ targetLimits: LIMITS, retrySeconds: [3600] })
  const worlds: OwnWorld[] = []
  while (worlds.length < universeCount) worlds.push(await makeUniverse())
  return { network, worlds }
}

/** Creates planets, each of which causes a call. */
async function causeCalls(world: OwnWorld, count: number, url = RECEIVER): Promise<void> {
  for (let index = 0; index < count; index++) {
    const response = await world.own('POST', '/planets', { name: `P${index}`, successCallbackUrl: url })
    expect(response.status).toBe(201)
  }
}

/** Lets time pass, and then handles the messages with at most a delay, until there are none. */
async function deliver(passedMs = 0, delayMaxMs = passedMs): Promise<void> {
  clock.advance(passedMs)
  await finishDeferred()
  for (;;) {
    const index = queue.held.findIndex(({ delaySeconds }) => delaySeconds * 1000 <= delayMaxMs)
    const [next] = index < 0 ? [] : queue.held.splice(index, 1)
    if (!next) return
    await universes.handleMessage(next.message, (own) => handleMessage(own, commonServices))
    await finishDeferred()
  }
}

const waitingIn = async (world: OwnWorld) =>
  await queryInside(
    world,
    "select waiting_for, retries from deliveries where status = 'pending' and waiting_for is not null",
  )
const loggedIn = async (world: OwnWorld) => (await queryInside(world, 'select id from attempts')).length
const countedFor = (host: string) =>
  commonEnv.DB.prepare('select calls, leases, accepted_at from call_targets where host = ?').bind(host).first()

describe('all universes together', () => {
  it('make as many calls in a minute as one world may, and what waits is called in the next ones', async () => {
    const { network, worlds } = await start(3, SERVER_ERROR)
    const [one, two, three] = worlds as [OwnWorld, OwnWorld, OwnWorld]
    for (const world of worlds) await causeCalls(world, 2)
    await deliver()
    expect(network.calls).toHaveLength(LIMITS.callsUnproven)
    const waiting = [...(await waitingIn(one)), ...(await waitingIn(two)), ...(await waitingIn(three))]
    expect(waiting).toEqual(Array(3).fill({ waiting_for: HOST, retries: 0 }))
    // Waiting is no attempt.
    expect((await loggedIn(one)) + (await loggedIn(two)) + (await loggedIn(three))).toBe(3)
    const { data } = await bodyOf(await three.own('GET', '/deliveries'))
    expect(data[0]).toMatchObject({ status: 'pending', waitingSince: expect.any(String), attempts: 0 })
    await deliver(MINUTE_MS / 2)
    expect(network.calls).toHaveLength(LIMITS.callsUnproven)
    await deliver(MINUTE_MS / 2 + SPREAD_MS, MINUTE_MS + SPREAD_MS)
    expect(network.calls).toHaveLength(6)
    for (const world of worlds) expect(await waitingIn(world)).toEqual([])
  })

  it('may make more calls when the host has answered 2xx, whichever universe it has answered', async () => {
    const { network, worlds } = await start(4)
    for (const world of worlds) await causeCalls(world, 2)
    await deliver()
    expect(network.calls).toHaveLength(LIMITS.callsProven)
    await deliver(MINUTE_MS + SPREAD_MS)
    expect(network.calls).toHaveLength(8)
  })

  it('do not use up the calls of the common world, nor it theirs', async () => {
    const { network, worlds } = await start(2, SERVER_ERROR)
    for (const world of worlds) await causeCalls(world, 2)
    await deliver()
    expect(network.calls).toHaveLength(LIMITS.callsUnproven)
    const account = JSON.stringify({ email: `ada-${crypto.randomUUID()}@example.com`, password: 'correct horse' })
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...fromAnywhere() }, body: account }
    await COMMON.send('/user/signup', init)
    const { token } = await bodyOf(await COMMON.send('/auth/token', init))
    for (let index = 0; index < 4; index++) {
      await COMMON.sendJson('POST', '/planets', { name: 'Mine', successCallbackUrl: RECEIVER }, token)
    }
    await deliver()
    expect(network.calls).toHaveLength(2 * LIMITS.callsUnproven)
    expect(await countedFor(HOST)).toMatchObject({ calls: LIMITS.callsUnproven })
    expect(await countedFor(`u/${HOST}`)).toMatchObject({ calls: LIMITS.callsUnproven })
  })

  it('call different hosts without waiting for one another', async () => {
    const { network, worlds } = await start(2, SERVER_ERROR)
    await causeCalls(worlds[0] as OwnWorld, 3)
    await causeCalls(worlds[1] as OwnWorld, 3, 'https://other.example/')
    await deliver()
    expect(network.calls).toHaveLength(6)
  })

  it('make as many calls at the same time as one world may', async () => {
    let isOver = false
    const { network, worlds } = await start(3, async () => {
      while (!isOver) await scheduler.wait(1)
      return new Response('Thank you')
    })
    for (const world of worlds) await causeCalls(world, 1)
    await finishDeferred()
    const held = queue.held.splice(0).map(({ message }) => universes.handleMessage(message, async () => {}))
    while (network.calls.length < LIMITS.concurrent || queue.held.length === 0) await scheduler.wait(1)
    expect(network.calls).toHaveLength(LIMITS.concurrent)
    isOver = true
    await Promise.all(held)
    // It asks again after some seconds, and not at once.
    await deliver()
    expect(network.calls).toHaveLength(LIMITS.concurrent)
    await deliver(2 * SPREAD_MS)
    expect(network.calls).toHaveLength(worlds.length)
  })

  it('count the calls for tokens, too', async () => {
    const { network, worlds } = await start(3, ({ url }) =>
      url.includes('tokens.') ? Response.json({ access_token: 'a', token_type: 'Bearer' }) : new Response('Thank you'),
    )
    for (const world of worlds) {
      const auth = { scheme: 'oAuth2', tokenUrl: 'https://tokens.example/', clientId: 'a', clientSecret: 'b' }
      const response = await world.own('POST', '/webhooks', { url: RECEIVER, events: ['newPlanet'], auth })
      expect(response.status).toBe(201)
      expect((await world.own('POST', '/planets', { name: 'New' })).status).toBe(201)
    }
    await deliver()
    expect(network.calls).toHaveLength(6)
    expect(await countedFor('u/tokens.example')).toMatchObject({ calls: 3, leases: '{}' })
    expect(await countedFor(`u/${HOST}`)).toMatchObject({ calls: 3, leases: '{}' })
  })
})

describe('the shared limits', () => {
  it('leave nothing of a universe in the common world', async () => {
    const { worlds } = await start(1)
    const [world] = worlds as [OwnWorld]
    await causeCalls(world, 1)
    await deliver()
    const row = await countedFor(`u/${HOST}`)
    expect(row).toMatchObject({ calls: 1, leases: '{}', accepted_at: expect.any(Number) })
    expect(JSON.stringify(row)).not.toContain(world.id)
  })

  it('do not count calls that stay inside the service', async () => {
    const { worlds } = await start(1)
    const [world] = worlds as [OwnWorld]
    const inbox = await bodyOf(await world.sendJson('POST', '/inboxes', {}))
    await causeCalls(world, LIMITS.callsUnproven + 1, inbox.url)
    await deliver()
    expect((await bodyOf(await world.send(`/inboxes/${inbox.id}`))).data).toHaveLength(LIMITS.callsUnproven + 1)
    const { results } = await commonEnv.DB.prepare("select host from call_targets where host glob 'u/*'").all()
    expect(results).toEqual([])
  })

  it('let a call wait if they cannot be read, and are no attempt then', async () => {
    let isDown = false
    const down = failingDatabase('D1_ERROR: Network connection lost.')
    const withSession = (mode?: string) => (isDown ? down : commonEnv.DB).withSession(mode)
    replaceServices({ database: { withSession } as unknown as D1Database })
    const { network, worlds } = await start(1)
    const [world] = worlds as [OwnWorld]
    await causeCalls(world, 1)
    await finishDeferred()
    isDown = true
    await deliver()
    expect(network.calls).toEqual([])
    expect(log.of('shared-limits-failed')).toHaveLength(1)
    expect([await waitingIn(world), await loggedIn(world)]).toEqual([[{ waiting_for: HOST, retries: 0 }], 0])
    isDown = false
    await deliver(2 * SPREAD_MS)
    expect(network.calls).toHaveLength(1)
  })
})
