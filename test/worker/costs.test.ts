import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { COMMON_ROUTES } from '../../src/app.ts'
import { openD1 } from '../../src/db/port.ts'
import { LOG_ROWS_MAX } from '../../src/domain/limits.ts'
import { createNextDeliveries } from '../../src/features/callbacks/consumer.ts'
import { deliver } from '../../src/features/callbacks/deliver.ts'
import { SATELLITES_MAX } from '../../src/schemas/satellite.ts'
import type { WebhookStatus } from '../../src/schemas/webhook.ts'
import { credentialCheck } from '../../src/stores/account-states.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  generationOf,
  ORIGIN,
  primaryOf,
} from '../support/app.ts'
import { FakeNetwork, rowOf } from '../support/callbacks.ts'
import { giveAccessToken, storeKey } from '../support/credentials.ts'
import { makeGoodRequest, sendGood } from '../support/good-requests.ts'
import { type Meter, meterDatabase } from '../support/metered-database.ts'
import { authorizationPath, getTokens, registerClient, requestTokens, signIn } from '../support/oauth.ts'
import { makePicture } from '../support/pictures.ts'
import { loadShippedPlanets, SHIPPED } from '../support/shipped.ts'

// What a request costs the database, in round trips and rows read. These figures do not depend on the machine.

/** SQLite steps onto the index entry after a planet's last satellite to see that it is the last. */
const SATELLITES_END_ROWS = 1
/** The same after the last planet of the catalogue, if users have planets. */
const CATALOGUE_END_ROWS = 1
/**
 * The rows read to find a page, besides its own: stores/ranks.ts walks over four levels of at most 8 counts, and over one
 * count for each 32,768 ids, whose sum is the total.
 */
const PAGE_SEARCH_ROWS = 50
/** The rows for each satellite that a planet keeps when it is written, however many it has. */
const ROWS_READ_OF_KEPT_SATELLITE = 8
const ROWS_WRITTEN_OF_KEPT_SATELLITE = 3
const SATELLITES_FEW = 10

let client: Client
let meter: Meter
let account: Account
/** The work that continues after the responses. */
const deferred: Promise<unknown>[] = []

const resetMeter = () =>
  Object.assign(meter, { roundTrips: 0, rowsRead: 0, rowsWritten: 0, statements: [], writes: [] } satisfies Meter)

beforeAll(async () => {
  await loadShippedPlanets()
  const metered = meterDatabase(openD1(env.DB))
  meter = metered.meter
  client = createClient({
    database: metered.database,
    fetch: new FakeNetwork().fetch,
    defer: (work) => void deferred.push(work),
  })
  account = await createAccount(client)
  // The first write of a process takes ids in a round trip of its own.
  const needs = { planets: 1, bodies: 1, api_keys: 1, webhooks: 1 }
  ;(await client.services.ids.take(primaryOf(client), needs)).giveBack()
})

beforeEach(() => void resetMeter())

describe('a planet is read in one round trip', () => {
  it.each([
    { id: 1, satellites: 0 },
    { id: 3, satellites: 1 },
    { id: 6, satellites: 7 },
  ])('planet $id: only the planet, its creator and its $satellites satellites are read', async ({ id, satellites }) => {
    const response = await client.get(`/planets/${id}`)
    expect((await bodyOf(response)).satellites ?? []).toHaveLength(satellites)
    expect(meter.roundTrips).toBe(1)
    expect(meter.rowsRead).toBe(2 + (satellites && satellites + SATELLITES_END_ROWS))
  })
})

describe('the page about a planet takes two round trips', () => {
  it('of the planet, and of the ids beside it', async () => {
    const { id } = await createPlanet(client, account, { name: 'Ix', satellites: [{ name: 'One' }] })
    const open = () => client.get(`/explore/planets/${id}`)
    // The planet, its creator and its satellite, and the planet before it. There is none after it.
    expect(await costOf(open)).toMatchObject({ roundTrips: 2, rowsRead: 3 + SATELLITES_END_ROWS + 1 })
    expect((await client.send(`/planets/${id}`, { method: 'DELETE', headers: authorization(account) })).status).toBe(
      204,
    )
  })
})

describe('a page is read in one round trip, with only a few planets outside of it', () => {
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
    expect(meta.total).toBe(SHIPPED)
    expect(meter.roundTrips).toBe(1)
    expect(meter.rowsRead - own).toBeLessThanOrEqual(PAGE_SEARCH_ROWS)
  })
})

describe('a page of celestial bodies is read in one round trip, however many there are', () => {
  const rowsOf = async (query: string) => {
    Object.assign(meter, { roundTrips: 0, rowsRead: 0 })
    expect((await client.get(`/celestial-bodies${query}`)).status).toBe(200)
    expect(meter.roundTrips).toBe(1)
    return meter.rowsRead
  }

  it.each(['?limit=10', '?limit=10&offset=5410'])('GET /celestial-bodies%s', async (query) => {
    const before = await rowsOf(query)
    await env.DB.prepare(`
      with recursive n(i) as (values (1) union all select i + 1 from n where i < 1000)
      insert into bodies (position, creator_id, last_updated, type, properties, lists_satellites)
      select 0, 1, 0, 'star', '{"name":"One of many"}', 0 from n`).run()
    // The counts of the new spans are a few rows more.
    expect((await rowsOf(query)) - before).toBeLessThanOrEqual(20)
  })
})

describe('a page of the log of events is read in one round trip, however long the log is', () => {
  /**
   * Two binary searches find the oldest row and the first one of the page. They read at most five rows for each
   * halving.
   */
  const SEARCH_ROWS = 2 * 5 * Math.ceil(Math.log2(LOG_ROWS_MAX))
  /** The rows with which counts begin and end. */
  const COUNT_ROWS = 10
  const LIMIT = 10

  it.each(['', '&offset=5000', '&offset=9990'])('GET /events?limit=10%s', async (query) => {
    await env.DB.prepare('delete from log').run()
    await env.DB.prepare(`
      with recursive n(i) as (values (1) union all select i + 1 from n where i < ?1)
      insert into log (kind, event_count, created_at, salt, bytes_until, public_until, private_until, body, details)
      select 'planet_exploded', 1, ?2, printf('a%015x', i), i, i, 0, '{"id":1,"name":"a"}', '{}' from n`)
      .bind(LOG_ROWS_MAX, Date.now())
      .run()
    const cost = await costOf(() => client.get(`/events?limit=${LIMIT}${query}`))
    expect(cost.roundTrips).toBe(1)
    // A row of the page is found, and then read.
    expect(cost.rowsRead).toBeLessThanOrEqual(SEARCH_ROWS + COUNT_ROWS + 2 * LIMIT)
  })
})

describe('the catalogue is read in one round trip', () => {
  it('of only its planets, and then comes from memory', async () => {
    for (const name of ['Arrakis', 'Caladan']) await createPlanet(client, account, { name })
    const read = () => costOf(() => client.get('/catalogue'))
    expect(await read()).toMatchObject({ roundTrips: 1, rowsRead: SHIPPED + CATALOGUE_END_ROWS, rowsWritten: 0 })
    expect(await read()).toMatchObject({ roundTrips: 0, rowsRead: 0 })
  })
})

describe('a write with a bearer token: one round trip reads the account and the planet, one writes', () => {
  const planet = { name: 'Meter', satellites: [{ name: 'One' }, { name: 'Two' }] }

  it('POST /planets takes two', async () => {
    expect((await client.sendJson('POST', '/planets', planet, account)).status).toBe(201)
    expect(meter.roundTrips).toBe(2)
  })

  it.each([
    // A callback is an event with its sequence and index, and a delivery with its sequence and six indexes.
    { path: '/planets', document: { name: 'Meter', successCallbackUrl: 'https://example.org/' }, rows: 22 },
    { path: '/celestial-bodies', document: { name: 'Meter', type: 'moon' }, rows: 10 },
  ])('POST $path of $document writes $rows rows', async ({ path, document, rows }) => {
    const create = () => client.sendJson('POST', path, document, account)
    // The first of a span of ids also writes its counts and their index entries.
    const costs = [await costOf(create), await costOf(create)]
    expect(Math.min(...costs.map(({ rowsWritten }) => rowsWritten))).toBe(rows)
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

  it.each([
    { method: 'PUT', type: 'application/json' },
    { method: 'PATCH', type: 'application/merge-patch+json' },
  ])(
    'a $method that keeps the satellites reads the same for each of them, and writes each',
    async ({ method, type }) => {
      const costWith = async (count: number) => {
        const satellites = Array.from({ length: count }, (_, index) => ({ name: `Satellite ${index}` }))
        const { id } = await createPlanet(client, account, { name: 'Meter', satellites })
        const body = JSON.stringify({ name: 'Metre', satellites })
        const headers = { 'Content-Type': type, ...authorization(account) }
        return await costOf(() => client.send(`/planets/${id}`, { method, body, headers }))
      }
      const [few, many] = [await costWith(SATELLITES_FEW), await costWith(SATELLITES_MAX)]
      const added = SATELLITES_MAX - SATELLITES_FEW
      expect(many.rowsRead - few.rowsRead).toBe(ROWS_READ_OF_KEPT_SATELLITE * added)
      expect(many.rowsWritten - few.rowsWritten).toBe(ROWS_WRITTEN_OF_KEPT_SATELLITE * added)
    },
  )

  it('POST and DELETE of an API key take two', async () => {
    const response = await client.sendJson('POST', '/me/api-keys', {}, account)
    expect(response.status).toBe(201)
    expect(meter.roundTrips).toBe(2)
    meter.roundTrips = 0
    const { id } = await bodyOf(response)
    expect((await client.sendJson('DELETE', `/me/api-keys/${id}`, '', account)).status).toBe(204)
    expect(meter.roundTrips).toBe(2)
  })

  it('an Idempotency-Key costs one round trip more, and four rows: the reply, its key and its age, and the reply again', async () => {
    const create = (key?: string) =>
      costOf(() =>
        client.send('/planets', {
          method: 'POST',
          body: '{"name":"Once"}',
          headers: {
            'Content-Type': 'application/json',
            ...authorization(account),
            ...(key !== undefined && { 'Idempotency-Key': key }),
          },
        }),
      )
    // The first of a span of ids also writes its counts and their index entries.
    const least = async (...keys: (string | undefined)[]) => {
      const costs = [await create(keys[0]), await create(keys[1])]
      return Math.min(...costs.map(({ rowsWritten }) => rowsWritten))
    }
    const without = await least(undefined, undefined)
    expect(await create('first')).toMatchObject({ roundTrips: 3 })
    expect((await least('second', 'third')) - without).toBe(4)
    // The claim is refused, and nothing else is written.
    expect(await create('third')).toMatchObject({ roundTrips: 2, rowsWritten: 0 })
  })

  it('the check that the credential is still valid costs a write one row, and stores none', async () => {
    const now = new Date()
    const userId = account.id
    const { id: keyId } = await storeKey(client, userId)
    const { grantId } = await giveAccessToken(client, userId, ['write:planets'])
    const user = { userId, passwordGeneration: await generationOf(userId), keyId: null, grantId: null }
    for (const proof of [user, { ...user, keyId }, { ...user, grantId }]) {
      const { sql, params } = credentialCheck(proof, now)
      const { meta } = await env.DB.prepare(sql)
        .bind(...params)
        .run()
      expect(meta).toMatchObject({ rows_read: 1, rows_written: 0 })
    }
  })

  it('GET /me takes one, of one row', async () => {
    expect((await client.get('/me', { Authorization: `Bearer ${account.token}` })).status).toBe(200)
    expect(meter).toMatchObject({ roundTrips: 1, rowsRead: 1 })
  })

  it('PATCH /me takes two, and DELETE /me three: the account, its deletion, and what it owns', async () => {
    const own = await createAccount(client)
    await createPlanet(client, own, planet)
    const rename = await costOf(() => client.sendJson('PATCH', '/me', { name: 'Metre' }, own))
    expect(rename).toMatchObject({ roundTrips: 2 })
    expect(await costOf(() => client.sendJson('DELETE', '/me', '', own))).toMatchObject({ roundTrips: 3 })
  })

  it('a rejected credential takes none', async () => {
    expect((await client.get('/me', { Authorization: 'Bearer forged' })).status).toBe(401)
    expect(meter.roundTrips).toBe(0)
  })
})

describe('a COPY of a planet', () => {
  const PICTURE_BYTES = 100
  const copy = (id: number, destination: string) =>
    costOf(() =>
      client.send(`/planets/${id}`, {
        method: 'COPY',
        headers: { ...authorization(account), Destination: destination },
      }),
    )
  const create = async () => (await createPlanet(client, account, { name: 'Meter', satellites: [{ name: 'One' }] })).id
  /** An id that can be chosen. The highest one so far may be one that was taken in advance. */
  const chosen = async () => (await create()) + 100

  it('takes two round trips if the service chooses the id, otherwise one more, which looks at the destination', async () => {
    const id = await create()
    expect(await copy(id, '/planets')).toMatchObject({ roundTrips: 2 })
    expect(await copy(id, `/planets/${await chosen()}`)).toMatchObject({ roundTrips: 3 })
    // The ids in advance were left out, so the next planet takes others, unless the copy did.
    await create()
    expect(await copy(id, `/planets/${await create()}`)).toMatchObject({ roundTrips: 3 })
  })

  it('takes one more if it has an upload, for the row before the object', async () => {
    const id = await create()
    expect((await client.upload(`/planets/${id}/image`, makePicture('image/png', PICTURE_BYTES), account)).ok).toBe(
      true,
    )
    expect(await copy(id, '/planets')).toMatchObject({ roundTrips: 3 })
    expect(await copy(id, `/planets/${await create()}`)).toMatchObject({ roundTrips: 4 })
  })
})

describe('an OAuth client', () => {
  const METADATA = { token_endpoint_auth_method: 'none' }
  const SCOPE = 'read:account offline_access'

  it('records its use once a day: a refresh writes nothing more on the same day', async () => {
    let now = Date.now()
    const timed = createClient({ database: client.services.database, now: () => new Date(now) })
    const app = await registerClient(timed.send)
    let { refresh_token } = await getTokens(timed.send, account, app, SCOPE)
    const cost = async () =>
      await costOf(async () => {
        const response = await requestTokens(timed.send, app, { grant_type: 'refresh_token', refresh_token })
        refresh_token = (await bodyOf(response)).refresh_token
        return response
      })
    const { rowsWritten: usual, ...rest } = await cost()
    expect(rest).toMatchObject({ roundTrips: 3 })
    now += 25 * 60 * 60 * 1000
    // Its row, and the entry of the index by which idle clients are found.
    expect((await cost()).rowsWritten - usual).toBeLessThanOrEqual(2)
    expect((await cost()).rowsWritten).toBe(usual)
  })

  it('whose user has allowed it before takes two round trips to find that, and one to write the code', async () => {
    const app = await registerClient(client.send, METADATA, `Bearer ${account.token}`)
    const browser = await signIn(client.send, account, app.id)
    resetMeter()
    expect(await browser.open(authorizationPath(app.id))).toBeUndefined()
    expect(meter).toMatchObject({ roundTrips: 2 })
    await browser.submit({ decision: 'allow' })
    resetMeter()
    expect((await browser.open(authorizationPath(app.id)))?.searchParams.has('code')).toBe(true)
    expect(meter).toMatchObject({ roundTrips: 3 })
  })
})

describe('a sign-in of a browser', () => {
  it('is written as three rows: itself, and two indexes', async () => {
    expect(await storeSignIns(account, 1)).toBe(3)
  })

  const setPassword = (own: Account) => {
    const passwords = { currentPassword: own.password, newPassword: 'another horse' }
    return client.sendJson('PUT', '/me/password', passwords, own)
  }
  const deleteAccount = (own: Account) => client.sendJson('DELETE', '/me', '', own)

  it.each([
    { work: 'a new password', end: setPassword },
    { work: 'the deletion of an account', end: deleteAccount },
  ])('$work does not read it, if another user is signed in there', async ({ end }) => {
    const change = async () => {
      const own = await createAccount(client)
      await storeSignIns(own, 1)
      const cost = await measure(() => end(own))
      expect(await rowOf('select count(*) as n from sign_ins where user_id = ?', own.id)).toEqual({ n: 0 })
      return cost
    }
    const alone = await change()
    await storeSignIns(await createAccount(client), UNRELATED)
    const besideMany = await change()
    expect(besideMany.rowsRead - alone.rowsRead).toBeLessThanOrEqual(NEIGHBOUR_ROWS)
    expect(besideMany.rowsWritten).toBe(alone.rowsWritten)
  })
})

describe('the caller is read in one round trip, with any credential', () => {
  it('an API key takes one, of two rows; and once a minute another after the response, to record its use', async () => {
    const { key } = await bodyOf(await client.sendJson('POST', '/me/api-keys', {}, account))
    const call = () => client.get('/me', { 'X-API-Key': key })
    expect(await costOf(call)).toMatchObject({ roundTrips: 2 })
    expect(await costOf(call)).toMatchObject({ roundTrips: 1, rowsRead: 2 })
  })

  it('a mistyped API key takes none', async () => {
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

  it('a password takes four the first time, and one for the next minute', async () => {
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

const RECEIVER = 'https://receiver.example/planets'
const TOLD = { name: 'Told', successCallbackUrl: RECEIVER }
const OTHERS = 500
const UNRELATED = 300

describe('the callbacks of a planet cost no round trip of their own', () => {
  const silent = { name: 'Untold', satellites: [{ name: 'One' }, { name: 'Two' }] }
  const told = { ...silent, successCallbackUrl: RECEIVER }

  it('POST /planets takes two, and writes the same for 50 subscribers as for one', async () => {
    const create = (sent: object) => measure(() => client.sendJson('POST', '/planets', sent, account))
    const costs = async () => [await create(silent), await create(told)]
    const ofNone = await costs()
    await subscribe(1)
    const ofOne = await costs()
    await subscribe(49)
    const ofMany = await costs()
    await unsubscribeAll()
    expect([...ofNone, ...ofOne, ...ofMany].map(({ roundTrips }) => roundTrips)).toEqual([2, 2, 2, 2, 2, 2])
    for (const [index, { rowsRead, rowsWritten }] of ofMany.entries()) {
      expect(rowsRead - (ofOne[index]?.rowsRead ?? 0)).toBeLessThanOrEqual(COUNTED_ROWS)
      expect(rowsWritten - (ofOne[index]?.rowsWritten ?? 0)).toBeLessThanOrEqual(COUNTED_ROWS)
    }
  })

  it('POST /planets/{planetId}/explode takes two, with or without a receiver', async () => {
    for (const sent of [silent, told]) {
      const { id } = await createPlanet(client, account, sent)
      const explode = () => client.sendJson('POST', `/planets/${id}/explode`, '', account)
      expect(await measure(explode)).toMatchObject({ roundTrips: 2 })
    }
  })

  it('a rejected planet takes one, and another if a callback is requested', async () => {
    const refuse = (sent: object) => measure(() => client.sendJson('POST', '/planets', sent, account), 400)
    expect(await refuse({ name: '' })).toMatchObject({ roundTrips: 1 })
    expect(await refuse({ name: '', failureCallbackUrl: RECEIVER })).toMatchObject({ roundTrips: 2 })
  })
})

describe('a delivery costs the same however many other deliveries exist', () => {
  it('an event is expanded to 50 subscribers in one round trip', async () => {
    await subscribe(50)
    const { id } = await createPlanet(client, account, { name: 'Told' })
    const event = await rowOf<{ id: number }>('select id from events where planet_id = ?', id)
    expect(await measure(() => createNextDeliveries(event?.id ?? 0, client.services))).toMatchObject({ roundTrips: 1 })
    const made = await rowOf<{ n: number }>('select count(*) as n from deliveries where event_id = ?', event?.id ?? 0)
    expect(made?.n).toBe(50)
    await unsubscribeAll()
  })

  it.each([
    { others: 'accounts without a subscription', store: () => storeAccounts(UNRELATED) },
    { others: 'stopped subscriptions', store: () => subscribe(UNRELATED, 'paused') },
  ])('the expansion of an event reads no $others', async ({ store }) => {
    const expand = async () => {
      const { id } = await createPlanet(client, account, { name: 'Told' })
      const event = await rowOf<{ id: number }>('select id from events where planet_id = ?', id)
      return await measure(() => createNextDeliveries(event?.id ?? 0, client.services))
    }
    await subscribe(1)
    const alone = await expand()
    await store()
    const besideMany = await expand()
    await unsubscribeAll()
    expect(besideMany.rowsRead - alone.rowsRead).toBeLessThanOrEqual(NEIGHBOUR_ROWS)
    expect(besideMany.rowsWritten).toBe(alone.rowsWritten)
  })

  it('a delivery takes one round trip to be claimed and one to be recorded', async () => {
    await client.get('/me/signing-secret', authorization(account))
    const tell = async () => {
      const id = await newestDelivery(await createPlanet(client, account, TOLD))
      const cost = await measure(() => deliver(id, client.services))
      expect(await rowOf('select status from deliveries where id = ?', id)).toEqual({ status: 'delivered' })
      return cost
    }
    await storeDeliveries(await createAccount(client), 1)
    const besideOne = await tell()
    await storeDeliveries(await createAccount(client), OTHERS)
    const besideMany = await tell()
    expect([besideOne.roundTrips, besideMany.roundTrips]).toEqual([2, 2])
    expect(besideMany.rowsRead - besideOne.rowsRead).toBeLessThanOrEqual(NEIGHBOUR_ROWS)
    expect(besideMany.rowsWritten).toBe(besideOne.rowsWritten)
  })

  it('the limit of calls to a host costs no further round trip, but a row for the claim and one for the record', async () => {
    await client.get('/me/signing-secret', authorization(account))
    const limited = createClient({
      ...client.services,
      config: { targetLimits: { concurrent: 6, callsUnproven: 30, callsProven: 600 } },
    })
    const deliverBy = async ({ services }: Client) => {
      const id = await newestDelivery(await createPlanet(client, account, TOLD))
      const cost = await measure(() => deliver(id, services))
      expect(await rowOf('select status from deliveries where id = ?', id)).toEqual({ status: 'delivered' })
      return cost
    }
    const unlimited = await deliverBy(client)
    // The first call to a host creates its row; the first 2xx of a day moves it in an index.
    await deliverBy(limited)
    const cost = await deliverBy(limited)
    expect(cost.roundTrips).toBe(unlimited.roundTrips)
    expect(cost.rowsWritten - unlimited.rowsWritten).toBeLessThanOrEqual(2)
    expect(cost.rowsRead - unlimited.rowsRead).toBeLessThanOrEqual(LIMIT_ROWS)
    // Deliveries of other users, and those waiting for other hosts, are not read.
    await storeDeliveries(await createAccount(client), OTHERS)
    await env.DB.exec(
      "update deliveries set waiting_for = 'other.example', waiting_since = id where status = 'pending'",
    )
    const besideMany = await deliverBy(limited)
    expect(besideMany.rowsRead - cost.rowsRead).toBeLessThanOrEqual(NEIGHBOUR_ROWS)
    expect(besideMany.rowsWritten).toBe(cost.rowsWritten)
  })

  it('a delivery that another consumer has claimed takes one, and nothing is recorded', async () => {
    const id = await newestDelivery(await createPlanet(client, account, TOLD))
    await env.DB.prepare('update deliveries set leased_until = ? where id = ?')
      .bind(Date.now() + 60_000, id)
      .run()
    expect(await measure(() => deliver(id, client.services))).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
  })

  it('a page of the log takes one round trip after the account, and reads nothing of other users', async () => {
    const own = await createAccount(client)
    await storeDeliveries(own, 150)
    const { id } = await createPlanet(client, own, TOLD)
    const filters = ['', '&status=pending', '&event=planetCreated', `&planetId=${id}`, '&offset=100']
    const read = (filter: string) => measure(() => client.get(`/deliveries?limit=100${filter}`, authorization(own)))
    const costs = async () => {
      const all = []
      for (const filter of filters) all.push(await read(filter))
      return all
    }
    await storeDeliveries(await createAccount(client), 1)
    const besideOne = await costs()
    await storeDeliveries(await createAccount(client), OTHERS)
    expect(besideOne.map(({ roundTrips }) => roundTrips)).toEqual(filters.map(() => 2))
    expect(await costs()).toEqual(besideOne)
  })
})

/** The rows that the two batches of a delivery read about its place and about the queue of its host. */
const LIMIT_ROWS = 20
/** SQLite may step onto a neighbour in each index to see that it does not match. */
const NEIGHBOUR_ROWS = 2
/** The extra cost of a planet whose id begins new spans of ids: a count of each of the five sizes. */
const COUNTED_ROWS = 5

const SUBSCRIPTIONS = `
  with recursive n(i) as (values (1) union all select i + 1 from n where i < ?1)
  insert into webhooks (user_id, url, events, status, origin, secret, created_at, active_since, canonical_url, host)
    select ?2, '${RECEIVER}', '["newPlanet"]', ?3, '${ORIGIN}', 'sealed', 0, 0, '${RECEIVER}', 'receiver.example' from n`

async function subscribe(count: number, status: WebhookStatus = 'active'): Promise<void> {
  const { id } = await createAccount(client)
  await env.DB.prepare(SUBSCRIPTIONS).bind(count, id, status).run()
}

async function unsubscribeAll(): Promise<void> {
  await env.DB.prepare('delete from webhooks').run()
}

const NUMBERS = 'with recursive n(i) as (values (1) union all select i + 1 from n where i < ?1)'
/** Each for a planet of its own, and all of one type. */
const EVENTS = `${NUMBERS} insert into events (type, planet_id, body, created_at)
  select 'planetCreated', 1000000 + i, '{}', 0 from n`
const DELIVERIES = `insert into deliveries
  (event_id, event, planet_id, user_id, message_id, url, origin, status, created_at, next_attempt_at, host)
  select id, type, planet_id, ?2, 'msg_' || id, '${RECEIVER}', '${ORIGIN}', 'pending', 0, 0, 'receiver.example' from events order by id desc limit ?1`

/** Stores accounts that cannot sign in. */
async function storeAccounts(count: number): Promise<void> {
  await env.DB.prepare(`${NUMBERS} insert into users (created_at) select 0 from n`).bind(count).run()
}

const SIGN_INS = `${NUMBERS} insert into sign_ins (hash, user_id, password_generation, created_at, expires_at)
  select 'of ' || ?2 || ' ' || i, ?2, (select password_generation from users where id = ?2), 0, ${Number.MAX_SAFE_INTEGER} from n`

/** Stores sign-ins of a user in browsers. @returns The number of rows written */
async function storeSignIns({ id }: Account, count: number): Promise<number> {
  return (await env.DB.prepare(SIGN_INS).bind(count, id).run()).meta.rows_written
}

/** Stores deliveries of a user. */
async function storeDeliveries({ id }: Account, count: number): Promise<void> {
  await env.DB.batch([env.DB.prepare(EVENTS).bind(count), env.DB.prepare(DELIVERIES).bind(count, id)])
}

async function newestDelivery({ id }: { id: number }): Promise<number> {
  return (await rowOf<{ id: number }>('select id from deliveries where planet_id = ?', id))?.id ?? 0
}

/**
 * The cost of some work, including the work after its response.
 * @param status The expected status, if it is not a success
 */
async function measure(work: () => Promise<unknown>, status?: number): Promise<Omit<Meter, 'statements' | 'writes'>> {
  resetMeter()
  const result = await work()
  if (result instanceof Response) expect(result.status).toBe(status ?? (result.ok ? result.status : 200))
  await Promise.all(deferred.splice(0))
  const { roundTrips, rowsRead, rowsWritten } = meter
  return { roundTrips, rowsRead, rowsWritten }
}

/** The cost of a successful call, including the work after its response. */
async function costOf(call: () => Promise<Response>): Promise<Meter> {
  resetMeter()
  expect((await call()).ok).toBe(true)
  await Promise.all(deferred.splice(0))
  return { ...meter }
}

/** One round trip reads the account, with the endpoint's own read if it can. One writes. */
const ROUND_TRIPS = 2
/** Operations that take more. */
const MORE: Readonly<Record<string, number>> = {
  // The subscription is read after the account, because what it becomes depends on the body.
  updateWebhook: 3,
  pingWebhook: 3,
  // The ids of the deliveries are taken before, because the reply names them, and few are in advance.
  testWebhook: 3,
  checkWebhook: 3,
  // The image is a row before it is an object.
  uploadImage: 3,
  // The password is checked, and attempts are counted before and after.
  setPassword: 5,
  // The same, and what belongs to the account is removed in steps.
  deleteMe: 6,
}

describe('an operation with credentials takes as many round trips as it says here', () => {
  it.each(
    COMMON_ROUTES.filter(({ security }) => security.length > 0).map((route) => ({ route, name: route.operationId })),
  )('$name', async ({ route }) => {
    const user = await createAccount(client)
    const request = await makeGoodRequest(client, route, user)
    await Promise.allSettled(deferred.splice(0))
    resetMeter()
    const { status } = await sendGood(client, request)
    expect(status).toBe(request.status)
    expect(meter.roundTrips).toBeLessThanOrEqual(MORE[route.operationId] ?? ROUND_TRIPS)
  })
})

/** The rows that each operation on planets and celestial bodies writes, with the entries of indexes. */
const ROWS: Readonly<Record<string, number>> = {
  // The planet, three indexes, four counts, what its account stores, and the log with one index. The sequence of ids is
  // written once for several planets.
  createPlanet: 11,
  copyPlanet: 11,
  // The same for a star, without the log.
  createCelestialBody: 8,
  // The planet, the indexes of types and of filters, what its account stores, and the log with one index.
  updatePlanet: 6,
  patchPlanet: 6,
  // The image with its key and one index, the planet, what its account stores, the image again, because a planet shows
  // it, and the log with one index.
  uploadImage: 8,
  // The batch, its key and three indexes. Its completion writes two of them again.
  uploadObservations: 5,
  deleteObservationBatch: 1,
  // The planet, four counts, what its account stores, and the log with one index.
  deletePlanet: 8,
  explodePlanet: 8,
}

describe('an operation on planets and celestial bodies writes as many rows as it says here', () => {
  it.each(
    COMMON_ROUTES.filter(({ scope }) => scope === 'write:planets').map((route) => ({ route, name: route.operationId })),
  )('$name', async ({ route, name }) => {
    await unsubscribeAll()
    const requests = [await makeGoodRequest(client, route, account), await makeGoodRequest(client, route, account)]
    await Promise.allSettled(deferred.splice(0))
    const costs: Meter[] = []
    for (const request of requests) costs.push(await costOf(() => sendGood(client, request)))
    // The first of a span of ids also writes its counts and their index entries.
    const [least] = costs.toSorted((one, other) => one.rowsWritten - other.rowsWritten)
    const explanation = `the figure of ${name} in ROWS is missing or wrong: ${least?.writes.join(', ')}`
    expect(least?.rowsWritten, explanation).toBe(ROWS[name])
  })
})

it('a PATCH of a planet with an Idempotency-Key costs what a POST with one costs more, and its replay writes nothing', async () => {
  const { id } = await createPlanet(client, account, { name: 'Arrakis' })
  // Each description is longer than the one before, so that each request changes what the account uses.
  const patch = (description: string, key?: string) =>
    costOf(() =>
      client.send(`/planets/${id}`, {
        method: 'PATCH',
        body: JSON.stringify({ description }),
        headers: {
          'Content-Type': 'application/merge-patch+json',
          ...authorization(account),
          ...(key !== undefined && { 'Idempotency-Key': key }),
        },
      }),
    )
  const without = await patch('a')
  const first = await patch('ab', 'patched')
  expect(first.roundTrips).toBe(without.roundTrips + 1)
  expect(first.rowsWritten).toBe(without.rowsWritten + 4)
  expect(await patch('ab', 'patched')).toMatchObject({ roundTrips: 2, rowsWritten: 0 })
})
