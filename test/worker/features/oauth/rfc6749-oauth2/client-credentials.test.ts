import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount } from '../../../../support/app.ts'
import { getTokens, type Registered, registerClient, requestTokens } from '../../../../support/oauth.ts'
import { bearer, createProvider, expectError } from '../support.ts'

const OWN_TOKENS = { grant_types: ['client_credentials'], redirect_uris: [] }
const GRANT = { grant_type: 'client_credentials' }

let client: Client
let owner: Account
let app: Registered

beforeEach(async () => {
  client = createProvider()
  owner = await createAccount(client)
  app = await register()
})

const register = (metadata: object = {}) =>
  registerClient(client.send, { ...OWN_TOKENS, ...metadata }, bearer(owner.token).Authorization)
const suspend = () => env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(owner.id).run()

describe('a client with tokens of its own', () => {
  it('acts as the user who has registered it', async () => {
    const { access_token } = await bodyOf(await requestTokens(client.send, app, GRANT))
    expect(await bodyOf(await client.get('/me', bearer(access_token)))).toMatchObject({ id: owner.id })
    const response = await client.sendJson('POST', '/planets', { name: 'Dune' }, { ...owner, token: access_token })
    expect((await bodyOf(response)).creator).toMatchObject({ id: owner.id })
  })

  it('gets neither a refresh token nor an ID token, and all scopes that need no user', async () => {
    const tokens = await bodyOf(await requestTokens(client.send, app, GRANT))
    expect(tokens).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'read:account write:account read:planets write:planets read:events read:user:events write:events',
    })
  })

  it.each(['openid', 'profile', 'email', 'offline_access', 'read:planets openid'])(
    'cannot request a scope that needs a user: %s',
    async (scope) => {
      await expectError(await requestTokens(client.send, app, { ...GRANT, scope }), 400, 'invalid_scope')
    },
  )

  it('gets the requested scopes, up to those of its registration', async () => {
    const reader = await register({ scope: 'read:planets read:account' })
    const request = (scope: string) => requestTokens(client.send, reader, { ...GRANT, scope })
    expect((await bodyOf(await request('read:planets'))).scope).toBe('read:planets')
    await expectError(await request('write:planets'), 400, 'invalid_scope')
  })

  it('gets no token without a scope', async () => {
    const login = await register({ scope: 'openid profile' })
    await expectError(await requestTokens(client.send, login, GRANT), 400, 'invalid_scope')
  })

  it('gets no token while its owner is suspended, and earlier ones do not work', async () => {
    const { access_token } = await bodyOf(await requestTokens(client.send, app, GRANT))
    await suspend()
    await expectError(await requestTokens(client.send, app, GRANT), 400, 'invalid_grant')
    expect((await client.get('/me', bearer(access_token))).status).toBe(403)
  })

  it('no longer acts as an owner who changes the password, with old tokens or new ones', async () => {
    const { access_token } = await bodyOf(await requestTokens(client.send, app, GRANT))
    const change = { currentPassword: owner.password, newPassword: 'another horse' }
    expect((await client.sendJson('PUT', '/me/password', change, owner)).status).toBe(204)
    expect((await client.get('/me', bearer(access_token))).status).toBe(401)
    await expectError(await requestTokens(client.send, app, GRANT), 400, 'invalid_grant')
  })

  it('ends, with its tokens, when its owner deletes it', async () => {
    const { access_token } = await bodyOf(await requestTokens(client.send, app, GRANT))
    const deletion = { method: 'DELETE', headers: bearer(owner.token) }
    expect((await client.send(`/me/clients/${app.id}`, deletion)).status).toBe(204)
    expect((await client.get('/me', bearer(access_token))).status).toBe(401)
    await expectError(await requestTokens(client.send, app, GRANT), 401, 'invalid_client')
  })
})

describe('tokens without a user', () => {
  it('are not for a public client, even with an owner', async () => {
    const open = await registerClient(client.send)
    await expectError(await requestTokens(client.send, open, GRANT), 400, 'unauthorized_client')
    const owned = await registerClient(
      client.send,
      { token_endpoint_auth_method: 'none' },
      bearer(owner.token).Authorization,
    )
    await expectError(await requestTokens(client.send, owned, GRANT), 400, 'unauthorized_client')
  })

  it('are not for a client that is registered for the consent of users', async () => {
    const web = await registerClient(client.send, {}, bearer(owner.token).Authorization)
    await expectError(await requestTokens(client.send, web, GRANT), 400, 'unauthorized_client')
    const visitor = await createAccount(client)
    const { access_token } = await getTokens(client.send, visitor, web)
    expect(await bodyOf(await client.get('/me', bearer(access_token)))).toMatchObject({ id: visitor.id })
  })
})
