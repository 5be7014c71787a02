import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { PROBLEMS } from '../../src/domain/problems.ts'
import { makePicture } from '../support/pictures.ts'
import { UNIVERSE_HOST } from '../support/world.ts'
import {
  bearer,
  bodyOf,
  COMMON,
  COMMON_ORIGIN,
  clock,
  commonEnv,
  configure,
  DAY_MS,
  HOUR_MS,
  hostUrlOf,
  keysOf,
  listedRow,
  MINUTE_MS,
  makeUniverse,
  type OwnWorld,
  queryInside,
  sendTo,
  sweepUniverses,
  useWorlds,
  worldAt,
} from '../support/worlds.ts'

useWorlds()

const expiryOf = async (world: OwnWorld) => new Date((await bodyOf(await world.send('/universe'))).expiresAt).getTime()
const writesOf = async (world: OwnWorld) =>
  Number((await queryInside<{ changes: number }>(world, 'select total_changes() as changes'))[0]?.changes)

/** A universe with something in each place that stores anything. */
async function makeFilled(): Promise<OwnWorld> {
  const world = await makeUniverse()
  const { id } = await bodyOf(await world.own('POST', '/planets', { name: 'Mine' }))
  const form = new FormData()
  form.set('image', new File([makePicture()], 'picture'))
  const upload = { method: 'POST', body: form, headers: bearer(world.token) }
  expect((await world.send(`/planets/${id}/image`, upload)).status).toBe(200)
  expect(await keysOf(world.id)).toHaveLength(1)
  return world
}

/** What is left in the object of a universe. */
async function remainsOf({ stub }: OwnWorld): Promise<unknown> {
  return await runInDurableObject(stub, async (_, { storage }) => ({
    tables: storage.sql.exec("select name from sqlite_master where name not glob '_cf_*'").toArray(),
    alarm: await storage.getAlarm(),
  }))
}

async function expectGone(world: OwnWorld): Promise<void> {
  expect(await remainsOf(world)).toEqual({ tables: [], alarm: null })
  expect(await keysOf(world.id)).toEqual([])
}

async function expectEnded(response: Response, type = `${COMMON_ORIGIN}/problems/universe-ended`): Promise<void> {
  expect(response.status).toBe(410)
  expect(response.headers.get('Sunset')).toBeNull()
  expect(await bodyOf(response)).toMatchObject({ type, status: 410, detail: PROBLEMS['universe-ended'].example.detail })
}

const PIECE_BYTES = 60_000

describe('the end of a universe', () => {
  it('moves with requests, by whole minutes, so that most requests write nothing', async () => {
    const world = await makeUniverse('blank', 2)
    const before = world.expiresAt.getTime()
    // The first request sets the alarm.
    await world.send('/planets')
    const writes = await writesOf(world)
    for (let request = 0; request < 5; request++) await world.send('/planets')
    clock.advance(40_000)
    expect(await expiryOf(world)).toBe(before)
    expect(await writesOf(world)).toBe(writes)
    clock.advance(30_000)
    const moved = await expiryOf(world)
    expect(moved).toBeGreaterThanOrEqual(before + MINUTE_MS)
    expect(moved).toBeLessThanOrEqual(clock.now().getTime() + 2 * HOUR_MS)
    expect(await writesOf(world)).toBeGreaterThan(writes)
  })

  it('is in the Sunset of every response, as it is after that request', async () => {
    const world = await makeUniverse('blank', 1)
    for (const [method, path] of [
      ['GET', '/planets'],
      ['HEAD', '/planets'],
      ['OPTIONS', '/planets'],
      ['GET', '/nowhere'],
      ['GET', '/echo'],
      ['POST', '/me'],
      ['GET', '/'],
    ] as const) {
      clock.advance(MINUTE_MS * 2)
      const response = await world.send(path, { method })
      const sunset = new Date(response.headers.get('Sunset') ?? '').getTime()
      expect(Math.abs(sunset - clock.now().getTime() - HOUR_MS), path).toBeLessThan(2000)
    }
  })

  it('is told with a page to who prefers one, which leads to the common world', async () => {
    const world = await makeUniverse('blank', 1)
    clock.advance(2 * HOUR_MS)
    for (const path of ['/', '/planets', '/nowhere']) {
      const response = await world.send(path, { headers: { Accept: 'text/html' } })
      expect(response.status).toBe(410)
      const text = await response.text()
      expect(text).toContain('410 Gone')
      expect(text).toContain('<a href="/">Home</a>')
    }
    const never = await sendTo(`${COMMON_ORIGIN}/u/${'a'.repeat(24)}/`, { headers: { Accept: 'text/html' } })
    expect(never.status).toBe(404)
    expect(await never.text()).toContain('<a href="/">Home</a>')
  })

  it('never lies beyond seven days, however often it moves', async () => {
    const world = await makeUniverse('blank', 168)
    const latest = world.expiresAt.getTime()
    for (let day = 0; day < 6; day++) {
      clock.advance(DAY_MS)
      expect(await expiryOf(world)).toBe(latest)
    }
    clock.advance(DAY_MS)
    await expectEnded(await world.send('/planets'))
  })

  it('does not move after its owner has fixed it', async () => {
    const world = await makeUniverse('blank', 1)
    const expiresAt = new Date(clock.now().getTime() + 3 * HOUR_MS).toISOString()
    const changed = await world.own('PATCH', '/universe', { expiresAt })
    expect(changed.status).toBe(200)
    expect(await bodyOf(changed)).toMatchObject({ expiresAt })
    expect(changed.headers.get('Sunset')).toBe(new Date(expiresAt).toUTCString())
    clock.advance(2 * HOUR_MS)
    expect(await expiryOf(world)).toBe(Date.parse(expiresAt))
    clock.advance(HOUR_MS)
    await expectEnded(await world.send('/planets'))
  })

  it('cannot be fixed in the past, or later than seven days after the creation', async () => {
    const world = await makeUniverse()
    const { createdAt } = await bodyOf(await world.send('/universe'))
    const latest = Date.parse(createdAt) + 7 * DAY_MS
    for (const time of [clock.now().getTime() - 1, latest + 1]) {
      const refused = await world.own('PATCH', '/universe', { expiresAt: new Date(time).toISOString() })
      expect(refused.status).toBe(400)
    }
    expect((await world.own('PATCH', '/universe', { expiresAt: new Date(latest).toISOString() })).status).toBe(200)
    clock.advance(DAY_MS)
    expect(await expiryOf(world)).toBe(latest)
  })

  it('comes at its time, even if the alarm comes later', async () => {
    const world = await makeFilled()
    clock.advance(25 * HOUR_MS)
    await expectEnded(await world.send('/planets'))
    expect(await keysOf(world.id)).toHaveLength(1)
    expect(await runDurableObjectAlarm(world.stub)).toBe(true)
    await expectGone(world)
    await expectEnded(await world.send('/planets'))
  })

  it('is not prevented by requests that come after it', async () => {
    const world = await makeUniverse('blank', 1)
    clock.advance(HOUR_MS)
    await expectEnded(await world.send('/universe'))
    await expectEnded(await world.own('PATCH', '/universe', { expiresAt: new Date(Date.now() + DAY_MS).toISOString() }))
    await expectEnded(await world.own('POST', '/universe/reset'))
    await expectEnded(await world.own('DELETE', '/universe'))
  })

  it.each(['before', 'after'])('is 410 for every path and method, %s the alarm', async (time) => {
    const world = await makeUniverse('blank', 1)
    clock.advance(HOUR_MS)
    if (time === 'after') await runDurableObjectAlarm(world.stub)
    const image = '/images/0123456789abcdef0123456789abcdef'
    const inbox = '/inboxes/0123456789abcdef0123456789abcdef'
    const paths = [
      '',
      '/',
      '/planets',
      '/planets/x',
      '/nowhere',
      '/echo',
      '/echo/status/200',
      '/universe',
      image,
      inbox,
    ]
    for (const path of [...paths, '/openapi.json', '/oauth/token', '/universes', '/_assets/none.js']) {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'PURGE']) {
        await expectEnded(await world.send(path, { method, headers: { Accept: 'application/json' } }))
      }
      expect((await world.send(path, { method: 'HEAD' })).status).toBe(410)
    }
  })

  it('comes before any other refusal', async () => {
    const world = await makeUniverse('blank', 1)
    clock.advance(HOUR_MS)
    await expectEnded(await world.send('/me', { headers: bearer('forged') }))
    await expectEnded(await world.send('/planets', { headers: { Accept: 'image/png' } }))
    await expectEnded(await world.send('/planets?limit=x'))
    const body = 'x'.repeat(2_000_000)
    await expectEnded(await world.send('/planets', { method: 'POST', body, headers: { 'Content-Type': 'text/x' } }))
    await expectEnded(await world.send('/planets', { headers: { 'API-Version': '99' } }))
    await expectEnded(await world.send('/oauth/authorize', { headers: { Accept: 'application/json' } }))
  })

  it('is told although nobody needs the body, of which little more than 1 MiB is taken', async () => {
    const world = await makeUniverse('blank', 1)
    clock.advance(HOUR_MS)
    const size = 100 * PIECE_BYTES
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent === size) return controller.close()
        sent += PIECE_BYTES
        controller.enqueue(new Uint8Array(PIECE_BYTES))
      },
    })
    await expectEnded(await world.send('/planets', { method: 'POST', body }))
    expect(sent).toBeLessThan(1.25 * 2 ** 20)
  })

  it('is in XML for clients that accept XML', async () => {
    const world = await makeUniverse('blank', 1)
    clock.advance(HOUR_MS)
    const response = await world.send('/planets', { headers: { Accept: 'application/xml' } })
    expect(response.status).toBe(410)
    expect(response.headers.get('Content-Type')).toContain('application/problem+xml')
    expect(await response.text()).toContain(`${COMMON_ORIGIN}/problems/universe-ended`)
  })

  it('is explained by a page that opens: that of the common world', async () => {
    const world = await makeUniverse('blank', 1)
    clock.advance(HOUR_MS)
    const { type } = await bodyOf(await world.send('/planets'))
    expect((await sendTo(type)).status).toBe(200)
  })

  it('has no page to name at the host of a universe, unless the service knows its public URL', async () => {
    configure({ universeHost: UNIVERSE_HOST })
    const world = await makeUniverse('blank', 1)
    expect((await sendTo(`${hostUrlOf(world)}/planets`)).status).toBe(200)
    clock.advance(HOUR_MS)
    await expectEnded(await sendTo(`${hostUrlOf(world)}/planets`), 'about:blank')
    await expectEnded(await world.send('/planets'))
    configure({ publicUrl: 'https://galaxy.example' })
    await expectEnded(await sendTo(`${hostUrlOf(world)}/planets`), 'https://galaxy.example/problems/universe-ended')
  })

  it('takes the metadata at the origin along', async () => {
    const world = await makeUniverse('blank', 1)
    for (const name of ['oauth-authorization-server', 'oauth-protected-resource']) {
      const url = `${COMMON_ORIGIN}/.well-known/${name}/u/${world.id}`
      const response = await sendTo(url)
      expect(response.status).toBe(200)
      expect(JSON.stringify(await bodyOf(response))).toContain(world.url)
    }
    clock.advance(HOUR_MS)
    await expectEnded(await sendTo(`${COMMON_ORIGIN}/.well-known/oauth-authorization-server/u/${world.id}`))
    await expectEnded(await sendTo(`${COMMON_ORIGIN}/.well-known/oauth-protected-resource/u/${world.id}`))
  })

  it('is remembered for 30 days, and then nothing is left', async () => {
    const world = await makeUniverse('blank', 1)
    clock.advance(HOUR_MS)
    await runDurableObjectAlarm(world.stub)
    clock.advance(30 * DAY_MS - MINUTE_MS)
    await sweepUniverses()
    await expectEnded(await world.send('/planets'))
    clock.advance(2 * MINUTE_MS)
    await sweepUniverses()
    expect(await listedRow(world.id)).toBeNull()
    const gone = await world.send('/planets')
    expect(gone.status).toBe(404)
    expect(gone.headers.get('Sunset')).toBeNull()
    await expectGone(world)
  })

  it('comes with the sweep if the alarm was lost', async () => {
    const world = await makeFilled()
    await runInDurableObject(world.stub, (_, { storage }) => storage.deleteAlarm())
    clock.advance(7 * DAY_MS + 2 * HOUR_MS)
    await sweepUniverses()
    await expectGone(world)
    await expectEnded(await world.send('/planets'))
  })

  it('comes at once with DELETE', async () => {
    const world = await makeFilled()
    const response = await world.own('DELETE', '/universe')
    expect(response.status).toBe(204)
    await expectGone(world)
    await expectEnded(await world.send('/planets'))
    await expectEnded(await world.own('DELETE', '/universe'))
    clock.advance(31 * DAY_MS)
    await sweepUniverses()
    expect((await world.send('/planets')).status).toBe(404)
    expect(await listedRow(world.id)).toBeNull()
  })

  it('comes with DELETE by an API key, too', async () => {
    const world = await makeUniverse()
    const { key } = await bodyOf(await world.own('POST', '/me/api-keys', { scopes: ['write:account'] }))
    const response = await world.send('/universe', { method: 'DELETE', headers: { 'X-API-Key': key } })
    expect(response.status).toBe(204)
    await expectGone(world)
  })

  it('can only be caused by the owner', async () => {
    const world = await makeUniverse()
    const account = { email: 'ada@example.com', password: 'correct horse' }
    expect((await world.sendJson('POST', '/user/signup', account)).status).toBe(201)
    const { token } = await bodyOf(await world.sendJson('POST', '/auth/token', account))
    for (const [method, path] of [
      ['DELETE', '/universe'],
      ['POST', '/universe/reset'],
    ] as const) {
      expect((await world.sendJson(method, path, undefined, token)).status).toBe(403)
      expect((await world.sendJson(method, path, undefined)).status).toBe(401)
    }
    expect((await world.send('/planets')).status).toBe(200)
  })
})

describe('UNIVERSES=off', () => {
  it('hides universes, which end as they would have, and come back', async () => {
    const [short, long] = [await makeUniverse('blank', 1), await makeUniverse('blank', 48)]
    await long.own('POST', '/planets', { name: 'Kept' })
    configure({ universesOn: false })
    for (const world of [short, long]) {
      const response = await world.send('/planets')
      expect(response.status).toBe(404)
      expect(response.headers.get('Sunset')).toBeNull()
      expect((await bodyOf(response)).type).toBe(`${COMMON_ORIGIN}/problems/not-found`)
    }
    expect((await COMMON.sendJson('POST', '/universes', {})).status).toBe(403)
    clock.advance(2 * HOUR_MS)
    await runDurableObjectAlarm(short.stub)
    await expectGone(short)
    await runDurableObjectAlarm(long.stub)
    configure({ universesOn: true })
    await expectEnded(await short.send('/planets'))
    expect((await bodyOf(await long.send('/planets'))).data).toMatchObject([{ name: 'Kept' }])
  })
})

describe('an address without a universe', () => {
  const countRows = async () => (await commonEnv.DB.prepare('select count(*) as n from universes').first('n')) as number
  const IDS = ['a'.repeat(24), 'a'.repeat(23), 'a'.repeat(25), 'A'.repeat(24), '1'.repeat(24), 'x', '%61'.repeat(24)]

  it.each(IDS)('is an unknown path and leaves nothing behind: %s', async (id) => {
    const { listDurableObjectIds } = await import('cloudflare:test')
    const before = [(await listDurableObjectIds(commonEnv.UNIVERSE)).length, await countRows()]
    for (const path of ['', '/', '/planets', '/universe']) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const response = await worldAt(`${COMMON_ORIGIN}/u/${id}`).send(path, { method })
        expect(response.status).toBe(404)
        expect(response.headers.get('Sunset')).toBeNull()
      }
    }
    expect([(await listDurableObjectIds(commonEnv.UNIVERSE)).length, await countRows()]).toEqual(before)
  })

  it('is an unknown path at a host below that of universes, too', async () => {
    configure({ universeHost: UNIVERSE_HOST })
    const { listDurableObjectIds } = await import('cloudflare:test')
    const before = [(await listDurableObjectIds(commonEnv.UNIVERSE)).length, await countRows()]
    for (const label of ['a'.repeat(24), 'www', 'a.b', `x.${'a'.repeat(24)}`]) {
      const response = await sendTo(`http://${label}.${UNIVERSE_HOST}/planets`)
      expect(response.status).toBe(404)
      expect((await bodyOf(response)).type).toBe('about:blank')
    }
    expect([(await listDurableObjectIds(commonEnv.UNIVERSE)).length, await countRows()]).toEqual(before)
  })
})
