import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { openD1 } from '../../src/db/port.ts'
import { FakeNetwork } from '../support/callbacks.ts'
import { finishDeferred } from '../support/deferred.ts'
import { failingDatabase } from '../support/failing-database.ts'
import {
  bearer,
  bodyOf,
  COMMON_ORIGIN,
  clock,
  commonEnv,
  HOUR_MS,
  keysOf,
  listedRow,
  MINUTE_MS,
  makeUniverse,
  type OwnWorld,
  queue,
  replaceServices,
  slowBody,
  stalledBucket,
  sweepUniverses,
  universes,
  uploadTo,
  useWorlds,
} from '../support/worlds.ts'

useWorlds()

const RECEIVER = 'https://receiver.example/planets'

async function expectNothingLeft({ id, stub }: OwnWorld): Promise<void> {
  const left = await runInDurableObject(stub, async (_, { storage }) => ({
    tables: storage.sql.exec("select name from sqlite_master where name not glob '_cf_*'").toArray(),
    alarm: await storage.getAlarm(),
  }))
  expect(left).toEqual({ tables: [], alarm: null })
  expect(await keysOf(id)).toEqual([])
}

async function expectEnded(response: Response): Promise<void> {
  expect(response.status).toBe(410)
  expect(response.headers.get('Sunset')).toBeNull()
  expect((await bodyOf(response)).type).toBe(`${COMMON_ORIGIN}/problems/universe-ended`)
}

/** The ways in which a universe ends. */
const WAYS: Record<string, (world: OwnWorld) => Promise<void>> = {
  async DELETE(world) {
    expect((await world.own('DELETE', '/universe')).status).toBe(204)
  },
  async 'the alarm'({ stub }) {
    clock.advance(HOUR_MS + MINUTE_MS)
    expect(await runDurableObjectAlarm(stub)).toBe(true)
  },
  async 'an operator'({ id }) {
    const now = Date.now()
    await commonEnv.DB.prepare('update universes set due_at = ?1, ended_at = ?1 where id = ?2').bind(now, id).run()
    await sweepUniverses()
  },
}

describe.each(Object.entries(WAYS))('when a universe ends by %s', (_, end) => {
  it('a request that has still to write gets 410', async () => {
    const world = await makeUniverse('blank', 1)
    const { body, finish } = slowBody('{"name":"Late"}')
    const headers = { ...bearer(world.token), 'Content-Type': 'application/json' }
    const late = world.send('/planets', { method: 'POST', body, headers })
    await scheduler.wait(50)
    await end(world)
    await finish()
    await expectEnded(await late)
    await expectNothingLeft(world)
  })

  it('an upload leaves no picture', async () => {
    const world = await makeUniverse('blank', 1)
    const { id } = await bodyOf(await world.own('POST', '/planets', { name: 'Mine' }))
    const { bucket, goOn } = stalledBucket()
    replaceServices({ bucket })
    const upload = uploadTo(world, id, world.token)
    while ((await keysOf(world.id)).length === 0) await scheduler.wait(1)
    await end(world)
    goOn()
    await expectEnded(await upload)
    await finishDeferred()
    await expectNothingLeft(world)
  })

  it('a call that is under way writes nothing, and those that wait are not made', async () => {
    const world = await makeUniverse('blank', 1)
    for (const name of ['One', 'Two']) await world.own('POST', '/planets', { name, successCallbackUrl: RECEIVER })
    await finishDeferred()
    const [first, second] = queue.held
    if (!first || !second) throw new Error('nothing was queued')
    let isOver = false
    const network = new FakeNetwork(async () => {
      while (!isOver) await scheduler.wait(1)
      return new Response('Thank you')
    })
    replaceServices({ fetch: network.fetch })
    const call = universes.handleMessage(first.message, async () => {})
    while (network.calls.length === 0) await scheduler.wait(1)
    await end(world)
    isOver = true
    await call
    await universes.handleMessage(second.message, async () => {})
    await finishDeferred()
    expect(network.calls).toHaveLength(1)
    await expectNothingLeft(world)
  })

  it('its sockets and streams close', async () => {
    const world = await makeUniverse('blank', 1)
    const { webSocket } = await world.send('/echo', { headers: { Upgrade: 'websocket' } })
    if (!webSocket) throw new Error('no socket was opened')
    const closed = new Promise<[number, string]>((resolve) =>
      webSocket.addEventListener('close', ({ code, reason }) => resolve([code, reason])),
    )
    webSocket.accept()
    const stream = await world.send('/echo/stream?count=60&interval=10')
    expect(stream.headers.get('Sunset')).toMatch(/GMT$/)
    await scheduler.wait(10)
    const started = Date.now()
    await end(world)
    expect(await closed).toEqual([1001, 'This universe has ended.'])
    expect(await stream.text()).toBe('event: message\nid: 1\nretry: 1000\ndata: ping\n\n')
    expect(Date.now() - started).toBeLessThan(5000)
    await expectNothingLeft(world)
  })

  it('requests that come at the same time are answered as before or as after', async () => {
    const world = await makeUniverse('blank', 1)
    const send = () => [
      ...Array.from({ length: 10 }, (_, index) => world.own('POST', '/planets', { name: `Planet ${index}` })),
      ...Array.from({ length: 10 }, () => world.send('/planets')),
    ]
    const requests = send()
    const [, answers] = await Promise.all([end(world), Promise.all([...requests, ...send()])])
    for (const { status } of answers) expect([200, 201, 410]).toContain(status)
    await finishDeferred()
    await expectNothingLeft(world)
  })
})

describe('a stream that was read to its end or left', () => {
  it('is no matter for the end of its universe', async () => {
    const world = await makeUniverse('blank', 1)
    const whole = await world.send('/echo/stream?count=1')
    expect(await whole.text()).toContain('ping')
    const left = await world.send('/echo/stream?count=60')
    await left.body?.cancel()
    const { webSocket } = await world.send('/echo', { headers: { Upgrade: 'websocket' } })
    webSocket?.accept()
    webSocket?.close(1000, 'enough')
    await scheduler.wait(10)
    expect((await world.own('DELETE', '/universe')).status).toBe(204)
    await expectNothingLeft(world)
  })
})

describe('an end whose removal fails', () => {
  it('is an end nevertheless, and the alarm completes it', async () => {
    const world = await makeUniverse('blank', 1)
    const { database } = { database: openD1(commonEnv.DB) }
    replaceServices({ database: failingDatabase('D1_ERROR: Network connection lost.') })
    expect((await world.own('DELETE', '/universe')).status).toBe(204)
    replaceServices({ database })
    expect(await listedRow(world.id)).toMatchObject({ ended_at: null })
    await expectEnded(await world.send('/planets'))
    clock.advance(2 * MINUTE_MS)
    expect(await runDurableObjectAlarm(world.stub)).toBe(true)
    await expectNothingLeft(world)
    await expectEnded(await world.send('/planets'))
    expect((await listedRow(world.id))?.ended_at).toBeGreaterThan(0)
  })
})

describe('two owners’ clients that end a universe at once', () => {
  it('get 204 and 410', async () => {
    const world = await makeUniverse('blank', 1)
    const both = await Promise.all([world.own('DELETE', '/universe'), world.own('DELETE', '/universe')])
    expect(both.map(({ status }) => status).toSorted()).toEqual([204, 410])
    await expectNothingLeft(world)
  })

  it('find it ended if one resets it', async () => {
    const world = await makeUniverse('blank', 1)
    const [end, reset] = await Promise.all([world.own('DELETE', '/universe'), world.own('POST', '/universe/reset')])
    expect(end.status).toBe(204)
    expect([204, 410]).toContain(reset.status)
    await expectNothingLeft(world)
  })
})
