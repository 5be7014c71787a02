import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountLimits } from '../../../src/env.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  NO_LIMITS,
  ORIGIN,
} from '../../support/app.ts'
import { logOf, typesOf } from '../../support/live-log.ts'
import { makePicture } from '../../support/pictures.ts'
import { countUsage, usageOf } from '../../support/usage.ts'
import { UNIVERSE_WORLD } from '../../support/world.ts'

const UNKNOWN_ID = 9_000_000
const LEAP_MAX = 1000
const CHOSEN_ID_MAX = 10_000_000

let client: Client
/** The maker of the planets that are copied, and who copies them. */
let maker: Account
let copier: Account

beforeAll(async () => {
  client = createClient()
  maker = await createAccount(client, 'Maker')
  copier = await createAccount(client, 'Copier')
})

const SOURCE = {
  name: 'Arrakis',
  description: null,
  type: 'terrestrial',
  habitabilityIndex: 0.4,
  physicalProperties: { mass: 0.9, temperature: { min: 270 }, albedo: 1e-7 },
  atmosphere: [{ compound: 'N2', percentage: 75.4, note: 'dry' }],
  image: 'https://example.com/arrakis.jpg',
  satellites: [{ name: 'Krelln' }, { name: 'Arvon', orbit: { distance: 324_077 } }],
  tags: [],
}

type Headers = Readonly<Record<string, string>>
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
type Shown = any

const make = async (planet: object = SOURCE, by = maker): Promise<Shown> => await createPlanet(client, by, planet)
const read = async (id: number): Promise<Shown> => await bodyOf(await client.get(`/planets/${id}`))

/** Sends a COPY of a planet. */
const copy = (id: number, destination: string, headers: Headers = {}, { by = copier, of = client } = {}) =>
  of.send(`/planets/${id}`, {
    method: 'COPY',
    headers: { ...authorization(by), Destination: destination, ...headers },
  })

/** Copies a planet to a new id. */
async function copied(id: number, destination = '/planets', by = copier): Promise<Shown> {
  const response = await copy(id, destination, {}, { by })
  expect(response.status).toBe(201)
  return await bodyOf(response)
}

async function expectRefused(response: Response, status: number, code: string): Promise<Shown> {
  const problem = await bodyOf(response)
  expect([response.status, problem.type]).toEqual([status, `${ORIGIN}/problems/${code}`])
  return problem
}

/** The ids that a new planet can have. */
async function choosable(id: number): Promise<{ from: number; to: number }> {
  return await expectRefused(await copy(id, `/planets/${UNKNOWN_ID}`), 409, 'destination-unavailable')
}

const upload = async (id: number, by: Account, size = 100) =>
  (await bodyOf(await client.upload(`/planets/${id}/image`, makePicture('image/png', size), by))).imageUrl
const rowsIn = async (table: string, where: string, id: number) =>
  (await env.DB.prepare(`select count(*) as n from ${table} where ${where}`).bind(id).first<{ n: number }>())?.n

/** What is copied: everything but what the service sets. */
function contentOf({ id: _, creator: _creator, lastUpdated: _time, satellites, ...planet }: Shown) {
  const moons = satellites?.map(({ id: _id, orbit, ...moon }: Shown) => ({
    ...moon,
    ...(orbit && { orbit: { ...orbit, planet: {} } }),
  }))
  return { ...planet, ...(moons && { satellites: moons }) }
}

describe('a COPY to a new planet', () => {
  it.each(['/planets', '/planets/'])('%s: 201 with the validators and the place of the planet', async (destination) => {
    const source = await make()
    const response = await copy(source.id, destination)
    expect(response.status).toBe(201)
    const planet = await bodyOf(response)
    expect(planet.id).toBeGreaterThan(source.id)
    expect(planet.creator).toEqual({ id: copier.id, name: 'Copier' })
    expect(response.headers.get('Location')).toBe(`${ORIGIN}/planets/${planet.id}`)
    const stored = await client.get(`/planets/${planet.id}`)
    expect(await bodyOf(stored)).toEqual(planet)
    for (const name of ['ETag', 'Last-Modified']) expect(response.headers.get(name)).toBe(stored.headers.get(name))
    expect(await read(source.id)).toEqual(source)
  })

  it('has what GET shows of the source, and satellites with ids of their own', async () => {
    const source = await make()
    const planet = await copied(source.id)
    expect(contentOf(planet)).toEqual(contentOf(source))
    const ids = [...source.satellites, ...planet.satellites].map((moon) => moon.id)
    expect(new Set(ids).size).toBe(4)
    expect(planet.satellites[1].orbit).toEqual({ planet: { id: planet.id, name: 'Arrakis' }, distance: 324_077 })
  })

  it.each([{ name: 'Bare' }, { name: 'Moonless', satellites: [] }])('of %j has nothing more', async (sent) => {
    const { id } = await make(sent)
    expect(contentOf(await copied(id))).toEqual(sent)
  })

  it('has nothing that GET does not show: no callback URLs, and no members of celestial bodies', async () => {
    const url = 'https://receiver.example/planets'
    const body = { ...SOURCE, type: 'dwarf', diameter: 7, successCallbackUrl: url, failureCallbackUrl: url }
    const { id } = await bodyOf(await client.sendJson('POST', '/celestial-bodies', body, maker))
    const planet = await copied(id)
    expect(planet).toMatchObject({ name: 'Arrakis', type: 'dwarf' })
    for (const name of ['successCallbackUrl', 'failureCallbackUrl']) expect(planet).not.toHaveProperty(name)
    expect(await bodyOf(await client.get(`/celestial-bodies/${planet.id}`))).not.toHaveProperty('diameter')
    expect(await rowsIn('deliveries', 'planet_id = ?', planet.id)).toBe(0)
  })

  it('is XML if Accept prefers it', async () => {
    const { id } = await make()
    const response = await copy(id, '/planets', { Accept: 'application/xml' })
    expect([response.status, response.headers.get('Content-Type')]).toEqual([201, 'application/xml'])
    expect(response.headers.get('ETag')).toMatch(/-xml\b/)
    expect(await response.text()).toContain('<name>Arrakis</name>')
  })

  it('reads no body', async () => {
    const { id } = await make()
    const headers = { ...authorization(copier), Destination: '/planets', 'Content-Type': 'text/csv' }
    for (const body of ['{', 'x'.repeat(300_000)]) {
      expect((await client.send(`/planets/${id}`, { method: 'COPY', headers, body })).status).toBe(201)
    }
  })

  it('tells of it as POST does, and calls the subscribers of newPlanet', async () => {
    const url = `https://receiver.example/${crypto.randomUUID()}`
    await client.sendJson('POST', '/webhooks', { url, events: ['newPlanet'] }, copier)
    const asPost = await typesOf(() => make())
    const source = await make()
    let planet: Shown
    const { rows, events } = await logOf(async () => {
      planet = await copied(source.id)
    })
    expect(events.map(({ eventType }) => eventType)).toEqual(asPost)
    expect(rows).toHaveLength(1)
    expect(events[0]?.metadata).toMatchObject({ userId: copier.id })
    const told = await env.DB.prepare('select type from events where planet_id = ?').bind(planet.id).all()
    expect(told.results).toEqual([{ type: 'newPlanet' }])
  })
})

describe('a chosen id', () => {
  it('is above the highest one so far, by at most 1,000, and ids go on after it', async () => {
    const source = await make()
    const { from, to } = await choosable(source.id)
    expect(from).toBeGreaterThan(source.id)
    expect(to).toBe(from + LEAP_MAX - 1)
    const tooHigh = await copy(source.id, `/planets/${to + 1}`)
    expect(await expectRefused(tooHigh, 409, 'destination-unavailable')).toMatchObject({ from, to })
    const planet = await copied(source.id, `/planets/${to}`)
    expect(planet.id).toBe(to)
    expect((await make()).id).toBe(to + 1)
    const lowest = await choosable(source.id)
    expect((await copied(source.id, `/planets/${lowest.from}`)).id).toBe(lowest.from)
  })

  it('is none that was left out, nor that of a deleted planet, nor one that was just given', async () => {
    const source = await make()
    const { from } = await choosable(source.id)
    await copied(source.id, `/planets/${from + 10}`)
    const { id: deleted } = await make({ name: 'Gone' }, copier)
    await client.send(`/planets/${deleted}`, { method: 'DELETE', headers: authorization(copier) })
    for (const id of [from, from + 9, deleted]) {
      const range = await expectRefused(await copy(source.id, `/planets/${id}`), 409, 'destination-unavailable')
      expect(range.from).toBeGreaterThan(deleted)
    }
  })

  it('is counted by lists', async () => {
    const source = await make()
    const before = (await bodyOf(await client.get('/planets?limit=1'))).meta.total
    const { to } = await choosable(source.id)
    await copied(source.id, `/planets/${to}`)
    const { data, meta } = await bodyOf(await client.get(`/planets?limit=1&offset=${before}`))
    expect([meta.total, data[0].id]).toEqual([before + 1, to])
  })
})

describe('ids that are lost by a choice', () => {
  const USER_MAX = 10_000
  const WORLD_MAX = 100_000
  const WORLD_KEY = 'lost-ids/world'
  const keyOf = ({ id }: Account) => `lost-ids/user/${id}`
  const countOf = async (key: string) =>
    (await env.DB.prepare('select attempts from rate_limits where key = ?').bind(key).first<{ attempts: number }>())
      ?.attempts ?? 0
  const setCount = (key: string, attempts: number, endsInSeconds = 1000) =>
    env.DB.prepare('insert or replace into rate_limits (key, attempts, resets_at) values (?, ?, ?)')
      .bind(key, attempts, Date.now() + endsInSeconds * 1000)
      .run()
  let source: Shown
  let user: Account
  /** A process that has taken no ids in advance. */
  let fresh: Client

  beforeEach(async () => {
    source = await make()
    user = await createAccount(client)
    fresh = createClient()
    await setCount(WORLD_KEY, 0)
  })

  const leap = (id: number, by = user, of = fresh) => copy(source.id, `/planets/${id}`, {}, { by, of })
  const rangeFor = async (by: Account) =>
    await expectRefused(await leap(UNKNOWN_ID, by), 409, 'destination-unavailable')

  it('are counted for the user and for the world, and the next id passes over none', async () => {
    const { from, to } = await rangeFor(user)
    expect((await leap(from)).status).toBe(201)
    expect([await countOf(keyOf(user)), await countOf(WORLD_KEY)]).toEqual([0, 0])
    expect((await leap(to)).status).toBe(201)
    const passed = to - from - 1
    expect([await countOf(keyOf(user)), await countOf(WORLD_KEY)]).toEqual([passed, passed])
    const next = await rangeFor(copier)
    expect((await leap(next.from + 3, copier)).status).toBe(201)
    expect([await countOf(keyOf(user)), await countOf(WORLD_KEY)]).toEqual([passed, passed + 3])
  })

  it.each([
    ['a user', () => keyOf(user), USER_MAX],
    ['all users together', () => WORLD_KEY, WORLD_MAX],
  ])('are limited in a day for %s', async (_, keyFor, max) => {
    await setCount(keyFor(), max - 10)
    const { from, to } = await rangeFor(user)
    expect(to).toBe(from + 10)
    const tooFar = await leap(to + 1)
    expect(await expectRefused(tooFar, 409, 'destination-unavailable')).toMatchObject({ from, to })
    expect(await countOf(keyFor())).toBe(max - 10)
    expect((await leap(to)).status).toBe(201)
    expect(await countOf(keyFor())).toBe(max)
    const none = await rangeFor(user)
    expect(none.to).toBe(none.from)
    expect((await leap(none.from)).status).toBe(201)
    // Another user is only concerned by the limit for all.
    const others = await rangeFor(copier)
    expect(others.to - others.from).toBe(max === WORLD_MAX ? 0 : LEAP_MAX - 1)
    await setCount(keyFor(), max, -1)
    const later = await rangeFor(user)
    expect(later.to - later.from).toBe(LEAP_MAX - 1)
    expect((await leap(later.from + 2)).status).toBe(201)
    expect(await countOf(keyFor())).toBe(2)
  })

  it('are not counted if the copy is refused', async () => {
    const { from } = await rangeFor(user)
    const full = createClient({ config: { accountLimits: { ...NO_LIMITS, bodies: 0 } } })
    await expectRefused(await leap(from + 5, user, full), 403, 'account-limit-reached')
    expect([await countOf(keyOf(user)), await countOf(WORLD_KEY)]).toEqual([0, 0])
  })

  it('are counted once each if many copies come at once', async () => {
    const { from } = await rangeFor(user)
    const responses = await Promise.all(Array.from({ length: 8 }, (_, index) => leap(from + 7 * (index + 1))))
    const made = responses.filter(({ status }) => status === 201).length
    expect(made).toBeGreaterThan(0)
    for (const { status } of responses) expect([201, 409]).toContain(status)
    const { from: after } = await rangeFor(user)
    const passed = after - from - made
    expect([await countOf(keyOf(user)), await countOf(WORLD_KEY)]).toEqual([passed, passed])
  })

  it('are also those that the process has in advance, which it loses only if this is allowed', async () => {
    const post = async () => (await createPlanet(fresh, user, { name: 'Posted' })).id
    const first = await post()
    const { from } = await rangeFor(user)
    const inAdvance = from - 1 - first
    expect(inAdvance).toBeGreaterThan(0)
    await setCount(keyOf(user), USER_MAX - inAdvance + 1)
    expect((await leap(from)).status).toBe(201)
    expect(await post()).toBe(first + 1)
    expect(await countOf(keyOf(user))).toBe(USER_MAX - inAdvance + 1)
    await setCount(keyOf(user), 0)
    const next = await rangeFor(user)
    expect((await leap(next.from)).status).toBe(201)
    const lost = await countOf(keyOf(user))
    expect(lost).toBeGreaterThan(0)
    expect(await countOf(WORLD_KEY)).toBe(lost)
    expect(await post()).toBe(next.from + 1)
  })
})

describe('a COPY onto an existing planet', () => {
  it('replaces it as PUT does: 200, the ids of satellites whose name stays, and no Location', async () => {
    const source = await make()
    const own = await make({ name: 'Own', tags: ['x'], satellites: [{ name: 'Other' }, { name: 'Arvon' }] }, copier)
    const response = await copy(source.id, `/planets/${own.id}`)
    expect(response.status).toBe(200)
    for (const name of ['Location', 'ETag']) expect(response.headers.has(name)).toBe(false)
    const planet = await bodyOf(response)
    expect(await read(own.id)).toEqual(planet)
    expect(planet).toMatchObject({ id: own.id, creator: own.creator })
    expect(contentOf(planet)).toEqual(contentOf(source))
    expect(planet.satellites[1].id).toBe(own.satellites[1].id)
    expect(own.satellites.map((moon: Shown) => moon.id)).not.toContain(planet.satellites[0].id)
  })

  it('leaves it without callback URLs, and with what only /celestial-bodies shows', async () => {
    const sent = { name: 'Own', diameter: 7, successCallbackUrl: 'https://receiver.example/planets' }
    const { id } = await bodyOf(await client.sendJson('POST', '/celestial-bodies', sent, copier))
    const source = await make()
    expect((await copy(source.id, `/planets/${id}`)).status).toBe(200)
    expect(await read(id)).not.toHaveProperty('successCallbackUrl')
    expect(await bodyOf(await client.get(`/celestial-bodies/${id}`))).toMatchObject({ diameter: 7 })
  })

  it('tells of it as PUT does', async () => {
    const source = await make({ name: 'Source' })
    const own = await make({ name: 'Own' }, copier)
    const { events } = await logOf(() => copy(source.id, `/planets/${own.id}`))
    expect(events).toMatchObject([
      { eventType: 'planet.updated', changes: [{ field: 'name', oldValue: 'Own', newValue: 'Source' }] },
      { eventType: 'celestial_body.updated' },
    ])
  })

  it('can copy one of two own planets', async () => {
    const [source, own] = [await make({ name: 'A' }, copier), await make({ name: 'B' }, copier)]
    expect((await copy(source.id, `/planets/${own.id}`)).status).toBe(200)
    expect(await read(own.id)).toMatchObject({ name: 'A' })
  })

  it.each([
    [{ Overwrite: 'T' }, 200],
    [{ Overwrite: 'F' }, 412],
    [{ Overwrite: 't' }, 400],
    [{ Overwrite: 'no' }, 400],
  ])('with %j is %i', async (headers: Headers, status) => {
    const source = await make()
    const own = await make({ name: 'Own' }, copier)
    expect((await copy(source.id, `/planets/${own.id}`, headers)).status).toBe(status)
    expect((await read(own.id)).name).toBe(status === 200 ? 'Arrakis' : 'Own')
  })

  it('with Overwrite: F is no matter for a new planet', async () => {
    const source = await make()
    const { from } = await choosable(source.id)
    for (const place of ['/planets', `/planets/${from + 20}`]) {
      expect((await copy(source.id, place, { Overwrite: 'F' })).status).toBe(201)
    }
  })
})

describe('a COPY is refused', () => {
  it.each([
    ['no Destination', { Overwrite: 'F' }, /^Destination is required\.$/],
    ['another Overwrite', { Destination: '/planets', Overwrite: 'f' }, /^Overwrite must be one of T, F\.$/],
    ['both wrong', { Destination: '<string>', Overwrite: '' }, /^Destination must be a URI reference .*Overwrite must/],
  ])('with %s', async (_, headers: Headers, detail) => {
    const { id } = await make()
    const response = await client.send(`/planets/${id}`, {
      method: 'COPY',
      headers: { ...authorization(copier), ...headers },
    })
    expect((await expectRefused(response, 400, 'bad-request')).detail).toMatch(detail)
  })

  it('in the order of the interface', async () => {
    const source = await make()
    const others = await make()
    const own = await make({ name: 'Own' }, copier)
    const { to } = await choosable(source.id)
    const full = createClient({ config: { accountLimits: { ...NO_LIMITS, bodies: 1 } } })
    const wrong = { 'If-Match': '"other"', Overwrite: 'F' }
    const at = (id: number) => `/planets/${id}`
    const refusals: [number, string, number, string, Headers][] = [
      [400, 'bad-request', UNKNOWN_ID, '/planets/0', wrong],
      [400, 'bad-request', UNKNOWN_ID, at(UNKNOWN_ID), { ...wrong, Overwrite: '' }],
      [404, 'not-found', UNKNOWN_ID, at(UNKNOWN_ID), wrong],
      [412, 'precondition-failed', source.id, at(source.id), wrong],
      [403, 'forbidden', source.id, at(source.id), { Overwrite: 'F' }],
      [412, 'precondition-failed', source.id, at(others.id), { Overwrite: 'F' }],
      [403, 'forbidden', source.id, at(others.id), {}],
      [409, 'destination-unavailable', source.id, at(to + 1), {}],
      [403, 'account-limit-reached', source.id, at(to), {}],
      [403, 'account-limit-reached', source.id, '/planets', { Overwrite: 'F' }],
    ]
    const tries = refusals.map(
      ([, , id, place, headers]) =>
        () =>
          copy(id, place, headers, { of: full }),
    )
    for (const [index, [status, code]] of refusals.entries()) {
      const response = await tries[index]?.()
      if (response) await expectRefused(response, status, code)
    }
    expect(await read(own.id)).toEqual(own)
    expect(await read(others.id)).toEqual(others)
  })

  it('with different texts if it is onto itself, onto an existing planet, or onto that of another', async () => {
    const [source, others] = [await make(), await make()]
    const detail = async (id: number, headers: Headers = {}) =>
      (await bodyOf(await copy(source.id, `/planets/${id}`, headers))).detail
    expect(await detail(source.id)).toBe('A planet cannot be copied onto itself.')
    expect(await detail(others.id, { Overwrite: 'F' })).toContain('Overwrite is F')
    expect(await detail(others.id)).toContain('Only the creator')
  })

  it('without credentials and without the scope, before anything else', async () => {
    const { id } = await make()
    const headers = { Destination: '/planets' }
    expect((await client.send(`/planets/${id}`, { method: 'COPY', headers })).status).toBe(401)
    expect((await client.send(`/planets/${UNKNOWN_ID}`, { method: 'COPY' })).status).toBe(401)
  })
})

describe('a condition', () => {
  it('is about the source', async () => {
    const source = await make()
    const own = await make({ name: 'Own' }, copier)
    const [tag, ownTag] = await Promise.all(
      [source, own].map(async ({ id }) => (await client.get(`/planets/${id}`)).headers.get('ETag') ?? ''),
    )
    await client.sendJson('PUT', `/planets/${own.id}`, { name: 'Changed' }, copier)
    const statuses = async (headers: Headers) =>
      await Promise.all(
        ['/planets', `/planets/${own.id}`].map(async (to) => (await copy(source.id, to, headers)).status),
      )
    expect(await statuses({ 'If-Match': tag ?? '' })).toEqual([201, 200])
    expect(await statuses({ 'If-Match': '"other"' })).toEqual([412, 412])
    expect(await statuses({ 'If-None-Match': '*' })).toEqual([412, 412])
    expect(await statuses({ 'If-None-Match': ownTag === tag ? '"x"' : (ownTag ?? '') })).toEqual([201, 200])
    expect(await statuses({ 'If-Unmodified-Since': 'Sat, 01 Jan 2000 00:00:00 GMT' })).toEqual([412, 412])
  })
})

describe('the upload of the source', () => {
  const bytesAt = async (url: string) => new Uint8Array(await (await client.get(url)).arrayBuffer())

  it('is copied to an object of its own, which outlives the source', async () => {
    const source = await make({ name: 'Pictured', image: 'https://example.com/hidden.jpg' })
    const url = await upload(source.id, maker)
    const planet = await copied(source.id)
    expect(planet.image).toMatch(new RegExp(`^${ORIGIN}/images/[0-9a-f-]{36}\\.png$`))
    expect(planet.image).not.toBe(url)
    await client.send(`/planets/${source.id}`, { method: 'DELETE', headers: authorization(maker) })
    expect((await client.get(url)).status).toBe(404)
    const image = await client.get(planet.image)
    expect([image.status, image.headers.get('Content-Type')]).toEqual([200, 'image/png'])
    expect(await bytesAt(planet.image)).toEqual(makePicture())
    // The image that the upload hides is not copied.
    await client.send(`/planets/${planet.id}`, {
      method: 'PATCH',
      headers: { ...authorization(copier), 'Content-Type': 'application/merge-patch+json' },
      body: '{"image":null}',
    })
    expect(await read(planet.id)).not.toHaveProperty('image')
    expect((await client.get(planet.image)).status).toBe(404)
  })

  it('counts as one image of who copies it, and nothing is an orphan', async () => {
    const user = await createAccount(client)
    const source = await make({ name: 'Pictured' })
    await upload(source.id, maker, 300)
    const planet = await copied(source.id, '/planets', user)
    expect(await usageOf(user.id)).toMatchObject({ bodies: 1, images: 1, imageBytes: 300 })
    expect(await usageOf(user.id)).toEqual(await countUsage(user.id))
    const orphans = 'orphaned_at is not null and key = (select image_key from planets where id = ?)'
    expect(await rowsIn('images', orphans, planet.id)).toBe(0)
    const { id } = await make({ name: 'Own' }, user)
    expect((await copy(source.id, `/planets/${id}`, {}, { by: user })).status).toBe(200)
    expect(await usageOf(user.id)).toMatchObject({ bodies: 2, images: 2, imageBytes: 600 })
    expect(await usageOf(user.id)).toEqual(await countUsage(user.id))
  })

  it('takes the place of that of the destination, which goes', async () => {
    const user = await createAccount(client)
    const [source, own] = [await make({ name: 'Pictured' }), await make({ name: 'Own' }, user)]
    const [url, ownUrl] = [await upload(source.id, maker, 300), await upload(own.id, user, 200)]
    const limited = createClient({ config: { accountLimits: { ...NO_LIMITS, images: 1, imageBytes: 300 } } })
    const planet = await bodyOf(await copy(source.id, `/planets/${own.id}`, {}, { by: user, of: limited }))
    expect([ownUrl, url]).not.toContain(planet.image)
    expect((await client.get(ownUrl)).status).toBe(404)
    expect(await bytesAt(planet.image)).toEqual(makePicture('image/png', 300))
    expect(await usageOf(user.id)).toEqual(await countUsage(user.id))
  })

  it('if it has none, leaves the destination without its own', async () => {
    const user = await createAccount(client)
    const source = await make({ name: 'Linked', image: 'https://example.com/a.jpg' })
    const own = await make({ name: 'Own' }, user)
    const ownUrl = await upload(own.id, user)
    const planet = await bodyOf(await copy(source.id, `/planets/${own.id}`, {}, { by: user }))
    expect(planet.image).toBe('https://example.com/a.jpg')
    expect((await client.get(ownUrl)).status).toBe(404)
    expect(await usageOf(user.id)).toMatchObject({ images: 0, imageBytes: 0 })
  })

  it('is no image.uploaded', async () => {
    const source = await make({ name: 'Pictured' })
    await upload(source.id, maker)
    const own = await make({ name: 'Own' }, copier)
    for (const to of ['/planets', `/planets/${own.id}`]) {
      const types = await typesOf(() => copy(source.id, to))
      expect(types).not.toContain('image.uploaded')
      expect(types.length).toBeGreaterThan(0)
    }
  })

  it.runIf(UNIVERSE_WORLD)('counts in the universe', async () => {
    const images = async () => (await bodyOf(await client.get('/universe'))).usage.images
    const source = await make({ name: 'Pictured' })
    await upload(source.id, maker)
    const before = await images()
    await copied(source.id)
    expect(await images()).toBe(before + 1)
  })
})

describe('a limit of the account', () => {
  /** A copy of a planet with an upload of 300 bytes, by an account with a planet, with its limits. */
  async function tryWith(limits: (used: { bodyBytes: number }) => Partial<AccountLimits>, isNew: boolean) {
    const user = await createAccount(client)
    const own = await make({ name: 'Own' }, user)
    const source = await make({ name: 'Pictured' })
    await upload(source.id, maker, 300)
    const { bodyBytes = 0 } = (await usageOf(user.id)) ?? {}
    const limited = createClient({ config: { accountLimits: { ...NO_LIMITS, ...limits({ bodyBytes }) } } })
    const objects = async () => (await env.IMAGES.list()).objects.length
    const before = await objects()
    const response = await copy(source.id, isNew ? '/planets' : `/planets/${own.id}`, {}, { by: user, of: limited })
    expect(await usageOf(user.id)).toEqual(await countUsage(user.id))
    expect((await objects()) - before).toBe(response.ok ? 1 : 0)
    return response.ok ? response.status : (await expectRefused(response, 403, 'account-limit-reached')).limit.name
  }
  const grown = '{"name":"Pictured"}'.length

  it.each<[string, (used: { bodyBytes: number }) => Partial<AccountLimits>, boolean, unknown]>([
    ['another planet', () => ({ bodies: 2 }), true, 201],
    ['no other planet', () => ({ bodies: 1 }), true, 'celestialBodies'],
    ['no other planet, onto an existing one', () => ({ bodies: 1 }), false, 200],
    ['its bytes', ({ bodyBytes }) => ({ bodyBytes: bodyBytes + grown }), true, 201],
    ['a byte less', ({ bodyBytes }) => ({ bodyBytes: bodyBytes + grown - 1 }), true, 'celestialBodyBytes'],
    ['what it grows by', () => ({ bodyBytes: grown }), false, 200],
    ['a byte less than that', () => ({ bodyBytes: grown - 1 }), false, 'celestialBodyBytes'],
    ['an image', () => ({ images: 1 }), true, 201],
    ['no image', () => ({ images: 0 }), true, 'images'],
    ['no image, onto an existing planet', () => ({ images: 0 }), false, 'images'],
    ['its bytes of images', () => ({ imageBytes: 300 }), true, 201],
    ['a byte of images less', () => ({ imageBytes: 299 }), false, 'imageBytes'],
  ])('has room for %s', async (_, limits, isNew, outcome) => {
    expect(await tryWith(limits, isNew)).toBe(outcome)
  })
})

describe('an Idempotency-Key', () => {
  it('lets a retry get the first response, and nothing is copied again', async () => {
    const source = await make()
    const key = { 'Idempotency-Key': crypto.randomUUID() }
    const { from } = await choosable(source.id)
    const destination = `/planets/${from + 30}`
    const [first, second] = [await copy(source.id, destination, key), await copy(source.id, destination, key)]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.headers.get('Idempotency-Replayed')).toBe('true')
    expect(second.headers.get('Location')).toBe(first.headers.get('Location'))
    expect(await second.text()).toBe(await first.text())
    const row = await env.DB.prepare('select version from planets where id = ?')
      .bind(from + 30)
      .first()
    expect(row).toEqual({ version: 1 })
  })

  it('belongs to its Destination and its Overwrite, of which T is the same as none', async () => {
    const source = await make()
    const key = { 'Idempotency-Key': crypto.randomUUID() }
    const first = await bodyOf(await copy(source.id, '/planets', key))
    expect(await bodyOf(await copy(source.id, '/planets', { ...key, Overwrite: 'T' }))).toEqual(first)
    for (const [to, headers] of [
      ['/planets/', {}],
      ['/planets', { Overwrite: 'F' }],
    ] as const) {
      await expectRefused(await copy(source.id, to, { ...key, ...headers }), 422, 'idempotency-key-reused')
    }
  })

  it('is free again after a refusal', async () => {
    const source = await make()
    const { to } = await choosable(source.id)
    const key = { 'Idempotency-Key': crypto.randomUUID() }
    await expectRefused(await copy(source.id, `/planets/${to + 1}`, key), 409, 'destination-unavailable')
    expect((await copy(source.id, `/planets/${to}`, key)).status).toBe(201)
  })
})

// Last, because no id can be chosen after it.
it('a chosen id is at most 10,000,000, and then the service still chooses', async () => {
  const source = await make()
  const setLast = (id: number) =>
    env.DB.prepare("update sqlite_sequence set seq = ? where name = 'planets'").bind(id).run()
  await setLast(CHOSEN_ID_MAX - 2)
  const above = await copy(source.id, `/planets/${CHOSEN_ID_MAX + 1}`)
  const range = { from: CHOSEN_ID_MAX - 1, to: CHOSEN_ID_MAX }
  expect(await expectRefused(above, 409, 'destination-unavailable')).toMatchObject(range)
  expect((await copied(source.id, `/planets/${CHOSEN_ID_MAX}`)).id).toBe(CHOSEN_ID_MAX)
  const { detail } = await expectRefused(
    await copy(source.id, `/planets/${CHOSEN_ID_MAX + 1}`),
    409,
    'destination-unavailable',
  )
  expect(detail).toContain('No id can be chosen any more.')
  expect((await copied(source.id)).id).toBe(CHOSEN_ID_MAX + 1)
})
