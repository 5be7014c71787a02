import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { openD1 } from '../../src/db/port.ts'
import { PLANET_ID_MAX } from '../../src/stores/ranks.ts'
import { bodyOf, type Client, createClient } from '../support/app.ts'
import { type Meter, meterDatabase } from '../support/metered-database.ts'
import { loadShippedPlanets, SHIPPED } from '../support/shipped.ts'

// What a filtered page costs the database: one round trip, a pass over all planets and one over those that match.

/** What a page may read besides the two passes. */
const PAGE_ROWS = 500

let client: Client
let meter: Meter

beforeAll(async () => {
  await loadShippedPlanets()
  const metered = meterDatabase(openD1(env.DB))
  meter = metered.meter
  client = createClient({ database: metered.database })
})

it('a page by cursor without a filter and an order reads its planets only, wherever it begins', async () => {
  const metaOf = async (path: string) => (await bodyOf(await client.get(path))).meta
  const { nextCursor } = await metaOf('/planets?limit=100&offset=5200')
  Object.assign(meter, { roundTrips: 0, rowsRead: 0 })
  const meta = await metaOf(`/planets?limit=100&cursor=${nextCursor}`)
  expect([meta.offset, meta.total]).toEqual([5300, SHIPPED])
  expect(meter.roundTrips).toBe(1)
  expect(meter.rowsRead).toBeLessThanOrEqual(PAGE_ROWS)
})

describe('a filtered, sorted or continued page takes one round trip and two passes', () => {
  it.each([
    'name=kepler&limit=100',
    'name=no-such-planet',
    'type=terrestrial&type=super_earth&minHabitabilityIndex=0.1&sort=-habitabilityIndex&limit=100',
    'sort=name&limit=100',
    'sort=-name&offset=5300&limit=100',
    'sort=habitabilityIndex&limit=100&offset=100',
    'minHabitabilityIndex=0&limit=100',
    'name=e&limit=100',
    'name=e&limit=100&offset=2700',
    'name=e&sort=-name&limit=100&offset=2700',
    'type=terrestrial&type=super_earth&type=gas_giant&type=ice_giant&sort=habitabilityIndex&limit=100&offset=4000',
  ])('%s', async (parameters) => {
    const read = async (path: string) => {
      Object.assign(meter, { roundTrips: 0, rowsRead: 0 })
      const response = await client.get(path)
      expect(response.status).toBe(200)
      expect(meter.roundTrips).toBe(1)
      expect(meter.rowsRead).toBeLessThanOrEqual(2 * SHIPPED + PAGE_ROWS)
      return (await response.json()) as { meta: { nextCursor: string | null } }
    }
    const { meta } = await read(`/planets?${parameters}`)
    const { offset: _, ...rest } = Object.fromEntries(new URLSearchParams(parameters))
    if (meta.nextCursor === null || parameters.includes('type=')) return
    await read(`/planets?${new URLSearchParams({ ...rest, cursor: meta.nextCursor })}`)
  })
})

it('with too many planets for one text of their ids, pages are the same', async () => {
  // A planet with the highest id that a planet can have.
  const columns = env.DB.prepare(
    "select group_concat(name) as names from pragma_table_info('planets') where name <> 'id'",
  )
  const names = await columns.first<string>('names')
  await env.DB.exec(`insert into planets (id, ${names}) select ${PLANET_ID_MAX}, ${names} from planets where id = 1`)
  const paths = [
    'name=e&limit=7',
    'name=er&limit=100&offset=900',
    'name=mercury&limit=2',
    'name=no-such-planet',
    'name=e&sort=-name&limit=3&offset=2000',
    'name=a&sort=habitabilityIndex&limit=100&offset=17',
    'type=gas_giant&sort=name&limit=5&offset=99999',
  ]
  const readPages = () =>
    Promise.all(
      paths.map(async (path) => {
        const page = await bodyOf(await client.get(`/planets?${path}`))
        const next = page.meta.nextCursor
        const after =
          next && (await bodyOf(await client.get(`/planets?${path.replace(/&offset=\d+/, '')}&cursor=${next}`)))
        return [page, after].map((found) => found && [found.data, found.meta.offset, found.meta.total])
      }),
    )
  const before = await readPages()
  expect(before[2]?.[0]?.[0].at(-1).id).toBe(PLANET_ID_MAX)
  await env.DB.exec('insert into planet_counts (span, bucket, planets, present) values (32768, 1000000, 400000, 0)')
  expect(await readPages()).toEqual(before)
})
