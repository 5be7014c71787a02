import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { failingDatabase } from '../support/failing-database.ts'
import { faultyAssets } from '../support/faults.ts'
import { readLog } from '../support/log-lines.ts'
import { follow } from '../support/sockets.ts'
import {
  bearer,
  bodyOf,
  COMMON,
  COMMON_ORIGIN,
  commonEnv,
  configure,
  makeUniverse,
  replaceServices,
  sendTo,
  slowBody,
  universes,
  useWorlds,
} from '../support/worlds.ts'

// An object that is reset: by a deployment, by the platform, or because it has used too much memory.

useWorlds()
const log = readLog()

/** Resets an object: everything in its memory is lost, and requests that are under way fail. */
async function reset(stub: DurableObjectStub): Promise<void> {
  await runInDurableObject(stub, (_, context) => context.abort('the object is reset')).catch(() => {})
}

describe('a universe whose object is reset', () => {
  it('answers a request that was under way with 503 and stores nothing of it, and then goes on', async () => {
    const world = await makeUniverse()
    expect((await world.own('POST', '/planets', { name: 'Kept' })).status).toBe(201)
    configure({ logsRequests: true })
    const { body, finish } = slowBody('{"name":"Lost"}')
    const late = world.send('/planets', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...bearer(world.token) },
      body,
    })
    await scheduler.wait(50)
    await reset(world.stub)
    await finish().catch(() => {})
    const response = await late
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5'])
    expect(log.of('universe-failed')).toHaveLength(1)
    expect(log.of('request')).toMatchObject([{ status: 503, world: world.id }])
    const { data } = await bodyOf(await world.send('/planets'))
    expect(data.map(({ name }: { name: string }) => name)).toEqual(['Kept'])
    expect((await world.own('POST', '/planets', { name: 'Next' })).status).toBe(201)
  })

  it('closes its sockets, and a reader that comes back misses nothing', async () => {
    const world = await makeUniverse()
    const open = async (query = '') => {
      const response = await world.send(`/ws/v1/celestial-bodies/events${query}`, {
        headers: { Upgrade: 'websocket', ...bearer(world.token) },
      })
      if (!response.webSocket) throw new Error(`no WebSocket: ${response.status}`)
      return follow(response, response.webSocket)
    }
    const first = await open()
    await first.until(1)
    await world.own('POST', '/planets', { name: 'Heard' })
    const frames = await first.until(2)
    const { eventId } = JSON.parse(frames[1] ?? '')
    await reset(world.stub)
    await world.own('POST', '/planets', { name: 'Missed' })
    const second = await open(`?lastEventId=${eventId}`)
    const caughtUp = await second.until(2)
    expect(caughtUp.join()).toContain('Missed')
    expect(caughtUp.join()).not.toContain('Heard')
    second.socket.close()
  })
})

describe('the file that universes are made from, if it cannot be read', () => {
  it.each([
    [1, 201],
    [2, 503],
  ])('%i times: the creation is %i, and nothing is left of a universe that was not made', async (failures, status) => {
    const count = async () => (await commonEnv.DB.prepare('select count(*) as n from universes').first('n')) as number
    const before = await count()
    replaceServices({ assets: faultyAssets(commonEnv.ASSETS, failures, new Error('Network connection lost.')) })
    const response = await COMMON.send('/universes', { method: 'POST' })
    expect([response.status, response.headers.get('Retry-After')]).toEqual([status, status === 503 ? '5' : null])
    expect(await count()).toBe(before + (status === 201 ? 1 : 0))
  })

  it('leaves a universe as it was if it is reset', async () => {
    const world = await makeUniverse()
    const { id } = await bodyOf(await world.own('POST', '/planets', { name: 'Kept' }))
    replaceServices({ assets: faultyAssets(commonEnv.ASSETS, 2, 500) })
    expect((await world.own('POST', '/universe/reset')).status).toBe(503)
    expect((await world.send(`/planets/${id}`)).status).toBe(200)
    expect((await world.own('POST', '/universe/reset')).status).toBe(204)
  })
})

describe('the list of universes, if it cannot be read', () => {
  const REFERENCE = '8idbb35q6lt92qeeisiu77ge'

  it('is 503 for a universe that this isolate does not know yet, in the format that is asked for', async () => {
    replaceServices({ database: failingDatabase(`internal error; reference = ${REFERENCE}`) })
    for (const accept of ['application/json', 'application/xml']) {
      const response = await sendTo(`${COMMON_ORIGIN}/u/abcdefghijklmnopqrstuvwx/planets`, {
        headers: { Accept: accept },
      })
      expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5'])
      expect(response.headers.get('Content-Type')).toBe(accept.replace('/', '/problem+'))
      expect(await response.text()).not.toContain(REFERENCE)
    }
  })

  it('is logged by the sweep, without the SQL statement', async () => {
    replaceServices({ database: failingDatabase(`internal error; reference = ${REFERENCE}`) })
    await universes.sweep()
    expect(log.of('universe-sweep-failed')).toEqual([
      expect.objectContaining({ error: `internal error; reference = ${REFERENCE}` }),
    ])
  })

  it('makes no universe, which is 503', async () => {
    replaceServices({ database: failingDatabase(`internal error; reference = ${REFERENCE}`) })
    const response = await COMMON.send('/universes', { method: 'POST' })
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5'])
  })
})

it('the hub of the common world goes on after a reset', async () => {
  const hub = commonEnv.EVENTS.get(commonEnv.EVENTS.idFromName('common'))
  const open = async () => {
    const response = await COMMON.send('/ws/v1/system/events', { headers: { Upgrade: 'websocket' } })
    if (!response.webSocket) throw new Error(`no WebSocket: ${response.status}`)
    return follow(response, response.webSocket)
  }
  await (await open()).until(1)
  await reset(hub)
  const again = await open()
  await again.until(1)
  again.socket.close()
})
