import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { aroundRuns, openD1, type SqliteDatabase } from '../../src/db/port.ts'
import type { TargetLimits } from '../../src/env.ts'
import { handleMessage } from '../../src/features/callbacks/consumer.ts'
import { SuffixList } from '../../src/stores/suffix-list.ts'
import { FakeNetwork } from '../support/callbacks.ts'
import { finishDeferred } from '../support/deferred.ts'
import { failingDatabase } from '../support/failing-database.ts'
import { faultyAssets } from '../support/faults.ts'
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
  type World,
} from '../support/worlds.ts'

// One person can make many universes. All of them together call a host no more often than the common world may, and the
// sockets of an address get no more from their echoes.

useWorlds()
const log = readLog()
beforeEach(async () => void (await commonEnv.DB.exec('delete from call_targets')))

const HOST = 'receiver.example'
const RECEIVER = `https://${HOST}/planets`
const LIMITS: TargetLimits = { concurrent: 2, callsUnproven: 3, callsProven: 5 }
/** More than the time over which universes spread their next calls. */
const SPREAD_MS = 8000
/** How long a place may take to be given, or to be taken back. */
const PLACE_MAX_MS = 2000
const TOKEN_URL = 'https://tokens.example/'
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

/** Creates a planet, which causes a call that needs a token. */
async function causeCallWithToken(world: OwnWorld, url = RECEIVER, tokenUrl = TOKEN_URL): Promise<void> {
  const auth = { scheme: 'oAuth2', tokenUrl, clientId: 'a', clientSecret: 'b' }
  expect((await world.own('POST', '/webhooks', { url, events: ['newPlanet'], auth })).status).toBe(201)
  expect((await world.own('POST', '/planets', { name: 'New' })).status).toBe(201)
}

const giveToken = () => Response.json({ access_token: 'a', token_type: 'Bearer' })

/**
 * The database of the common world, which can stall. While it stalls, the time that a place may take is over at once.
 */
function stallable() {
  const state = { isStalled: false, hasTimeLimit: true }
  let isOver = false
  onTestFinished(() => {
    isOver = true
  })
  const database = aroundRuns(openD1(commonEnv.DB), async (statements, run) => {
    // Not a promise of the test: it belongs to another request than those of the object.
    while (state.isStalled && !isOver) await scheduler.wait(1)
    if (isOver) throw new Error('the test is over')
    return await run(statements)
  })
  const wait = async (milliseconds: number) => {
    if (milliseconds !== PLACE_MAX_MS) return await scheduler.wait(milliseconds)
    while (!isOver && !(state.isStalled && state.hasTimeLimit)) await scheduler.wait(1)
  }
  replaceServices({ database, wait })
  return state
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
      url === TOKEN_URL ? giveToken() : new Response('Thank you'),
    )
    for (const world of worlds) await causeCallWithToken(world)
    await deliver()
    expect(network.calls).toHaveLength(6)
    expect(await countedFor('u/tokens.example')).toMatchObject({ calls: 3, leases: '{}' })
    expect(await countedFor(`u/${HOST}`)).toMatchObject({ calls: 3, leases: '{}' })
  })
})

describe('the shared limits', () => {
  it('give the place at a token host back before the receiver is called', async () => {
    let isOver = false
    const { network, worlds } = await start(LIMITS.concurrent + 1, async ({ url }) => {
      if (url === TOKEN_URL) return giveToken()
      while (!isOver) await scheduler.wait(1)
      return new Response('Thank you')
    })
    for (const [index, world] of worlds.entries()) await causeCallWithToken(world, `https://receiver-${index}.example/`)
    await finishDeferred()
    const callsToReceivers = () => network.calls.filter(({ url }) => url !== TOKEN_URL)
    const handled: Promise<unknown>[] = []
    for (let next = queue.held.shift(); next?.delaySeconds === 0; next = queue.held.shift()) {
      const callsBefore = callsToReceivers().length
      let isHandled = false
      handled.push(universes.handleMessage(next.message, async () => {}).then(() => (isHandled = true)))
      while (!isHandled && callsToReceivers().length === callsBefore) await scheduler.wait(1)
      if (isHandled) await finishDeferred()
    }
    expect(callsToReceivers()).toHaveLength(worlds.length)
    isOver = true
    await Promise.all(handled)
    await finishDeferred()
  })

  it('give a delivery one place at its own host, also for its token, until the attempt ends', async () => {
    const tokenUrl = `https://${HOST}/token`
    const places: unknown[] = []
    const { network, worlds } = await start(1, async ({ url }) => {
      places.push(JSON.parse((await countedFor(`u/${HOST}`))?.leases as string))
      return url === tokenUrl ? giveToken() : new Response('Thank you')
    })
    await causeCallWithToken(worlds[0] as OwnWorld, RECEIVER, tokenUrl)
    await deliver()
    expect(network.calls.map(({ url }) => url)).toEqual([tokenUrl, RECEIVER])
    expect(Object.keys(places[0] as object)).toHaveLength(1)
    expect(places[1]).toEqual(places[0])
    expect(await countedFor(`u/${HOST}`)).toMatchObject({ calls: 1, leases: '{}' })
  })

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

  /** A call waits while the limits fail, and is made after it. */
  async function expectToWait(setFailing: (isFailing: boolean) => void, error: string): Promise<void> {
    const { network, worlds } = await start(1)
    const [world] = worlds as [OwnWorld]
    await causeCalls(world, 1)
    await finishDeferred()
    setFailing(true)
    await deliver()
    expect(network.calls).toEqual([])
    expect(log.of('shared-limits-failed')).toMatchObject([{ error }])
    expect([await waitingIn(world), await loggedIn(world)]).toEqual([[{ waiting_for: HOST, retries: 0 }], 0])
    setFailing(false)
    await deliver(2 * SPREAD_MS)
    expect(network.calls).toHaveLength(1)
  }

  it('let a call wait if they cannot be read, and are no attempt then', async () => {
    const message = 'D1_ERROR: Network connection lost.'
    const down = failingDatabase(message)
    let isDown = false
    const open: SqliteDatabase['open'] = (start) => (isDown ? down : openD1(commonEnv.DB)).open(start)
    replaceServices({ database: { open } })
    await expectToWait((isFailing) => (isDown = isFailing), message)
  })

  it('let a call wait if they do not answer within two seconds, and are no attempt then', async () => {
    const database = stallable()
    await expectToWait((isFailing) => (database.isStalled = isFailing), 'no result within 2000 ms')
  })

  it('allow a call if they answer slowly, but in time', async () => {
    const { network, worlds } = await start(1)
    const database = stallable()
    const [world] = worlds as [OwnWorld]
    await causeCalls(world, 1)
    await finishDeferred()
    Object.assign(database, { isStalled: true, hasTimeLimit: false })
    const delivered = deliver()
    await scheduler.wait(20)
    expect(network.calls).toEqual([])
    database.isStalled = false
    await delivered
    expect([network.calls.length, log.of('shared-limits-failed')]).toEqual([1, []])
  })

  it('do not delay the outcome of a call if they do not take its place back within two seconds', async () => {
    const { worlds } = await start(1, () => {
      database.isStalled = true
      return new Response('Thank you')
    })
    const database = stallable()
    const [world] = worlds as [OwnWorld]
    await causeCalls(world, 1)
    await deliver()
    expect(await queryInside(world, 'select status from deliveries')).toEqual([{ status: 'delivered' }])
    expect(await loggedIn(world)).toBe(1)
    expect(log.of('shared-limits-failed')).toMatchObject([{ error: 'no result within 2000 ms' }])
    expect(await countedFor(`u/${HOST}`)).toMatchObject({ calls: 1, leases: expect.stringContaining(':') })
  })
})

describe('the sockets of an address at the echo', () => {
  const MIB = 1024 * 1024

  async function echo(world: World, address: Record<string, string>, messages: number) {
    const { webSocket } = await world.send('/echo', { headers: { Upgrade: 'websocket', ...address } })
    if (!webSocket) throw new Error('no socket was opened')
    let received = 0
    const end = new Promise<{ received: number; code: number }>((resolve) => {
      webSocket.addEventListener('message', () => ++received === messages && webSocket.close(1000))
      webSocket.addEventListener('close', ({ code }) => resolve({ received, code }))
    })
    webSocket.accept()
    for (let count = 0; count < messages; count++) webSocket.send('a'.repeat(MIB))
    return await end
  }

  it('get 16 MiB back from all universes together', async () => {
    const worlds = [await makeUniverse(), await makeUniverse()]
    const [one, other] = [fromAnywhere(), fromAnywhere()]
    for (const world of [...worlds, ...worlds]) {
      expect(await echo(world, one, 4)).toEqual({ received: 4, code: 1000 })
    }
    for (const world of worlds) {
      expect(await echo(world, one, 1)).toEqual({ received: 0, code: 1008 })
      expect(await echo(world, other, 1)).toEqual({ received: 1, code: 1000 })
    }
  })

  it('get 4 MiB back on one socket, also in a universe', async () => {
    const world = await makeUniverse()
    expect(await echo(world, fromAnywhere(), 5)).toEqual({ received: 4, code: 1008 })
  })
})

describe('the public suffix list, if it cannot be read', () => {
  const failToRead = (failures: number) =>
    replaceServices({ suffixes: new SuffixList(faultyAssets(commonEnv.ASSETS, failures, 500)) })

  it('is not needed to call the URL of a delivery', async () => {
    const { network, worlds } = await start(1)
    await causeCalls(worlds[0] as OwnWorld, 1)
    await finishDeferred()
    failToRead(Number.POSITIVE_INFINITY)
    await deliver()
    expect(network.calls).toHaveLength(1)
  })

  it('lets a call for a token wait, which is no attempt', async () => {
    const { network, worlds } = await start(1, ({ url }) =>
      url === TOKEN_URL ? giveToken() : new Response('Thank you'),
    )
    const [world] = worlds as [OwnWorld]
    await causeCallWithToken(world)
    await finishDeferred()
    failToRead(2)
    await deliver()
    expect(network.calls).toEqual([])
    expect([await waitingIn(world), await loggedIn(world)]).toEqual([
      [{ waiting_for: new URL(TOKEN_URL).host, retries: 0 }],
      0,
    ])
    await deliver(2 * SPREAD_MS)
    expect(network.calls.map(({ url }) => url)).toEqual([TOKEN_URL, RECEIVER])
  })
})
