import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { openD1 } from '../../../src/db/port.ts'
import { ROWS_PER_PAGE } from '../../../src/site/explorer/columns.ts'
import { type Client, createClient } from '../../support/app.ts'
import { type Meter, meterDatabase } from '../../support/metered-database.ts'
import { requestOf, unescapeHtml } from '../../support/pages.ts'
import { loadShippedPlanets, SHIPPED } from '../../support/shipped.ts'

// The page at `/` as the service sends it, for readers without scripts.

let client: Client
let meter: Meter

beforeAll(async () => {
  await loadShippedPlanets()
  const metered = meterDatabase(openD1(env.DB))
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

describe('what the page offers', () => {
  const offers = ['Every documented error on demand', 'An error on demand', 'code=503', 'href="/account#sign-up"']
  const offersOf = async (by?: Client) => {
    const page = await pageAt('/', by)
    return offers.filter((offer) => page.includes(offer))
  }

  it('is all that the service does', async () => {
    expect(await offersOf()).toEqual(offers)
  })

  it('leaves out errors on demand if the operator has switched them off', async () => {
    expect(await offersOf(createClient({ config: { demoControls: false } }))).toEqual(['href="/account#sign-up"'])
  })

  it('leaves out the account if nobody can create one', async () => {
    expect(await offersOf(createClient({ config: { signupOpen: false } }))).toEqual(offers.slice(0, 3))
  })

  it('has commands that get what their labels say', async () => {
    const commands = [...(await pageAt('/')).matchAll(/<code>(curl [^<]*)<\/code>/g)].map(([, text = '']) => text)
    const types: unknown[] = []
    for (const command of commands) {
      const { url, init } = requestOf(unescapeHtml(command))
      const { status, headers } = await client.send(url, init)
      types.push([status, headers.get('Content-Type')])
    }
    expect(types).toEqual([
      [200, 'application/json'],
      [200, 'application/xml'],
      [503, 'application/problem+json'],
    ])
  })
})

async function pageAt(path: string, by = client): Promise<string> {
  const response = await by.get(path, { Accept: 'text/html' })
  expect(response.status).toBe(200)
  return await response.text()
}

function rowsOf(page: string): { path: string; name: string }[] {
  return [...page.matchAll(/<a href="(\/explore\/planets\/\d+)"[^>]*>([^<]*)<\/a>/g)].map(
    ([, path = '', name = '']) => ({
      path,
      name,
    }),
  )
}

function nextOf(page: string): string | undefined {
  return /<a href="([^"#]*)#planets">Next page/.exec(page)?.[1]
}
