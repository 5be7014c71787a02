import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, bodyOf, CHALLENGE, type Client, createAccount, ORIGIN } from '../../../../support/app.ts'
import {
  getTokens,
  type Registered,
  registerClient,
  requestTokens,
  sendForm,
  type Tokens,
} from '../../../../support/oauth.ts'
import { basic, bearer, Clock, createProvider, expectError } from '../support.ts'

const SCOPE = 'read:account openid offline_access'

let clock: Clock
let client: Client
let account: Account
let app: Registered
let tokens: Tokens

beforeEach(async () => {
  clock = new Clock()
  client = createProvider({ now: clock.now })
  account = await createAccount(client)
  app = await registerClient(client.send, {}, bearer(account.token).Authorization)
  tokens = await getTokens(client.send, account, app, SCOPE)
})

const introspect = (token: string | undefined, { id, secret = '' }: Registered = app) =>
  sendForm(client.send, '/oauth/introspect', { token }, basic(id, secret))
const change = (set: string) => env.DB.prepare(`update users set ${set} where id = ?`).bind(account.id).run()

describe('introspection', () => {
  it('returns all data of an access token to its client', async () => {
    const response = await introspect(tokens.access_token)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    const issuedAt = Math.floor(clock.ms / 1000)
    expect(await bodyOf(response)).toEqual({
      active: true,
      scope: 'read:account openid offline_access',
      client_id: app.id,
      token_type: 'Bearer',
      iss: ORIGIN,
      aud: ORIGIN,
      sub: String(account.id),
      iat: issuedAt,
      exp: issuedAt + 3600,
      jti: expect.any(String),
    })
  })

  it('returns the expiry of a refresh token to its client', async () => {
    expect(await bodyOf(await introspect(tokens.refresh_token))).toEqual({
      active: true,
      scope: 'read:account openid offline_access',
      client_id: app.id,
      iss: ORIGIN,
      sub: String(account.id),
      exp: Math.floor(clock.ms / 1000) + 30 * 24 * 3600,
    })
  })

  it.each<[string, () => unknown]>([
    [
      'its grant was revoked',
      () => sendForm(client.send, '/oauth/revoke', { token: tokens.access_token }, basic(app.id, app.secret ?? '')),
    ],
    ['its user has a new password', () => change('password_generation = 1')],
    ['its user is suspended', () => change('suspended_at = 1')],
    ['it has expired', () => clock.pass(31 * 24 * 3600)],
  ])('returns only active: false if %s', async (_, end) => {
    await end()
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect(await bodyOf(await introspect(token))).toEqual({ active: false })
    }
  })

  it('knows an access token for an hour', async () => {
    clock.pass(3598)
    expect(await bodyOf(await introspect(tokens.access_token))).toMatchObject({ active: true })
    clock.pass(2)
    expect(await bodyOf(await introspect(tokens.access_token))).toEqual({ active: false })
  })

  it('returns active: false for a used refresh token, and does not end its successors', async () => {
    const grant = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    const next = await bodyOf(await requestTokens(client.send, app, grant))
    expect(await bodyOf(await introspect(tokens.refresh_token))).toEqual({ active: false })
    expect(await bodyOf(await introspect(next.refresh_token))).toMatchObject({ active: true })
  })

  it('reveals nothing about the tokens of other clients', async () => {
    const other = await registerClient(client.send, {}, bearer(account.token).Authorization)
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect(await bodyOf(await introspect(token, other))).toEqual({ active: false })
    }
    for (const token of [tokens.id_token, account.token, 'unknown', 'a.b.c', app.id, app.secret]) {
      expect(await bodyOf(await introspect(token))).toEqual({ active: false })
    }
  })
})

describe('the introspection endpoint', () => {
  it('requires authentication: a found token alone does not suffice', async () => {
    const { access_token: token } = tokens
    const send = (parameters: Record<string, string>) => sendForm(client.send, '/oauth/introspect', parameters)
    await expectError(await send({ token }), 400, 'invalid_request')
    await expectError(await send({ token, client_id: app.id }), 401, 'invalid_client')
    await expectError(await introspect(token, { id: app.id, secret: 'guess' }), 401, 'invalid_client')
    const open = await registerClient(client.send)
    const own = await getTokens(client.send, account, open)
    const refused = await send({ token: own.access_token, client_id: open.id })
    expect(refused.headers.get('WWW-Authenticate')).toBe(CHALLENGE)
    await expectError(refused, 401, 'invalid_client')
  })

  it('accepts the secret in the form too', async () => {
    const parameters = { token: tokens.access_token, client_id: app.id, client_secret: app.secret }
    expect(await bodyOf(await sendForm(client.send, '/oauth/introspect', parameters))).toMatchObject({ active: true })
  })

  it('requires a token, by POST', async () => {
    await expectError(await introspect(undefined), 400, 'invalid_request')
    await expectError(await introspect(''), 400, 'invalid_request')
    const get = await client.get(`/oauth/introspect?token=${tokens.access_token}`, basic(app.id, app.secret ?? ''))
    expect(get.status).toBe(405)
  })
})
