import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { openD1, type SqliteDatabase } from '../../../src/db/port.ts'
import { deliver } from '../../../src/features/callbacks/deliver.ts'
import { sweep } from '../../../src/sweep.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  type Overrides,
} from '../../support/app.ts'
import { drain, FakeNetwork, HeldQueue, rowOf } from '../../support/callbacks.ts'
import { basic } from '../../support/credentials.ts'
import { meterDatabase } from '../../support/metered-database.ts'
import { authorizationPath, getTokens, registerClient, requestTokens, UserAgent } from '../../support/oauth.ts'
import { makePicture } from '../../support/pictures.ts'
import { letRivalWriteFirst } from '../../support/rival-writers.ts'

// What is removed with an account that its user deletes, when, and in what steps.

const RECEIVER = 'https://receiver.example/planets'

let network: FakeNetwork
let client: Client
let account: Account
let other: Account

const makeClient = (overrides: Overrides = {}) =>
  createClient({ fetch: network.fetch, config: { signupsPerHour: 1000 }, ...overrides })

beforeEach(async () => {
  network = new FakeNetwork()
  client = makeClient()
  account = await createAccount(client, 'Ada')
  other = await createAccount(client, 'Other')
})

const deleteAccount = async (by = makeClient()) =>
  (await by.send('/me', { method: 'DELETE', headers: authorization(account) })).status
const runSweep = (by = client) => sweep({ ...by.services, callbackQueue: new HeldQueue() })
const count = async (query: string, ...values: (string | number)[]) =>
  (await rowOf<{ n: number }>(`select count(*) as n from ${query}`, ...values))?.n
const isThere = async () => (await count('users where id = ?', account.id)) === 1

async function upload(planetId: number, by = client): Promise<string> {
  const { imageUrl } = await bodyOf(await by.upload(`/planets/${planetId}/image`, makePicture(), account))
  return imageUrl.split('/').at(-1)
}

/** A database in which something happens once, before the first statement of a kind. */
function interruptBefore(kind: RegExp, happen: () => Promise<unknown>): SqliteDatabase {
  return letRivalWriteFirst(openD1(env.DB), kind, async (attempt) => {
    if (attempt === 1) await happen()
  }).database
}

/** Ends a request as if its machine had died. */
const die = () => Promise.reject(new Error('the machine died'))

/** Stores planets of the account. */
async function storePlanets(planets: number): Promise<void> {
  const numbers = `with recursive n(i) as (values (1) union all select i + 1 from n where i < ${planets})`
  await env.DB.prepare(
    `${numbers} insert into planets (creator_id, last_updated, properties, lists_satellites)
     select ?, 0, '{"name":"One of many"}', 0 from n`,
  )
    .bind(account.id)
    .run()
}

/** Gives each planet of the account a satellite. */
async function storeMoons(): Promise<void> {
  await env.DB.prepare(
    `insert into bodies (planet_id, position, creator_id, last_updated, properties, lists_satellites)
     select id, 0, creator_id, 0, '{"name":"Moon"}', 0 from planets where creator_id = ?`,
  )
    .bind(account.id)
    .run()
}

describe('the deletion of an account removes at once', () => {
  it('everything it created: planets, their satellites and images, stars with theirs, and free satellites', async () => {
    const planet = await createPlanet(client, account, { name: 'Own', satellites: [{ name: 'Moon' }] })
    const key = await upload(planet.id)
    const star = { name: 'Sun', type: 'star', satellites: [{ name: 'Dust' }] }
    const made = await bodyOf(await client.sendJson('POST', '/celestial-bodies', star, account))
    const kept = await createPlanet(client, other, { name: 'Kept', satellites: [{ name: 'Moon' }] })
    const { total } = (await bodyOf(await client.get('/celestial-bodies'))).meta
    expect(await deleteAccount()).toBe(204)
    for (const path of [
      `/planets/${planet.id}`,
      `/celestial-bodies/${planet.id}`,
      `/celestial-bodies/${planet.satellites[0].id}`,
      `/celestial-bodies/${made.id}`,
      `/celestial-bodies/${made.satellites[0].id}`,
      `/images/${key}`,
    ]) {
      expect([path, (await client.get(path)).status]).toEqual([path, 404])
    }
    expect(await env.IMAGES.head(key)).toBeNull()
    expect(await count('images where key = ?', key)).toBe(0)
    expect((await client.get(`/planets/${kept.id}`)).status).toBe(200)
    expect((await bodyOf(await client.get('/celestial-bodies'))).meta.total).toBe(total - 4)
  })

  it('its clients, with their grants from other users', async () => {
    const owned = await registerClient(client.send, {}, `Bearer ${account.token}`)
    const { access_token } = await getTokens(client.send, other, owned)
    const use = () => client.get('/me', { Authorization: `Bearer ${access_token}` })
    expect((await use()).status).toBe(200)
    expect(await deleteAccount()).toBe(204)
    expect((await use()).status).toBe(401)
    expect(await count('clients where id = ?', owned.id)).toBe(0)
    expect(await count('grants where client_id = ?', owned.id)).toBe(0)
    expect((await client.get('/me', authorization(other))).status).toBe(200)
  })

  it('everything that contains its e-mail address', async () => {
    const { email, password } = account
    const wrong = { email, password: 'wrong horse' }
    const from = (address: string) => ({ 'CF-Connecting-IP': address, 'Content-Type': 'application/json' })
    const signIn = (body: object, address: string) =>
      client.send('/auth/token', { method: 'POST', body: JSON.stringify(body), headers: from(address) })
    expect((await signIn(wrong, '192.0.2.1')).status).toBe(401)
    expect((await signIn({ email, password }, '192.0.2.2')).status).toBe(201)
    expect((await signIn({ email, password }, '2001:db8::1')).status).toBe(201)
    expect(await count('rate_limits where instr(key, ?) > 0', email)).toBe(3)
    const { headers } = basic(email, password)
    expect((await client.send('/me', { method: 'DELETE', headers })).status).toBe(204)
    const tables = await env.DB.prepare(
      "select name from sqlite_master where type = 'table' and name not glob '_cf_*' and name not glob 'sqlite_*'",
    ).all<{ name: string }>()
    for (const { name } of tables.results) {
      const { results } = await env.DB.prepare(`select * from "${name}"`).all()
      expect([name, JSON.stringify(results).includes(email)]).toEqual([name, false])
    }
  })

  it('nothing of another account whose e-mail begins in the same way', async () => {
    const longer = `x${account.email}`
    const keys = [`password/known/${longer}/192.0.2.1`, `password/email/${longer}`, `password/email/${account.email}x`]
    for (const key of keys) await env.DB.prepare('insert into rate_limits values (?, 1, 9e12)').bind(key).run()
    expect(await deleteAccount()).toBe(204)
    for (const key of keys) expect(await count('rate_limits where key = ?', key)).toBe(1)
  })

  it('its log, and the events without a delivery to anyone else', async () => {
    await client.sendJson('POST', '/webhooks', { url: RECEIVER, events: ['newPlanet'] }, account)
    const own = await createPlanet(client, account, { name: 'Own', successCallbackUrl: RECEIVER })
    await createPlanet(client, other, { name: 'Foreign' })
    await drain(client)
    expect(network.calls).toHaveLength(3)
    expect(await count('deliveries where user_id = ?', account.id)).toBe(3)
    const attempts = (await count('attempts')) ?? 0
    expect(await deleteAccount()).toBe(204)
    expect(await count('deliveries where user_id = ?', account.id)).toBe(0)
    expect(await count('events where planet_id = ?', own.id)).toBe(0)
    expect(await count('attempts')).toBe(attempts - 3)
  })

  it('the URLs that unsubscribed from its planets', async () => {
    network.answer = () => new Response(null, { status: 204 })
    const { id } = await createPlanet(client, account, { name: 'Own', successCallbackUrl: RECEIVER })
    await drain(client)
    expect(await count('refused_callbacks where planet_id = ?', id)).toBe(1)
    expect(await deleteAccount()).toBe(204)
    expect(await count('refused_callbacks where planet_id = ?', id)).toBe(0)
  })
})

describe('callbacks', () => {
  it('about its planets to other users’ subscriptions stay in their logs', async () => {
    await client.sendJson('POST', '/webhooks', { url: RECEIVER, events: ['newPlanet'] }, other)
    const own = await createPlanet(client, account, { name: 'Seen' })
    await drain(client)
    expect(await deleteAccount()).toBe(204)
    const log = await bodyOf(await client.get(`/deliveries?planetId=${own.id}`, authorization(other)))
    expect(log.data).toHaveLength(1)
    const { id } = log.data[0]
    expect((await bodyOf(await client.get(`/deliveries/${id}`, authorization(other)))).status).toBe('delivered')
    await env.DB.prepare('delete from webhooks').run()
  })

  it('none is sent because its planets are removed', async () => {
    await createPlanet(client, account, { name: 'Own', successCallbackUrl: RECEIVER })
    await drain(client)
    const calls = network.calls.length
    expect(await deleteAccount()).toBe(204)
    await drain(client)
    await runSweep()
    expect(network.calls).toHaveLength(calls)
    expect(await count("events where type = 'planetExploded'")).toBe(0)
  })

  it('that wait are not sent, even if the account is only half removed', async () => {
    await createPlanet(client, account, { name: 'Own', successCallbackUrl: RECEIVER })
    await env.DB.prepare('update users set deleted_at = 1 where id = ?').bind(account.id).run()
    await drain(client)
    expect(network.calls).toEqual([])
  })

  it('one in progress during the deletion does no harm', async () => {
    const { id: planetId } = await createPlanet(client, account, { name: 'Own', successCallbackUrl: RECEIVER })
    const delivery = await rowOf<{ id: number }>('select id from deliveries where planet_id = ?', planetId)
    network.answer = async () => {
      expect(await deleteAccount()).toBe(204)
      return new Response('Thank you')
    }
    await deliver(delivery?.id ?? 0, client.services)
    expect(network.calls).toHaveLength(1)
    expect(await count('deliveries where id = ?', delivery?.id ?? 0)).toBe(0)
    expect(await count('attempts where delivery_id = ?', delivery?.id ?? 0)).toBe(0)
  })
})

describe('if the machine dies after the first write', () => {
  it('the account is deleted all the same, the rest can be read, and the sweep removes it', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { id } = await createPlanet(client, account, { name: 'Left', satellites: [{ name: 'Moon' }] })
    const key = await upload(id)
    const { key: apiKey } = await bodyOf(await client.sendJson('POST', '/me/api-keys', {}, account))
    const owned = await registerClient(client.send, {}, `Bearer ${account.token}`)
    const { access_token } = await getTokens(client.send, other, owned)
    const tag = (await client.get(`/planets/${id}`)).headers.get('ETag') ?? ''
    expect(await deleteAccount(makeClient({ database: interruptBefore(/^delete from "planets"/, die) }))).toBe(204)
    expect(warn.mock.calls.flat()).toEqual([expect.stringContaining('account-removal-failed')])
    warn.mockRestore()

    expect(await isThere()).toBe(true)
    const row = await rowOf<Record<string, unknown>>('select * from users where id = ?', account.id)
    expect(row).toMatchObject({ email: null, email_key: null, name: null, password_hash: null })
    expect((await client.get('/me', authorization(account))).status).toBe(401)
    expect((await client.get('/me', { 'X-API-Key': apiKey })).status).toBe(401)
    // What another user has allowed a client of the account.
    expect((await client.get('/me', { Authorization: `Bearer ${access_token}` })).status).toBe(401)
    expect((await client.sendJson('POST', '/auth/token', account)).status).toBe(401)
    expect((await client.sendJson('POST', '/user/signup', account)).status).toBe(201)

    // An earlier tag does not match either, because the name is gone.
    const left = await client.get(`/planets/${id}`, { 'If-None-Match': tag })
    expect([left.status, (await bodyOf(left)).creator]).toEqual([200, { id: account.id }])
    expect((await client.get(`/images/${key}`)).status).toBe(200)

    await runSweep()
    expect(await isThere()).toBe(false)
    expect((await client.get(`/planets/${id}`)).status).toBe(404)
    expect(await env.IMAGES.head(key)).toBeNull()
  })

  it('an image whose removal fails is removed by the next sweep, not an hour later', async () => {
    const failing = new Proxy(env.IMAGES, {
      get: (bucket, name) =>
        name === 'delete' ? () => Promise.reject(new Error('R2 is away')) : bucket[name as 'put'].bind(bucket),
    })
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { id } = await createPlanet(client, account, { name: 'Shown' })
    const key = await upload(id)
    expect(await deleteAccount(makeClient({ bucket: failing }))).toBe(204)
    expect(warn.mock.calls.flat()).toEqual([expect.stringContaining('image-removal-failed')])
    warn.mockRestore()
    expect(await isThere()).toBe(false)
    expect(await env.IMAGES.head(key)).not.toBeNull()
    await runSweep()
    expect(await env.IMAGES.head(key)).toBeNull()
    expect(await count('images where key = ?', key)).toBe(0)
  })

  it('an account that cannot be removed does not block the others', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    await storePlanets(1)
    await env.DB.exec(
      `create trigger stuck before delete on planets when old.creator_id = ${account.id} begin select raise(abort, 'stuck'); end`,
    )
    await env.DB.prepare('update users set deleted_at = 1 where id in (?, ?)').bind(account.id, other.id).run()
    await runSweep()
    expect(await count('users where id = ?', other.id)).toBe(0)
    expect(await isThere()).toBe(true)
    expect(error.mock.calls.flat()).toEqual([expect.stringContaining('stuck')])
    error.mockRestore()
    await env.DB.exec('drop trigger stuck')
    await runSweep()
    expect(await isThere()).toBe(false)
  })
})

describe('a large account', () => {
  it('is removed by the request itself, with 1,000 planets and 10,000 deliveries', async () => {
    // A universe keeps 10,000 deliveries of all accounts.
    await env.DB.exec('delete from deliveries')
    await storePlanets(1000)
    const events = await count('events')
    await env.DB.prepare(`with recursive n(i) as (values (1) union all select i + 1 from n where i < 10000)
      insert into events (type, planet_id, body, created_at) select 'planetCreated', 1, '{}', 0 from n`).run()
    await env.DB.prepare(`insert into deliveries (event_id, event, user_id, message_id, url, origin, status, created_at, ended_at, host)
      select id, type, ?, 'msg_' || id, '${RECEIVER}', '', 'delivered', 0, 1, '' from events order by id desc limit 10000`)
      .bind(account.id)
      .run()
    expect(await deleteAccount()).toBe(204)
    expect(await isThere()).toBe(false)
    expect(await count('planets where creator_id = ?', account.id)).toBe(0)
    expect(await count('events')).toBe(events)
  })

  it('is removed in bounded steps, and the sweep continues where the request has stopped', async () => {
    await storePlanets(2600)
    const { database, meter } = meterDatabase(openD1(env.DB))
    expect(await deleteAccount(makeClient({ database }))).toBe(204)
    // The state of the account, its deletion, and 25 steps.
    expect(meter.roundTrips).toBe(27)
    expect(meter.rowsWritten / 25).toBeLessThan(1500)
    expect(await count('planets where creator_id = ?', account.id)).toBe(100)
    const page = await client.get('/planets?limit=100')
    expect((await bodyOf(page)).data.at(-1)).toMatchObject({ name: 'One of many', creator: { id: account.id } })
    await runSweep()
    expect(await count('planets where creator_id = ?', account.id)).toBe(0)
    expect(await isThere()).toBe(false)
  })

  it('is removed by several sweeps of 50 steps each', async () => {
    await storePlanets(5100)
    await env.DB.prepare('update users set deleted_at = 1 where id = ?').bind(account.id).run()
    await runSweep()
    expect(await count('planets where creator_id = ?', account.id)).toBe(100)
    await runSweep()
    expect(await isThere()).toBe(false)
  })

  it('does not make a sweep longer: it removes ten accounts, and leaves the rest to the next', async () => {
    const numbers = 'with recursive n(i) as (values (1) union all select i + 1 from n where i < 11)'
    await env.DB.prepare(`${numbers} insert into users (created_at, deleted_at) select 0, 1 from n`).run()
    await runSweep()
    expect(await count('users where deleted_at is not null')).toBe(1)
    await runSweep()
    expect(await count('users where deleted_at is not null')).toBe(0)
  })

  it('does not read or change what belongs to another account, except for one read of all satellites at the end', async () => {
    const cost = async () => {
      account = await createAccount(client)
      await createPlanet(client, account, { name: 'Own', satellites: [{ name: 'Moon' }] })
      const { database, meter } = meterDatabase(openD1(env.DB))
      expect(await deleteAccount(makeClient({ database }))).toBe(204)
      return meter
    }
    const before = await cost()
    account = other
    await storePlanets(500)
    await storeMoons()
    const after = await cost()
    expect(after.roundTrips).toBe(before.roundTrips)
    // One by its foreign key and one by the trigger.
    expect(after.rowsRead - before.rowsRead).toBeLessThanOrEqual(2 * 500 + 20)
  })
})

describe('requests that are in progress while the account is deleted', () => {
  /** Sends a request whose body ends only on demand. Once it has begun, its credential has been accepted. */
  async function hold(method: string, path: string, text: string) {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const write = (part: string) => writer.write(new TextEncoder().encode(part))
    const headers = { 'Content-Type': 'application/json', ...authorization(account) }
    const response = client.send(path, { method, headers, body: readable })
    await write(text.slice(0, 1))
    return {
      response,
      async finish() {
        await write(text.slice(1))
        await writer.close()
      },
    }
  }

  it('a refresh finds that its grant has ended', async () => {
    const registered = await registerClient(client.send)
    const scope = 'read:account offline_access'
    const { refresh_token } = await getTokens(client.send, account, registered, scope)
    const late = makeClient({ database: interruptBefore(/^insert into "refresh_tokens"/, deleteAccount) })
    const refreshed = await requestTokens(late.send, registered, { grant_type: 'refresh_token', refresh_token })
    expect([refreshed.status, (await bodyOf(refreshed)).error]).toEqual([400, 'invalid_grant'])
    expect(await isThere()).toBe(false)
  })

  it('a browser that has just signed in must sign in again', async () => {
    const registered = await registerClient(client.send)
    let sender = client
    const browser = new UserAgent((path, init) => sender.send(path, init))
    await browser.open(authorizationPath(registered.id))
    sender = makeClient({ database: interruptBefore(/^insert into "sign_ins"/, deleteAccount) })
    await browser.submit({ email: account.email, password: account.password })
    expect(await isThere()).toBe(false)
    expect([browser.response?.status, browser.page]).toEqual([200, expect.stringContaining('Sign in to Galaxy')])
    expect(await count('sign_ins where user_id = ?', account.id)).toBe(0)
  })

  it.each([
    ['PATCH', '/me', '{"name":"Late"}'],
    ['DELETE', '/me', '{}'],
  ])('%s %s learns that the credential has ended', async (method, path, text) => {
    const held = await hold(method, path, text)
    expect(await deleteAccount()).toBe(204)
    await held.finish()
    expect((await held.response).status).toBe(401)
    expect(await isThere()).toBe(false)
  })
})
