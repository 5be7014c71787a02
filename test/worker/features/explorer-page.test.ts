import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROWS_PER_PAGE } from '../../../src/site/explorer/columns.ts'
import { type Client, createClient } from '../../support/app.ts'
import { loadShippedPlanets, SHIPPED } from '../../support/database.ts'
import { type Meter, meterDatabase } from '../../support/metered-database.ts'

// The page at `/` as the service sends it, for readers without scripts.

let client: Client
let meter: Meter

beforeAll(async () => {
  await loadShippedPlanets()
  const metered = meterDatabase(env.DB)
  meter = metered.meter
  client = createClient({ database: metered.database })
})

describe('the table of the first page', () => {
  it('has the first planets of the catalogue, with links to their pages', async () => {
    const page = await pageAt('/')
    expect(rowsOf(page)).toHaveLength(ROWS_PER_PAGE)
    expect(rowsOf(page)[3]).toMatchObject({ path: '/explore/planets/4', name: 'Mars' })
    expect(page).toContain(`Planets 1 to ${ROWS_PER_PAGE} of 5,402`)
  })

  it('leads to every planet, page by page', async () => {
    const names = new Set<string>()
    let path: string | undefined = '/'
    for (let count = 0; path; count++) {
      expect(count).toBeLessThanOrEqual(SHIPPED / ROWS_PER_PAGE + 1)
      const page = await pageAt(path)
      for (const { path: planet } of rowsOf(page)) names.add(planet)
      path = nextOf(page)
    }
    expect(names.size).toBe(SHIPPED)
  })

  it('shows the last planet for an offset past the end', async () => {
    const page = await pageAt('/?offset=999999')
    expect(rowsOf(page)).toHaveLength(1)
    expect(page).toContain('Previous page')
    expect(page).not.toContain('Next page')
  })

  it('comes from memory: the catalogue is read once for the page and for its script', async () => {
    await pageAt('/')
    Object.assign(meter, { roundTrips: 0, rowsRead: 0 })
    await pageAt('/?offset=50')
    expect((await client.get('/catalogue')).status).toBe(200)
    expect(meter).toMatchObject({ roundTrips: 0, rowsRead: 0 })
  })
})

async function pageAt(path: string): Promise<string> {
  const response = await client.get(path, { Accept: 'text/html' })
  expect(response.status).toBe(200)
  return await response.text()
}

function rowsOf(page: string): { path: string; name: string }[] {
  return [...page.matchAll(/<a href="(\/explore\/planets\/\d+)">([^<]*)<\/a>/g)].map(([, path = '', name = '']) => ({
    path,
    name,
  }))
}

function nextOf(page: string): string | undefined {
  return /<a href="([^"#]*)#planets">Next page/.exec(page)?.[1]
}
