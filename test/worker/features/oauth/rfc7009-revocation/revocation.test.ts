import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, type Client, createAccount } from '../../../../support/app.ts'
import {
  getTokens,
  type Registered,
  registerClient,
  requestTokens,
  sendForm,
  type Tokens,
} from '../../../../support/oauth.ts'
import { basic, bearer, Clock, createProvider, expectError } from '../support.ts'

let clock: Clock
let client: Client
let account: Account
let app: Registered
let tokens: Tokens

beforeEach(async () => {
  clock = new Clock()
  client = createProvider({ now: clock.now })
  account = await createAccount(client)
  app = await registerClient(client.send)
  tokens = await getTokens(client.send, account, app, 'openid read:account offline_access')
})

const revoke = (parameters: Record<string, string | undefined>, headers: Record<string, string> = {}) =>
  sendForm(client.send, '/oauth/revoke', { client_id: app.id, ...parameters }, headers)
const refresh = () =>
  requestTokens(client.send, app, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
const readMe = () => client.get('/me', bearer(tokens.access_token))

describe('a revocation', () => {
  it.each<['access_token' | 'refresh_token']>([['access_token'], ['refresh_token']])(
    'of the %s ends both tokens at once',
    async (kind) => {
      expect((await readMe()).status).toBe(200)
      const response = await revoke({ token: tokens[kind] })
      expect([response.status, await response.text()]).toEqual([200, ''])
      expect((await readMe()).status).toBe(401)
      await expectError(await refresh(), 400, 'invalid_grant')
    },
  )

  it.each(['access_token', 'refresh_token', 'id_token', 'unheard of', ''])(
    'finds the token whatever the hint is: %s',
    async (token_type_hint) => {
      expect((await revoke({ token: tokens.refresh_token, token_type_hint })).status).toBe(200)
      expect((await readMe()).status).toBe(401)
    },
  )

  it('does not affect another grant of the same client, or other clients', async () => {
    const again = await getTokens(client.send, account, app)
    const other = await getTokens(client.send, account, await registerClient(client.send))
    await revoke({ token: tokens.access_token })
    for (const { access_token } of [again, other]) {
      expect((await client.get('/me', bearer(access_token))).status).toBe(200)
    }
  })

  it('of an unknown or ended token is 200', async () => {
    for (const token of ['unknown', 'a.b.c', tokens.id_token, account.token, `${tokens.access_token}x`]) {
      expect((await revoke({ token })).status).toBe(200)
    }
    expect((await readMe()).status).toBe(200)
    for (let i = 0; i < 2; i++) expect((await revoke({ token: tokens.refresh_token })).status).toBe(200)
    clock.pass(3601)
    expect((await revoke({ token: tokens.access_token })).status).toBe(200)
  })

  it('of a used refresh token ends its successors', async () => {
    const next = (await (await refresh()).json()) as Tokens
    expect((await revoke({ token: tokens.refresh_token })).status).toBe(200)
    expect((await client.get('/me', bearer(next.access_token))).status).toBe(401)
  })

  it.each<['access_token' | 'refresh_token']>([['access_token'], ['refresh_token']])(
    'of the %s of another client is rejected, and changes nothing',
    async (kind) => {
      const other = await registerClient(client.send)
      await expectError(await revoke({ token: tokens[kind], client_id: other.id }), 400, 'invalid_grant')
      expect((await readMe()).status).toBe(200)
      expect((await refresh()).status).toBe(200)
    },
  )
})

describe('the revocation endpoint', () => {
  it('requires exactly one token', async () => {
    await expectError(await revoke({}), 400, 'invalid_request')
    await expectError(await revoke({ token: '' }), 400, 'invalid_request')
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const body = `client_id=${app.id}&token=${tokens.access_token}&token=x`
    await expectError(await client.send('/oauth/revoke', { method: 'POST', body, headers }), 400, 'invalid_request')
    expect((await readMe()).status).toBe(200)
  })

  it('requires the calling client', async () => {
    const { access_token: token } = tokens
    await expectError(await revoke({ token, client_id: undefined }), 400, 'invalid_request')
    await expectError(await revoke({ token, client_id: 'nobody' }), 401, 'invalid_client')
    expect((await readMe()).status).toBe(200)
  })

  it('requires the secret of a confidential client', async () => {
    const { id, secret = '' } = await registerClient(client.send, {}, bearer(account.token).Authorization)
    tokens = await getTokens(client.send, account, { id, secret })
    const parameters = { token: tokens.access_token, client_id: undefined }
    await expectError(await revoke({ ...parameters, client_id: id }), 401, 'invalid_client')
    await expectError(await revoke(parameters, basic(id, 'guess')), 401, 'invalid_client')
    expect((await readMe()).status).toBe(200)
    expect((await revoke(parameters, basic(id, secret))).status).toBe(200)
    expect((await readMe()).status).toBe(401)
  })

  it('accepts a form by POST, also from pages of other origins', async () => {
    expect((await client.get(`/oauth/revoke?token=${tokens.access_token}`)).status).toBe(405)
    const json = await client.sendJson('POST', '/oauth/revoke', { token: tokens.access_token, client_id: app.id })
    await expectError(json, 415, 'invalid_request')
    expect((await revoke({ token: 'unknown' })).headers.get('Access-Control-Allow-Origin')).toBe('*')
  })
})
