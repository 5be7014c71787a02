import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { openD1 } from '../../../src/db/port.ts'
import { CelestialBodyPage } from '../../../src/schemas/celestial-body.ts'
import { InboxPage } from '../../../src/schemas/inbox.ts'
import { PAGE_MAX_BYTES } from '../../../src/schemas/page.ts'
import { PlanetPage } from '../../../src/schemas/planet.ts'
import { decodeXml } from '../../../src/xml/decode.ts'
import { type Account, bodyOf, type Client, createAccount, createClient, createPlanet } from '../../support/app.ts'
import { meterDatabase } from '../../support/metered-database.ts'
import { BASE_PATH } from '../../support/world.ts'

// Stored items can be many times larger when they are written. A page ends early at 1 MiB of items as they are written,
// in every format. For items that are large when stored, see page-bytes.test.ts.

const ACCEPT = { json: 'application/json', xml: 'application/xml' } as const
type Format = keyof typeof ACCEPT

/** The bytes of a document besides its items. */
const ENVELOPE_MAX_BYTES = 1_000
/** How many items are stored: the pages end at 1 MiB several times. */
const COUNT = 28

/**
 * Names of characters that an element name cannot contain. In XML each takes seven bytes, and a name is written twice.
 */
const GROWS_IN_XML = {
  name: 'Grows',
  physicalProperties: Object.fromEntries(
    Array.from({ length: 88 }, (_, index) => [`${'!'.repeat(197)}${String(index).padStart(3, '0')}`, 1]),
  ),
}
/** The name of the planet is stored once, and written with each satellite. */
const GROWS_IN_BOTH = {
  name: '\u{1F30D}'.repeat(200),
  satellites: Array.from({ length: 100 }, () => ({ name: 'm', orbit: {} })),
}

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

beforeEach(async () => {
  await env.DB.prepare('delete from planets').run()
  await env.DB.prepare('delete from bodies').run()
})

/** Copies of one created planet. */
async function copy(id: number, count: number): Promise<void> {
  await env.DB.batch([
    env.DB.prepare(
      `with recursive n(i) as (values (1) union all select i + 1 from n where i < ?2 - 1)
      insert into planets (creator_id, last_updated, properties, lists_satellites, satellite_bytes)
      select creator_id, last_updated, properties, lists_satellites, satellite_bytes from planets, n where id = ?1`,
    ).bind(id, count),
    env.DB.prepare(
      `insert into bodies (planet_id, position, creator_id, last_updated, type, properties, lists_satellites)
      select other.id, position, bodies.creator_id, bodies.last_updated, type, bodies.properties, bodies.lists_satellites
      from planets as other join bodies on bodies.planet_id = ?1 where other.id <> ?1 order by other.id, position`,
    ).bind(id),
  ])
}

async function makeGrowing(planet: object, count = COUNT): Promise<void> {
  const { id } = await createPlanet(client, account, planet)
  await copy(id, count)
}

async function storedIds(table: string): Promise<number[]> {
  const { results } = await env.DB.prepare(`select id from ${table} order by id`).all<{ id: number }>()
  return results.map(({ id }) => id)
}

/** Every page of a list, read by following `meta.next`. */
async function walk<Page extends z.ZodType<{ data: { id: number }[]; meta: { next: string | null; total: number } }>>(
  start: string,
  format: Format,
  schema: Page,
) {
  const pages: { page: z.output<Page>; bytes: number }[] = []
  for (let next: string | null = start; next !== null; ) {
    const response: Response = await client.get(next, { Accept: ACCEPT[format] })
    expect(response.status).toBe(200)
    const bytes = new Uint8Array(await response.arrayBuffer())
    const text = new TextDecoder().decode(bytes)
    const { value } = format === 'xml' ? decodeXml(text, schema) : { value: JSON.parse(text) }
    const page = schema.parse(value)
    pages.push({ page, bytes: bytes.length })
    next = page.meta.next
    const link = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1] ?? null
    expect(link).toBe(next)
    expect(response.headers.get('X-Pagination-Total')).toBe(String(page.meta.total))
  }
  return pages
}

const idsOf = (pages: { page: { data: { id: number }[] } }[]) =>
  pages.flatMap(({ page }) => page.data.map(({ id }) => id))

describe('a list of planets that are much larger when they are written', { timeout: 60_000 }, () => {
  it.each([
    ['xml', GROWS_IN_XML, 240_000],
    ['json', GROWS_IN_BOTH, 85_000],
    ['xml', GROWS_IN_BOTH, 85_000],
  ] as const)('is read in %s by pages of 1 MiB, each planet once', async (format, planet, atLeastBytes) => {
    await makeGrowing(planet)
    const pages = await walk('/planets?limit=100', format, PlanetPage)
    expect(idsOf(pages)).toEqual(await storedIds('planets'))
    for (const { page, bytes } of pages) {
      expect(bytes).toBeLessThanOrEqual(PAGE_MAX_BYTES + ENVELOPE_MAX_BYTES)
      expect(page.meta).toMatchObject({ limit: 100, total: COUNT })
    }
    // All are of one size, so only the last page has room for one more.
    const [first = { page: { data: [] }, bytes: 0 }] = pages
    const size = first.bytes / first.page.data.length
    expect(size).toBeGreaterThan(atLeastBytes)
    for (const { bytes } of pages.slice(0, -1)) expect(bytes + size).toBeGreaterThan(PAGE_MAX_BYTES)
  })

  it('ends in each format at 1 MiB in that format', async () => {
    // More than 1 MiB in JSON too.
    await makeGrowing(GROWS_IN_XML, 60)
    const json = await walk('/planets?limit=100', 'json', PlanetPage)
    expect(json.length).toBe(2)
    const xml = await client.get('/planets?limit=100', { Accept: ACCEPT.xml })
    expect(decodeXml(await xml.text(), PlanetPage).value).toMatchObject({ data: { length: 4 }, meta: { total: 60 } })
  })

  it('can be continued in another format', async () => {
    await makeGrowing(GROWS_IN_XML)
    const found: number[] = []
    for (let next: string | null = '/planets?limit=100', format: Format = 'xml'; next !== null; ) {
      const response: Response = await client.get(next, { Accept: ACCEPT[format] })
      const text = await response.text()
      const page = PlanetPage.parse(format === 'xml' ? decodeXml(text, PlanetPage).value : JSON.parse(text))
      found.push(...page.data.map(({ id }) => id))
      next = page.meta.next
      format = format === 'xml' ? 'json' : 'xml'
    }
    expect(found).toEqual(await storedIds('planets'))
  })

  it('has the same headers for HEAD as for GET, in each format', async () => {
    await makeGrowing(GROWS_IN_XML)
    for (const accept of Object.values(ACCEPT)) {
      const headers = { Accept: accept }
      const [get, head] = [
        await client.get('/planets?limit=100', headers),
        await client.send('/planets?limit=100', { method: 'HEAD', headers }),
      ]
      await get.arrayBuffer()
      expect(head.headers.get('Link')).toBe(get.headers.get('Link'))
      expect(head.headers.get('Vary')).toContain('Accept')
      expect(head.headers.get('X-Pagination-Per-Page')).toBe('100')
    }
  })

  it('costs the same round trips and rows as without growth', async () => {
    await makeGrowing(GROWS_IN_XML)
    const { database, meter } = meterDatabase(openD1(env.DB))
    await createClient({ database }).get('/planets?limit=10', { Accept: ACCEPT.xml })
    const { roundTrips, rowsRead } = meter
    await createClient({ database }).get('/planets?limit=10')
    expect([roundTrips, rowsRead]).toEqual([1, meter.rowsRead - rowsRead])
  })

  it('of celestial bodies includes the satellites, each body once', async () => {
    await makeGrowing({ ...GROWS_IN_XML, satellites: [{ name: 'm', orbit: {} }] })
    const large = { atmosphere: Array.from({ length: 40 }, () => ({ compound: '&'.repeat(1_000) })) }
    for (const name of ['One', 'Two', 'Three']) {
      const response = await client.sendJson('POST', '/celestial-bodies', { name, type: 'star', ...large }, account)
      expect(response.status).toBe(201)
    }
    const all = [...(await storedIds('planets')), ...(await storedIds('bodies'))]
    for (const format of ['json', 'xml'] as const) {
      const pages = await walk('/celestial-bodies?limit=100', format, CelestialBodyPage)
      expect(idsOf(pages)).toEqual(all)
      for (const { bytes } of pages) expect(bytes).toBeLessThanOrEqual(PAGE_MAX_BYTES + ENVELOPE_MAX_BYTES)
    }
    const ofType = await walk('/celestial-bodies?type=star&limit=2', 'xml', CelestialBodyPage)
    const { results } = await env.DB.prepare("select id from bodies where type = 'star' order by id").all()
    expect(idsOf(ofType)).toEqual(results.map(({ id }) => id))
  })
})

it('a page of an inbox is limited as it is written too, and the inbox itself with it', async () => {
  const { id } = await bodyOf(await client.sendJson('POST', '/inboxes', {}))
  const signatures = { xSignature: 'absent', webhookSignature: 'absent' }
  const body = '&'.repeat(9_000)
  const request = {
    method: 'POST',
    path: '/',
    headers: [{ name: 'x', value: 'y' }],
    body,
    encoding: 'text',
    size: body.length,
    signatures,
  }
  await env.DB.prepare(
    `with recursive n(i) as (values (1) union all select i + 1 from n where i < ${COUNT})
    insert into inbox_requests (inbox_id, received_at, request) select ?, 0, ? from n`,
  )
    .bind(id, JSON.stringify(request))
    .run()
  const json = await walk(`/inboxes/${id}?limit=100`, 'json', InboxPage)
  const xml = await walk(`/inboxes/${id}?limit=100`, 'xml', InboxPage)
  expect([json.length, xml.length]).toEqual([1, 2])
  for (const pages of [json, xml]) {
    expect(idsOf(pages)).toEqual(await storedIds('inbox_requests'))
    for (const { page } of pages) expect(page.inbox.id).toBe(id)
  }
})

it('a page has at least one item, however large it is, in each format', async () => {
  const compound = 'x'.repeat(PAGE_MAX_BYTES)
  const insert = env.DB.prepare(
    'insert into planets (creator_id, last_updated, properties, lists_satellites) values (?, 0, ?, 0)',
  ).bind(account.id, JSON.stringify({ name: 'x', atmosphere: [{ compound }] }))
  await env.DB.batch([insert, insert])
  for (const accept of Object.values(ACCEPT)) {
    const response = await client.get('/planets', { Accept: accept })
    const text = await response.text()
    expect(text.length).toBeGreaterThan(PAGE_MAX_BYTES)
    expect(text.match(/atmosphere[">]/g)?.length).toBe(accept === ACCEPT.xml ? 2 : 1)
    expect(response.headers.get('Link')).toContain(`<${BASE_PATH}/planets?limit=10&offset=1>; rel="next"`)
  }
})
