import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount } from '../../../../support/app.ts'
import {
  authorizationPath,
  getCode,
  type Registered,
  redeemCode,
  registerClient,
  UserAgent,
} from '../../../../support/oauth.ts'
import { bearer, Clock, createProvider, expectError, expectErrorPage } from '../support.ts'

const OTHER_URI = 'http://127.0.0.1:9999/callback'

let clock: Clock
let client: Client
let account: Account
let app: Registered
let confidentialApp: Registered

beforeAll(async () => {
  const provider = createProvider()
  account = await createAccount(provider)
  app = await registerClient(provider.send)
  confidentialApp = await registerClient(provider.send, {}, bearer(account.token).Authorization)
})

beforeEach(() => {
  clock = new Clock()
  client = createProvider({ now: clock.now })
})

describe('an authorization code', () => {
  it.each([
    [0, 200],
    [59.999, 200],
    [60, 400],
    [3600, 400],
  ])('after %d seconds is answered with %d', async (seconds, status) => {
    const code = await getCode(client.send, account, app.id)
    clock.pass(seconds)
    const response = await redeemCode(client.send, app, code)
    if (status === 400) await expectError(response, status, 'invalid_grant')
    expect(response.status).toBe(status)
  })

  it('gets a token that allows what the user has allowed, and no more', async () => {
    const code = await getCode(client.send, account, app.id, { scope: 'read:account' })
    const tokens = await bodyOf(await redeemCode(client.send, app, code))
    expect(tokens).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'read:account',
    })
    expect(await bodyOf(await client.get('/me', bearer(tokens.access_token)))).toMatchObject({ id: account.id })
    const body = JSON.stringify({ name: 'Dune' })
    const headers = { 'Content-Type': 'application/json', ...bearer(tokens.access_token) }
    expect((await client.send('/planets', { method: 'POST', body, headers })).status).toBe(403)
  })

  it('grants all scopes of the client’s registration if the request has none', async () => {
    const { id } = await registerClient(client.send, { scope: 'read:planets read:account' })
    const code = await getCode(client.send, account, id, { scope: undefined })
    const tokens = await bodyOf(await redeemCode(client.send, { id, secret: undefined }, code))
    expect(tokens.scope).toBe('read:account read:planets')
  })

  it('is rejected from another client, and still works for its own', async () => {
    const code = await getCode(client.send, account, app.id)
    const other = await registerClient(client.send)
    await expectError(await redeemCode(client.send, other, code), 400, 'invalid_grant')
    await expectError(await redeemCode(client.send, confidentialApp, code), 400, 'invalid_grant')
    expect((await redeemCode(client.send, app, code)).status).toBe(200)
  })

  it('of a confidential client is rejected without its secret', async () => {
    const code = await getCode(client.send, account, confidentialApp.id)
    const { id } = confidentialApp
    await expectError(await redeemCode(client.send, { id, secret: undefined }, code), 401, 'invalid_client')
    await expectError(await redeemCode(client.send, { id, secret: 'guess' }, code), 401, 'invalid_client')
    expect((await redeemCode(client.send, confidentialApp, code)).status).toBe(200)
  })

  it.each<[string, string | undefined]>([
    ['none', undefined],
    ['another port', OTHER_URI],
    ['another path', 'http://127.0.0.1/callback/'],
    ['another host', 'https://evil.test/callback'],
  ])('requires the redirect_uri of its request: %s is rejected', async (_, redirect_uri) => {
    const code = await getCode(client.send, account, app.id)
    await expectError(await redeemCode(client.send, app, code, { redirect_uri }), 400, 'invalid_grant')
  })

  it('requires the exact port of the request', async () => {
    const code = await getCode(client.send, account, app.id, { redirect_uri: OTHER_URI })
    await expectError(await redeemCode(client.send, app, code), 400, 'invalid_grant')
    expect((await redeemCode(client.send, app, code, { redirect_uri: OTHER_URI })).status).toBe(200)
  })

  it('needs no redirect_uri if its request had none', async () => {
    const code = await getCode(client.send, account, app.id, { redirect_uri: undefined })
    expect((await redeemCode(client.send, app, code, { redirect_uri: undefined })).status).toBe(200)
  })

  it('is never issued without the user: neither before the sign-in nor for a forged form', async () => {
    const browser = new UserAgent(client.send)
    await browser.open(authorizationPath(app.id))
    expect(browser.page).toContain('Sign in to Galaxy')
    const path = authorizationPath(app.id).replace('/authorize', '/consent')
    const headers = { Cookie: browser.cookie ?? '' }
    const body = new URLSearchParams({ decision: 'allow' })
    await expectErrorPage(await client.send(path, { method: 'POST', body, headers, redirect: 'manual' }), 403)
  })
})
