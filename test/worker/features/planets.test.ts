import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { openD1 } from '../../../src/db/port.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  ORIGIN,
} from '../../support/app.ts'
import { holdWrites } from '../../support/held-database.ts'

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client, 'Grace')
})

const create = (body: unknown) => client.sendJson('POST', '/planets', body, account)
const replace = (id: number, body: unknown) => client.sendJson('PUT', `/planets/${id}`, body, account)

const FULL = {
  name: 'HD 40307g',
  description: 'Warm, and not far',
  type: 'super_earth',
  habitabilityIndex: 0.74,
  physicalProperties: {
    mass: 7.09,
    radius: 2.39,
    gravity: 1.24,
    temperature: { min: 1, average: 227.5, night: -3.5 },
    albedo: 0.3,
  },
  atmosphere: [{ compound: 'CO2', percentage: 95.3, source: 'guess' }, {}],
  discoveredAt: '2012-11-08T00:00:00+01:00',
  image: 'https://example.com/hd40307g.jpg',
  satellites: [
    { name: 'One', description: null, diameter: 12.5, type: 'moon', orbit: { orbitalPeriod: 3.25, distance: 1e5 } },
  ],
  tags: ['far'],
  successCallbackUrl: 'https://example.com/success',
  failureCallbackUrl: 'https://example.com/failure',
}

describe('a created planet', () => {
  it('is returned and read as it was sent, with the members that the server adds', async () => {
    const response = await create(FULL)
    expect(response.status).toBe(201)
    const planet = await bodyOf(response)
    const { id } = planet
    expect(response.headers.get('Location')).toBe(`${ORIGIN}/planets/${id}`)
    expect(planet).toEqual({
      ...FULL,
      id,
      satellites: [
        {
          ...FULL.satellites[0],
          id: expect.any(Number),
          orbit: { ...FULL.satellites[0]?.orbit, planet: { id, name: FULL.name } },
        },
      ],
      creator: { id: account.id, name: 'Grace' },
      lastUpdated: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    const read = await client.get(`/planets/${id}`)
    expect(await bodyOf(read)).toEqual(planet)
    expect(read.headers.get('X-Cache-Control')).toBe(read.headers.get('Cache-Control'))
  })

  it('can be sent back as it was read, and stays the same', async () => {
    const planet = await bodyOf(await create(FULL))
    const again = await bodyOf(await replace(planet.id, planet))
    expect(again).toEqual({ ...planet, lastUpdated: again.lastUpdated })
  })
})

describe('PUT', () => {
  it('removes the members that it does not name', async () => {
    const { id, creator } = await bodyOf(await create(FULL))
    const planet = await bodyOf(await replace(id, { name: 'Bare' }))
    expect(planet).toEqual({ id, name: 'Bare', creator, lastUpdated: planet.lastUpdated })
    expect(await bodyOf(await client.get(`/planets/${id}`))).toEqual(planet)
  })

  it('distinguishes an empty list of satellites from an absent one', async () => {
    const { id } = await bodyOf(await create({ name: 'Moons', satellites: [] }))
    expect((await bodyOf(await client.get(`/planets/${id}`))).satellites).toEqual([])
    expect(await bodyOf(await replace(id, { name: 'Moons' }))).not.toHaveProperty('satellites')
    expect((await bodyOf(await replace(id, { name: 'Moons', satellites: [] }))).satellites).toEqual([])
  })

  it('keeps the id of a satellite with the same name, in any order, and assigns new ids to the others', async () => {
    const names = (list: string[]) => ({ name: 'Moons', satellites: list.map((name) => ({ name })) })
    const { id, satellites } = await bodyOf(await create(names(['a', 'b', 'twin', 'twin'])))
    const [a, b, twin, otherTwin] = satellites.map((satellite: { id: number }) => satellite.id)
    const after = await bodyOf(await replace(id, names(['twin', 'new', 'b', 'twin', 'twin'])))
    const ids = after.satellites.map((satellite: { id: number }) => satellite.id)
    expect([ids[0], ids[2], ids[3]]).toEqual([twin, b, otherTwin])
    expect(new Set([...ids, a])).toHaveProperty('size', 6)
    expect(await bodyOf(await client.get(`/planets/${id}`))).toEqual(after)
  })

  it('does not change the satellites of another planet, even if it names their ids', async () => {
    const other = await bodyOf(await create({ name: 'Other', satellites: [{ name: 'Theirs' }] }))
    const { id } = await bodyOf(await create({ name: 'Own' }))
    const own = await bodyOf(
      await replace(id, { name: 'Own', satellites: [{ id: other.satellites[0].id, name: 'Theirs' }] }),
    )
    expect(own.satellites[0].id).not.toBe(other.satellites[0].id)
    expect(await bodyOf(await client.get(`/planets/${other.id}`))).toEqual(other)
  })

  it('keeps the id of a satellite that another request adds meanwhile', async () => {
    const { id } = await bodyOf(await create({ name: 'Busy' }))
    const { database, release } = holdWrites(openD1(env.DB))
    const slow = createClient({ database }).sendJson(
      'PUT',
      `/planets/${id}`,
      { name: 'Busy', satellites: [{ name: 'x' }, { name: 'a' }] },
      account,
    )
    const { satellites } = await bodyOf(await replace(id, { name: 'Busy', satellites: [{ name: 'a' }] }))
    release()
    const after = await bodyOf(await slow)
    expect(after.satellites[1]).toEqual(satellites[0])
  })

  it('sent many times at the same moment stores one of the sent planets, complete', async () => {
    const { id } = await bodyOf(await create({ name: 'Contested' }))
    const bodies = Array.from({ length: 10 }, (_, i) => ({
      name: `Writer ${i}`,
      satellites: Array.from({ length: i }, (_, n) => ({ name: `${i}/${n}` })),
    }))
    const responses = await Promise.all(bodies.map((body) => replace(id, body)))
    const statuses = responses.map(({ status }) => status)
    const done = statuses.filter((status) => status === 200).length
    // A PUT that loses five races is rejected. Each lost race is won by another writer.
    expect(done).toBeGreaterThanOrEqual(5)
    expect(statuses.filter((status) => status === 409)).toHaveLength(10 - done)
    const planet = await bodyOf(await client.get(`/planets/${id}`))
    const writer = Number(planet.name.split(' ')[1])
    expect(statuses[writer]).toBe(200)
    expect(planet.satellites.map(({ name }: { name: string }) => name)).toEqual(
      bodies[writer]?.satellites.map(({ name }) => name),
    )
    const row = await env.DB.prepare('select version from planets where id = ?').bind(id).first()
    expect(row).toEqual({ version: 1 + done })
  })

  it.each([{ satellites: undefined }, { satellites: [{ name: 'Moon' }] }])(
    'to a planet that is deleted at the same moment is 404 or 200, never half done (%j)',
    async ({ satellites }) => {
      for (let round = 0; round < 5; round++) {
        const { id } = await bodyOf(await create({ name: 'Short-lived', satellites: [{ name: 'Moon' }] }))
        const [put, removal] = await Promise.all([
          replace(id, { name: 'Late', satellites }),
          client.send(`/planets/${id}`, { method: 'DELETE', headers: authorization(account) }),
        ])
        expect([200, 404]).toContain(put.status)
        expect(removal.status).toBe(204)
        const row = await env.DB.prepare('select count(*) as left from bodies where planet_id = ?').bind(id).first()
        expect(row).toEqual({ left: 0 })
      }
    },
  )
})

describe('DELETE', () => {
  it('removes the planet and its satellites, and its id is never reused', async () => {
    const { id } = await bodyOf(await create({ name: 'Gone', satellites: [{ name: 'Moon' }] }))
    const headers = authorization(account)
    expect((await client.send(`/planets/${id}`, { method: 'DELETE', headers })).status).toBe(204)
    expect((await client.get(`/planets/${id}`)).status).toBe(404)
    expect((await client.send(`/planets/${id}`, { method: 'DELETE', headers })).status).toBe(404)
    const row = await env.DB.prepare('select count(*) as left from bodies where planet_id = ?').bind(id).first()
    expect(row).toEqual({ left: 0 })
    expect((await bodyOf(await create({ name: 'Next' }))).id).toBeGreaterThan(id)
  })
})

it('an invalid planet is rejected as a whole: neither it nor its satellites are stored', async () => {
  const count = () =>
    env.DB.prepare('select (select count(*) from planets) as p, (select count(*) from bodies) as s').first()
  const before = await count()
  expect((await create({ name: 'Half', satellites: [{ name: 'Good' }, { name: '' }] })).status).toBe(400)
  expect(await count()).toEqual(before)
})

it('a page of another origin can call the API and read its headers', async () => {
  const preflight = await client.send('/planets', {
    method: 'OPTIONS',
    headers: {
      Origin: 'https://elsewhere.test',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization',
    },
  })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('Access-Control-Max-Age')).toBe('86400')
  expect(preflight.headers.get('Access-Control-Allow-Headers')).toBe('authorization')
  const { headers } = await client.get('/planets', { Origin: 'https://elsewhere.test' })
  expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(headers.get('Access-Control-Allow-Credentials')).toBeNull()
  for (const name of ['X-Pagination-Total', 'X-Request-ID', 'Location']) {
    expect(headers.get('Access-Control-Expose-Headers')).toContain(name)
  }
})
