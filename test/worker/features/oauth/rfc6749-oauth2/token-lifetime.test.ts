import { env } from 'cloudflare:workers'
import { decodeJwt } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount } from '../../../../support/app.ts'
import { getTokens, type Registered, registerClient, requestTokens, sendForm } from '../../../../support/oauth.ts'
import { basic, bearer, Clock, createProvider } from '../support.ts'

const SCOPE = 'read:account offline_access'
const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials']
const DAY_SECONDS = 24 * 3600

let clock: Clock
let client: Client
let account: Account

beforeEach(async () => {
  clock = new Clock()
  clock.ms = Math.ceil(clock.ms / 1000) * 1000
  client = createProvider({ now: clock.now })
  account = await createAccount(client)
})

const nowSeconds = () => clock.ms / 1000
const meStatus = async (token: string) => (await client.get('/me', bearer(token))).status
const introspect = async (token: string | undefined, { id, secret = '' }: Registered) =>
  await bodyOf(await sendForm(client.send, '/oauth/introspect', { token }, basic(id, secret)))

/** Registers a client with a key, so that it ends with the key. */
async function registerFor(seconds: number): Promise<Registered> {
  const expiresAt = new Date(clock.ms + seconds * 1000).toISOString()
  const { key } = await bodyOf(await client.sendJson('POST', '/me/api-keys', { expiresAt }, account))
  const metadata = { redirect_uris: ['http://127.0.0.1/callback'], grant_types: GRANT_TYPES }
  const headers = { 'Content-Type': 'application/json', 'X-API-Key': key }
  const response = await client.send('/oauth/register', { method: 'POST', body: JSON.stringify(metadata), headers })
  const { client_id: id, client_secret: secret, client_secret_expires_at: endsAt } = await bodyOf(response)
  expect(endsAt).toBe(nowSeconds() + seconds)
  return { id, secret }
}

const own = { grant_type: 'client_credentials', scope: 'read:account' }

describe.each([
  { of: 'a client that ends before the hour', clientSeconds: 600, seconds: 600 },
  { of: 'a client that ends after the hour', clientSeconds: 7200, seconds: 3600 },
])('the access token of $of', ({ clientSeconds, seconds }) => {
  it.each<[string, (app: Registered) => Promise<{ access_token: string; expires_in: number }>]>([
    ['a code', async (app) => await getTokens(client.send, account, app, SCOPE)],
    ['the client itself', async (app) => await bodyOf(await requestTokens(client.send, app, own))],
    [
      'a refresh token',
      async (app) => {
        const { refresh_token } = await getTokens(client.send, account, app, SCOPE)
        const refresh = { grant_type: 'refresh_token', refresh_token }
        return await bodyOf(await requestTokens(client.send, app, refresh))
      },
    ],
  ])('has the actual expiry in its response, if it is issued for %s', async (_, give) => {
    const app = await registerFor(clientSeconds)
    const { access_token, expires_in } = await give(app)
    const endsAt = nowSeconds() + seconds
    expect(expires_in).toBe(seconds)
    expect(decodeJwt(access_token).exp).toBe(endsAt)
    expect(await introspect(access_token, app)).toMatchObject({ active: true, exp: endsAt })
    clock.pass(seconds - 1)
    expect(await meStatus(access_token)).toBe(200)
    clock.pass(1)
    expect(await meStatus(access_token)).toBe(401)
  })
})

describe('a refresh token', () => {
  it.each([
    { clientSeconds: 600, seconds: 600 },
    { clientSeconds: 60 * DAY_SECONDS, seconds: 30 * DAY_SECONDS },
  ])('of a client that ends in $clientSeconds seconds ends in $seconds', async ({ clientSeconds, seconds }) => {
    const app = await registerFor(clientSeconds)
    const { refresh_token } = await getTokens(client.send, account, app, SCOPE)
    expect(await introspect(refresh_token, app)).toMatchObject({ active: true, exp: nowSeconds() + seconds })
  })
})

describe('introspection', () => {
  it('returns the end of the grant, if that is now earlier than when the token was issued', async () => {
    const app = await registerFor(7200)
    const { access_token } = await getTokens(client.send, account, app, SCOPE)
    const endsAt = clock.ms + 60_000
    await env.DB.prepare('update grants set expires_at = ? where client_id = ?').bind(endsAt, app.id).run()
    expect(await introspect(access_token, app)).toMatchObject({ active: true, exp: endsAt / 1000 })
  })
})

describe('the token of a client without an owner', () => {
  it('is valid for an hour', async () => {
    const app = await registerClient(client.send)
    const { access_token, expires_in } = await getTokens(client.send, account, app)
    expect(expires_in).toBe(3600)
    expect(decodeJwt(access_token).exp).toBe(nowSeconds() + 3600)
  })
})
