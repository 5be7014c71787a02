import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  ORIGIN,
} from '../../support/app.ts'
import { drain, FakeNetwork } from '../../support/callbacks.ts'
import { loadShippedPlanets, SHIPPED } from '../../support/shipped.ts'
import { BASE_PATH } from '../../support/world.ts'

const PATH = '/celestial-bodies'
const FIRST_OTHER = 1_000_000_001
const SHIPPED_MOONS = 22

let network: FakeNetwork
let client: Client
let account: Account

beforeAll(loadShippedPlanets)

beforeEach(async () => {
  network = new FakeNetwork()
  client = createClient({ fetch: network.fetch })
  account = await createAccount(client)
})

const post = (body: unknown, by = account) => client.sendJson('POST', PATH, body, by)

// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
async function create(body: object): Promise<any> {
  const response = await post(body)
  if (response.status !== 201) throw new Error(`a test's body was refused: ${await response.text()}`)
  return await bodyOf(response)
}

const read = async (path: string) => await bodyOf(await client.get(path))
const faultsOf = async (response: Response) => {
  expect(response.status).toBe(400)
  return (await bodyOf(response)).errors.map(({ pointer }: { pointer: string }) => pointer)
}

/** All members that a planet and a satellite have in common, without the type and the orbit. */
const ALL = {
  name: 'Everything',
  description: null,
  habitabilityIndex: 0.5,
  physicalProperties: { mass: 1, temperature: { min: 1, mean: 2 }, 'surface pressure': 3 },
  atmosphere: [{ compound: 'N2', percentage: 78, note: 'most' }],
  discoveredAt: '1610-01-07T00:00:00Z',
  image: null,
  tags: ['a', 'b'],
  diameter: 12.5,
  successCallbackUrl: 'https://receiver.example/success',
  failureCallbackUrl: 'https://receiver.example/failure',
}

describe('a body is stored according to its type', () => {
  it.each([undefined, 'terrestrial', 'gas_giant', 'ice_giant', 'dwarf', 'super_earth'])(
    '%s creates a planet, which is also at /planets',
    async (type) => {
      const response = await post({ ...ALL, type, orbit: { distance: 3 } })
      const made = await bodyOf(response)
      expect(response.headers.get('Location')).toBe(`${ORIGIN}/planets/${made.id}`)
      expect(made).toEqual({ ...JSON.parse(JSON.stringify({ ...ALL, type })), id: made.id, ...added(made) })
      expect(made.orbit).toEqual({ planet: {}, distance: 3 })
      expect(await read(`${PATH}/${made.id}`)).toEqual(made)
      const { diameter: _diameter, orbit: _orbit, ...planet } = made
      expect(await read(`/planets/${made.id}`)).toEqual(planet)
    },
  )

  // The members that the service adds to what was sent.
  const added = ({ orbit, lastUpdated }: { orbit?: object; lastUpdated: string }) => ({
    ...(orbit && { orbit }),
    creator: { id: account.id, name: 'Ada' },
    lastUpdated,
  })

  it.each(['moon', 'asteroid', 'comet', 'star'])('%s does not create a planet', async (type) => {
    const response = await post({ ...ALL, type })
    const made = await bodyOf(response)
    expect(made.id).toBeGreaterThanOrEqual(FIRST_OTHER)
    expect(response.headers.get('Location')).toBe(`${ORIGIN}${PATH}/${made.id}`)
    expect(made).toEqual({ ...ALL, type, id: made.id, ...added(made) })
    expect(await read(`${PATH}/${made.id}`)).toEqual(made)
    expect((await client.get(`/planets/${made.id}`)).status).toBe(404)
  })

  it('a free moon with an orbit belongs to no planet', async () => {
    const made = await create({ name: 'Free', type: 'moon', orbit: { distance: 1 } })
    expect(made.orbit).toEqual({ planet: {}, distance: 1 })
  })

  it('satellites of a star have their own ids, and can be read by them', async () => {
    const star = await create({ name: 'Sol', type: 'star', satellites: [{ name: 'Ceres', type: 'asteroid' }] })
    expect(star.satellites).toEqual([{ id: expect.any(Number), name: 'Ceres', type: 'asteroid' }])
    const [{ id }] = star.satellites
    expect(await read(`${PATH}/${id}`)).toMatchObject({
      id,
      name: 'Ceres',
      type: 'asteroid',
      creator: { id: account.id },
    })
    expect(await read(`${PATH}/${star.id}`)).toEqual(star)
  })

  it('an empty list of satellites is not an absent one', async () => {
    expect(await create({ name: 'Empty', type: 'star', satellites: [] })).toMatchObject({ satellites: [] })
    expect(await create({ name: 'Absent', type: 'star' })).not.toHaveProperty('satellites')
  })
})

describe('a satellite that names a planet', () => {
  it('is added after its other satellites, and refers to it', async () => {
    const planet = await create({ name: 'Host', satellites: [{ name: 'First' }] })
    const before = await client.get(`/planets/${planet.id}`)
    const moon = await create({
      name: 'Second',
      type: 'moon',
      tags: ['x'],
      orbit: { planet: { id: planet.id, name: 'no' } },
    })
    expect(moon.orbit).toEqual({ planet: { id: planet.id, name: 'Host' } })
    const after = await client.get(`/planets/${planet.id}`)
    expect((await bodyOf(after)).satellites).toEqual([
      planet.satellites[0],
      { id: moon.id, name: 'Second', type: 'moon', orbit: { planet: { id: planet.id, name: 'Host' } } },
    ])
    // The planet has changed, for readers who have seen it and for writers with a condition.
    expect(after.headers.get('ETag')).not.toBe(before.headers.get('ETag'))
  })

  it('is rejected if the planet does not exist or belongs to another user', async () => {
    expect(await faultsOf(await post({ name: 'Lost', type: 'moon', orbit: { planet: { id: 999_999 } } }))).toEqual([
      '/orbit/planet/id',
    ])
    expect((await post({ name: 'Stranger', type: 'moon', orbit: { planet: { id: 3 } } })).status).toBe(403)
    expect(await count('bodies where planet_id = 3')).toBe(1)
  })

  it('can be the hundredth satellite, but not the hundred and first', async () => {
    const satellites = Array.from({ length: 99 }, (_, index) => ({ name: `Moon ${index}` }))
    const { id } = await create({ name: 'Crowded', satellites })
    expect(await create({ name: 'Last', type: 'moon', orbit: { planet: { id } } })).toMatchObject({ name: 'Last' })
    const version = await count(`planets where id = ${id} and version = 2`)
    expect(await faultsOf(await post({ name: 'Too many', type: 'moon', orbit: { planet: { id } } }))).toEqual([
      '/orbit/planet/id',
    ])
    expect([version, await count(`planets where id = ${id} and version = 2`)]).toEqual([1, 1])
  })

  it('is stored together with ten others that come at the same moment', async () => {
    const { id } = await create({ name: 'Busy' })
    const moons = Array.from({ length: 10 }, (_, index) => ({
      name: `M${index}`,
      type: 'moon',
      orbit: { planet: { id } },
    }))
    const statuses = (await Promise.all(moons.map((moon) => post(moon)))).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([201]))
    const { satellites } = await read(`/planets/${id}`)
    expect(satellites).toHaveLength(10)
    expect(new Set(satellites.map((satellite: { id: number }) => satellite.id)).size).toBe(10)
  })

  it('is rejected if its planet could no longer be sent back, and the planet stays readable', async () => {
    const { id } = await create({ name: 'Heavy' })
    const moon = (name: string) => ({ name, type: 'moon', description: '🪐'.repeat(10_000), orbit: { planet: { id } } })
    const statuses: number[] = []
    while (statuses.length < 20 && statuses.at(-1) !== 413) {
      statuses.push((await post(moon(`M${statuses.length}`))).status)
    }
    expect(statuses.at(-1)).toBe(413)
    const many = Array.from({ length: 8 }, (_, index) => moon(`At once ${index}`))
    await Promise.all(many.map((one) => post(one)))
    const planet = await client.get(`/planets/${id}`, { Accept: 'application/xml' })
    expect((await planet.arrayBuffer()).byteLength).toBeLessThanOrEqual(256 * 1024)
    const sent = await read(`/planets/${id}`)
    expect((await client.sendJson('PUT', `/planets/${id}`, sent, account)).status).toBe(200)
  })

  it('cannot exceed the limit of its planet together with others at the same moment', async () => {
    const { id } = await create({ name: 'Crowded at once' })
    const moon = { name: 'M', type: 'moon', description: '🪐'.repeat(10_000), orbit: { planet: { id } } }
    await Promise.all(Array.from({ length: 12 }, () => post(moon)))
    const bytes = await env.DB.prepare('select sum(octet_length(properties)) as n from bodies where planet_id = ?')
    expect((await bytes.bind(id).first<{ n: number }>())?.n).toBeLessThanOrEqual(256 * 1024)
  })

  it('keeps its id, and the members that only celestial bodies have, after a PUT of the planet', async () => {
    const { id } = await create({ name: 'Host' })
    const moon = await create({ ...ALL, name: 'Kept', type: 'moon', orbit: { planet: { id } } })
    const satellites = [{ name: 'New' }, { name: 'Kept', type: 'comet' }]
    const { satellites: written } = await bodyOf(
      await client.sendJson('PUT', `/planets/${id}`, { name: 'Renamed', satellites }, account),
    )
    expect(written[1]).toEqual({ id: moon.id, name: 'Kept', type: 'comet' })
    const { tags, habitabilityIndex } = ALL
    expect(await read(`${PATH}/${moon.id}`)).toMatchObject({ name: 'Kept', type: 'comet', tags, habitabilityIndex })
    expect((await read(`${PATH}?type=comet&limit=100`)).data.map((body: { id: number }) => body.id)).toContain(moon.id)
  })

  it.each(['DELETE', 'explode'])('is removed with its planet: %s', async (way) => {
    const { id } = await create({ name: 'Doomed' })
    const moon = await create({ name: 'Along', type: 'moon', orbit: { planet: { id } }, satellites: [{ name: 'Own' }] })
    const path = way === 'DELETE' ? `/planets/${id}` : `/planets/${id}/explode`
    await client.send(path, { method: way === 'DELETE' ? 'DELETE' : 'POST', headers: authorization(account) })
    for (const gone of [moon.id, moon.satellites[0].id]) expect((await client.get(`${PATH}/${gone}`)).status).toBe(404)
  })
})

describe('an invalid body', () => {
  it.each([
    ['an unknown member', { name: 'X', type: 'star', weight: 1 }, ['/weight']],
    ['no name', { type: 'moon' }, ['/name']],
    ['an unknown type', { name: 'X', type: 'black_hole' }, ['/type']],
    ['a mass of 0', { name: 'X', type: 'star', physicalProperties: { mass: 0 } }, ['/physicalProperties/mass']],
    ['a planet of a star', { name: 'X', type: 'star', orbit: { planet: { id: 3 } } }, ['/orbit/planet/id']],
    ['a planet of a planet', { name: 'X', type: 'dwarf', orbit: { planet: { id: 3 } } }, ['/orbit/planet/id']],
    ['a planet of a body without a type', { name: 'X', orbit: { planet: { id: 3 } } }, ['/orbit/planet/id']],
    [
      'an orbit around a planet without an id',
      { name: 'X', type: 'moon', orbit: { planet: { name: 'Mars' } } },
      ['/orbit/planet/id'],
    ],
    ['the same of a star', { name: 'X', type: 'star', orbit: { planet: { name: 'Y' } } }, ['/orbit/planet/id']],
    ['the same of a planet', { name: 'X', orbit: { planet: { name: 'Y' } } }, ['/orbit/planet/id']],
    ['an id that is null', { name: 'X', type: 'moon', orbit: { planet: { id: null } } }, ['/orbit/planet/id']],
    ['a planet that is null', { name: 'X', type: 'moon', orbit: { planet: null } }, ['/orbit/planet']],
    ['a planet that is a list', { name: 'X', type: 'moon', orbit: { planet: [] } }, ['/orbit/planet']],
    ['an invalid id', { name: 'X', type: 'moon', orbit: { planet: { id: 'three' } } }, ['/orbit/planet/id']],
    [
      'a private callback',
      { name: 'X', type: 'moon', successCallbackUrl: 'http://10.0.0.1/' },
      ['/successCallbackUrl'],
    ],
    ['a satellite without a name', { name: 'X', type: 'star', satellites: [{}] }, ['/satellites/0/name']],
    ['many errors at once', { type: 'star', diameter: 'wide', x: 1 }, ['/name', '/diameter', '/x']],
  ])('with %s is rejected with a pointer', async (_, body, pointers) => {
    expect((await faultsOf(await post(body))).toSorted()).toEqual(pointers.toSorted())
  })

  it('with names that XML escapes beyond the size of a body is rejected', async () => {
    const names = Array.from({ length: 100 }, (_, index) => [`${' '.repeat(190)}${index}`, index])
    const body = { name: 'Spaced', type: 'dwarf', physicalProperties: Object.fromEntries(names) }
    expect(JSON.stringify(body).length).toBeLessThan(30_000)
    expect((await post(body)).status).toBe(413)
  })

  it('in XML is rejected', async () => {
    const headers = { ...authorization(account), 'Content-Type': 'application/xml' }
    const body = '<celestialBody><name>X</name></celestialBody>'
    expect((await client.send(PATH, { method: 'POST', headers, body })).status).toBe(415)
  })

  it('what was read can be sent back', async () => {
    const { id } = await createPlanet(client, account, { name: 'Host' })
    const orbit = { planet: { id }, distance: 1 }
    const moon = await create({ ...ALL, type: 'moon', orbit, satellites: [{ name: 'Tiny', orbit: {} }] })
    const { id: _id, satellites: _satellites, lastUpdated: _time, ...same } = await create(moon)
    expect(moon).toMatchObject(same)
  })

  it.each(['moon', 'star', 'dwarf', undefined])(
    'a body that belongs to no planet can be sent back with its empty orbit.planet: %s',
    async (type) => {
      const body = await create({ ...ALL, type, orbit: { distance: 1 }, satellites: [{ name: 'Tiny' }] })
      expect(body.orbit).toEqual({ planet: {}, distance: 1 })
      const { id: _id, satellites: _satellites, lastUpdated: _time, ...same } = await create(body)
      expect(body).toMatchObject(same)
      expect((await create({ name: 'X', type, orbit: { planet: {} } })).orbit).toEqual({ planet: {} })
    },
  )

  it.each([undefined, 'moon', 'asteroid', 'comet', 'star', 'gas_giant'])(
    'what the service came with can be sent again: %s',
    async (type) => {
      const { data } = await read(`${PATH}?limit=3${type === undefined ? '' : `&type=${type}`}`)
      for (const { id: _id, ...body } of data) {
        // The planet of a shipped satellite belongs to somebody else.
        const free = body.orbit?.planet.id === undefined ? body : { ...body, orbit: { ...body.orbit, planet: {} } }
        expect((await post(free)).status).toBe(201)
      }
    },
  )
})

describe('callbacks are sent', () => {
  const successCallbackUrl = 'https://receiver.example/success'
  const failureCallbackUrl = 'https://receiver.example/failure'

  it('for a planet, as GET sends it', async () => {
    const { id } = await create({ name: 'Told', type: 'dwarf', diameter: 3, successCallbackUrl })
    await drain(client)
    expect(network.calls.map(({ url, body }) => [url, body])).toEqual([
      [successCallbackUrl, await (await client.get(`/planets/${id}`)).text()],
    ])
  })

  it.each([{ name: '' }, { name: 'X', type: 'black_hole' }])(
    'for a rejected body that could have been a planet: %j',
    async (planet) => {
      expect((await post({ ...planet, failureCallbackUrl })).status).toBe(400)
      await drain(client)
      expect(network.calls.map(({ headers }) => headers.get('x-galaxy-event'))).toEqual(['planetCreationFailed'])
    },
  )

  it('for nothing else', async () => {
    await create({ name: 'Quiet', type: 'star', successCallbackUrl })
    expect((await post({ name: '', type: 'moon', failureCallbackUrl })).status).toBe(400)
    await drain(client)
    expect(network.calls).toEqual([])
  })
})

describe('the list', () => {
  it('has planets first, then everything else, and the announced total', async () => {
    const start = SHIPPED - 4
    const seen: number[] = []
    for (let offset = start; ; offset += 5) {
      const { data, meta } = await read(`${PATH}?limit=5&offset=${offset}`)
      seen.push(...data.map((body: { id: number }) => body.id))
      if (!meta.next) break
      expect(meta.next).toBe(`${BASE_PATH}${PATH}?limit=5&offset=${offset + 5}`)
    }
    const ids = await env.DB.prepare(
      `select id from planets where id > ${start} union all select id from bodies order by id`,
    ).all<{ id: number }>()
    expect(seen).toEqual(ids.results.map(({ id }) => id))
    expect((await read(PATH)).meta.total).toBe(start + seen.length)
  })

  it('of one type has all bodies of that type, and keeps the type in its links', async () => {
    const first = await client.get(`${PATH}?type=moon&limit=10`)
    const { data, meta } = await bodyOf(first)
    expect(data.every(({ type }: { type: string }) => type === 'moon')).toBe(true)
    expect(meta.total).toBeGreaterThanOrEqual(SHIPPED_MOONS)
    expect(meta.next).toBe(`${BASE_PATH}${PATH}?type=moon&limit=10&offset=10`)
    expect(first.headers.get('Link')).toContain(`<${BASE_PATH}${PATH}?type=moon&limit=10&offset=0>; rel="first"`)
    const giants = await read(`${PATH}?type=gas_giant&limit=1`)
    expect(giants.data[0]).toMatchObject({ type: 'gas_giant' })
    expect(giants.meta.total).toBe(await count("planets where properties ->> '$.type' = 'gas_giant'"))
  })

  it.each(['?type=', '?type=black_hole', '?type=moon&type=star', '?limit=0'])('%s is rejected', async (query) => {
    expect((await client.get(PATH + query)).status).toBe(400)
  })
})

describe('one body', () => {
  it('is sent once to a caller who keeps it, in each format', async () => {
    const { id } = await create({ ...ALL, type: 'star' })
    const json = await client.get(`${PATH}/${id}`)
    const xml = await client.get(`${PATH}/${id}`, { Accept: 'application/xml' })
    const tags = [json, xml].map(({ headers }) => headers.get('ETag') ?? '')
    expect(new Set(tags).size).toBe(2)
    expect((await client.get(`${PATH}/${id}`, { 'If-None-Match': tags[0] ?? '' })).status).toBe(304)
    expect((await client.get(`${PATH}/${id}`, { 'If-None-Match': tags[1] ?? '' })).status).toBe(200)
    expect(await xml.text()).toContain('<celestialBody ')
  })

  it.each(['0', 'x', '999999999', '1999999999', '9007199254740993'])('%s is 404', async (id) => {
    expect((await client.get(`${PATH}/${id}`)).status).toBe(404)
  })
})

async function count(from: string): Promise<number> {
  return (await env.DB.prepare(`select count(*) as n from ${from}`).first<{ n: number }>())?.n ?? 0
}
