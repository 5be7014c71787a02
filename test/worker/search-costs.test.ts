import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { bodyOf, type Client, createClient } from '../support/app.ts'
import { type Meter, meterDatabase } from '../support/metered-database.ts'
import { loadShippedPlanets, SHIPPED } from '../support/shipped.ts'

// What a filtered page costs the database: one round trip, a pass to count and one for the page.

/** What a page may read besides the two passes. */
const PAGE_ROWS = 500

let client: Client
let meter: Meter

beforeAll(async () => {
  await loadShippedPlanets()
  const metered = meterDatabase(env.DB)
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
