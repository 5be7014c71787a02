import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openD1 } from '../../../src/db/port.ts'
import { CATALOGUE_SECONDS } from '../../../src/stores/catalogue.ts'
import { bodyOf, type Client, createAccount, createClient, createPlanet } from '../../support/app.ts'
import { type Meter, meterDatabase } from '../../support/metered-database.ts'
import { loadShippedPlanets, SHIPPED } from '../../support/shipped.ts'

const REVALIDATED = 'public, max-age=0, must-revalidate'
const XML = { Accept: 'application/xml' }

let client: Client
let meter: Meter
let now: Date

beforeAll(loadShippedPlanets)

beforeEach(() => {
  now = new Date('2026-11-22T12:00:00Z')
  const metered = meterDatabase(openD1(env.DB))
  meter = metered.meter
  client = createClient({ database: metered.database, now: () => now })
})

function passSeconds(seconds: number): void {
  now = new Date(now.getTime() + seconds * 1000)
}

/** Changes the name of a planet in the database, as a command of an operator could. */
async function rename(id: number, name: string): Promise<void> {
  await env.DB.prepare(
    `update planets set properties = json_set(properties, '$.name', ?), version = version + 1 where id = ?`,
  )
    .bind(name, id)
    .run()
}

describe('a shipped planet', () => {
  it.each([1, SHIPPED])('with the id %i is read from the database once', async (id) => {
    const first = await client.get(`/planets/${id}`)
    const etag = first.headers.get('ETag') ?? ''
    expect([first.status, meter.roundTrips]).toEqual([200, 1])
    const again = await client.get(`/planets/${id}`)
    expect(await again.text()).toBe(await first.text())
    expect((await client.get(`/planets/${id}`, XML)).headers.get('Content-Type')).toBe('application/xml')
    expect((await client.get(`/planets/${id}`, { 'If-None-Match': etag })).status).toBe(304)
    expect((await client.get(`/planets/${id}`, { 'If-Match': '"0-json"' })).status).toBe(412)
    expect(meter.roundTrips).toBe(1)
  })

  it('is read again after a minute, and then shows what an operator has changed', async () => {
    await client.get('/planets/2')
    await rename(2, 'Lucifer')
    passSeconds(CATALOGUE_SECONDS - 1)
    expect((await bodyOf(await client.get('/planets/2'))).name).toBe('Venus')
    passSeconds(1)
    expect((await bodyOf(await client.get('/planets/2'))).name).toBe('Lucifer')
  })

  it('may be kept by caches for the rest of that minute', async () => {
    const cacheControl = async (headers?: HeadersInit) =>
      (await client.get('/planets/3', headers)).headers.get('Cache-Control')
    expect(await cacheControl()).toBe('public, max-age=60')
    passSeconds(20.5)
    expect(await cacheControl()).toBe('public, max-age=39')
    expect(await cacheControl(XML)).toBe('public, max-age=39')
    passSeconds(39.5)
    expect(await cacheControl()).toBe('public, max-age=60')
  })

  it('is kept by caches separately for every value of the headers that the response depends on', async () => {
    const fromDatabase = await client.get('/planets/6')
    const fromMemory = await client.get('/planets/6')
    const unchanged = await client.get('/planets/6', { 'If-None-Match': fromMemory.headers.get('ETag') ?? '' })
    expect([unchanged.status, meter.roundTrips]).toEqual([304, 1])
    for (const { headers } of [fromDatabase, fromMemory, unchanged]) {
      const names = headers.get('Vary')?.split(', ') ?? []
      expect(names.toSorted()).toEqual(['API-Version', 'Accept', 'Accept-Encoding', 'Prefer', 'X-D1-Bookmark'])
    }
  })

  it('comes with the bookmark that the caller has sent, because no query returns a newer one', async () => {
    const bookmark = (await client.get('/planets/7')).headers.get('X-D1-Bookmark') ?? ''
    const response = await client.get('/planets/7', { 'X-D1-Bookmark': bookmark })
    expect([response.headers.get('X-D1-Bookmark'), meter.roundTrips]).toEqual([bookmark, 1])
    expect((await client.get('/planets/7')).headers.has('X-D1-Bookmark')).toBe(false)
  })

  it('is not kept if requests can change it', async () => {
    const changing = createClient({ catalogue: undefined })
    await changing.get('/planets/4')
    await rename(4, 'Ares')
    const response = await changing.get('/planets/4')
    expect([(await bodyOf(response)).name, response.headers.get('Cache-Control')]).toEqual(['Ares', REVALIDATED])
  })

  it('that does not exist yet is not kept as missing', async () => {
    await env.DB.prepare('delete from planets where id = 5').run()
    expect((await client.get('/planets/5')).status).toBe(404)
    await loadShippedPlanets()
    expect((await client.get('/planets/5')).status).toBe(200)
  })
})

it('a planet of a user is read from the database every time, so a read after a write sees it', async () => {
  const account = await createAccount(client)
  const { id } = await createPlanet(client, account, { name: 'Arrakis' })
  for (const name of ['Dune', 'Rakis']) {
    await client.get(`/planets/${id}`)
    await client.sendJson('PUT', `/planets/${id}`, { name }, account)
    const response = await client.get(`/planets/${id}`)
    expect([(await bodyOf(response)).name, response.headers.get('Cache-Control')]).toEqual([name, REVALIDATED])
  }
})
