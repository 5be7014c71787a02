import { runDurableObjectAlarm } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { FakeNetwork } from '../support/callbacks.ts'
import { readLog } from '../support/log-lines.ts'
import {
  bearer,
  COMMON,
  COMMON_ORIGIN,
  clock,
  commonServices,
  configure,
  HOUR_MS,
  makeUniverse,
  queue,
  replaceServices,
  sendTo,
  slowBody,
  universes,
  useWorlds,
} from '../support/worlds.ts'

// What the log says about the work of several worlds.

useWorlds()
const log = readLog()

beforeEach(() => configure({ logsRequests: true }))

describe('a request to a universe', () => {
  it('has one line, which names the universe', async () => {
    const world = await makeUniverse()
    log.clear()
    await world.send('/planets')
    await COMMON.send('/planets')
    expect(log.of('request')).toMatchObject([
      { route: '/planets', status: 200, world: world.id },
      { route: '/planets', status: 200, world: 'common' },
    ])
  })

  it('that has ended has one line, which names it', async () => {
    const world = await makeUniverse()
    expect((await world.own('DELETE', '/universe')).status).toBe(204)
    log.clear()
    expect((await world.send('/planets')).status).toBe(410)
    expect(log.of('request')).toMatchObject([{ status: 410, world: world.id }])
  })

  it('that ends during the request has one line', async () => {
    const world = await makeUniverse()
    const { body, finish } = slowBody('{"name":"Late"}')
    log.clear()
    const late = world.send('/planets', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...bearer(world.token) },
      body,
    })
    clock.advance(25 * HOUR_MS)
    await finish()
    expect((await late).status).toBe(410)
    expect(log.of('request')).toMatchObject([{ status: 410, world: world.id }])
  })

  it('that does not exist has one line, without the id that the caller made up', async () => {
    const id = 'abcdefghijklmnopqrstuvwx'
    expect((await sendTo(`${COMMON_ORIGIN}/u/${id}/planets`)).status).toBe(404)
    expect(log.of('request')).toMatchObject([{ status: 404, route: 'unknown', world: 'common' }])
    expect(log.text()).not.toContain(id)
  })
})

it('a message and a sweep have a line, which names their world', async () => {
  const network = new FakeNetwork()
  replaceServices({ fetch: network.fetch })
  const world = await makeUniverse()
  await world.own('POST', '/planets', { name: 'Told', successCallbackUrl: 'https://receiver.example/planets' })
  log.clear()
  const messages = queue.held.map(({ message }) => message)
  for (const message of messages) await universes.handleMessage(message, async () => {})
  expect(network.calls).toHaveLength(1)
  expect(log.of('message')).toEqual([
    {
      event: 'message',
      delivery: expect.any(Number),
      isDone: true,
      durationMs: expect.any(Number),
      roundTrips: expect.any(Number),
      rowsRead: expect.any(Number),
      rowsWritten: expect.any(Number),
      databaseMs: expect.any(Number),
      world: world.id,
    },
  ])
  await runDurableObjectAlarm(world.stub)
  expect(log.of('sweep')).toMatchObject([{ failures: 0, world: world.id }])
  expect(commonServices.config.logsRequests).toBe(true)
})
