import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { KEY_SCOPES } from '../../../../../src/domain/scopes.ts'
import { type Account, bodyOf, type Client, createAccount, ORIGIN } from '../../../../support/app.ts'
import {
  allow,
  authorizationPath,
  REDIRECT_URI,
  type Registered,
  registerClient,
  requestTokens,
} from '../../../../support/oauth.ts'
import { bearer, createProvider, expectError, expectRedirectError, registerOwned, sendFrom } from '../support.ts'

const IMPLICIT = { response_type: 'token', code_challenge: undefined, code_challenge_method: undefined }

/** The provider with the legacy flows, and with the default configuration. */
let on: Client
let off: Client
let account: Account
let implicitApp: Registered
let passwordApp: Registered

beforeAll(async () => {
  on = createProvider({ config: { legacyFlows: true } })
  off = createProvider({ config: { legacyFlows: false } })
  account = await createAccount(on)
  implicitApp = await registerOwned(on, { grant_types: ['implicit'] })
  passwordApp = await registerClient(on.send, { grant_types: ['password'], redirect_uris: [] })
})

const requestByPassword = (parameters: Record<string, string> = {}, send = sendFrom(on)) => {
  const { email: username, password } = account
  return requestTokens(send, passwordApp, { grant_type: 'password', username, password, ...parameters })
}

describe('if the operator has not switched them on', () => {
  it.each([['implicit'], ['password']])('nobody can register for %s', async (type) => {
    const body = { redirect_uris: [REDIRECT_URI], grant_types: [type] }
    await expectError(await off.sendJson('POST', '/oauth/register', body), 400, 'invalid_client_metadata')
  })

  it('a client from before is rejected', async () => {
    const response = await off.get(authorizationPath(implicitApp.id, IMPLICIT))
    expectRedirectError(response, REDIRECT_URI, 'unsupported_response_type')
    const { email: username, password } = account
    const request = { grant_type: 'password', username, password }
    await expectError(await requestTokens(off.send, passwordApp, request), 400, 'unsupported_grant_type')
  })
})

describe('the implicit flow, switched on', () => {
  it('returns an access token in the fragment, and no refresh token', async () => {
    const { hash, search } = await allow(on.send, account, implicitApp.id, IMPLICIT)
    expect(search).toBe('')
    const answer = Object.fromEntries(new URLSearchParams(hash.slice(1)))
    expect(answer).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: '3600',
      scope: 'read:account',
      state: 'here',
      iss: ORIGIN,
    })
    expect(await bodyOf(await on.get('/me', bearer(answer.access_token ?? '')))).toMatchObject({ id: account.id })
  })

  it.each<[string, Record<string, string | undefined>, string]>([
    ['scopes that it cannot grant', { scope: 'openid offline_access' }, 'invalid_scope'],
    ['an unknown scope', { scope: 'everything' }, 'invalid_scope'],
    ['response_mode=query', { response_mode: 'query' }, 'invalid_request'],
    ['prompt=none', { prompt: 'none' }, 'login_required'],
  ])('reports %s to the client in the fragment', async (_, parameters, error) => {
    const response = await on.get(authorizationPath(implicitApp.id, { ...IMPLICIT, ...parameters }))
    const { hash, search } = expectRedirectError(response, REDIRECT_URI, error)
    expect([search, new URLSearchParams(hash.slice(1)).get('state')]).toEqual(['', 'here'])
  })

  it('grants neither openid nor offline_access, whatever the client is registered for', async () => {
    const { hash } = await allow(on.send, account, implicitApp.id, { ...IMPLICIT, scope: undefined })
    const scopes = new URLSearchParams(hash.slice(1)).get('scope')?.split(' ')
    expect(scopes).toEqual([...KEY_SCOPES, 'profile', 'email'])
  })

  it('is rejected for a client that is not registered for it', async () => {
    const { id } = await registerOwned(on)
    expectRedirectError(await on.get(authorizationPath(id, IMPLICIT)), REDIRECT_URI, 'unauthorized_client')
  })
})

describe('the password grant, switched on', () => {
  it('returns an access token for the password of a user, and no refresh token', async () => {
    const tokens = await bodyOf(await requestByPassword({ scope: 'read:account' }))
    expect(tokens).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'read:account',
    })
    expect(await bodyOf(await on.get('/me', bearer(tokens.access_token)))).toMatchObject({ id: account.id })
    await expectError(await requestByPassword({ scope: 'offline_access' }), 400, 'invalid_scope')
  })

  it.each<[string, Record<string, string>, string]>([
    ['a wrong password', { password: 'guess' }, 'invalid_grant'],
    ['an unknown user', { username: 'nobody@galaxy.test' }, 'invalid_grant'],
    ['no password', { password: '' }, 'invalid_request'],
    ['no user', { username: '' }, 'invalid_request'],
    ['an unknown scope', { scope: 'everything' }, 'invalid_scope'],
  ])('rejects %s', async (_, parameters, error) => {
    await expectError(await requestByPassword(parameters), 400, error)
  })

  // HMAC pads a password with U+0000, so its hash is the same with and without.
  it('rejects the password followed by U+0000', async () => {
    const response = await requestByPassword({ password: `${account.password}\0` })
    expect([response.status, Object.keys(await bodyOf(response))]).toEqual([400, ['error', 'error_description']])
  })

  it('rejects the right password of a suspended account', async () => {
    const { id, email: username, password } = await createAccount(on)
    await env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(id).run()
    await expectError(await requestByPassword({ username, password }), 400, 'invalid_grant')
  })

  it('stops an address that guesses, with the counter that the whole service shares', async () => {
    const guarded = createProvider({ config: { legacyFlows: true, passwordAttempts: 3 } })
    const send = sendFrom(guarded)
    for (let i = 0; i < 3; i++)
      await expectError(await requestByPassword({ password: 'x' }, send), 400, 'invalid_grant')
    const stopped = await requestByPassword({}, send)
    expect(Number(stopped.headers.get('Retry-After'))).toBeGreaterThan(0)
    await expectError(stopped, 429, 'temporarily_unavailable')
    const headers = { 'Content-Type': 'application/json' }
    const token = await send('/auth/token', { method: 'POST', body: JSON.stringify(account), headers })
    expect(token.status).toBe(429)
    expect((await requestByPassword({}, sendFrom(guarded))).status).toBe(200)
  })
})
