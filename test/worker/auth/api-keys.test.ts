import { env } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeApiKey } from '../../../src/auth/api-key.ts'
import { openD1 } from '../../../src/db/port.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  ORIGIN,
} from '../../support/app.ts'
import { mistype, storeKey } from '../../support/credentials.ts'
import { type Meter, meterDatabase } from '../../support/metered-database.ts'
import { readDatabase } from '../../support/stored.ts'

// The format of an API key, and what the database keeps of it.

const SECRET_BITS = 160

let client: Client
let meter: Meter
let account: Account
let clock: number
/** The work that continues after the responses. */
let deferred: Promise<unknown>[]

beforeAll(async () => {
  const metered = meterDatabase(openD1(env.DB))
  meter = metered.meter
  client = createClient({
    database: metered.database,
    now: () => new Date(clock),
    defer: (work) => {
      deferred.push(work)
    },
  })
})

beforeEach(async () => {
  clock = Date.now()
  deferred = []
  account = await createAccount(client)
})

const me = (key: string) => client.get('/me', { 'X-API-Key': key })
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function createKey(wanted: object = {}): Promise<{ id: number; key: string; preview: string }> {
  const response = await client.sendJson('POST', '/me/api-keys', wanted, account)
  expect(response.status).toBe(201)
  return await bodyOf(response)
}

/** The number of round trips of a request. */
async function countRoundTrips(request: () => Promise<Response>): Promise<[status: number, roundTrips: number]> {
  meter.roundTrips = 0
  const { status } = await request()
  return [status, meter.roundTrips]
}

describe('a key', () => {
  it('begins with glx_, and ends with a checksum of the part between', async () => {
    const { key, preview } = await createKey()
    const [, secret = '', check] = /^glx_([0-9a-f]{40})([0-9a-f]{8})$/.exec(key) ?? []
    expect(check).toBe(sha256(secret).slice(0, 8))
    expect(preview).toBe(key.slice(0, 10))
    expect((await me(key)).status).toBe(200)
  })

  it('has 160 random bits: each is set in about half of all keys, and no key is repeated', async () => {
    const keys = await Promise.all(Array.from({ length: 200 }, async () => (await makeApiKey()).key))
    expect(new Set(keys).size).toBe(200)
    const secrets = keys.map((key) => BigInt(`0x${key.slice(4, 44)}`))
    for (let bit = 0; bit < SECRET_BITS; bit++) {
      const set = secrets.filter((secret) => (secret >> BigInt(bit)) & 1n).length
      // Seven standard deviations: this fails by chance once in some 10^9 runs.
      expect(Math.abs(set - 100)).toBeLessThan(50)
    }
  })

  it('is not in the database, which has only its hash and its first characters', async () => {
    const { key } = await createKey({ name: 'Scanned' })
    await me(key)
    await Promise.all(deferred)
    const { results: limits } = await env.DB.prepare('select * from rate_limits').all()
    const stored = JSON.stringify([await readDatabase(), limits])
    expect(stored).toContain(sha256(key))
    const secret = key.slice('glx_'.length)
    for (let start = 0; start + 8 <= secret.length; start++) {
      expect(stored.replaceAll(sha256(key), '')).not.toContain(secret.slice(start, start + 8))
    }
  })

  it('is shown when it is created, and never again', async () => {
    const { id, key } = await createKey()
    for (const path of ['/me/api-keys', `/me/api-keys/${id}`]) {
      const text = await (await client.get(path, { 'X-API-Key': key })).text()
      expect(text).toContain(key.slice(0, 10))
      expect(text).not.toContain(key.slice(0, 12))
    }
  })
})

describe('an invalid key is rejected without the database', () => {
  it('a key with any one of its characters changed', async () => {
    const { key } = await createKey()
    for (let position = 0; position < key.length; position++) {
      const wrong = mistype(key, position)
      expect([position, ...(await countRoundTrips(() => me(wrong)))]).toEqual([position, 401, 0])
    }
  })

  it.each<{ way: string; write: (key: string) => string }>([
    { way: 'in capitals', write: (key) => key.toUpperCase() },
    { way: 'with digits in capitals', write: (key) => `glx_${key.slice(4).toUpperCase()}` },
    { way: 'with its prefix in capitals', write: (key) => key.replace('glx', 'GLX') },
    { way: 'without its prefix', write: (key) => key.slice(4) },
    { way: 'with two prefixes', write: (key) => `glx_${key}` },
    { way: 'with the prefix of somebody else', write: (key) => key.replace('glx_', 'ghp_') },
    { way: 'with a digit less', write: (key) => key.slice(0, -1) },
    { way: 'with a digit more', write: (key) => `${key}0` },
    { way: 'without its checksum', write: (key) => key.slice(0, -8) },
    { way: 'with two digits swapped', write: (key) => key.replace(/([0-9a-f])((?!\1)[0-9a-f])/, '$2$1') },
    { way: 'with a space behind it', write: (key) => `${key} ` },
    { way: 'with a line break behind it', write: (key) => `${key}\n` },
    { way: 'with a space before it', write: (key) => ` ${key}` },
    { way: 'with a NUL behind it', write: (key) => `${key}\0` },
    {
      way: 'with wide digits',
      write: (key) => `glx_${key.slice(4).replaceAll(/\d/g, (d) => String.fromCharCode(0xff10 + Number(d)))}`,
    },
    { way: 'in quotes', write: (key) => `"${key}"` },
    { way: 'of 100 KB', write: () => `glx_${'a'.repeat(100_000)}` },
    { way: 'of SQL', write: () => "' or '1'='1" },
    { way: 'that is its hash', write: (key) => sha256(key) },
    { way: 'that is a token', write: () => account.token },
    { way: 'that is empty', write: () => '' },
  ])('a key $way', async ({ write }) => {
    const { key } = await createKey()
    const query = new URLSearchParams({ api_key: write(key) })
    expect(await countRoundTrips(() => client.get(`/me?${query}`))).toEqual([401, 0])
  })

  it('but a well-formed unknown key costs one round trip, and no more', async () => {
    const { key } = await makeApiKey()
    expect(await countRoundTrips(() => me(key))).toEqual([401, 1])
  })
})

it('an account has at most a hundred keys, and room for another after a deletion', async () => {
  await Promise.all(Array.from({ length: 99 }, () => storeKey(client, account.id)))
  const create = (owner: Account) => client.sendJson('POST', '/me/api-keys', {}, owner)
  const { id } = await createKey()
  const refused = await create(account)
  expect([refused.status, (await bodyOf(refused)).type]).toEqual([409, `${ORIGIN}/problems/conflict`])
  expect((await bodyOf(await client.get('/me/api-keys', authorization(account)))).meta.total).toBe(100)
  expect((await create(await createAccount(client))).status).toBe(201)
  const deletion = await client.send(`/me/api-keys/${id}`, { method: 'DELETE', headers: authorization(account) })
  expect(deletion.status).toBe(204)
  expect((await create(account)).status).toBe(201)
  expect((await create(account)).status).toBe(409)
})

it('an account has at most a hundred keys, however many are created at the same moment', async () => {
  await Promise.all(Array.from({ length: 98 }, () => storeKey(client, account.id)))
  const last = await Promise.all(Array.from({ length: 4 }, () => client.sendJson('POST', '/me/api-keys', {}, account)))
  expect(last.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409])
})

describe('a key ends', () => {
  it('at the millisecond of its expiry', async () => {
    const { key } = await createKey({ expiresAt: new Date(clock + 60_000).toISOString() })
    clock += 59_999
    expect((await me(key)).status).toBe(200)
    clock += 1
    expect((await me(key)).status).toBe(401)
  })

  it('when it is deleted, wherever it is sent, and no other key with it', async () => {
    const { id, key } = await createKey()
    const { key: other } = await createKey()
    expect((await client.send(`/me/api-keys/${id}`, { method: 'DELETE', headers: { 'X-API-Key': key } })).status).toBe(
      204,
    )
    const places = [
      await me(key),
      await client.get(`/me/api-keys?api_key=${key}`),
      await client.get('/me/api-keys', { Cookie: `api_key=${key}` }),
    ]
    expect(places.map(({ status }) => status)).toEqual([401, 401, 401])
    expect((await me(other)).status).toBe(200)
  })

  it('with the password under which it was created, though it is still stored', async () => {
    const { key } = await createKey()
    await env.DB.prepare('update users set password_generation = 1 where id = ?').bind(account.id).run()
    expect((await me(key)).status).toBe(401)
  })

  it('with the password under which it was created, even if the new one is the same', async () => {
    const { key } = await createKey()
    const same = { currentPassword: account.password, newPassword: account.password }
    expect((await client.sendJson('PUT', '/me/password', same, account)).status).toBe(204)
    expect((await me(key)).status).toBe(401)
  })
})

it('one key works in header, query and cookie', async () => {
  const { key } = await storeKey(client, account.id)
  const answers = [
    await client.get('/me/api-keys', { 'X-API-Key': key }),
    await client.get(`/me/api-keys?api_key=${key}`),
    await client.get('/me/api-keys', { Cookie: `api_key=${key}` }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
})

it('the use of a key is recorded, after the response and once a minute at most', async () => {
  const { id, key } = await createKey()
  const begin = clock
  const seen: (string | undefined)[] = []
  for (const after of [0, 59_999, 60_000, 119_999, 120_000]) {
    clock = begin + after
    await me(key)
    await Promise.all(deferred)
    const authorization = { Authorization: `Bearer ${account.token}` }
    seen.push((await bodyOf(await client.get(`/me/api-keys/${id}`, authorization))).lastUsedAt)
  }
  const at = [0, 0, 60_000, 60_000, 120_000].map((after) => new Date(begin + after).toISOString())
  expect(seen).toEqual(at)
  expect(deferred).toHaveLength(3)
})
