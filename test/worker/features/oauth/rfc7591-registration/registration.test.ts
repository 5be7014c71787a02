import { env } from 'cloudflare:workers'
import { exportJWK, generateKeyPair } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount } from '../../../../support/app.ts'
import { REDIRECT_URI, requestTokens, sendForm } from '../../../../support/oauth.ts'
import { bearer, createProvider, expectError } from '../support.ts'

const WEB = { redirect_uris: ['https://client.test/callback'] }
const ALL =
  'read:account write:account read:planets write:planets read:events read:user:events write:events openid profile email offline_access'

let client: Client
let account: Account

beforeAll(async () => {
  client = createProvider()
  account = await createAccount(client)
})

function register(metadata: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const body = typeof metadata === 'string' ? metadata : JSON.stringify(metadata)
  return client.send('/oauth/register', {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', ...headers },
  })
}

describe('without credentials', () => {
  it('a public client is registered, and gets all its metadata', async () => {
    const response = await register(WEB)
    expect(response.status).toBe(201)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(await bodyOf(response)).toEqual({
      ...WEB,
      client_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      client_id_issued_at: expect.toSatisfy((at: number) => Math.abs(at - Date.now() / 1000) < 60),
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: ALL,
      post_logout_redirect_uris: [],
    })
  })

  it('a client is registered with the metadata that it sends', async () => {
    const metadata = {
      redirect_uris: ['https://client.test/a', REDIRECT_URI],
      client_name: 'Ätlas 🪐',
      client_uri: 'https://client.test/about',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      scope: 'read:planets openid',
      post_logout_redirect_uris: ['https://client.test/bye'],
    }
    expect(await bodyOf(await register(metadata))).toEqual({
      ...metadata,
      client_id: expect.any(String),
      client_id_issued_at: expect.any(Number),
    })
  })

  it.each([
    [['id_token'], ['implicit']],
    [['code'], ['authorization_code', 'refresh_token']],
    [
      ['code', 'id_token'],
      ['authorization_code', 'refresh_token', 'implicit'],
    ],
  ])(
    'a client that registers only its response types gets the matching grant types: %j',
    async (response_types, types) => {
      const registered = await bodyOf(await register({ ...WEB, response_types }))
      expect(registered).toMatchObject({ response_types, grant_types: types })
      const again = await register({ ...WEB, response_types, grant_types: types })
      expect(await bodyOf(again)).toMatchObject({ response_types, grant_types: types })
    },
  )

  it('each client gets its own client_id, however alike they are', async () => {
    const [one, another] = [await bodyOf(await register(WEB)), await bodyOf(await register(WEB))]
    expect(one.client_id).not.toBe(another.client_id)
  })

  it.each(['client_secret_basic', 'client_secret_post', 'private_key_jwt'])(
    'a client with %s cannot be registered, because it would have no owner',
    async (token_endpoint_auth_method) => {
      await expectError(await register({ ...WEB, token_endpoint_auth_method }), 400, 'invalid_client_metadata')
    },
  )
})

describe('with the credentials of a user', () => {
  it.each<[string, () => Promise<Record<string, string>> | Record<string, string>]>([
    ['a token of /auth/token', () => bearer(account.token)],
    ['e-mail and password', () => ({ Authorization: `Basic ${btoa(`${account.email}:${account.password}`)}` })],
    [
      'an API key',
      async () => ({ 'X-API-Key': (await bodyOf(await client.sendJson('POST', '/me/api-keys', {}, account))).key }),
    ],
  ])('a confidential client is registered: with %s', async (_, headers) => {
    const registered = await bodyOf(await register(WEB, await headers()))
    expect(registered).toMatchObject({
      token_endpoint_auth_method: 'client_secret_basic',
      client_secret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      client_secret_expires_at: 0,
    })
    const row = await env.DB.prepare('select * from clients where id = ?').bind(registered.client_id).first()
    expect(row?.owner_id).toBe(account.id)
    expect(JSON.stringify(row)).not.toContain(registered.client_secret)
  })

  it('a public client is registered if requested, and a client with keys, neither with a secret', async () => {
    const { publicKey } = await generateKeyPair('ES256', { extractable: true })
    const jwks = { keys: [await exportJWK(publicKey)] }
    const withKey = { ...WEB, token_endpoint_auth_method: 'private_key_jwt', jwks }
    expect(await bodyOf(await register(withKey, bearer(account.token)))).toMatchObject({ jwks })
    for (const metadata of [withKey, { ...WEB, token_endpoint_auth_method: 'none' }]) {
      expect(await bodyOf(await register(metadata, bearer(account.token)))).not.toHaveProperty('client_secret')
    }
  })

  it.each<[string, Record<string, string>]>([
    ['a wrong token', { Authorization: 'Bearer x' }],
    ['a wrong password', { Authorization: `Basic ${btoa('nobody@galaxy.test:guess')}` }],
    ['a wrong key', { 'X-API-Key': 'glx_x' }],
  ])('nothing is registered if they are wrong: %s', async (_, headers) => {
    const before = await env.DB.prepare('select count(*) as n from clients').first()
    const response = await register(WEB, headers)
    expect(response.headers.get('WWW-Authenticate')).not.toBeNull()
    await expectError(response, 401, 'invalid_token')
    expect(await env.DB.prepare('select count(*) as n from clients').first()).toEqual(before)
  })

  it('the client has no owner if they cannot change the account', async () => {
    const scopes = ['read:account', 'read:planets', 'write:planets']
    const { key } = await bodyOf(await client.sendJson('POST', '/me/api-keys', { scopes }, account))
    const response = await register(WEB, { 'X-API-Key': key })
    expect(response.status).toBe(201)
    const { client_id: id, token_endpoint_auth_method: method } = await bodyOf(response)
    expect(method).toBe('none')
    expect(await env.DB.prepare('select owner_id from clients where id = ?').bind(id).first('owner_id')).toBeNull()
    const confidential = { ...WEB, token_endpoint_auth_method: 'client_secret_basic' }
    await expectError(await register(confidential, { 'X-API-Key': key }), 400, 'invalid_client_metadata')
  })

  // An API key carries at most the scopes of the credential that created it. Without the same rule for clients,
  // write:account would be worth all scopes.
  it('a client that acts as the user can do no more than those credentials', async () => {
    const { key } = await bodyOf(await client.sendJson('POST', '/me/api-keys', { scopes: ['write:account'] }, account))
    const own = { grant_types: ['client_credentials'] }
    const beyond = await register({ ...own, scope: 'write:account write:planets' }, { 'X-API-Key': key })
    await expectError(beyond, 400, 'invalid_client_metadata')
    const registered = await bodyOf(await register(own, { 'X-API-Key': key }))
    expect(registered.scope).toBe('write:account openid profile email offline_access')
    const { client_id: id, client_secret: secret } = registered
    const tokens = await bodyOf(await requestTokens(client.send, { id, secret }, { grant_type: 'client_credentials' }))
    expect(tokens.scope).toBe('write:account')
  })
})

describe('registration', () => {
  it('ignores unknown members, and does not return them', async () => {
    const unknown = {
      client_id: 'mine',
      client_secret: 'mine',
      owner_id: 1,
      contacts: ['me@client.test'],
      logo_uri: 'https://client.test/logo.svg',
      tos_uri: 'https://client.test/tos',
      software_statement: 'eyJhbGciOiJub25lIn0.e30.',
      'client_name#de': 'Atlas',
      require_pushed_authorization_requests: true,
    }
    const response = await register({ ...WEB, ...unknown })
    expect(response.status).toBe(201)
    const registered = await bodyOf(response)
    expect(registered.client_id).not.toBe('mine')
    for (const name of Object.keys(unknown)) if (name !== 'client_id') expect(registered).not.toHaveProperty([name])
  })

  it('omits unknown scopes beside known ones', async () => {
    expect((await bodyOf(await register({ ...WEB, scope: 'openid read:galaxies' }))).scope).toBe('openid')
  })

  it('accepts JSON by POST, also from pages of other origins', async () => {
    await expectError(await sendForm(client.send, '/oauth/register', { client_name: 'x' }), 415, 'invalid_request')
    await expectError(await register('{"redirect_uris": ['), 400, 'invalid_request')
    expect((await client.get('/oauth/register')).status).toBe(405)
    expect((await register(WEB)).headers.get('Access-Control-Allow-Origin')).toBe('*')
  })
})
