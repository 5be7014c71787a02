import { env } from 'cloudflare:workers'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
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
import { storeKey } from '../../support/credentials.ts'
import { finishDeferred } from '../../support/deferred.ts'
import { typesOf } from '../../support/live-log.ts'
import { getTokens, registerClient, requestTokens, sendForm, signIn } from '../../support/oauth.ts'
import { readDatabase } from '../../support/stored.ts'
import { writeKeyOf } from '../../support/world.ts'

// How often a user can write.

const WRITES_MAX = 600
const MINUTE_MS = 60_000

/** The calls of the binding, and its responses. */
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

/** Everything that is stored, except that a limit was reached. */
async function readOtherRows() {
  await finishDeferred()
  const { log = [], ...others } = await readDatabase()
  return { ...others, log: log.filter((row) => !isTold(row)) }
}

const isTold = (row: unknown) => Object(row).kind === 'rate_limited'

beforeAll(async () => {
  client = createClient({ config: { limitsWrites: true }, writeLimiter: writes })
  account = await createAccount(client)
})

beforeEach(() => {
  counted = []
  isAllowed = true
})

describe('a write', () => {
  it('is counted for the user, with any credential', async () => {
    const { key } = await storeKey(client, account.id)
    const body = '{"name":"Counted"}'
    await createPlanet(client, account, { name: 'Counted' })
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
    expect((await client.send('/planets', { method: 'POST', body, headers })).status).toBe(201)
    expect(counted).toEqual([String(account.id), String(account.id)])
  })

  it('is counted even if it is then rejected: for its body, or its owner', async () => {
    const stranger = await createAccount(client)
    const { id } = await createPlanet(client, account, { name: 'Theirs' })
    counted = []
    expect((await client.sendJson('PUT', `/planets/${id}`, {}, account)).status).toBe(400)
    expect((await client.sendJson('PUT', `/planets/${id}`, { name: 'Mine' }, stranger)).status).toBe(403)
    expect((await client.sendJson('DELETE', '/planets/999999', undefined, account)).status).toBe(404)
    expect(counted).toEqual([String(account.id), String(stranger.id), String(account.id)])
  })

  it('beyond the limit is 429 with Retry-After, and changes nothing', async () => {
    isAllowed = false
    const before = await readOtherRows()
    const response = await client.sendJson('POST', '/planets', { name: 'Too many' }, account)
    expect(response.status).toBe(429)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'retry-after': '60',
      'x-ratelimit-limit': String(WRITES_MAX),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '60',
    })
    expect((await bodyOf(response)).type).toBe(`${ORIGIN}/problems/too-many-requests`)
    expect(await readOtherRows()).toEqual(before)
  })

  it('beyond the limit is told to the user once in a minute', async () => {
    isAllowed = false
    let time = Date.now()
    const timed = createClient({
      config: { limitsWrites: true },
      writeLimiter: writes,
      now: () => new Date(time),
    })
    const user = await createAccount(timed)
    const write = async () => {
      await timed.sendJson('POST', '/planets', { name: 'Too many' }, user)
      await finishDeferred()
    }
    expect(await typesOf(write)).toEqual(['rate_limit.exceeded'])
    expect(await typesOf(write)).toEqual([])
    time += MINUTE_MS
    expect(await typesOf(write)).toEqual(['rate_limit.exceeded'])
  })

  it.each([
    ['POST', '/planets'],
    ['PUT', '/planets/1'],
    ['DELETE', '/planets/1'],
    ['POST', '/planets/1/image'],
    ['PATCH', '/me'],
    ['DELETE', '/me'],
    ['PUT', '/me/password'],
    ['POST', '/me/api-keys'],
    ['DELETE', '/me/api-keys/1'],
    ['POST', '/oauth/register'],
  ])('beyond the limit is 429 at %s %s', async (method, path) => {
    isAllowed = false
    expect((await client.sendJson(method, path, {}, account)).status).toBe(429)
  })
})

describe('a write for a user without credentials in the request', () => {
  const asUser = () => String(account.id)

  it('is counted: a sign-in on the page, a consent, and each use of a refresh token', async () => {
    const app = await registerClient(client.send)
    counted = []
    const { refresh_token } = await getTokens(client.send, account, app, 'read:account offline_access')
    expect(counted).toEqual([asUser(), asUser()])
    counted = []
    const refreshed = await requestTokens(client.send, app, { grant_type: 'refresh_token', refresh_token })
    expect([refreshed.status, counted]).toEqual([200, [asUser()]])
  })

  it('is 429 beyond the limit, and the refresh token is valid again a minute later', async () => {
    const app = await registerClient(client.send)
    const { refresh_token } = await getTokens(client.send, account, app, 'read:account offline_access')
    const refresh = () => requestTokens(client.send, app, { grant_type: 'refresh_token', refresh_token })
    isAllowed = false
    const before = await readOtherRows()
    const refused = await refresh()
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60'])
    expect((await bodyOf(refused)).error).toBe('temporarily_unavailable')
    expect(await readOtherRows()).toEqual(before)
    isAllowed = true
    expect((await refresh()).status).toBe(200)
  })

  it('is 429 on the pages too', async () => {
    const app = await registerClient(client.send)
    const signedIn = await signIn(client.send, account, app.id)
    isAllowed = false
    const before = await readOtherRows()
    await signedIn.submit({ decision: 'allow' })
    expect(signedIn.response?.status).toBe(429)
    expect((await signIn(client.send, account, app.id)).response?.status).toBe(429)
    expect(await readOtherRows()).toEqual(before)
  })

  it('is counted: the password grant, and each assertion of a client, wherever it is sent', async () => {
    const legacy = createClient({ config: { limitsWrites: true, legacyFlows: true }, writeLimiter: writes })
    const app = await registerClient(legacy.send, { grant_types: ['authorization_code', 'password'] })
    counted = []
    const { email: username, password } = account
    const granted = await requestTokens(legacy.send, app, { grant_type: 'password', username, password })
    expect([granted.status, counted]).toEqual([200, [asUser()]])
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const metadata = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [await exportJWK(publicKey)] } }
    const { id } = await registerClient(client.send, metadata, `Bearer ${account.token}`)
    const ask = async () => {
      const [iat, jti] = [Math.floor(Date.now() / 1000), crypto.randomUUID()]
      const claims = { iss: id, sub: id, aud: ORIGIN, jti, iat, exp: iat + 60 }
      const client_assertion = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(privateKey)
      const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
      return sendForm(client.send, '/oauth/introspect', { token: 'x', client_assertion, client_assertion_type })
    }
    counted = []
    expect([(await ask()).status, counted]).toEqual([200, [asUser()]])
    isAllowed = false
    expect((await ask()).status).toBe(429)
  })

  it('is counted: a change of an inbox, for the inbox', async () => {
    const { id } = await bodyOf(await client.send('/inboxes', { method: 'POST' }))
    counted = []
    expect((await client.sendJson('PUT', `/inboxes/${id}`, { status: 204 })).status).toBe(200)
    expect(counted).toEqual([`inbox/${id}`])
    isAllowed = false
    expect((await client.sendJson('PUT', `/inboxes/${id}`, { status: 204 })).status).toBe(429)
  })
})

describe('the limit does not count', () => {
  it('reads', async () => {
    const authorization = { Authorization: `Bearer ${account.token}` }
    isAllowed = false
    for (const path of ['/me', '/me/api-keys', '/planets']) {
      expect((await client.get(path, authorization)).status).toBe(200)
      expect((await client.send(path, { method: 'HEAD', headers: authorization })).status).toBe(200)
    }
    expect(counted).toEqual([])
  })

  it('requests without a valid credential, which cannot use up the writes of another user', async () => {
    const forged = { ...account, token: `${account.token}x` }
    expect((await client.sendJson('POST', '/planets', { name: 'Forged' }, forged)).status).toBe(401)
    const { key } = await storeKey(client, account.id, ['read:account'])
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
    expect((await client.send('/planets', { method: 'POST', body: '{"name":"x"}', headers })).status).toBe(403)
    expect(counted).toEqual([])
  })

  it('clients that register themselves, which have a limit of their own', async () => {
    const body = { redirect_uris: ['http://127.0.0.1/callback'] }
    expect((await client.sendJson('POST', '/oauth/register', body)).status).toBe(201)
    expect(counted).toEqual([])
  })

  it('anything if the operator has switched it off', async () => {
    isAllowed = false
    const free = createClient({ config: { limitsWrites: false }, writeLimiter: writes })
    expect((await free.sendJson('POST', '/planets', { name: 'Free' }, account)).status).toBe(201)
    expect(counted).toEqual([])
  })
})

it('the deployed configuration limits writes', () => {
  expect(parseConfig(env).limitsWrites).toBe(true)
})

describe('the binding of wrangler.toml', () => {
  /**
   * Uses up the writes of a user, then writes once more.
   *
   * @returns How many were allowed, and the status of the last; undefined if a new minute began meanwhile
   */
  async function spend(real: Client, user: Account): Promise<{ allowed: number; next: number } | undefined> {
    const begun = Math.floor(Date.now() / MINUTE_MS)
    let allowed = 0
    while ((await env.WRITES.limit({ key: writeKeyOf(user.id) })).success && allowed <= WRITES_MAX) allowed++
    const { status } = await real.sendJson('POST', '/planets', { name: 'Too many' }, user)
    return Math.floor(Date.now() / MINUTE_MS) === begun ? { allowed, next: status } : undefined
  }

  it('allows as many writes in a minute as configured, and not one more', async () => {
    const real = createClient({ config: { limitsWrites: true } })
    // The local binding counts by minutes of the clock: a count during which a minute ends is repeated.
    let spent = await spend(real, await createAccount(real))
    while (spent === undefined) spent = await spend(real, await createAccount(real))
    expect(spent).toEqual({ allowed: WRITES_MAX, next: 429 })
    const other = await createAccount(real)
    expect((await real.sendJson('POST', '/planets', { name: 'Of another user' }, other)).status).toBe(201)
  })
})
