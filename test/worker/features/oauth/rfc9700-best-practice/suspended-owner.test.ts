import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { openD1 } from '../../../../../src/db/port.ts'
import { type Account, authorization, bodyOf, type Client, createAccount } from '../../../../support/app.ts'
import {
  authorizationPath,
  getCode,
  getTokens,
  REDIRECT_URI,
  type Registered,
  redeemCode,
  registerClient,
  requestTokens,
  sendForm,
  signIn,
  type Tokens,
} from '../../../../support/oauth.ts'
import { letRivalWriteFirst } from '../../../../support/rival-writers.ts'
import { basic, bearer, createProvider, expectError } from '../support.ts'

// Ada owns an application, and Bob has allowed it something. The operator suspends Ada.

const SCOPE = 'read:account write:account write:planets openid offline_access'
const ACTING = { grant_types: ['client_credentials'], redirect_uris: [] }
const OWN = { grant_type: 'client_credentials', scope: 'read:account write:account' }

let interrupt = async () => {}
let client: Client
let ada: Account
let bob: Account
let app: Registered
let tokens: Tokens

beforeEach(async () => {
  interrupt = async () => {}
  client = createProvider(letRivalWriteFirst(openD1(env.DB), /insert into "(planets|grants)"/, () => interrupt()))
  ada = await createAccount(client)
  bob = await createAccount(client)
  app = await registerClient(client.send, {}, bearer(ada.token).Authorization)
  tokens = await getTokens(client.send, bob, app, SCOPE)
})

const setSuspended = (at: number | null) =>
  env.DB.prepare('update users set suspended_at = ? where id = ?').bind(at, ada.id).run()
const statusOf = async (headers: Record<string, string>) => (await client.get('/me', headers)).status
const refresh = () =>
  requestTokens(client.send, app, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
const introspect = async () =>
  await bodyOf(
    await sendForm(client.send, '/oauth/introspect', { token: tokens.access_token }, basic(app.id, app.secret ?? '')),
  )

/** @returns The header that sends the credential */
async function makeKey(credential: Record<string, string>): Promise<Record<string, string>> {
  const { key } = await bodyOf(await client.send('/me/api-keys', { method: 'POST', headers: credential }))
  return { 'X-API-Key': key }
}

describe('a client whose owner is suspended', () => {
  it('loses the access tokens from other users, also after the suspension ends', async () => {
    await setSuspended(1)
    const response = await client.get('/me', bearer(tokens.access_token))
    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toContain('error="invalid_token"')
    expect((await client.get('/oauth/userinfo', bearer(tokens.access_token))).status).toBe(401)
    await setSuspended(null)
    expect(await statusOf(bearer(tokens.access_token))).toBe(401)
    expect(await introspect()).toEqual({ active: false })
  })

  it('gets no token for a code or a refresh token, and can ask its users again after the suspension', async () => {
    const code = await getCode(client.send, bob, app.id)
    await setSuspended(1)
    await expectError(await redeemCode(client.send, app, code), 400, 'invalid_grant')
    await expectError(await refresh(), 400, 'invalid_grant')
    await setSuspended(null)
    await expectError(await redeemCode(client.send, app, code), 400, 'invalid_grant')
    await expectError(await refresh(), 400, 'invalid_grant')
    const again = await getTokens(client.send, bob, app, SCOPE)
    expect(await statusOf(bearer(again.access_token))).toBe(200)
  })

  it('writes nothing by a request that was in progress', async () => {
    const bench = { ...bob, token: tokens.access_token }
    interrupt = async () => void (await setSuspended(1))
    expect((await client.sendJson('POST', '/planets', { name: 'Late' }, bench)).status).toBe(401)
    expect(
      await env.DB.prepare('select count(*) from planets where creator_id = ?').bind(bob.id).first('count(*)'),
    ).toBe(0)
  })

  it('gets nothing if its owner is suspended while the user’s consent is stored', async () => {
    const live = () =>
      env.DB.prepare('select count(*) from grants where ended_at is null and client_id = ?')
        .bind(app.id)
        .first('count(*)')
    const browser = await signIn(client.send, bob, app.id)
    interrupt = async () => void (await setSuspended(1))
    await browser.open(authorizationPath(app.id, { prompt: 'consent' }))
    const sent = await browser.submit({ decision: 'allow' })
    expect(sent?.searchParams.has('code') ?? false).toBe(false)
    expect(await live()).toBe(0)
  })

  it('loses the keys and clients that it has created for its users; the users’ own keys stay valid', async () => {
    const made = await makeKey(bearer(tokens.access_token))
    const next = await makeKey(made)
    const own = await makeKey(authorization(bob))
    const inner = await registerClient(client.send, ACTING, bearer(tokens.access_token).Authorization)
    const innerTokens = await bodyOf(await requestTokens(client.send, inner, OWN))
    const innerKey = await makeKey(bearer(innerTokens.access_token))
    await setSuspended(1)
    await setSuspended(null)
    const credentials = [made, next, bearer(innerTokens.access_token), innerKey, own]
    expect(await Promise.all(credentials.map(statusOf))).toEqual([401, 401, 401, 401, 200])
    await expectError(await requestTokens(client.send, inner, OWN), 401, 'invalid_client')
  })

  it('does not affect what its user has granted to others', async () => {
    const other = await registerClient(client.send, {}, bearer(bob.token).Authorization)
    const { access_token } = await getTokens(client.send, bob, other)
    const nobodys = await getTokens(client.send, bob, await registerClient(client.send))
    await setSuspended(1)
    expect([await statusOf(bearer(access_token)), await statusOf(bearer(nobodys.access_token))]).toEqual([200, 200])
  })

  it('rejects its owner only until the suspension ends', async () => {
    const { access_token } = await getTokens(client.send, ada, app)
    await setSuspended(1)
    expect(await statusOf(bearer(access_token))).toBe(403)
    await setSuspended(null)
    expect(await statusOf(bearer(access_token))).toBe(200)
  })

  it('gets no browser without a question, not even by a logout', async () => {
    const metadata = { post_logout_redirect_uris: [REDIRECT_URI] }
    const leaving = await registerClient(client.send, metadata, bearer(ada.token).Authorization)
    const { id_token: hint } = await getTokens(client.send, ada, leaving, 'openid')
    const query = new URLSearchParams({ id_token_hint: hint ?? '', post_logout_redirect_uri: REDIRECT_URI })
    const open = async () => (await client.send(`/oauth/end-session?${query}`, { redirect: 'manual' })).status
    expect(await open()).toBe(303)
    await setSuspended(1)
    expect(await open()).toBe(200)
  })
})
