import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount } from '../../../../support/app.ts'
import { getTokens, type Registered, registerClient, requestTokens, sendForm } from '../../../../support/oauth.ts'
import { bearer, createProvider } from '../support.ts'

const METHODS = ['GET', 'POST']

let client: Client
let account: Account
let app: Registered

beforeAll(async () => {
  client = createProvider()
  account = await createAccount(client, 'Ada')
  app = await registerClient(client.send)
})

const readUser = (token: string, method = 'GET') => client.send('/oauth/userinfo', { method, headers: bearer(token) })

describe.each(METHODS)('user info by %s', (method) => {
  it.each<[string, (user: Account) => object]>([
    ['openid', () => ({})],
    ['openid profile', () => ({ name: 'Ada' })],
    ['openid email', ({ email }) => ({ email, email_verified: false })],
    ['openid profile email', ({ email }) => ({ name: 'Ada', email, email_verified: false })],
    ['openid read:account', () => ({})],
  ])('returns what the scope %s allows', async (scope, claims) => {
    const { access_token } = await getTokens(client.send, account, app, scope)
    const response = await readUser(access_token, method)
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(await bodyOf(response)).toEqual({ sub: String(account.id), ...claims(account) })
  })

  it('is 403 for a token without openid', async () => {
    const { access_token } = await getTokens(client.send, account, app, 'profile email')
    const response = await readUser(access_token, method)
    expect(response.status).toBe(403)
    expect(response.headers.get('WWW-Authenticate')).toContain('error="insufficient_scope", scope="openid"')
  })

  it('is 401 with a challenge for anything but an access token', async () => {
    const { id_token = '', refresh_token = '' } = await getTokens(client.send, account, app, 'openid offline_access')
    const { key } = await bodyOf(await client.sendJson('POST', '/me/api-keys', {}, account))
    const basic = `Basic ${btoa(`${account.email}:${account.password}`)}`
    for (const headers of [
      bearer(id_token),
      bearer(refresh_token),
      bearer(account.token),
      { Authorization: basic },
      { 'X-API-Key': key },
      {},
    ]) {
      const response = await client.send('/oauth/userinfo', { method, headers })
      expect(response.status).toBe(401)
      expect(response.headers.get('WWW-Authenticate')).toMatch(/^Bearer /)
    }
  })
})

describe('user info', () => {
  it('has the same subject as the ID token, for every client', async () => {
    const subjects = []
    for (const one of [app, await registerClient(client.send)]) {
      const tokens = await getTokens(client.send, account, one, 'openid')
      subjects.push((await bodyOf(await readUser(tokens.access_token))).sub)
      subjects.push(decodeJwt(tokens.id_token ?? '').sub)
    }
    expect(new Set(subjects)).toEqual(new Set([String(account.id)]))
  })

  it('has no name if the user has none', async () => {
    const email = `${crypto.randomUUID()}@galaxy.test`
    await client.sendJson('POST', '/user/signup', { email, password: 'i-love-planets' })
    const nameless = { email, password: 'i-love-planets' }
    const { access_token } = await getTokens(client.send, nameless, app, 'openid profile')
    expect(await bodyOf(await readUser(access_token))).toEqual({ sub: expect.any(String) })
  })

  it('ends with the token', async () => {
    const { access_token } = await getTokens(client.send, account, app, 'openid')
    await sendForm(client.send, '/oauth/revoke', { token: access_token, client_id: app.id })
    expect((await readUser(access_token)).status).toBe(401)
  })
})

describe('access while the user is away', () => {
  it('is what offline_access requests, and the user is told so', async () => {
    const tokens = await getTokens(client.send, account, app, 'openid offline_access')
    const grant = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    const next = await bodyOf(await requestTokens(client.send, app, grant))
    expect(await bodyOf(await readUser(next.access_token))).toEqual({ sub: String(account.id) })
  })
})
