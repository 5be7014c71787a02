import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount, createClient } from '../support/app.ts'
import { loadShippedPlanets } from '../support/database.ts'
import { type Meter, meterDatabase } from '../support/metered-database.ts'
import { getTokens, registerClient } from '../support/oauth.ts'

// What a request costs the database, in round trips and rows read: figures that do not depend on the machine.

/** SQLite steps onto the index entry behind a planet's last satellite to see that it is the last. */
const SATELLITES_END_ROWS = 1
/**
 * What finding any page costs besides its own rows: the walk of db/planet-ranks.ts over five levels of at most 8 counts,
 * the up to 8 planets of the narrowest, and one count for each 32,768 ids, which are the total.
 */
const PAGE_SEARCH_ROWS = 60

let client: Client
let meter: Meter
let account: Account
/** What goes on after answers. */
const deferred: Promise<unknown>[] = []

beforeAll(async () => {
  await loadShippedPlanets()
  const metered = meterDatabase(env.DB)
  meter = metered.meter
  client = createClient({ database: metered.database, defer: (work) => void deferred.push(work) })
  account = await createAccount(client)
})

beforeEach(() => {
  Object.assign(meter, { roundTrips: 0, rowsRead: 0, statements: [] })
})

describe('a planet is read in one round trip', () => {
  it.each([
    { id: 1, satellites: 0 },
    { id: 3, satellites: 1 },
    { id: 6, satellites: 7 },
  ])(
    'of planet $id only the planet, its creator and its $satellites satellites are read',
    async ({ id, satellites }) => {
      const response = await client.get(`/planets/${id}`)
      expect((await bodyOf(response)).satellites ?? []).toHaveLength(satellites)
      expect(meter.roundTrips).toBe(1)
      expect(meter.rowsRead).toBe(2 + (satellites && satellites + SATELLITES_END_ROWS))
    },
  )
})

describe('a page is read in one round trip, and no planet outside of it but a few', () => {
  it.each([
    '?limit=1',
    '?limit=10',
    '?limit=100',
    '?limit=100&offset=2650',
    '?limit=10&offset=5390',
    '?offset=9999999',
  ])('GET /planets%s', async (query) => {
    const { data, meta } = await bodyOf(await client.get(`/planets${query}`))
    const satellites = data.flatMap((planet: { satellites?: unknown[] }) => planet.satellites ?? []).length
    const withSatellites = data.filter((planet: { satellites?: unknown[] }) => planet.satellites).length
    const own = data.length * 2 + satellites + withSatellites * SATELLITES_END_ROWS
    expect(meta.total).toBe(5402)
    expect(meter.roundTrips).toBe(1)
    expect(meter.rowsRead - own).toBeLessThanOrEqual(PAGE_SEARCH_ROWS)
  })
})

describe('a write with a bearer token: one round trip reads the standing and the planet, one writes', () => {
  const planet = { name: 'Meter', satellites: [{ name: 'One' }, { name: 'Two' }] }

  it('POST /planets takes two', async () => {
    expect((await client.sendJson('POST', '/planets', planet, account)).status).toBe(201)
    expect(meter.roundTrips).toBe(2)
  })

  it('PUT and DELETE /planets/{planetId} take two', async () => {
    const { id } = await bodyOf(await client.sendJson('POST', '/planets', planet, account))
    for (const [method, status] of [
      ['PUT', 200],
      ['DELETE', 204],
    ] as const) {
      meter.roundTrips = 0
      expect((await client.sendJson(method, `/planets/${id}`, planet, account)).status).toBe(status)
      expect(meter.roundTrips).toBe(2)
    }
  })

  it('POST and DELETE of an API key take two', async () => {
    const response = await client.sendJson('POST', '/me/api-keys', {}, account)
    expect(response.status).toBe(201)
    expect(meter.roundTrips).toBe(2)
    meter.roundTrips = 0
    const { id } = await bodyOf(response)
    expect((await client.sendJson('DELETE', `/me/api-keys/${id}`, '', account)).status).toBe(204)
    expect(meter.roundTrips).toBe(2)
  })

  it('GET /me takes one, of one row', async () => {
    expect((await client.get('/me', { Authorization: `Bearer ${account.token}` })).status).toBe(200)
    expect(meter).toMatchObject({ roundTrips: 1, rowsRead: 1 })
  })

  it('a refused credential takes none', async () => {
    expect((await client.get('/me', { Authorization: 'Bearer forged' })).status).toBe(401)
    expect(meter.roundTrips).toBe(0)
  })
})

describe('who is calling is read in one round trip, whatever proves it', () => {
  it('an API key takes one, of two rows; and once in a minute another after the answer, to note its use', async () => {
    const { key } = await bodyOf(await client.sendJson('POST', '/me/api-keys', {}, account))
    const call = () => client.get('/me', { 'X-API-Key': key })
    expect(await costOf(call)).toMatchObject({ roundTrips: 2 })
    expect(await costOf(call)).toMatchObject({ roundTrips: 1, rowsRead: 2 })
  })

  it('an API key that is mistyped takes none', async () => {
    const response = await client.get('/me', { 'X-API-Key': `glx_${'0'.repeat(48)}` })
    expect(response.status).toBe(401)
    expect(meter.roundTrips).toBe(0)
  })

  it('an access token takes one, of two rows', async () => {
    const registered = await registerClient(client.send)
    const { access_token } = await getTokens(client.send, account, registered)
    const call = () => client.get('/me', { Authorization: `Bearer ${access_token}` })
    expect(await costOf(call)).toMatchObject({ roundTrips: 1, rowsRead: 2 })
  })

  it('a password takes four the first time, and one for a minute from then on', async () => {
    let now = Date.now()
    const timed = createClient({ database: client.services.database, now: () => new Date(now) })
    const headers = { Authorization: `Basic ${btoa(`${account.email}:${account.password}`)}` }
    const call = () => timed.get('/me', headers)
    expect(await costOf(call)).toMatchObject({ roundTrips: 4 })
    expect(await costOf(call)).toMatchObject({ roundTrips: 1, rowsRead: 1 })
    now += 59_000
    expect(await costOf(call)).toMatchObject({ roundTrips: 1, rowsRead: 1 })
    now += 2_000
    expect(await costOf(call)).toMatchObject({ roundTrips: 4 })
  })

  it('a planet that is changed with any of them is read in the same round trip', async () => {
    const { key } = await bodyOf(await client.sendJson('POST', '/me/api-keys', {}, account))
    const { id } = await bodyOf(await client.sendJson('POST', '/planets', { name: 'Meter' }, account))
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
    const call = () => client.send(`/planets/${id}`, { method: 'PUT', body: '{"name":"Metre"}', headers })
    expect(await costOf(call)).toMatchObject({ roundTrips: 3 })
    expect(await costOf(call)).toMatchObject({ roundTrips: 2 })
  })
})

/** What a call that succeeds costs, what it does after its answer included. */
async function costOf(call: () => Promise<Response>): Promise<Meter> {
  Object.assign(meter, { roundTrips: 0, rowsRead: 0, statements: [] })
  expect((await call()).ok).toBe(true)
  await Promise.all(deferred.splice(0))
  return meter
}
