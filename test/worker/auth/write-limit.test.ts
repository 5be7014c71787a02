import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseConfig } from '../../../src/env.ts'
import {
  type Account,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  ORIGIN,
} from '../../support/app.ts'
import { readDatabase, storeKey } from '../../support/credentials.ts'

// How often a user may write.

const WRITES_MAX = 600
const MINUTE_MS = 60_000

/** What the binding was asked, and what it answers. */
let counted: string[]
let isAllowed: boolean
let client: Client
let account: Account

const writes = {
  async limit({ key }: { key: string }) {
    counted.push(key)
    return { success: isAllowed }
  },
}

beforeAll(async () => {
  client = createClient({ config: { limitsWrites: true }, writes })
  account = await createAccount(client)
})

beforeEach(() => {
  counted = []
  isAllowed = true
})

describe('a write', () => {
  it('is counted for the user, whatever the credential', async () => {
    const { key } = await storeKey(client, account.id)
    const body = '{"name":"Counted"}'
    await createPlanet(client, account, { name: 'Counted' })
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
    expect((await client.send('/planets', { method: 'POST', body, headers })).status).toBe(201)
    expect(counted).toEqual([String(account.id), String(account.id)])
  })

  it('is counted also where it is then refused: for its body, or for whose it is', async () => {
    const stranger = await createAccount(client)
    const { id } = await createPlanet(client, account, { name: 'Theirs' })
    counted = []
    expect((await client.sendJson('PUT', `/planets/${id}`, {}, account)).status).toBe(400)
    expect((await client.sendJson('PUT', `/planets/${id}`, { name: 'Mine' }, stranger)).status).toBe(403)
    expect((await client.sendJson('DELETE', '/planets/999999', undefined, account)).status).toBe(404)
    expect(counted).toEqual([String(account.id), String(stranger.id), String(account.id)])
  })

  it('beyond the limit is 429, says when to come back, and changes nothing', async () => {
    isAllowed = false
    const before = await readDatabase()
    const response = await client.sendJson('POST', '/planets', { name: 'Too many' }, account)
    expect(response.status).toBe(429)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'retry-after': '60',
      'x-ratelimit-limit': String(WRITES_MAX),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '60',
    })
    expect((await bodyOf(response)).type).toBe(`${ORIGIN}/problems/too-many-requests`)
    expect(await readDatabase()).toEqual(before)
  })

  it.each([
    ['POST', '/planets'],
    ['PUT', '/planets/1'],
    ['DELETE', '/planets/1'],
    ['POST', '/planets/1/image'],
    ['PUT', '/me/password'],
    ['POST', '/me/api-keys'],
    ['DELETE', '/me/api-keys/1'],
    ['POST', '/oauth/register'],
  ])('beyond the limit is 429 at %s %s', async (method, path) => {
    isAllowed = false
    expect((await client.sendJson(method, path, {}, account)).status).toBe(429)
  })
})

describe('what is not counted', () => {
  it('reads', async () => {
    const authorization = { Authorization: `Bearer ${account.token}` }
    isAllowed = false
    for (const path of ['/me', '/me/api-keys', '/planets']) {
      expect((await client.get(path, authorization)).status).toBe(200)
      expect((await client.send(path, { method: 'HEAD', headers: authorization })).status).toBe(200)
    }
    expect(counted).toEqual([])
  })

  it('who does not prove who he is: he cannot use up the writes of another', async () => {
    const forged = { ...account, token: `${account.token}x` }
    expect((await client.sendJson('POST', '/planets', { name: 'Forged' }, forged)).status).toBe(401)
    const { key } = await storeKey(client, account.id, ['read:account'])
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
    expect((await client.send('/planets', { method: 'POST', body: '{"name":"x"}', headers })).status).toBe(403)
    expect(counted).toEqual([])
  })

  it('who is nobody: a client that registers itself has a limit of its own', async () => {
    const body = { redirect_uris: ['http://127.0.0.1/callback'] }
    expect((await client.sendJson('POST', '/oauth/register', body)).status).toBe(201)
    expect(counted).toEqual([])
  })

  it('anything, where the operator has switched it off', async () => {
    isAllowed = false
    const free = createClient({ config: { limitsWrites: false }, writes })
    expect((await free.sendJson('POST', '/planets', { name: 'Free' }, account)).status).toBe(201)
    expect(counted).toEqual([])
  })
})

it('the deployed configuration limits writes', () => {
  expect(parseConfig(env).limitsWrites).toBe(true)
})

describe('the binding of wrangler.toml', () => {
  /** Lets a user of the binding write, up to the last write that is allowed; undefined where a minute began meanwhile. */
  async function spend(key: string): Promise<number | undefined> {
    const begun = Math.floor(Date.now() / MINUTE_MS)
    let allowed = 0
    while ((await env.WRITES.limit({ key })).success && allowed <= WRITES_MAX) allowed++
    return Math.floor(Date.now() / MINUTE_MS) === begun ? allowed : undefined
  }

  it('allows as many writes in a minute as the answer says, and not one more', async () => {
    const real = createClient({ config: { limitsWrites: true } })
    // The local binding counts by minutes of the clock: a count that one of them ends in is made again.
    let user = await createAccount(real)
    let allowed = await spend(String(user.id))
    while (allowed === undefined) {
      user = await createAccount(real)
      allowed = await spend(String(user.id))
    }
    expect(allowed).toBe(WRITES_MAX)
    const next = await createAccount(real)
    expect((await real.sendJson('POST', '/planets', { name: 'Of another user' }, next)).status).toBe(201)
  })
})
