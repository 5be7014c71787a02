import { env } from 'cloudflare:workers'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
} from '../../support/app.ts'
import { loadShippedPlanets, SHIPPED } from '../../support/shipped.ts'
import { BASE_PATH, BASE_URL, pathWithin, SHARED } from '../../support/world.ts'

// The parts of this file build on one another: first no planets, then the shipped ones, then the shipped ones with
// gaps.

const client: Client = createClient()

describe('a service without planets', () => {
  it.each(['', '?limit=100', '?offset=5'])('has an empty page and no next: GET /planets%s', async (query) => {
    const { data, meta } = await page(query)
    expect(data).toEqual([])
    expect(meta).toMatchObject({ total: 0, next: null })
  })
})

describe('the planets that the service ships with', () => {
  beforeAll(loadShippedPlanets)

  it('come ten at a time from the first by default', async () => {
    const { data, meta } = await page('')
    expect(idsOf(data)).toEqual((await storedIds()).slice(0, 10))
    expect(meta).toEqual({
      limit: 10,
      offset: 0,
      total: SHIPPED,
      next: `${BASE_PATH}/planets?limit=10&offset=10`,
      nextCursor: expect.any(String),
    })
  })

  it.each([
    ['?limit=1', 1, 0, 1],
    ['?limit=99', 99, 0, 1],
    ['?limit=100', 100, 0, 1],
    ['?limit=101', 100, 0, 1],
    ['?limit=9007199254740991', 100, 0, 1],
    ['?offset=0', 10, 0, 1],
    ['?offset=9', 10, 9, 1],
    ['?offset=10', 10, 10, 2],
    ['?limit=3&offset=8', 3, 8, 3],
    ['?offset=8&limit=3', 3, 8, 3],
    ['?limit=1000&offset=250', 100, 250, 3],
    ['?limit=7&unknown=1', 7, 0, 1],
  ])('GET /planets%s has %i planets after the first %i and is page %i', async (query, limit, offset, number) => {
    const response = await client.get(`/planets${query}`)
    const { data, meta } = await bodyOf(response)
    expect(idsOf(data)).toEqual((await storedIds()).slice(offset, offset + limit))
    expect(meta).toEqual({
      limit,
      offset,
      total: SHIPPED,
      next: `${BASE_PATH}/planets?limit=${limit}&offset=${offset + limit}`,
      nextCursor: expect.any(String),
    })
    expect(response.headers.get('X-Pagination-Total')).toBe(String(SHIPPED))
    expect(response.headers.get('X-Pagination-Page')).toBe(String(number))
    expect(response.headers.get('X-Pagination-Per-Page')).toBe(String(limit))
  })

  it.each([
    [`?limit=10&offset=${SHIPPED - 11}`, 10, `${BASE_PATH}/planets?limit=10&offset=${SHIPPED - 1}`],
    [`?limit=10&offset=${SHIPPED - 10}`, 10, null],
    [`?limit=10&offset=${SHIPPED - 1}`, 1, null],
    [`?limit=10&offset=${SHIPPED}`, 0, null],
    ['?offset=1000000', 0, null],
    ['?offset=9007199254740991', 0, null],
    ['?limit=100&offset=9007199254740991', 0, null],
  ])('near and past the end, GET /planets%s has %i planets', async (query, count, next) => {
    const { data, meta } = await page(query)
    expect(data).toHaveLength(count)
    expect(meta).toMatchObject({ total: SHIPPED, next })
  })

  it('a planet in a list is the same as the planet read alone', async () => {
    const { data } = await page('?limit=8')
    for (const planet of data) expect(await bodyOf(await client.get(`/planets/${planet.id}`))).toEqual(planet)
  })

  it('can be cached only with revalidation, and both headers say so', async () => {
    const { headers } = await client.get('/planets')
    expect(headers.get('Cache-Control')).toBe(`${SHARED}, max-age=0, must-revalidate`)
    expect(headers.get('X-Cache-Control')).toBe(headers.get('Cache-Control'))
  })

  it('HEAD has the headers of GET', async () => {
    const response = await client.send('/planets?limit=7&offset=7', { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(response.headers.get('X-Pagination-Total')).toBe(String(SHIPPED))
    expect(response.headers.get('X-Pagination-Page')).toBe('2')
    expect(await response.text()).toBe('')
  })

  it('all come once, and in order, if a client follows meta.next', async () => {
    const ids = await walk('/planets?limit=100')
    expect(ids).toHaveLength(SHIPPED)
    expect(ids).toEqual(await storedIds())
  })
})

it.each([
  [`?offset=${SHIPPED + 50}`, Math.ceil(SHIPPED / 10 - 1) * 10],
  ['?offset=9007199254740991', Math.ceil(SHIPPED / 10 - 1) * 10],
  ['?offset=30', 20],
  ['?offset=5', 0],
])('the page before GET /planets%s begins at %i', async (query, offset) => {
  const { headers } = await client.get(`/planets${query}`)
  expect(headers.get('Link')).toContain(`<${BASE_PATH}/planets?limit=10&offset=${offset}>; rel="prev"`)
})

describe('an invalid limit or offset is rejected, and named', () => {
  const values = ['-1', '-00', '', '%20', '1.5', '1.0', '1e1', '0x10', '%2B5', '5%20', '%D9%A5', 'ten', 'NaN', '1,2']
  const tooLarge = ['9007199254740992', '1e400', '99999999999999999999999999999999']

  it.each(['0', '00', '-0', ...values, ...tooLarge])('limit=%s', async (value) => {
    expect(await pointersOf(`?limit=${value}`)).toEqual(['/limit'])
  })

  it.each([...values, ...tooLarge])('offset=%s', async (value) => {
    expect(await pointersOf(`?offset=${value}`)).toEqual(['/offset'])
  })

  it.each([
    ['?limit=5&limit=6', '/limit'],
    ['?limit=5&limit=5', '/limit'],
    ['?offset=1&limit=5&offset=2', '/offset'],
  ])('a repeated one: %s', async (query, pointer) => {
    expect(await pointersOf(query)).toEqual([pointer])
  })

  it('both at once', async () => {
    expect(await pointersOf('?limit=0&offset=-1')).toEqual(['/limit', '/offset'])
  })
})

describe('after planets are deleted', () => {
  let account: Account

  beforeAll(async () => {
    account = await createAccount(client)
  })

  it('a walk finds the remaining planets, and the new ones', async () => {
    const made: number[] = []
    for (let index = 0; index < 30; index++) made.push(await create(account))
    const deleted = made.filter((_, index) => index % 4 === 1 || index > 26)
    for (const id of deleted) expect(await remove(id, account)).toBe(204)
    made.push(await create(account))

    const ids = await walk(`/planets?limit=7&offset=${SHIPPED - 10}`)
    const left = made.filter((id) => !deleted.includes(id))
    expect(ids.slice(10)).toEqual(left)
    expect(ids).toEqual((await storedIds()).slice(SHIPPED - 10))
    expect((await page('')).meta.total).toBe(SHIPPED + left.length)
  })

  it('a planet that is deleted during a walk moves the rest up by one', async () => {
    const start = (await page('?limit=1')).meta.total
    const made: number[] = []
    for (let index = 0; index < 6; index++) made.push(await create(account))
    const first = await page(`?limit=3&offset=${start}`)
    expect(idsOf(first.data)).toEqual(made.slice(0, 3))
    expect(await remove(made[1] ?? 0, account)).toBe(204)
    expect(idsOf((await page(`?limit=2&offset=${start}`)).data)).toEqual([made[0], made[2]])
    expect(idsOf((await page(pathWithin(first.meta.next).replace('/planets', ''))).data)).toEqual(made.slice(4))
  })

  it('every page is exactly the part of all planets that it claims to be', async () => {
    const made: number[] = []
    for (let index = 0; index < 200; index++)
      made.push((await createPlanet(client, account, { name: `Gap ${index}` })).id)
    for (const id of made.filter((_, index) => index % 3 === 0)) expect(await remove(id, account)).toBe(204)
    await expectPagesToBeParts()
  })

  it('also after gaps that are wider than a counted span', async () => {
    // Spans of 8, 64 and 512 ids without a planet, at the start, in the middle and at the end.
    const ids = await storedIds()
    const gaps = [ids.slice(0, 9), ids.slice(1000, 1130), ids.slice(2000, 3100), ids.slice(-130, -20), ids.slice(-1)]
    for (const gap of gaps) {
      await env.DB.prepare('delete from planets where id in (select value from json_each(?))')
        .bind(JSON.stringify(gap))
        .run()
    }
    const left = ids.filter((id) => !gaps.flat().includes(id))
    expect(await storedIds()).toEqual(left)
    await expectPagesToBeParts()
    expect(await walk('/planets?limit=100')).toEqual(left)
  })

  it('an id is never reused, so a new planet is the last', async () => {
    const made = await create(account)
    expect(await remove(made, account)).toBe(204)
    expect(await create(account)).toBeGreaterThan(made)
  })

  it('if all of them are deleted, the list is empty and starts again', async () => {
    await env.DB.prepare('delete from planets').run()
    expect(await page('')).toEqual({ data: [], meta: { limit: 10, offset: 0, total: 0, next: null, nextCursor: null } })
    const ids = [await create(account), await create(account)]
    expect(idsOf((await page('')).data)).toEqual(ids)
    expect(idsOf((await page('?offset=1')).data)).toEqual(ids.slice(1))
  })
})

describe('the lists of callbacks', () => {
  const RECEIVER = 'https://receiver.example/planets'
  const COLUMNS =
    'event_id, event, planet_id, user_id, webhook_id, url, origin, status, created_at, next_attempt_at, host'
  const COPY = `insert into deliveries (message_id, ${COLUMNS}) select message_id || ?, ${COLUMNS} from deliveries where id = ?`
  let own: Account
  let stranger: Account
  /** The ids of three planets with a receiver, each with the ids of its deliveries. */
  let told: { planetId: number; id: number }[]
  let subscriptions: number[]

  beforeAll(async () => {
    ;[own, stranger] = [await createAccount(client), await createAccount(client)]
    for (const [index, creator] of [stranger, own, own, own, stranger].entries()) {
      await createPlanet(client, creator, { name: 'Told', successCallbackUrl: RECEIVER })
      await client.sendJson('POST', '/webhooks', { url: `${RECEIVER}?${index}`, events: ['newPlanet'] }, creator)
    }
    told = (await listOf('/deliveries', own)).data.map(({ id, planetId }: (typeof told)[0]) => ({ id, planetId }))
    subscriptions = idsOf((await listOf('/webhooks', own)).data)
  })

  // biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
  async function listOf(path: string, reader: Account): Promise<any> {
    const response = await client.get(path, authorization(reader))
    expect(response.status).toBe(200)
    return { ...(await bodyOf(response)), links: response.headers.get('Link') }
  }

  it.each(['/webhooks', '/deliveries'])(
    '%s: lists what belongs to the caller, and nothing of other users',
    async (path) => {
      const [mine, theirs] = [await listOf(path, own), await listOf(path, stranger)]
      expect(mine.meta).toEqual({ limit: 10, offset: 0, total: 3, next: null })
      expect(theirs.meta.total).toBe(2)
      expect(new Set([...idsOf(mine.data), ...idsOf(theirs.data)]).size).toBe(5)
      expect((await listOf(path, await createAccount(client))).data).toEqual([])
    },
  )

  it.each([
    ['/webhooks', () => subscriptions],
    ['/deliveries', () => told.map(({ id }) => id)],
  ])('%s: is ordered by id, and its links lead through the whole list', async (path, ids) => {
    const first = await listOf(`${path}?limit=2`, own)
    expect(first.meta).toEqual({ limit: 2, offset: 0, total: 3, next: `${BASE_PATH}${path}?limit=2&offset=2` })
    expect(first.links).toContain(`<${BASE_PATH}${path}?limit=2&offset=2>; rel="last"`)
    const second = await listOf(first.meta.next, own)
    expect(second.meta.next).toBeNull()
    expect(second.links).toContain(`<${BASE_PATH}${path}?limit=2&offset=0>; rel="prev"`)
    expect([...idsOf(first.data), ...idsOf(second.data)]).toEqual(ids().toSorted((a, b) => a - b))
  })

  it('/deliveries: each filter works, alone and together with the others', async () => {
    const [{ planetId, id } = { planetId: 0, id: 0 }, second, third] = told
    await env.DB.prepare("update deliveries set status = 'failed', ended_at = 1 where id = ?").bind(id).run()
    const exploded = await client.sendJson('POST', `/planets/${second?.planetId}/explode`, '', own)
    expect(exploded.status).toBe(200)
    const wanted = async (query: string) => idsOf((await listOf(`/deliveries?${query}`, own)).data)
    expect(await wanted(`planetId=${planetId}`)).toEqual([id])
    expect(await wanted('status=failed')).toEqual([id])
    expect(await wanted('event=planetExploded')).toEqual([expect.toSatisfy((newest) => newest > (third?.id ?? 0))])
    expect(await wanted('event=planetCreated&status=pending')).toEqual([second?.id, third?.id])
    expect(await wanted(`planetId=${planetId}&status=pending`)).toEqual([])
    expect(await wanted(`planetId=${second?.planetId}&event=planetCreated&status=pending`)).toEqual([second?.id])
  })

  it('/deliveries: every link keeps every filter', async () => {
    const query = `planetId=${told[2]?.planetId}&event=planetCreated&status=pending`
    for (const end of ['a', 'b', 'c', 'd']) await env.DB.prepare(COPY).bind(end, told[2]?.id).run()
    const { meta, links } = await listOf(`/deliveries?${query}&limit=1&offset=2`, own)
    expect(meta.total).toBe(5)
    const targets = [...links.matchAll(/<([^>]*)>/g)].map(([, target]) => target)
    expect(targets).toHaveLength(4)
    for (const target of [...targets, meta.next]) {
      const { pathname, searchParams } = new URL(target, BASE_URL)
      expect(pathname).toBe(`${BASE_PATH}/deliveries`)
      for (const [name, value] of new URLSearchParams(query)) expect(searchParams.getAll(name)).toEqual([value])
      expect((await listOf(target, own)).meta.total).toBe(5)
    }
  })

  it.each([
    ['planetId', '0'],
    ['planetId', 'Earth'],
    ['planetId', ''],
    ['event', 'planetDestroyed'],
    ['event', ''],
    ['status', 'PENDING'],
    ['status', 'pending,failed'],
  ])('/deliveries: rejects %s=%s, and names it', async (name, value) => {
    const response = await client.get(`/deliveries?${name}=${value}`, authorization(own))
    expect(response.status).toBe(400)
    const { errors } = await bodyOf(response)
    expect(errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([`/${name}`])
  })

  it('an inbox lists requests in the order of arrival, and its links lead through all of them', async () => {
    const { id, url } = await bodyOf(await client.send('/inboxes', { method: 'POST' }))
    for (const body of ['one', 'two', 'three']) await client.send(url, { method: 'POST', body })
    const bodies: string[] = []
    for (let path: string | null = `/inboxes/${id}?limit=2`; path !== null; ) {
      const { data, meta } = await bodyOf(await client.get(path))
      expect(meta.total).toBe(3)
      bodies.push(...data.map(({ body }: { body: string }) => body))
      path = meta.next
    }
    expect(bodies).toEqual(['one', 'two', 'three'])
  })
})

/** Compares pages at many offsets, most of them near the end, with slices of the ids in the database. */
async function expectPagesToBeParts(): Promise<void> {
  const ids = await storedIds()
  const offset = fc.oneof(
    fc.nat(ids.length + 20),
    fc.nat(300).map((back) => Math.max(0, ids.length - back)),
  )
  await fc.assert(
    fc.asyncProperty(offset, fc.integer({ min: 1, max: 100 }), async (offset, limit) => {
      const { data, meta } = await page(`?limit=${limit}&offset=${offset}`)
      expect(idsOf(data)).toEqual(ids.slice(offset, offset + limit))
      expect(meta.total).toBe(ids.length)
    }),
    { numRuns: 40 },
  )
}

async function page(query: string) {
  const response = await client.get(`/planets${query}`)
  expect(response.status).toBe(200)
  return await bodyOf(response)
}

/** The ids of all planets from a page on, read by following `meta.next`. */
async function walk(start: string): Promise<number[]> {
  const ids: number[] = []
  let path: string | null = start
  while (path !== null) {
    const response: Response = await client.get(path)
    expect(response.status).toBe(200)
    const { data, meta } = await bodyOf(response)
    ids.push(...idsOf(data))
    path = meta.next
  }
  return ids
}

function idsOf(planets: { id: number }[]): number[] {
  return planets.map(({ id }) => id)
}

/** The reference for the list: the ids read from the database directly, without code of the service. */
async function storedIds(): Promise<number[]> {
  const { results } = await env.DB.prepare('select id from planets order by id').all<{ id: number }>()
  return idsOf(results)
}

async function pointersOf(query: string): Promise<string[]> {
  const response = await client.get(`/planets${query}`)
  expect(response.status).toBe(400)
  const { errors } = await bodyOf(response)
  return errors.map(({ pointer }: { pointer: string }) => pointer).sort()
}

async function create(account: Account): Promise<number> {
  return (await createPlanet(client, account, { name: 'Terra' })).id
}

async function remove(id: number, account: Account): Promise<number> {
  return (await client.send(`/planets/${id}`, { method: 'DELETE', headers: authorization(account) })).status
}
