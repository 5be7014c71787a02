import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { openD1 } from '../../../src/db/port.ts'
import { PAGE_MAX_BYTES } from '../../../src/schemas/page.ts'
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
import { meterDatabase } from '../../support/metered-database.ts'
import { BASE_PATH } from '../../support/world.ts'

// A page ends early at 1 MiB of stored items, and the next page begins after its last item. For items that grow when
// they are written, see page-growth.test.ts.

const LARGE_BYTES = 250_000
const LARGE_COUNT = 100

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
  // Uses characters of two bytes, to show that bytes are counted.
  const compound = 'é'.repeat(LARGE_BYTES / 2)
  await env.DB.prepare(
    `with recursive n(i) as (values (1) union all select i + 1 from n where i < ${LARGE_COUNT})
    insert into planets (creator_id, last_updated, properties, lists_satellites)
    select ?1, 0, json_object('name', 'Planet ' || i, 'atmosphere', json_array(json_object('compound', ?2))), 0 from n`,
  )
    .bind(account.id, compound)
    .run()
})

/** Every page of a list, read by following `meta.next`. */
async function walk(path: string, headers: HeadersInit = {}) {
  const pages = []
  for (let next: string | null = path; next; next = pages.at(-1)?.meta.next ?? null) {
    const response = await client.get(next, headers)
    expect(response.status).toBe(200)
    const link = response.headers.get('Link') ?? ''
    const perPage = response.headers.get('X-Pagination-Per-Page')
    const text = await response.text()
    pages.push({ ...JSON.parse(text), link, perPage, bytes: text.length })
  }
  return pages
}

const idsOf = (pages: { data: { id: number }[] }[]) => pages.flatMap(({ data }) => data.map(({ id }) => id))

async function storedIds(table: string): Promise<number[]> {
  const { results } = await env.DB.prepare(`select id from ${table} order by id`).all<{ id: number }>()
  return results.map(({ id }) => id)
}

describe('GET /planets?limit=100 of 100 planets of 250 KB', () => {
  it('sends 1 MiB and tells where the next page begins', async () => {
    const response = await client.get('/planets?limit=100')
    const { data, meta } = await bodyOf(response)
    expect(data).toHaveLength(4)
    expect(meta).toEqual({
      limit: 100,
      offset: 0,
      total: LARGE_COUNT,
      next: `${BASE_PATH}/planets?limit=100&offset=4`,
      nextCursor: expect.any(String),
    })
    expect(response.headers.get('X-Pagination-Per-Page')).toBe('100')
    expect(response.headers.get('Link')).toContain(`<${BASE_PATH}/planets?limit=100&offset=4>; rel="next"`)
  })

  it('contains each planet once, without a gap, if a client follows meta.next', async () => {
    const pages = await walk('/planets?limit=100')
    expect(idsOf(pages)).toEqual(await storedIds('planets'))
    expect(pages).toHaveLength(LARGE_COUNT / 4)
  })

  it('in XML too', async () => {
    const found: string[] = []
    for (let next = '/planets?limit=100'; next; ) {
      const text = await (await client.get(next, { Accept: 'application/xml' })).text()
      expect(text.length).toBeLessThan(PAGE_MAX_BYTES)
      found.push(...[...text.matchAll(/<data><id>(\d+)<\/id>/g)].map(([, id = '']) => id))
      next = (/<next>(.*?)<\/next>/.exec(text)?.[1] ?? '').replaceAll('&amp;', '&')
    }
    expect(found.map(Number)).toEqual(await storedIds('planets'))
  })

  it('of celestial bodies and of one type too', async () => {
    const last = (await storedIds('planets')).slice(-20)
    expect(idsOf(await walk('/celestial-bodies?limit=100&offset=80'))).toEqual(last)
    await env.DB.prepare(`update planets set properties = json_set(properties, '$.type', 'dwarf')`).run()
    expect(idsOf(await walk('/celestial-bodies?type=dwarf&limit=100&offset=80'))).toEqual(last)
  })

  it('reads no more rows than a page without a limit in bytes, and takes one round trip', async () => {
    const { database, meter } = meterDatabase(openD1(env.DB))
    await createClient({ database }).get('/planets?limit=100')
    expect(meter.roundTrips).toBe(1)
    // One row for each planet and one for its creator.
    expect(meter.rowsRead).toBeLessThanOrEqual(LARGE_COUNT * 2)
  })
})

it('a page has at least one item, however large it is', async () => {
  await env.DB.prepare('delete from planets').run()
  await env.DB.prepare(
    `insert into planets (creator_id, last_updated, properties, lists_satellites)
    select ${account.id}, 0, json_object('name', 'x', 'atmosphere', json_array(json_object('compound', hex(zeroblob(${PAGE_MAX_BYTES}))))), 0 from (values (1), (2))`,
  ).run()
  const pages = await walk('/planets?limit=10')
  expect(pages.map(({ data }) => data.length)).toEqual([1, 1])
  await env.DB.prepare('delete from planets').run()
})

it('the parts of a planet count with it: satellites, and members that only celestial bodies have', async () => {
  const moon = { description: 'm'.repeat(9_000) }
  for (let index = 0; index < 6; index++) {
    const satellites = Array.from({ length: 25 }, (_, place) => ({ name: `Moon ${place}`, ...moon }))
    await createPlanet(client, account, { name: `Host ${index}`, satellites })
  }
  const pages = await walk('/planets?limit=6')
  expect(pages.map(({ data }) => data.length)).toEqual([4, 2])
  expect(idsOf(pages)).toEqual(await storedIds('planets'))
  const all = await walk('/celestial-bodies?limit=100')
  expect(idsOf(all)).toEqual([...(await storedIds('planets')), ...(await storedIds('bodies'))])
})

it('a page with planets and other bodies has 1 MiB of both together', async () => {
  await env.DB.prepare('delete from planets').run()
  const large = { atmosphere: Array.from({ length: 50 }, () => ({ compound: 'c'.repeat(4_000) })) }
  for (const type of ['dwarf', 'dwarf', 'dwarf', 'star', 'star', 'star', 'moon', 'comet']) {
    const response = await client.sendJson('POST', '/celestial-bodies', { name: 'Large', type, ...large }, account)
    expect(response.status).toBe(201)
  }
  const pages = await walk('/celestial-bodies?limit=100')
  expect(pages.map(({ data }) => data.length)).toEqual([5, 3])
  expect(idsOf(pages)).toEqual([...(await storedIds('planets')), ...(await storedIds('bodies'))])
  const stars = await walk('/celestial-bodies?type=star&limit=2')
  expect(stars.map(({ data }) => data.length)).toEqual([2, 1])
})

it('a page of an inbox is limited too', async () => {
  const { id } = await bodyOf(await client.sendJson('POST', '/inboxes', {}))
  const signatures = { xSignature: 'absent', webhookSignature: 'absent' }
  const body = 'b'.repeat(20_000)
  const request = { method: 'POST', path: '/', headers: [], body, encoding: 'text', size: body.length, signatures }
  await env.DB.prepare(
    `with recursive n(i) as (values (1) union all select i + 1 from n where i < 100)
    insert into inbox_requests (inbox_id, received_at, request)
    select ?, 0, ?
    from n`,
  )
    .bind(id, JSON.stringify(request))
    .run()
  const pages = await walk(`/inboxes/${id}?limit=100`)
  expect(pages.length).toBe(2)
  expect(idsOf(pages)).toEqual(await storedIds('inbox_requests'))
})

it('a page of OAuth clients with much metadata is limited too', async () => {
  await env.DB.prepare(
    `with recursive n(i) as (values (1) union all select i + 1 from n where i < 100)
    insert into clients (id, owner_id, password_generation, metadata, created_at, last_used_at)
    select printf('00000000-0000-4000-8000-%012d', i), ?1, (select password_generation from users where id = ?1), ?2, 0, 0 from n`,
  )
    .bind(
      account.id,
      JSON.stringify({
        token_endpoint_auth_method: 'none',
        redirect_uris: Array.from({ length: 10 }, (_, index) => `${ORIGIN}/${'r'.repeat(1_500)}/${index}`),
        grant_types: ['authorization_code'],
        response_types: ['code'],
        scope: 'read:planets',
      }),
    )
    .run()
  const pages = await walk('/me/clients?limit=100', authorization(account))
  expect(pages.length).toBe(2)
  expect(idsOf(pages)).toEqual(
    Array.from({ length: 100 }, (_, index) => `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`),
  )
})

it('pages of remembered consents and of grants of clients with much metadata are limited too', async () => {
  await env.DB.batch([
    env.DB.prepare(
      `insert into consents (user_id, client_id, password_generation, scopes, created_at)
      select ?1, id, clients.password_generation, '["read:planets"]', 0 from clients where owner_id = ?1`,
    ).bind(account.id),
    env.DB.prepare(
      `insert into grants (id, user_id, client_id, password_generation, scopes, created_at, expires_at)
      select id, ?1, id, clients.password_generation, '["read:planets"]', 0, ?2 from clients where owner_id = ?1`,
    ).bind(account.id, Date.now() + 3_600_000),
  ])
  const clients = await walk('/me/clients?limit=100', authorization(account))
  for (const list of ['consents', 'grants']) {
    const pages = await walk(`/me/${list}?limit=100`, authorization(account))
    expect(pages.length).toBe(2)
    const ids = pages.flatMap(({ data }) => data.map(({ clientId }: { clientId: string }) => clientId))
    expect(ids).toEqual(idsOf(clients))
  }
})
