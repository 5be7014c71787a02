import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { aroundRuns, openD1, type SqliteDatabase } from '../../../src/db/port.ts'
import { findUniverse, makeUniverseId } from '../../../src/domain/universe-address.ts'
import { CreatedUniverse, Universe } from '../../../src/schemas/universe.ts'
import { decodeXml } from '../../../src/xml/decode.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  ORIGIN,
} from '../../support/app.ts'
import { storeKey } from '../../support/credentials.ts'
import { FakeMaker, FakeUniverse } from '../../support/fake-universe.ts'
import { createOwner } from '../../support/universe-owner.ts'

// What the interface of universes promises. The object in which a universe runs is replaced by one that only remembers
// what it was asked to do.

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const JSON_TYPE = { 'Content-Type': 'application/json' }
const XML_TYPE = { 'Content-Type': 'application/xml' }

const ended = (code: string) => expect.stringMatching(new RegExp(`/problems/${code}$`))

describe('POST /universes', () => {
  const createdAt = new Date('2026-01-15T14:30:00Z')
  let maker: FakeMaker
  let client: Client

  beforeEach(async () => {
    maker = new FakeMaker(createdAt)
    await env.DB.exec('delete from rate_limits')
    client = createClient({ universes: maker })
  })

  const create = (body?: string, headers: Record<string, string> = JSON_TYPE, by = client) =>
    by.send('/universes', { method: 'POST', ...(body !== undefined && { body, headers }) })

  it('makes a universe, and returns its address, its owner and a token', async () => {
    const response = await create('{"seed":"blank","hours":2}')
    expect(response.status).toBe(201)
    const [wish] = maker.wishes
    expect(wish).toMatchObject({ seed: 'blank', hours: 2, baseUrl: `${ORIGIN}/u/${wish?.id}` })
    expect(await bodyOf(response)).toEqual({
      id: wish?.id,
      url: wish?.baseUrl,
      seed: 'blank',
      createdAt: '2026-01-15T14:30:00.000Z',
      expiresAt: '2026-01-15T16:30:00.000Z',
      owner: { id: 1, name: 'Galaxy', email: 'owner@universe.example', password: 'only once' },
      token: expect.any(String),
    })
    expect(response.headers.get('Location')).toBe(`${wish?.baseUrl}/universe`)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(response.headers.get('Sunset')).toBeNull()
  })

  it.each([
    ['no body', undefined, {}],
    ['an empty body', '', JSON_TYPE],
    ['an object without members', '{}', JSON_TYPE],
    ['an empty element', '<universe/>', XML_TYPE],
  ])('has the catalogue and a day by default: %s', async (_, body, headers) => {
    expect((await create(body, headers)).status).toBe(201)
    expect(maker.wishes).toMatchObject([{ seed: 'catalogue', hours: 24 }])
  })

  it('has an id of its own each time, which is that of its address', async () => {
    const ids = await Promise.all([create(), create()].map(async (response) => (await bodyOf(await response)).id))
    expect(new Set(ids).size).toBe(2)
    for (const { id, baseUrl } of maker.wishes) expect(findUniverse(new URL(baseUrl), undefined)).toMatchObject({ id })
  })

  it('takes XML and returns it', async () => {
    const body = '<universe><seed>blank</seed><hours>168</hours></universe>'
    const response = await create(body, { ...XML_TYPE, Accept: 'application/xml' })
    const text = await response.text()
    expect(text).toMatch(/^<\?xml[^>]*>\s*<universe[ >]/)
    const { value, faults } = decodeXml(text, CreatedUniverse)
    expect([CreatedUniverse.parse(value).seed, faults]).toEqual(['blank', []])
    expect(maker.wishes).toMatchObject([{ seed: 'blank', hours: 168 }])
  })

  it.each([
    ['{"hours":1}', 201],
    ['{"hours":168}', 201],
    ['{"hours":0}', '/hours'],
    ['{"hours":169}', '/hours'],
    ['{"hours":1.5}', '/hours'],
    ['{"hours":"24"}', '/hours'],
    ['{"hours":null}', '/hours'],
    ['{"seed":"stars"}', '/seed'],
    ['{"seed":null}', '/seed'],
    ['{"name":"Mine"}', '/name'],
    ['{"id":"aaaaaaaaaaaaaaaaaaaaaaaa"}', '/id'],
    ['[]', ''],
    ['null', ''],
  ])('%s: %s', async (body, expected) => {
    const response = await create(body)
    expect(response.status).toBe(expected === 201 ? 201 : 400)
    if (expected === 201) return
    const { errors } = await bodyOf(response)
    expect(errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([expected])
    expect(maker.wishes).toEqual([])
  })

  it('does not look at credentials', async () => {
    const headers = [
      { Authorization: 'Bearer forged' },
      { Authorization: 'Basic dXNlcjpwYXNz' },
      { 'X-API-Key': 'glx_unknown' },
      { Cookie: 'api_key=glx_unknown', Origin: 'https://elsewhere.example' },
    ]
    for (const one of headers) expect((await create('{}', { ...JSON_TYPE, ...one })).status).toBe(201)
  })

  it('also returns the address by host if there is a domain for universes', async () => {
    const hosted = createClient({ universes: maker, config: { universeHost: 'worlds.example:8787' } })
    const { id, url, hostUrl } = await bodyOf(await create('{}', JSON_TYPE, hosted))
    expect([url, hostUrl]).toEqual([`${ORIGIN}/u/${id}`, `http://${id}.worlds.example:8787`])
  })

  it('is 429 if one address has made too many universes in an hour', async () => {
    let now = Date.now()
    const limited = createClient({ universes: maker, config: { universesPerHour: 2 }, now: () => new Date(now) })
    const from = (address: string) => create('{}', { ...JSON_TYPE, 'CF-Connecting-IP': address }, limited)
    const first = await from('192.0.2.1')
    expect([first.status, first.headers.get('X-RateLimit-Limit'), first.headers.get('X-RateLimit-Remaining')]).toEqual([
      201,
      '2',
      '1',
    ])
    expect((await from('192.0.2.1')).status).toBe(201)
    const refused = await from('192.0.2.1')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('Retry-After')).toBe('3600')
    expect(refused.headers.get('X-RateLimit-Remaining')).toBe('0')
    expect((await from('192.0.2.2')).status).toBe(201)
    expect(maker.wishes).toHaveLength(3)
    now += HOUR_MS
    expect((await from('192.0.2.1')).status).toBe(201)
  })

  it('costs no attempt if the body is wrong', async () => {
    const limited = createClient({ universes: maker, config: { universesPerHour: 1 } })
    expect((await create('{"hours":0}', JSON_TYPE, limited)).status).toBe(400)
    expect((await create('{}', JSON_TYPE, limited)).status).toBe(201)
  })

  it('is 403 if the operator has switched it off', async () => {
    const response = await create('{}', JSON_TYPE, createClient({ universes: maker, config: { universesOn: false } }))
    expect([response.status, (await bodyOf(response)).type]).toEqual([403, ended('universes-off')])
    expect(maker.wishes).toEqual([])
  })

  it('exists in the common world only, and /universe in universes only', async () => {
    const universe = createClient({ world: 'universe', universe: new FakeUniverse(makeUniverseId(), createdAt) })
    for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
      expect((await universe.send('/universes', { method })).status).toBe(404)
      expect((await client.send('/universe', { method })).status).toBe(404)
      expect((await client.send('/universe/reset', { method })).status).toBe(404)
    }
  })
})

describe('in a universe', () => {
  const createdAt = new Date(Date.now() - HOUR_MS)
  const end = (days: number) => new Date(createdAt.getTime() + days * DAY_MS)
  let universe: FakeUniverse
  let client: Client
  let owner: Account
  let other: Account

  beforeEach(async () => {
    universe = new FakeUniverse(makeUniverseId(), createdAt)
    client = createClient({ world: 'universe', universe })
    owner = await createOwner(client)
    other = await createAccount(client)
  })

  const change = (body: unknown, by: Account | undefined = owner) => client.sendJson('PATCH', '/universe', body, by)

  describe('GET /universe', () => {
    it('describes it to everybody, without a secret', async () => {
      const response = await client.get('/universe')
      expect(response.status).toBe(200)
      expect(await bodyOf(response)).toEqual({
        id: universe.state.id,
        url: ORIGIN,
        seed: 'catalogue',
        createdAt: createdAt.toISOString(),
        expiresAt: end(1).toISOString(),
        tokenSeconds: 3600,
        limits: {
          planets: 25402,
          users: 1000,
          images: 500,
          imageBytes: 100_000_000,
          deliveries: 10_000,
          inboxes: 50,
          labRuns: 50,
        },
        usage: { planets: 5402, users: 1, images: 0, imageBytes: 0, deliveries: 0, inboxes: 0, labRuns: 0 },
      })
    })

    it('is the same in XML and in JSON', async () => {
      const text = await (await client.get('/universe', { Accept: 'application/xml' })).text()
      expect(decodeXml(text, Universe)).toEqual({ value: await bodyOf(await client.get('/universe')), faults: [] })
    })

    it.each([
      [
        'by path',
        (id: string) => `http://galaxy.test/u/${id}`,
        'worlds.example',
        (id: string) => `http://${id}.worlds.example`,
      ],
      ['by path, without a domain', (id: string) => `http://galaxy.test/u/${id}`, undefined, () => undefined],
      ['by host', (id: string) => `http://${id}.worlds.example`, 'worlds.example', () => undefined],
    ])('says the address that was used: %s', async (_, urlOf, universeHost, hostUrlOf) => {
      const { id } = universe.state
      const there = createClient({
        world: 'universe',
        universe,
        config: { universeHost },
        baseUrlOf: () => urlOf(id),
      })
      const { url, hostUrl } = await bodyOf(await there.get('/universe'))
      expect([url, hostUrl]).toEqual([urlOf(id), hostUrlOf(id)])
    })

    it('has an example with the address that was used', async () => {
      const { id } = universe.state
      const url = `http://galaxy.test/u/${id}`
      const there = createClient({ world: 'universe', universe, baseUrlOf: () => url })
      expect(await bodyOf(await there.get('/universe', { Prefer: 'code=200' }))).toMatchObject({ url })
    })
  })

  describe('PATCH /universe', () => {
    it('fixes its end, and returns the universe', async () => {
      const response = await change({ expiresAt: end(3).toISOString() })
      expect(response.status).toBe(200)
      expect(await bodyOf(response)).toMatchObject({ id: universe.state.id, expiresAt: end(3).toISOString() })
      expect(universe.done).toEqual([`ends ${end(3).toISOString()}`])
    })

    it('takes XML, and a time in another zone', async () => {
      const headers = { ...authorization(owner), ...XML_TYPE }
      const local = new Date(end(2).getTime() + 2 * HOUR_MS).toISOString().replace('Z', '+02:00')
      const body = `<universe><expiresAt>${local}</expiresAt></universe>`
      expect((await client.send('/universe', { method: 'PATCH', body, headers })).status).toBe(200)
      expect(universe.done).toEqual([`ends ${end(2).toISOString()}`])
    })

    it('may be at most seven days after it was made, and later than now', async () => {
      const now = new Date(createdAt.getTime() + HOUR_MS)
      client = createClient({ world: 'universe', universe, now: () => now })
      const at = async (time: number) => (await change({ expiresAt: new Date(time).toISOString() })).status
      expect(await at(end(7).getTime() + 1)).toBe(400)
      expect(await at(now.getTime())).toBe(400)
      expect(await at(now.getTime() - 1)).toBe(400)
      expect(universe.done).toEqual([])
      expect(await at(end(7).getTime())).toBe(200)
      expect(await at(now.getTime() + 1)).toBe(200)
    })

    it.each([
      ['{}', '/expiresAt'],
      ['{"expiresAt":null}', '/expiresAt'],
      ['{"expiresAt":"tomorrow"}', '/expiresAt'],
      ['{"expiresAt":1768487400000}', '/expiresAt'],
      ['{"expiresAt":"2000-01-01T00:00:00Z"}', '/expiresAt'],
      [`{"expiresAt":"${new Date(Date.now() + HOUR_MS).toISOString()}","hours":3}`, '/hours'],
      ['null', ''],
    ])('%s: 400, pointing to %s', async (body, pointer) => {
      const response = await change(body)
      expect(response.status).toBe(400)
      expect(await bodyOf(response)).toMatchObject({ errors: [{ pointer }] })
      expect(universe.done).toEqual([])
    })

    it.each(['', '{', 'tomorrow'])('%j is no document: 400', async (body) => {
      const response = await change(body)
      expect([response.status, (await bodyOf(response)).type]).toEqual([400, ended('malformed-body')])
    })
  })

  it('POST /universe/reset puts it back', async () => {
    const response = await client.sendJson('POST', '/universe/reset', '', owner)
    expect([response.status, await response.text(), universe.done]).toEqual([204, '', ['reset']])
  })

  it('DELETE /universe ends it', async () => {
    const response = await client.sendJson('DELETE', '/universe', '', owner)
    expect([response.status, await response.text(), universe.done]).toEqual([204, '', ['ended']])
  })

  /** What only the owner may do. */
  const actions = () => [
    () => change({ expiresAt: end(2).toISOString() }, other),
    () => client.sendJson('POST', '/universe/reset', '', other),
    () => client.sendJson('DELETE', '/universe', '', other),
  ]

  it('another user can do none of this: 403', async () => {
    for (const act of actions()) {
      const response = await act()
      expect([response.status, (await bodyOf(response)).type]).toEqual([403, ended('forbidden')])
    }
    expect(universe.done).toEqual([])
  })

  it('another user learns first what is wrong with the body: 400', async () => {
    expect((await change({}, other)).status).toBe(400)
  })

  it.each(['PATCH /universe', 'POST /universe/reset', 'DELETE /universe'])(
    '%s is 401, and does nothing, if the key is deleted after the request has begun',
    async (operation) => {
      const [method = '', path = ''] = operation.split(' ')
      const { id, key } = await storeKey(client, owner.id, ['write:account'])
      const body = method === 'PATCH' ? JSON.stringify({ expiresAt: end(2).toISOString() }) : null
      const request = { method, body, headers: { ...JSON_TYPE, 'X-API-Key': key } }
      const deleting = createClient({ world: 'universe', universe, database: beforeLastCheck(() => deleteKey(id)) })
      expect((await deleting.send(path, request)).status).toBe(401)
      expect(universe.done).toEqual([])
    },
  )
})

const deleteKey = (id: number) => env.DB.prepare('delete from api_keys where id = ?').bind(id).run()

/** The real database. Something else happens right before it checks a credential once more. */
function beforeLastCheck(rival: () => Promise<unknown>): SqliteDatabase {
  return aroundRuns(openD1(env.DB), async (statements, run) => {
    if (statements.some(({ sql }) => sql.startsWith('insert into credential_checks'))) await rival()
    return await run(statements)
  })
}
