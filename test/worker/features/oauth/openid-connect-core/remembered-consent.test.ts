import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, authorization, bodyOf, type Client, createAccount } from '../../../../support/app.ts'
import {
  authorizationPath,
  getTokens,
  REDIRECT_URI,
  type Registered,
  redeemCode,
  registerClient,
  signIn,
  type Tokens,
  UserAgent,
} from '../../../../support/oauth.ts'
import { policyOf } from '../../../../support/pages.ts'
import { bearer, Clock, createProvider, expectError, registerOwned } from '../support.ts'

const CONSENT = '<title>Allow access to your Galaxy account?</title>'
const SIGN_IN = '<title>Sign in to Galaxy</title>'

let clock: Clock
let client: Client
let owner: Account
let account: Account
/** A confidential client that another user owns. */
let app: Registered
/** A browser in which the user has signed in, and allowed the client to read the account. */
let browser: UserAgent

beforeEach(async () => {
  clock = new Clock()
  client = createProvider({ now: clock.now })
  owner = await createAccount(client)
  account = await createAccount(client)
  app = await registerClient(client.send, { client_name: 'Atlas' }, bearer(owner.token).Authorization)
  browser = await signIn(client.send, account, app.id, { scope: 'openid read:account' })
  await browser.submit({ decision: 'allow' })
})

/**
 * Sends the user to the authorization endpoint.
 * @returns `asked`, `sign-in`, the error that the client gets, or `code`
 */
async function ask(parameters: Record<string, string | undefined> = {}, id = app.id, by = browser): Promise<string> {
  const redirect = await by.open(authorizationPath(id, { scope: 'openid read:account', ...parameters }))
  if (redirect)
    return redirect.searchParams.get('error') ?? (redirect.searchParams.has('code') ? 'code' : redirect.href)
  return by.page.includes(CONSENT) ? 'asked' : by.page.includes(SIGN_IN) ? 'sign-in' : by.page
}

const consentsOf = async (user: Account) => await bodyOf(await client.get('/me/consents', authorization(user)))
const remove = (path: string, user = account) => client.send(path, { method: 'DELETE', headers: authorization(user) })

describe('a user who has allowed a client something', () => {
  it.each<[string, Record<string, string>]>([
    ['the same', {}],
    ['less', { scope: 'read:account' }],
    ['the same with prompt=none', { prompt: 'none' }],
    ['less with prompt=none', { scope: 'openid', prompt: 'none' }],
  ])('is not asked for %s again', async (_, parameters) => {
    expect(await ask(parameters)).toBe('code')
  })

  it('gives it a code whose tokens have a grant of their own', async () => {
    const redirect = await browser.open(authorizationPath(app.id, { scope: 'openid read:account', prompt: 'none' }))
    const code = redirect?.searchParams.get('code') ?? ''
    expect(redirect?.searchParams.get('state')).toBe('here')
    const { access_token, id_token } = await bodyOf(await redeemCode(client.send, app, code))
    expect((await client.get('/me', bearer(access_token))).status).toBe(200)
    expect(await ask({ prompt: 'none', id_token_hint: id_token })).toBe('code')
  })

  it('is asked for more, and afterwards for none of it again', async () => {
    expect(await ask({ scope: 'openid read:account profile' })).toBe('asked')
    expect(await ask({ scope: 'openid read:account profile', prompt: 'none' })).toBe('consent_required')
    await ask({ scope: 'profile' })
    await browser.submit({ decision: 'allow' })
    expect(await ask({ scope: 'openid read:account profile', prompt: 'none' })).toBe('code')
    expect((await consentsOf(account)).data).toMatchObject([{ scopes: ['read:account', 'openid', 'profile'] }])
  })

  it('is asked with prompt=consent, and by a client that asks for everything', async () => {
    expect(await ask({ prompt: 'consent' })).toBe('asked')
    expect(await ask({ prompt: 'login consent' })).toBe('sign-in')
    await browser.submit({ email: account.email, password: account.password })
    expect(browser.page).toContain(CONSENT)
    expect(await ask({ scope: undefined })).toBe('asked')
  })

  it('must sign in with prompt=login and after max_age, and then returns to the client at once', async () => {
    for (const parameters of [{ prompt: 'login' }, { max_age: '0' }]) {
      expect(await ask(parameters)).toBe('sign-in')
      const policy = policyOf(browser.response ?? new Response())
      expect(policy['form-action']).toBe("'self' http://127.0.0.1")
      const redirect = await browser.submit({ email: account.email, password: account.password })
      expect(redirect?.searchParams.has('code')).toBe(true)
    }
    expect(await ask({ prompt: 'none', max_age: '0' })).toBe('login_required')
  })

  it('has allowed nothing after a denial, to another client, or for another user', async () => {
    const other = await registerClient(client.send, { client_name: 'Atlas' }, bearer(owner.token).Authorization)
    expect(await ask({ prompt: 'none' }, other.id)).toBe('consent_required')
    await ask({}, other.id)
    await browser.submit({ decision: 'deny' })
    expect(await ask({ prompt: 'none' }, other.id)).toBe('consent_required')
    const someone = await signIn(client.send, owner, app.id, { scope: 'openid' })
    expect(await ask({ prompt: 'none' }, app.id, someone)).toBe('consent_required')
    expect(await ask({ prompt: 'none' }, app.id, new UserAgent(client.send))).toBe('login_required')
  })

  it('must sign in again after a suspension or 12 hours', async () => {
    clock.pass(12 * 3600)
    expect(await ask({ prompt: 'none' })).toBe('login_required')
    await ask()
    const redirect = await browser.submit({ email: account.email, password: account.password })
    expect(redirect?.searchParams.has('code')).toBe(true)
    await env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(account.id).run()
    expect(await ask({ prompt: 'none' })).toBe('login_required')
  })
})

describe('no consent is remembered for', () => {
  it('a client that nobody owns', async () => {
    const { id } = await registerClient(client.send)
    await ask({}, id)
    expect(browser.page).not.toContain('will not be asked again')
    await browser.submit({ decision: 'allow' })
    expect(await ask({}, id)).toBe('asked')
    expect(await ask({ prompt: 'none' }, id)).toBe('consent_required')
  })

  it('a public client with a private-use scheme, which any application on the device can claim', async () => {
    const redirect_uri = 'com.example.app:/callback'
    const { id } = await registerOwned(client, { redirect_uris: [redirect_uri] })
    for (let i = 0; i < 2; i++) {
      await browser.open(authorizationPath(id, { redirect_uri }))
      expect(browser.page).toContain(CONSENT)
      await browser.submit({ decision: 'allow' })
    }
  })

  it('anyone else, but it is for a public client of a user, at a web or loopback address', async () => {
    const { id } = await registerOwned(client)
    await ask({}, id)
    expect(browser.page).toContain('will not be asked again')
    await browser.submit({ decision: 'allow' })
    expect(await ask({ prompt: 'none' }, id)).toBe('code')
  })
})

describe('a consent ends', () => {
  let tokens: Tokens

  beforeEach(async () => {
    tokens = await getTokens(client.send, account, app, 'openid read:account offline_access')
    expect(await ask({ prompt: 'none' })).toBe('code')
  })

  const isAlive = async () => (await client.get('/me', bearer(tokens.access_token))).status === 200

  it('if the user revokes it: every grant under it ends too', async () => {
    expect((await remove(`/me/consents/${app.id}`)).status).toBe(204)
    expect(await isAlive()).toBe(false)
    expect((await bodyOf(await client.get('/me/grants', authorization(account)))).data).toEqual([])
    expect(await ask({ prompt: 'none' })).toBe('consent_required')
    expect((await remove(`/me/consents/${app.id}`)).status).toBe(404)
  })

  it('if the user ends a grant: otherwise the client could get another at once', async () => {
    const { data } = await bodyOf(await client.get('/me/grants', authorization(account)))
    expect((await remove(`/me/grants/${data[0].id}`, owner)).status).toBe(404)
    expect(await ask({ prompt: 'none' })).toBe('code')
    expect((await remove(`/me/grants/${data[0].id}`)).status).toBe(204)
    expect(await ask({ prompt: 'none' })).toBe('consent_required')
  })

  it('with a password change', async () => {
    const change = { currentPassword: account.password, newPassword: 'another horse' }
    expect((await client.sendJson('PUT', '/me/password', change, account)).status).toBe(204)
    const again = await signIn(client.send, { ...account, password: 'another horse' }, app.id)
    expect(again.page).toContain(CONSENT)
    expect(await countOf('user_id', account.id)).toBe(0)
  })

  it.each([
    ["json_set(metadata, '$.client_name', 'Atlas 2')"],
    ["json_remove(metadata, '$.client_name')"],
    ["json_set(metadata, '$.redirect_uris[1]', 'https://new.example/callback')"],
  ])('if the client changes its name or redirect URIs: %s', async (metadata) => {
    await env.DB.prepare(`update clients set metadata = ${metadata} where id = ?`).bind(app.id).run()
    expect(await ask({ prompt: 'none' })).toBe('consent_required')
  })

  it('but not if the client changes something else', async () => {
    const query = "update clients set metadata = json_set(metadata, '$.client_uri', 'https://a.example') where id = ?"
    await env.DB.prepare(query).bind(app.id).run()
    expect(await ask({ prompt: 'none' })).toBe('code')
  })

  it('with the client', async () => {
    expect((await remove(`/me/clients/${app.id}`, owner)).status).toBe(204)
    expect(await countOf('client_id', app.id)).toBe(0)
  })

  it('during another request of the client: its code is worthless', async () => {
    // Simulates a user who revokes it after it was read, and before the grant is written.
    const trigger = `create trigger taken_back before insert on grants begin delete from consents where user_id = ${account.id}; end`
    await env.DB.exec(trigger)
    const redirect = await browser.open(authorizationPath(app.id, { prompt: 'none', scope: 'openid' }))
    await env.DB.exec('drop trigger taken_back')
    const code = redirect?.searchParams.get('code') ?? ''
    await expectError(await redeemCode(client.send, app, code), 400, 'invalid_grant')
  })

  async function countOf(column: 'user_id' | 'client_id', value: number | string): Promise<unknown> {
    const row = await env.DB.prepare(`select count(*) as n from consents where ${column} = ?`).bind(value).first()
    return row?.n
  }
})

describe('the list of consents', () => {
  it('shows a user which clients need not ask again, for what, since when', async () => {
    const at = new Date(clock.ms).toISOString()
    clock.pass(60)
    const second = await registerOwned(client, { redirect_uris: [REDIRECT_URI] }, owner)
    await getTokens(client.send, account, second)
    const { data, meta } = await consentsOf(account)
    expect(meta.total).toBe(2)
    expect(data).toEqual([
      { clientId: app.id, clientName: 'Atlas', scopes: ['read:account', 'openid'], createdAt: at },
      { clientId: second.id, scopes: ['read:account'], createdAt: new Date(clock.ms).toISOString() },
    ])
    expect((await consentsOf(owner)).data).toEqual([])
  })

  it('does not let a user revoke another user’s consent', async () => {
    expect((await remove(`/me/consents/${app.id}`, owner)).status).toBe(404)
    expect(await ask({ prompt: 'none' })).toBe('code')
  })

  it('does not affect the client’s own tokens', async () => {
    const metadata = { grant_types: ['authorization_code', 'client_credentials'] }
    const mine = await registerClient(client.send, metadata, authorization(account).Authorization)
    await getTokens(client.send, account, mine)
    const headers = { Authorization: `Basic ${btoa(`${mine.id}:${mine.secret}`)}` }
    const body = new URLSearchParams({ grant_type: 'client_credentials' })
    const { access_token } = await bodyOf(await client.send('/oauth/token', { method: 'POST', headers, body }))
    expect((await remove(`/me/consents/${mine.id}`)).status).toBe(204)
    expect((await client.get('/me', bearer(access_token))).status).toBe(200)
  })
})

it('counts in the limit of writes, so that nobody can cause endless writes', async () => {
  // The sign-in, and the first code.
  let left = 2
  const writes = { limit: async () => ({ success: left-- > 0 }) }
  const limited = createProvider({ now: clock.now, writeLimiter: writes, config: { limitsWrites: true } })
  const again = new UserAgent(limited.send)
  await again.open(authorizationPath(app.id, { scope: 'openid' }))
  const first = await again.submit({ email: account.email, password: account.password })
  expect(first?.searchParams.has('code')).toBe(true)
  await again.open(authorizationPath(app.id, { scope: 'openid' }))
  expect(again.response?.status).toBe(429)
})
