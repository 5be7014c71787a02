import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openD1 } from '../../../src/db/port.ts'
import { examplesOf } from '../../../src/http/examples.ts'
import { Catalogue } from '../../../src/schemas/catalogue.ts'
import type { PlanetProperties } from '../../../src/schemas/planet.ts'
import { CATALOGUE_SECONDS, CatalogueMemory, READING_TIMEOUT_MS } from '../../../src/stores/catalogue.ts'
import { bodyOf, type Client, createAccount, createClient, createPlanet } from '../../support/app.ts'
import { failingDatabase } from '../../support/failing-database.ts'
import { type Meter, meterDatabase } from '../../support/metered-database.ts'
import { loadShippedPlanets, SHIPPED } from '../../support/shipped.ts'

const REVALIDATED = 'public, max-age=0, must-revalidate'

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

const read = async (from: Client = client): Promise<Catalogue> => await bodyOf(await from.get('/catalogue'))

/** The values of a planet: one from each column. */
function rowOf({ columns }: Catalogue, id: number): Record<string, unknown> {
  const position = columns.id.indexOf(id)
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column[position]]))
}

/** Sets a property of a planet in the database, as a command of an operator could. */
async function change(id: number, path: string, value: string | number): Promise<void> {
  await env.DB.prepare('update planets set properties = json_set(properties, ?, ?), version = version + 1 where id = ?')
    .bind(path, value, id)
    .run()
}

/** What the catalogue shows of a planet. */
function shownOf(id: number, { physicalProperties: physical = {}, ...properties }: PlanetProperties) {
  const year = properties.discoveredAt?.slice(0, 4)
  return {
    id,
    name: properties.name,
    type: properties.type ?? null,
    mass: physical.mass ?? null,
    radius: physical.radius ?? null,
    gravity: physical.gravity ?? null,
    temperature: physical.temperature?.average ?? null,
    orbitalPeriod: physical.orbitalPeriod ?? null,
    semiMajorAxis: physical.semiMajorAxis ?? null,
    eccentricity: physical.eccentricity ?? null,
    habitabilityIndex: properties.habitabilityIndex ?? null,
    discoveredYear: year === undefined ? null : Number(year),
    tags: properties.tags ?? [],
  }
}

describe('the catalogue', () => {
  it('has every shipped planet at one position of every column, in order of id', async () => {
    const { results } = await env.DB.prepare('select id, properties from planets order by id').all<{
      id: number
      properties: string
    }>()
    const { total, columns } = await read()
    expect(total).toBe(SHIPPED)
    expect(Object.values(columns).map(({ length }) => length)).toEqual(Object.keys(columns).map(() => SHIPPED))
    const expected = results.map(({ id, properties }) => shownOf(id, JSON.parse(properties)))
    for (const [name, column] of Object.entries(columns)) {
      expect(column).toEqual(expected.map((planet) => Object(planet)[name]))
    }
  })

  it.each([3, 4, 5, 8, 10])('shows of planet %i what GET /planets/{planetId} shows', async (id) => {
    const planet = await bodyOf(await client.get(`/planets/${id}`))
    expect(rowOf(await read(), id)).toEqual(shownOf(id, planet))
  })

  it('contains the planets that its documentation shows', async () => {
    const documented = Catalogue.parse(examplesOf(Catalogue)[0])
    const catalogue = await read()
    for (const id of documented.columns.id) expect(rowOf(catalogue, id)).toEqual(rowOf(documented, id))
  })

  it('has null for what is not known, and an empty list for a planet without tags', async () => {
    const name = 'OGLE-2016-BLG-1928L b'
    const { meta } = await env.DB.prepare(
      'insert into planets (creator_id, last_updated, properties, lists_satellites) values (1, 0, json_object(?, ?), 0)',
    )
      .bind('name', name)
      .run()
    const id = meta.last_row_id
    expect(rowOf(await read(), id)).toEqual(shownOf(id, { name }))
    await env.DB.prepare('delete from planets where id = ?').bind(id).run()
  })

  it('has every number as it is stored, to the last digit', async () => {
    const mass = 0.1 + 0.2
    await change(6, '$.physicalProperties.mass', mass)
    expect(rowOf(await read(), 6).mass).toBe(mass)
  })

  it('does not contain planets of users', async () => {
    const account = await createAccount(client)
    const { id } = await createPlanet(client, account, { name: 'Arrakis' })
    const { total, columns } = await read()
    expect([total, columns.id.includes(id), columns.name.includes('Arrakis')]).toEqual([SHIPPED, false, false])
  })

  it('is JSON only', async () => {
    expect((await client.get('/catalogue', { Accept: 'application/xml' })).status).toBe(406)
  })
})

describe('the catalogue in memory', () => {
  it('is read from the database once, for every kind of request', async () => {
    const first = await client.get('/catalogue')
    const etag = first.headers.get('ETag') ?? ''
    const again = await client.get('/catalogue')
    expect(await again.text()).toBe(await first.text())
    expect(again.headers.get('ETag')).toBe(etag)
    expect((await client.send('/catalogue', { method: 'HEAD' })).headers.get('ETag')).toBe(etag)
    const unchanged = await client.get('/catalogue', { 'If-None-Match': etag })
    expect([unchanged.status, await unchanged.text()]).toEqual([304, ''])
    expect((await client.get('/catalogue', { 'If-Match': '"0-json"' })).status).toBe(412)
    expect(meter.roundTrips).toBe(1)
  })

  it('is read once for all requests that come before it is there', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => client.sendRaw('/catalogue')))
    expect(new Set(await Promise.all(responses.map((response) => response.text()))).size).toBe(1)
    expect(meter.roundTrips).toBe(1)
  })

  it('is read by the next request if a read fails', async () => {
    const catalogue = new CatalogueMemory()
    const broken = createClient({ catalogue, database: failingDatabase('D1_ERROR: Network connection lost.') })
    const [failed, read] = await Promise.all([broken.get('/catalogue'), createClient({ catalogue }).get('/catalogue')])
    expect([failed.status, read.status]).toEqual([503, 200])
  })

  it.each([
    [READING_TIMEOUT_MS - 1, true],
    [READING_TIMEOUT_MS, false],
  ])('waits for a read that began %i ms ago: %s', (milliseconds, isAwaited) => {
    const memory = new CatalogueMemory()
    memory.beginDocument(now)
    expect(memory.isDocumentBeingRead(new Date(now.getTime() + milliseconds))).toBe(isAwaited)
  })

  it('is read again after a minute, and then shows what an operator has changed', async () => {
    const before = await client.get('/catalogue')
    await change(2, '$.name', 'Lucifer')
    await env.DB.prepare('delete from planets where id = 9').run()
    passSeconds(CATALOGUE_SECONDS - 1)
    expect([(await read()).total, rowOf(await read(), 2).name]).toEqual([SHIPPED, 'Venus'])
    passSeconds(1)
    const catalogue = await read()
    expect([catalogue.total, rowOf(catalogue, 2).name]).toEqual([SHIPPED - 1, 'Lucifer'])
    const etag = before.headers.get('ETag') ?? ''
    expect((await client.get('/catalogue', { 'If-None-Match': etag })).status).toBe(200)
    await loadShippedPlanets()
  })

  it('may be kept by caches for the rest of that minute, separately for the headers that it depends on', async () => {
    const headersOf = async (headers?: HeadersInit) => (await client.get('/catalogue', headers)).headers
    const etag = (await headersOf()).get('ETag') ?? ''
    passSeconds(20.5)
    for (const headers of [await headersOf(), await headersOf({ 'If-None-Match': etag })]) {
      expect(headers.get('Cache-Control')).toBe('public, max-age=39')
      const names = headers.get('Vary')?.split(', ') ?? []
      expect(names.toSorted()).toEqual(['API-Version', 'Accept', 'Accept-Encoding', 'Prefer', 'X-D1-Bookmark'])
    }
    passSeconds(39.5)
    expect((await headersOf()).get('Cache-Control')).toBe('public, max-age=60')
  })

  it('is not kept if requests can change it', async () => {
    const changing = createClient({ catalogue: undefined })
    await read(changing)
    await change(4, '$.name', 'Ares')
    const response = await changing.get('/catalogue')
    expect(response.headers.get('Cache-Control')).toBe(REVALIDATED)
    expect(rowOf(await bodyOf(response), 4).name).toBe('Ares')
  })
})
