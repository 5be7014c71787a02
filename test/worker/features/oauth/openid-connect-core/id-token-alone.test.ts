import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, authorization, bodyOf, type Client, createAccount, ORIGIN } from '../../../../support/app.ts'
import {
  allow,
  authorizationPath,
  REDIRECT_URI,
  type Registered,
  registerClient,
  signIn,
  UserAgent,
} from '../../../../support/oauth.ts'
import { bearer, type Clock, expectRedirectError, idTokenClaims, openTimed, registerOwned } from '../support.ts'

// Section 3.2, with the response type id_token: no code and no access token. The legacy flows are switched off.

type Parameters = Record<string, string | undefined>

const REQUEST: Parameters = {
  response_type: 'id_token',
  scope: 'openid profile email',
  nonce: 'n-0S6_WzA2Mj',
  code_challenge: undefined,
  code_challenge_method: undefined,
}
const CONSENT = '<title>Allow access to your Galaxy account?</title>'

let clock: Clock
let client: Client
let account: Account
/** A confidential client that another user owns. */
let app: Registered

beforeEach(async () => {
  ;({ clock, client, account } = await openTimed())
  const { token } = await createAccount(client)
  app = await registerClient(client.send, { response_types: ['id_token'] }, bearer(token).Authorization)
})

const requestPath = (parameters: Parameters = {}) => authorizationPath(app.id, { ...REQUEST, ...parameters })
const fragmentOf = (url: URL | undefined) => Object.fromEntries(new URLSearchParams(url?.hash.slice(1)))
/** The redirect that the client gets if the user allows it. */
const getAnswer = async (parameters: Parameters = {}) =>
  fragmentOf(await allow(client.send, account, app.id, { ...REQUEST, ...parameters }))

describe('an ID token without a code', () => {
  it('comes in the fragment, with no token or code that gives access', async () => {
    const redirect = await allow(client.send, account, app.id, REQUEST)
    expect(redirect.href.startsWith(`${REDIRECT_URI}#`)).toBe(true)
    expect(fragmentOf(redirect)).toEqual({ id_token: expect.any(String), state: 'here', iss: ORIGIN })
  })

  it('says who has signed in, and what the scopes allow, because there is no /oauth/userinfo without a token', async () => {
    const { id_token = '' } = await getAnswer()
    expect(decodeJwt(id_token)).toEqual({
      ...idTokenClaims(clock, account, app.id),
      nonce: 'n-0S6_WzA2Mj',
      name: 'Ada',
      email: account.email,
      email_verified: false,
    })
    const keys = createLocalJWKSet(await bodyOf(await client.get('/.well-known/jwks.json')))
    await jwtVerify(id_token, keys, { issuer: ORIGIN, audience: app.id, algorithms: ['RS256'] })
  })

  it.each<[string, string[]]>([
    ['openid', []],
    ['openid profile', ['name']],
    ['openid email', ['email', 'email_verified']],
  ])('reveals no more than the scope %s', async (scope, told) => {
    const claims = decodeJwt((await getAnswer({ scope })).id_token ?? '')
    expect(Object.keys(claims).filter((name) => /name|email/.test(name))).toEqual(told)
  })

  it('can be requested with scopes that need a token, which are not granted', async () => {
    const scope = 'openid read:account write:planets offline_access'
    const browser = await signIn(client.send, account, app.id, { ...REQUEST, scope })
    expect(browser.page.match(/<code[^>]*>(?:[a-z]+:[a-z]+|[a-z_]+)<\/code>/g)).toEqual([
      '<code class="soft">openid</code>',
    ])
    expect(Object.keys(fragmentOf(await browser.submit({ decision: 'allow' })))).toEqual(['id_token', 'state', 'iss'])
    const { data } = await bodyOf(await client.get('/me/grants', authorization(account)))
    expect(data).toMatchObject([{ scopes: ['openid'] }])
  })

  it('gives access to nothing', async () => {
    const { id_token = '' } = await getAnswer()
    for (const path of ['/me', '/oauth/userinfo', '/me/api-keys']) {
      expect((await client.get(path, bearer(id_token))).status).toBe(401)
    }
  })

  it('works as a hint at the next sign-in and at the logout', async () => {
    const browser = await signIn(client.send, account, app.id, REQUEST)
    const { id_token = '' } = fragmentOf(await browser.submit({ decision: 'allow' }))
    const another = await allow(client.send, await createAccount(client), app.id, REQUEST)
    const ofAnother = fragmentOf(another).id_token
    const ask = (id_token_hint: string | undefined) => browser.open(requestPath({ prompt: 'none', id_token_hint }))
    expect(fragmentOf(await ask(id_token))).toHaveProperty('id_token')
    expect(fragmentOf(await ask(ofAnother))).toMatchObject({ error: 'login_required' })
    await browser.open(`/oauth/end-session?${new URLSearchParams({ id_token_hint: id_token })}`)
    expect(browser.page).toContain('<h1>You are signed out</h1>')
  })

  it('also works for a client without an owner, after asking the user', async () => {
    const { id } = await registerClient(client.send, { response_types: ['id_token'] })
    const answer = fragmentOf(await allow(client.send, account, id, REQUEST))
    expect(decodeJwt(answer.id_token ?? '')).toMatchObject({ aud: id, sub: String(account.id) })
  })
})

describe('a request for an ID token without a code', () => {
  it.each<[string, Parameters, string]>([
    ['no nonce', { nonce: undefined }, 'invalid_request'],
    ['an empty nonce', { nonce: '' }, 'invalid_request'],
    ['a scope without openid', { scope: 'profile email' }, 'invalid_scope'],
    ['no scope', { scope: undefined }, 'invalid_scope'],
    ['response_mode=query', { response_mode: 'query' }, 'invalid_request'],
    ['an unknown response_mode', { response_mode: 'web_message' }, 'invalid_request'],
    ['prompt=none before a sign-in', { prompt: 'none' }, 'login_required'],
  ])('is rejected with %s, in the fragment', async (_, parameters, error) => {
    const { hash, search } = expectRedirectError(await client.get(requestPath(parameters)), REDIRECT_URI, error)
    expect([search, new URLSearchParams(hash.slice(1)).get('state')]).toEqual(['', 'here'])
  })

  it('is rejected if the client is not registered for it, and so is a code if it is registered only for ID tokens', async () => {
    const { id } = await registerOwned(client)
    const refused = expectRedirectError(
      await client.get(authorizationPath(id, REQUEST)),
      REDIRECT_URI,
      'unauthorized_client',
    )
    expect([refused.search, refused.hash]).toEqual(['', expect.stringContaining('error=')])
    const forCode = await client.get(requestPath({ response_type: 'code' }))
    expect(expectRedirectError(forCode, REDIRECT_URI, 'unauthorized_client').hash).toBe('')
  })

  it('is answered in the fragment if the user denies it', async () => {
    const browser = await signIn(client.send, account, app.id, REQUEST)
    const denied = await browser.submit({ decision: 'deny' })
    expect(fragmentOf(denied)).toMatchObject({ error: 'access_denied', state: 'here', iss: ORIGIN })
    expect(denied?.search).toBe('')
  })

  it('can have a code_challenge, which is for codes', async () => {
    for (const code_challenge of ['x', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM']) {
      expect((await client.get(requestPath({ code_challenge }))).status).toBe(200)
    }
  })
})

describe('a user who has allowed a client an ID token', () => {
  it('is not asked again, also with prompt=none, until the consent is revoked', async () => {
    const browser = await signIn(client.send, account, app.id, REQUEST)
    expect(fragmentOf(await browser.open(requestPath({ prompt: 'none' })))).toMatchObject({ error: 'consent_required' })
    await browser.open(requestPath())
    await browser.submit({ decision: 'allow' })
    for (const prompt of [undefined, 'none']) {
      const { id_token = '' } = fragmentOf(await browser.open(requestPath({ prompt, nonce: 'another' })))
      expect(decodeJwt(id_token)).toMatchObject({ sub: String(account.id), nonce: 'another', name: 'Ada' })
    }
    const headers = authorization(account)
    expect((await client.send(`/me/consents/${app.id}`, { method: 'DELETE', headers })).status).toBe(204)
    expect(fragmentOf(await browser.open(requestPath({ prompt: 'none' })))).toMatchObject({ error: 'consent_required' })
  })

  it('sees the grant as long as the ID token is valid', async () => {
    await getAnswer()
    const grants = async () => (await bodyOf(await client.get('/me/grants', authorization(account)))).data
    expect(await grants()).toMatchObject([
      { scopes: ['openid', 'profile', 'email'], expiresAt: new Date(clock.ms + 3_600_000).toISOString() },
    ])
  })

  it('is asked again for the ID token in another browser', async () => {
    await getAnswer()
    const browser = new UserAgent(client.send)
    expect(fragmentOf(await browser.open(requestPath({ prompt: 'none' })))).toMatchObject({ error: 'login_required' })
    await browser.open(requestPath())
    expect(browser.page).not.toContain(CONSENT)
  })
})
