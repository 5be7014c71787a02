import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { issueUserToken } from '../../../src/auth/bearer.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createPlanet,
  ORIGIN,
} from '../../support/app.ts'
import { rowOf } from '../../support/callbacks.ts'
import {
  type Bench,
  basic,
  bearer,
  type Carried,
  createBench,
  keyInCookie,
  sendWith,
} from '../../support/credentials.ts'
import { getTokens, registerClient, requestTokens } from '../../support/oauth.ts'
import { loadShippedPlanets } from '../../support/shipped.ts'
import { BASE_ORIGIN } from '../../support/world.ts'

// DELETE /me: who may send it, what proves that the user is present, and what happens to credentials. What is removed
// with the account is tested in account-removal.test.ts.

const SECOND_MS = 1000
const FRESH_MS = 5 * 60 * SECOND_MS

let now: number
let bench: Bench
let client: Client
let account: Account

beforeEach(async () => {
  now = Date.now()
  bench = await createBench({ now: () => new Date(now), config: { signupsPerHour: 1000 } })
  client = bench.client
  account = await createAccount(client)
})

function deleteMe(carried: Carried, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const init = { method: 'DELETE', headers }
  if (body === undefined) return sendWith(bench, '/me', carried, init)
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return sendWith(bench, '/me', carried, {
    ...init,
    body: text,
    headers: { 'Content-Type': 'application/json', ...headers },
  })
}

const isThere = async () => (await rowOf('select id from users where id = ?', account.id)) !== null
const own = () => bearer(account.token)
const ownBasic = () => basic(account.email, account.password)

async function makeKey(scopes?: string[]): Promise<string> {
  return (await bodyOf(await client.sendJson('POST', '/me/api-keys', scopes ? { scopes } : {}, account))).key
}

/** Fails the test if the account was deleted, or if the response does not say what to send. */
async function expectRefused(response: Response): Promise<void> {
  expect(response.status).toBe(403)
  const { type, detail } = await bodyOf(response)
  expect(type).toMatch(/\/problems\/forbidden$/)
  expect(detail).toMatch(/password|provider/)
  expect(await isThere()).toBe(true)
}

describe('the request must prove that the user is present', () => {
  it('Basic suffices, without a body', async () => {
    expect((await deleteMe(ownBasic())).status).toBe(204)
    expect(await isThere()).toBe(false)
  })

  it('Basic also suffices if the same pair was checked a moment ago', async () => {
    expect((await sendWith(bench, '/me', ownBasic())).status).toBe(200)
    expect((await deleteMe(ownBasic())).status).toBe(204)
  })

  it('a token of POST /auth/token suffices for five minutes, and not a second longer', async () => {
    const { token } = await bodyOf(await client.sendJson('POST', '/auth/token', account))
    now += FRESH_MS + SECOND_MS
    await expectRefused(await deleteMe(bearer(token)))
    now -= SECOND_MS
    expect((await deleteMe(bearer(token))).status).toBe(204)
    expect(await isThere()).toBe(false)
  })

  it.each(['read:account write:account', 'openid write:account'])(
    'an access token (%s) suffices for five minutes after the sign-in',
    async (scope) => {
      const { access_token } = await getTokens(client.send, account, await registerClient(client.send), scope)
      now += FRESH_MS + SECOND_MS
      await expectRefused(await deleteMe(bearer(access_token)))
      now -= SECOND_MS
      expect((await deleteMe(bearer(access_token))).status).toBe(204)
    },
  )

  it('a refreshed access token does not suffice, however new it is: no user was present', async () => {
    const registered = await registerClient(client.send)
    const scope = 'write:account offline_access'
    const { refresh_token } = await getTokens(client.send, account, registered, scope)
    now += FRESH_MS + SECOND_MS
    const refreshed = await requestTokens(client.send, registered, { grant_type: 'refresh_token', refresh_token })
    await expectRefused(await deleteMe(bearer((await bodyOf(refreshed)).access_token)))
  })

  it('a token of the client credentials grant never suffices alone, but does with the password', async () => {
    const metadata = { grant_types: ['client_credentials'], redirect_uris: [], scope: 'write:account' }
    const registered = await registerClient(client.send, metadata, `Bearer ${account.token}`)
    const tokens = await bodyOf(
      await requestTokens(client.send, registered, { grant_type: 'client_credentials', scope: 'write:account' }),
    )
    await expectRefused(await deleteMe(bearer(tokens.access_token)))
    const { password } = account
    expect((await deleteMe(bearer(tokens.access_token), { password })).status).toBe(204)
  })

  it('an API key never suffices alone, but does with the password', async () => {
    const key = { headers: { 'X-API-Key': await makeKey() }, query: {} }
    await expectRefused(await deleteMe(key))
    await expectRefused(await deleteMe(key, {}))
    expect((await deleteMe(key, { password: account.password })).status).toBe(204)
    expect(await isThere()).toBe(false)
  })

  it('an old token suffices with the password', async () => {
    now += 2 * FRESH_MS
    expect((await deleteMe(own(), { password: account.password })).status).toBe(204)
  })

  it('accepts the password in XML', async () => {
    const xml = { 'Content-Type': 'application/xml' }
    const body = `<accountDeletion><password>${account.password}</password></accountDeletion>`
    now += 2 * FRESH_MS
    expect((await deleteMe(own(), body, xml)).status).toBe(204)
  })

  it('a wrong password is rejected with a pointer to it, whatever else the request has', async () => {
    for (const carried of [own(), ownBasic()]) {
      const response = await deleteMe(carried, { password: 'wrong horse' })
      expect(response.status).toBe(403)
      const detail = 'is not the password of this account'
      expect((await bodyOf(response)).errors).toEqual([{ pointer: '/password', detail }])
    }
    expect(await isThere()).toBe(true)
  })

  it('wrong passwords count: after ten from one address even the right one is 429, everywhere', async () => {
    const from = { 'CF-Connecting-IP': '192.0.2.77' }
    for (let attempt = 1; attempt <= 10; attempt++) {
      expect((await deleteMe(own(), { password: 'wrong horse' }, from)).status).toBe(403)
    }
    const response = await deleteMe(own(), { password: account.password }, from)
    expect([response.status, response.headers.has('Retry-After')]).toEqual([429, true])
    expect((await sendWith(bench, '/me', ownBasic(), { headers: from })).status).toBe(429)
    expect(await isThere()).toBe(true)
  })

  it.each([
    ['{"password":7}', 400],
    ['{"password":', 400],
    ['[]', 400],
    ['{"password":null}', 400],
  ])('an invalid body is rejected: %s', async (body, status) => {
    expect((await deleteMe(own(), body)).status).toBe(status)
    expect(await isThere()).toBe(true)
  })

  it('requires the scope write:account, whatever the password', async () => {
    const key = { headers: { 'X-API-Key': await makeKey(['read:account', 'write:planets']) }, query: {} }
    const response = await deleteMe(key, { password: account.password })
    expect([response.status, (await bodyOf(response)).type]).toEqual([
      403,
      expect.stringMatching(/\/problems\/insufficient-scope$/),
    ])
    expect(await isThere()).toBe(true)
  })

  it('with a cookie, it does not work from a page of another origin', async () => {
    const cookie = keyInCookie(await makeKey())
    const body = { password: account.password }
    const foreign = await deleteMe(cookie, body, { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' })
    expect((await bodyOf(foreign)).type).toMatch(/\/problems\/cross-site-request$/)
    expect(await isThere()).toBe(true)
    expect((await deleteMe(cookie, body, { Origin: BASE_ORIGIN, 'Sec-Fetch-Site': 'same-origin' })).status).toBe(204)
  })

  it('with If-Match, deletes only the account as the caller has seen it', async () => {
    const etag = (await client.get('/me', authorization(account))).headers.get('ETag') ?? ''
    expect((await deleteMe(own(), undefined, { 'If-Match': '"other"' })).status).toBe(412)
    expect((await deleteMe(own(), undefined, { 'If-Match': etag })).status).toBe(204)
  })
})

describe('a user of a foreign provider', () => {
  const SCOPES = ['read:account', 'write:account', 'write:planets']
  let subject: string

  beforeEach(() => {
    subject = crypto.randomUUID()
  })

  /** A token that the provider issued some time ago. */
  async function foreignToken(ageMs: number, claims: Record<string, unknown> = {}): Promise<Carried> {
    const iat = Math.floor((now - ageMs) / SECOND_MS)
    const exp = Math.floor(now / SECOND_MS) + 3600
    return bearer(await bench.provider.issue(subject, SCOPES, { claims: { iat, exp, ...claims } }))
  }

  const list = (carried: Carried) => sendWith(bench, '/me/api-keys', carried)
  const idOf = async () => (await rowOf<{ id: number }>('select id from users where subject = ?', subject))?.id

  it('needs a token that is at most five minutes old', async () => {
    await expectRefused(await deleteMe(await foreignToken(FRESH_MS + SECOND_MS)))
    expect(await idOf()).toBeGreaterThan(0)
    expect((await deleteMe(await foreignToken(FRESH_MS))).status).toBe(204)
    expect(await idOf()).toBeUndefined()
  })

  it('needs a recent sign-in if the token names its time', async () => {
    const signedIn = (ageMs: number) => ({ auth_time: Math.floor((now - ageMs) / SECOND_MS) })
    await expectRefused(await deleteMe(await foreignToken(0, signedIn(FRESH_MS + SECOND_MS))))
    expect((await deleteMe(await foreignToken(0, signedIn(FRESH_MS)))).status).toBe(204)
  })

  it.each([{ iat: undefined }, { iat: Math.floor(Date.now() / 1000) + 3000 }])(
    'proves nothing with a token without a time, or with a time in the future: %j',
    async (claims) => {
      await expectRefused(await deleteMe(await foreignToken(0, claims)))
    },
  )

  it('has no password: any password that is sent is wrong', async () => {
    const response = await deleteMe(await foreignToken(0), { password: 'anything' })
    expect([response.status, (await bodyOf(response)).errors[0].pointer]).toEqual([403, '/password'])
  })

  it('gets no new account with an earlier token, but does with a later one', async () => {
    const [old, older] = [await foreignToken(0), await foreignToken(60 * SECOND_MS)]
    expect((await list(old)).status).toBe(200)
    const before = await idOf()
    now += SECOND_MS
    expect((await deleteMe(old)).status).toBe(204)
    for (const carried of [old, older, await foreignToken(0, { iat: undefined })]) {
      const response = await list(carried)
      expect(response.status).toBe(401)
      expect((await bodyOf(response)).detail).toBe('The account of this token was deleted.')
    }
    expect(await idOf()).toBeUndefined()
    now += 2 * SECOND_MS
    expect((await list(await foreignToken(0))).status).toBe(200)
    expect(await idOf()).toBeGreaterThan(before ?? 0)
  })

  it('is remembered for a day and no longer', async () => {
    const token = await foreignToken(0, { exp: Math.floor(now / SECOND_MS) + 3 * 24 * 3600 })
    expect((await deleteMe(token)).status).toBe(204)
    const key = 'select resets_at as until from rate_limits where key = ?'
    const row = await rowOf<{ until: number }>(key, `deleted/${bench.provider.issuer} ${subject}`)
    expect(row?.until).toBe(now + 24 * 3600 * SECOND_MS)
  })
})

describe('afterwards', () => {
  it('no credential of the account is valid any more', async () => {
    const registered = await registerClient(client.send)
    const tokens = await getTokens(client.send, account, registered, 'read:account offline_access')
    const cookie = keyInCookie(await makeKey())
    const key = { headers: { 'X-API-Key': await makeKey() }, query: {} }
    const carried = [own(), ownBasic(), key, bearer(tokens.access_token)]
    for (const one of carried) expect((await sendWith(bench, '/me', one)).status).toBe(200)
    expect((await deleteMe(own())).status).toBe(204)
    for (const one of carried) expect((await sendWith(bench, '/me', one)).status).toBe(401)
    expect((await sendWith(bench, '/me/api-keys', cookie)).status).toBe(401)
    expect((await deleteMe(own())).status).toBe(401)
    expect((await client.sendJson('POST', '/auth/token', account)).status).toBe(401)
    const { refresh_token } = tokens
    const refresh = await requestTokens(client.send, registered, { grant_type: 'refresh_token', refresh_token })
    expect([refresh.status, (await bodyOf(refresh)).error]).toEqual([400, 'invalid_grant'])
  })

  it('the e-mail is free for a new account, which inherits nothing from the old one', async () => {
    const { email, password } = account
    const key = await makeKey()
    const { id: planetId } = await createPlanet(client, account, { name: 'Old' })
    expect((await deleteMe(own())).status).toBe(204)
    const response = await client.sendJson('POST', '/user/signup', { email, password, name: 'Again' })
    expect(response.status).toBe(201)
    const { id } = await bodyOf(response)
    expect(id).toBeGreaterThan(account.id)
    for (const old of [own(), { headers: { 'X-API-Key': key }, query: {} }]) {
      expect((await sendWith(bench, '/me', old)).status).toBe(401)
    }
    expect(await bodyOf(await sendWith(bench, '/me', basic(email, password)))).toEqual({ id, name: 'Again' })
    expect((await client.get(`/planets/${planetId}`)).status).toBe(404)
  })

  it('of two requests at the same moment one deletes the account, and the other learns that it is gone', async () => {
    const statuses = (await Promise.all([deleteMe(own()), deleteMe(own())])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([204, 401])
  })

  it('a request that loses to a rename or a deletion is rejected', async () => {
    expect((await deleteMe(own())).status).toBe(204)
    expect((await client.sendJson('PATCH', '/me', { name: 'Late' }, account)).status).toBe(401)
  })
})

describe('user 1, who owns the shipped planets', () => {
  it('cannot be deleted by any credential or statement', async () => {
    await loadShippedPlanets()
    const claims = { userId: 1, passwordGeneration: 0 }
    const token = await issueUserToken(client.services.tokens, claims, ORIGIN, new Date(now))
    const response = await deleteMe(bearer(token))
    expect([response.status, (await bodyOf(response)).detail]).toEqual([
      403,
      'This account owns the shipped planets and cannot be deleted.',
    ])
    const update = env.DB.prepare('update users set deleted_at = 1 where id = 1').run()
    await expect(update).rejects.toThrow('user 1 owns the shipped planets')
    expect(await rowOf('select name, deleted_at from users where id = 1')).toEqual({ name: 'Galaxy', deleted_at: null })
  })

  it('never belongs to anyone who signs up, even before the planets are loaded', async () => {
    const first = await rowOf<{ id: number }>("select min(id) as id from users where email like '%@galaxy.test'")
    expect(first?.id).toBeGreaterThan(1)
  })
})
