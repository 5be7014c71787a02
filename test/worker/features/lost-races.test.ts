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
  createPlanet,
  ORIGIN,
  ROUTES,
} from '../../support/app.ts'
import { makeGoodRequest, sendGood } from '../../support/good-requests.ts'
import { makePicture } from '../../support/pictures.ts'
import { letRivalWriteFirst, PausedClock } from '../../support/rival-writers.ts'

// What happens to a write if another writer is faster, every time or a few times. The rival writes to the planet in the
// database, after the request has read and before it writes.

/** How long a write is repeated, in milliseconds. */
const TURNS_MAX_MS = 5000

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

/** Another writer: replaces the planet by another one, in a new version. */
const change = (id: number, attempt: number) =>
  env.DB.prepare(
    "update planets set version = version + 1, properties = json_set(properties, '$.description', ?2) where id = ?1",
  )
    .bind(id, `Rival ${attempt}`)
    .run()

const createHost = () =>
  createPlanet(client, account, { name: 'Contested', satellites: [{ name: 'Old' }, { name: 'Kept' }] })

const readPlanet = async (id: number) => await bodyOf(await client.get(`/planets/${id}`))

const rowsOf = async (table: string, id: number) =>
  (await env.DB.prepare(`select count(*) as n from ${table} where planet_id = ?`).bind(id).first<{ n: number }>())?.n

interface Write {
  name: string
  /** The table that it writes to. */
  table: string
  success: number
  /** The status if its planet is gone. */
  gone: number
  /** Whether it depends on what was read. */
  isDependent: boolean
  /** Whether conditions are about the planet. The planet of a new celestial body is only a member of the body. */
  takesConditions: boolean
  send(rivalled: Client, id: number, headers?: Readonly<Record<string, string>>): Promise<Response>
}

/**
 * Every write to a planet, or below its path. A new one joins by itself. Any version of a planet may be deleted. A COPY
 * only reads the planet of its path (planet-copy-races.test.ts), and an observation does not change it.
 */
const TO_PLANETS: readonly Write[] = ROUTES.filter(
  ({ method, path }) =>
    !['get', 'copy'].includes(method) && path.startsWith('/planets/{planetId}') && !path.includes('/observations'),
).map((route) => ({
  name: `${route.method.toUpperCase()} ${route.path}`,
  table: 'planets',
  success: Number(Object.keys(route.responses)[0]),
  gone: 404,
  isDependent: route.method !== 'delete',
  takesConditions: true,
  async send(rivalled, id, headers = {}) {
    const request = await makeGoodRequest(client, route, account)
    return await sendGood(rivalled, { ...request, path: route.path.replace('{planetId}', String(id)) }, headers)
  },
}))

const json = (method: string, path: (id: number) => string, body: (id: number) => object) =>
  async function send(rivalled: Client, id: number, headers: HeadersInit = {}) {
    return await rivalled.send(path(id), {
      method,
      body: JSON.stringify(body(id)),
      headers: { 'Content-Type': 'application/json', ...authorization(account), ...headers },
    })
  }

const REPLACEMENT = { name: 'Loser', satellites: [{ name: 'Kept' }, { name: 'New' }] }

/** Writes that are more than the example of their operation. */
const OTHERS: readonly Write[] = [
  {
    name: 'PUT of a planet with satellites',
    table: 'planets',
    success: 200,
    gone: 404,
    isDependent: true,
    takesConditions: true,
    send: json(
      'PUT',
      (id) => `/planets/${id}`,
      () => REPLACEMENT,
    ),
  },
  {
    name: 'COPY onto a planet',
    table: 'planets',
    success: 200,
    // The id of a deleted planet is not given again.
    gone: 409,
    isDependent: true,
    takesConditions: false,
    async send(rivalled, id) {
      const source = await createPlanet(client, account, REPLACEMENT)
      const headers = { ...authorization(account), Destination: `/planets/${id}` }
      return await rivalled.send(`/planets/${source.id}`, { method: 'COPY', headers })
    },
  },
  {
    name: 'creation of a satellite',
    table: 'bodies',
    success: 201,
    gone: 400,
    isDependent: true,
    takesConditions: false,
    send: json(
      'POST',
      () => '/celestial-bodies',
      (id) => ({ name: 'Loser', type: 'moon', description: '🪐'.repeat(9000), orbit: { planet: { id } } }),
    ),
  },
]

const WRITES = [...TO_PLANETS, ...OTHERS]
const DEPENDENT = WRITES.filter(({ isDependent }) => isDependent)
/** Writes that always succeed. */
const INDEPENDENT = WRITES.filter(({ isDependent }) => !isDependent)

describe.each(DEPENDENT)('a $name', ({ table, success, gone, send }) => {
  it('that loses every race is 409 after five seconds, and stores nothing', async () => {
    const { id } = await createHost()
    const clock = new PausedClock()
    const { database, attempts } = letRivalWriteFirst(openD1(env.DB), table, (attempt) => change(id, attempt))
    const response = await send(createClient({ database, ...clock.services }), id)
    expect(response.status).toBe(409)
    expect(await bodyOf(response)).toMatchObject({
      type: `${ORIGIN}/problems/conflict`,
      detail: 'Other requests are changing this resource at the same time. Try again.',
    })
    // Half of the longest waits: 20 ms, then twice as long each time, but at most 640 ms. The last wait is what is
    // left.
    expect(clock.waits).toEqual([10, 20, 40, 80, 160, ...Array(14).fill(320), 210])
    expect(clock.elapsed).toBe(TURNS_MAX_MS)
    expect(attempts()).toBe(clock.waits.length + 1)
    const { name, description, satellites } = await readPlanet(id)
    expect([name, description]).toEqual(['Contested', `Rival ${attempts()}`])
    expect(satellites.map((one: { name: string }) => one.name)).toEqual(['Old', 'Kept'])
    expect(await rowsOf('bodies', id)).toBe(2)
    expect(await rowsOf('events', id)).toBe(0)
  })

  it('that wins the race at the end of the five seconds succeeds', async () => {
    const { id } = await createHost()
    const clock = new PausedClock()
    const lose = async (attempt: number) => void (clock.elapsed < TURNS_MAX_MS && (await change(id, attempt)))
    const { database, attempts } = letRivalWriteFirst(openD1(env.DB), table, lose)
    expect((await send(createClient({ database, ...clock.services }), id)).status).toBe(success)
    expect([clock.elapsed, attempts()]).toEqual([TURNS_MAX_MS, clock.waits.length + 1])
  })

  it('of a planet that is deleted in between does not find it', async () => {
    const { id } = await createHost()
    const remove = () => env.DB.prepare('delete from planets where id = ?').bind(id).run()
    const { database } = letRivalWriteFirst(openD1(env.DB), table, remove)
    const response = await send(createClient({ database }), id)
    expect(response.status).toBe(gone)
    expect(await rowsOf('bodies', id)).toBe(0)
  })

  it('is allowed only to its creator, at every attempt', async () => {
    const { id } = await createHost()
    const other = await createAccount(client, 'Eve')
    const give = () =>
      env.DB.prepare('update planets set version = version + 1, creator_id = ?2 where id = ?1').bind(id, other.id).run()
    const { database, attempts } = letRivalWriteFirst(openD1(env.DB), table, give)
    expect((await send(createClient({ database }), id)).status).toBe(403)
    expect(attempts()).toBe(1)
    expect(await readPlanet(id)).toMatchObject({ name: 'Contested', creator: { id: other.id } })
  })
})

const upload = async (rivalled: Client, id: number) => {
  const body = new FormData()
  body.set('image', new File([makePicture()], 'a.png'))
  return await rivalled.send(`/planets/${id}/image`, { method: 'POST', body, headers: authorization(account) })
}

it.each(INDEPENDENT)(
  'a $name succeeds at the second attempt, whoever else writes',
  async ({ table, success, send }) => {
    const { id } = await createHost()
    const { database, attempts } = letRivalWriteFirst(openD1(env.DB), table, (attempt) => change(id, attempt))
    expect((await send(createClient({ database }), id)).status).toBe(success)
    expect(attempts()).toBe(2)
  },
)

describe('a caller that sent a condition', () => {
  const conditional = WRITES.filter(({ takesConditions }) => takesConditions)

  it('is tested with every write to a planet or below its path', () => {
    expect(TO_PLANETS.map(({ name }) => name)).toContain('PUT /planets/{planetId}')
  })

  const CONDITIONS = ['If-Match', 'If-Unmodified-Since', 'If-None-Match'] as const

  it.each(conditional.flatMap((write) => CONDITIONS.map((condition) => ({ ...write, condition }))))(
    '$condition gets 412 if its $name lost a race, and nothing is stored',
    async ({ send, table, condition }) => {
      const { id } = await createHost()
      const { headers } = await client.get(`/planets/${id}`)
      const values = {
        'If-Match': headers.get('ETag') ?? '',
        'If-Unmodified-Since': headers.get('Last-Modified') ?? '',
        'If-None-Match': '"2-json"',
      }
      const { database, attempts } = letRivalWriteFirst(openD1(env.DB), table, (attempt) => change(id, attempt))
      const response = await send(createClient({ database }), id, { [condition]: values[condition] })
      expect(response.status).toBe(412)
      expect(attempts()).toBe(1)
      const left = await readPlanet(id)
      expect(left).toMatchObject({ name: 'Contested', description: 'Rival 1' })
      expect(left).not.toHaveProperty('image')
      expect(await rowsOf('bodies', id)).toBe(2)
    },
  )
})

it('a PUT without satellites succeeds for each of ten writers at the same moment', async () => {
  const { id } = await createHost()
  const put = (_: unknown, writer: number) => client.sendJson('PUT', `/planets/${id}`, { name: `W${writer}` }, account)
  const responses = await Promise.all(Array.from({ length: 10 }, put))
  expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(await readPlanet(id)).not.toHaveProperty('satellites')
})

it('a PUT with satellites succeeds for each of thirty writers at the same moment', async () => {
  const { id } = await createHost()
  // The clock stands still, so the result does not depend on how busy this machine is. The waits are real.
  const startedAt = new Date()
  const crowd = createClient({ now: () => startedAt })
  const put = (_: unknown, writer: number) => {
    const satellites = [{ name: 'Old' }, { name: 'Kept' }, { name: `M${writer}` }]
    return crowd.sendJson('PUT', `/planets/${id}`, { name: `W${writer}`, satellites }, account)
  }
  const responses = await Promise.all(Array.from({ length: 30 }, put))
  expect(responses.map(({ status }) => status)).toEqual(Array(30).fill(200))
  // Every write has replaced the one before it.
  const row = await env.DB.prepare('select version from planets where id = ?').bind(id).first()
  expect(row).toEqual({ version: 31 })
  const { name, satellites } = await readPlanet(id)
  expect(satellites.map((one: { name: string }) => one.name)).toEqual(['Old', 'Kept', name.replace('W', 'M')])
})

it('writers that lost the same race wait for different times', async () => {
  const waits = await Promise.all(
    [0.1, 0.9].map(async (random) => {
      const { id } = await createHost()
      const clock = new PausedClock(random)
      const lose = async (attempt: number) => void (attempt === 1 && (await change(id, attempt)))
      const { database } = letRivalWriteFirst(openD1(env.DB), 'planets', lose)
      const rivalled = createClient({ database, ...clock.services })
      expect((await rivalled.sendJson('PUT', `/planets/${id}`, REPLACEMENT, account)).status).toBe(200)
      return clock.waits
    }),
  )
  expect(waits).toEqual([[2], [18]])
})

describe('a patch that lost a race', () => {
  const patch = (rivalled: Client, id: number, mediaType: string, value: unknown) =>
    rivalled.send(`/planets/${id}`, {
      method: 'PATCH',
      body: JSON.stringify(value),
      headers: { 'Content-Type': mediaType, ...authorization(account) },
    })
  const JSON_PATCH = 'application/json-patch+json'
  const loseOnce = (id: number) =>
    letRivalWriteFirst(
      openD1(env.DB),
      'planets',
      async (attempt) => void (attempt === 1 && (await change(id, attempt))),
    )

  it.each([
    ['application/merge-patch+json', { tags: ['x'] }],
    [JSON_PATCH, [{ op: 'add', path: '/tags', value: ['x'] }]],
  ])('is applied to the new state (%s)', async (mediaType, value) => {
    const { id } = await createHost()
    const { database, attempts } = loseOnce(id)
    const response = await patch(createClient({ database }), id, mediaType, value)
    expect([response.status, attempts()]).toEqual([200, 2])
    expect(await readPlanet(id)).toMatchObject({ name: 'Contested', description: 'Rival 1', tags: ['x'] })
  })

  it('conflicts if it does not fit the new state, and stores nothing', async () => {
    const { id } = await createHost()
    const { database, attempts } = loseOnce(id)
    // It fits what was read first. The rival then adds a description.
    const value = [
      { op: 'test', path: '', value: await readPlanet(id) },
      { op: 'replace', path: '/name', value: 'Loser' },
    ]
    const response = await patch(createClient({ database }), id, JSON_PATCH, value)
    expect([response.status, attempts()]).toEqual([409, 1])
    expect(await bodyOf(response)).toMatchObject({ type: `${ORIGIN}/problems/patch-conflict` })
    expect(await readPlanet(id)).toMatchObject({ name: 'Contested', description: 'Rival 1' })
  })

  it('is one of thirty at the same moment, and each adds its own tag', async () => {
    const { id } = await createPlanet(client, account, { name: 'Crowded', tags: [] })
    const startedAt = new Date()
    const crowd = createClient({ now: () => startedAt })
    const add = (_: unknown, writer: number) =>
      patch(crowd, id, JSON_PATCH, [{ op: 'add', path: '/tags/-', value: `T${writer}` }])
    const responses = await Promise.all(Array.from({ length: 30 }, add))
    expect(responses.map(({ status }) => status)).toEqual(Array(30).fill(200))
    const { tags } = await readPlanet(id)
    expect(tags.toSorted()).toEqual(Array.from({ length: 30 }, (_, writer) => `T${writer}`).toSorted())
  })

  it('and removes the image removes the upload that came in between', async () => {
    const { id } = await createPlanet(client, account, { name: 'Pictured' })
    await upload(client, id)
    const { database } = letRivalWriteFirst(openD1(env.DB), 'planets', async (attempt) => {
      if (attempt === 1) await upload(client, id)
    })
    const value = [{ op: 'remove', path: '/image' }]
    expect((await patch(createClient({ database }), id, JSON_PATCH, value)).status).toBe(200)
    expect(await readPlanet(id)).not.toHaveProperty('image')
  })
})

it('a PUT that sends back the previous upload does not keep the one that came in between', async () => {
  const { id } = await createPlanet(client, account, { name: 'Pictured' })
  await upload(client, id)
  const sent = await readPlanet(id)
  const { database } = letRivalWriteFirst(openD1(env.DB), 'planets', async (attempt) => {
    if (attempt === 1) await upload(client, id)
  })
  const response = await createClient({ database }).sendJson('PUT', `/planets/${id}`, sent, account)
  expect(await bodyOf(response)).toMatchObject({ image: sent.image })
  const row = await env.DB.prepare('select image_key from planets where id = ?').bind(id).first()
  expect(row).toEqual({ image_key: null })
})

it('a satellite is returned with the name that its planet has when it is stored', async () => {
  const { id } = await createHost()
  const { database, attempts } = letRivalWriteFirst(openD1(env.DB), 'bodies', async (attempt) => {
    if (attempt === 1) await client.sendJson('PUT', `/planets/${id}`, { name: 'Renamed' }, account)
  })
  const moon = { name: 'Moon', type: 'moon', orbit: { planet: { id } } }
  const response = await createClient({ database }).sendJson('POST', '/celestial-bodies', moon, account)
  expect(await bodyOf(response)).toMatchObject({ orbit: { planet: { id, name: 'Renamed' } } })
  expect(attempts()).toBe(2)
})
