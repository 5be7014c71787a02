import { env } from 'cloudflare:workers'
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount, ORIGIN } from '../../../../support/app.ts'
import {
  authorizationPath,
  getCode,
  getTokens,
  type Registered,
  redeemCode,
  registerClient,
  requestTokens,
  signIn,
} from '../../../../support/oauth.ts'
import { bearer, type Clock, createProvider, idTokenClaims, openTimed } from '../support.ts'

let clock: Clock
let client: Client
let account: Account
let app: Registered

beforeEach(async () => {
  ;({ clock, client, account } = await openTimed())
  app = await registerClient(client.send)
})

async function getIdToken(parameters: Record<string, string | undefined> = {}) {
  const code = await getCode(client.send, account, app.id, { scope: 'openid', ...parameters })
  return await bodyOf(await redeemCode(client.send, app, code))
}

/** The left half of the SHA-256 of a token, computed without the code of the service (section 3.1.3.6). */
async function halfHash(token: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
  const half = btoa(String.fromCharCode(...new Uint8Array(digest).slice(0, 16)))
  return half.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

describe('an ID token', () => {
  it('comes with the scope openid, and not without it', async () => {
    expect(await getIdToken()).toHaveProperty('id_token')
    expect(await getIdToken({ scope: 'profile email' })).not.toHaveProperty('id_token')
  })

  it('tells the client who has signed in, and when, and nothing else', async () => {
    const { id_token, access_token } = await getIdToken({ nonce: 'n-0S6_WzA2Mj' })
    expect(decodeJwt(id_token)).toEqual({
      ...idTokenClaims(clock, account, app.id),
      nonce: 'n-0S6_WzA2Mj',
      at_hash: await halfHash(access_token),
    })
  })

  it.each<[string, object]>([
    ['profile', { name: 'Ada' }],
    ['email', { email: expect.stringContaining('@'), email_verified: false }],
    ['profile email', { name: 'Ada', email: expect.stringContaining('@'), email_verified: false }],
  ])(
    'has the claims that the scope %s allows, the same as /oauth/userinfo, after a refresh too',
    async (scope, told) => {
      const { id_token, access_token, refresh_token } = await getIdToken({ scope: `openid offline_access ${scope}` })
      const next = await bodyOf(await requestTokens(client.send, app, { grant_type: 'refresh_token', refresh_token }))
      const userInfo = await bodyOf(await client.get('/oauth/userinfo', bearer(access_token)))
      expect(userInfo).toEqual({ sub: String(account.id), ...told })
      for (const token of [id_token, next.id_token]) {
        const { sub, name, email, email_verified } = decodeJwt(token)
        expect(JSON.parse(JSON.stringify({ sub, name, email, email_verified }))).toEqual(userInfo)
      }
    },
  )

  it('has no name if the user has none', async () => {
    account = await createAccount(client)
    await env.DB.prepare('update users set name = null where id = ?').bind(account.id).run()
    const { id_token } = await getIdToken({ scope: 'openid profile email' })
    expect(decodeJwt(id_token)).not.toHaveProperty('name')
    expect(decodeJwt(id_token)).toMatchObject({ email: account.email })
  })

  it('has the same claims if it is requested with a password (legacy)', async () => {
    const legacy = createProvider({ config: { legacyFlows: true } })
    const byPassword = await registerClient(legacy.send, { grant_types: ['password'], redirect_uris: [] })
    const { email: username, password } = account
    const request = { grant_type: 'password', username, password, scope: 'openid profile' }
    const { id_token } = await bodyOf(await requestTokens(legacy.send, byPassword, request))
    expect(decodeJwt(id_token)).toMatchObject({ sub: String(account.id), name: 'Ada' })
  })

  it('can be verified by its client', async () => {
    const { id_token } = await getIdToken()
    const keys = createLocalJWKSet(await bodyOf(await client.get('/.well-known/jwks.json')))
    const rules = { issuer: ORIGIN, audience: app.id, algorithms: ['RS256'] }
    const { protectedHeader } = await jwtVerify(id_token, keys, rules)
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: expect.any(String) })
    await expect(jwtVerify(id_token, keys, { ...rules, audience: 'another' })).rejects.toThrow()
  })

  it.each(['a b&c=d', '🪐', '"><script>', 'x'.repeat(2048)])('returns the nonce unchanged: %j', async (nonce) => {
    const { id_token } = await getIdToken({ nonce })
    expect(decodeJwt(id_token).nonce).toBe(nonce)
  })

  it.each([undefined, ''])('has no nonce if the request has none: %j', async (nonce) => {
    const { id_token } = await getIdToken({ nonce })
    expect(decodeJwt(id_token)).not.toHaveProperty('nonce')
  })

  it('has the time of the sign-in, however long ago that was, and so does the next one', async () => {
    const authTime = Math.floor(clock.ms / 1000)
    const browser = await signIn(client.send, account, app.id)
    clock.pass(1000)
    await browser.open(authorizationPath(app.id, { scope: 'openid offline_access', nonce: 'n' }))
    const code = (await browser.submit({ decision: 'allow' }))?.searchParams.get('code') ?? ''
    const { refresh_token, id_token } = await bodyOf(await redeemCode(client.send, app, code))
    expect(decodeJwt(id_token)).toMatchObject({ auth_time: authTime, iat: authTime + 1000, nonce: 'n' })
    clock.pass(3600)
    const next = await bodyOf(await requestTokens(client.send, app, { grant_type: 'refresh_token', refresh_token }))
    const claims = decodeJwt(next.id_token)
    expect(claims).toMatchObject({ sub: String(account.id), aud: app.id, auth_time: authTime, iat: authTime + 4600 })
    expect(claims).toMatchObject({ at_hash: await halfHash(next.access_token) })
    expect(claims).not.toHaveProperty('nonce')
  })
})

describe('each token works for its own purpose', () => {
  it('an ID token gives no access', async () => {
    const { id_token } = await getIdToken({ scope: 'openid read:account' })
    for (const path of ['/me', '/oauth/userinfo', '/me/api-keys']) {
      const response = await client.get(path, bearer(id_token))
      expect(response.status).toBe(401)
      expect(response.headers.get('WWW-Authenticate')).toContain('error="invalid_token"')
    }
  })

  it('an access token and a token of /auth/token are not ID tokens', async () => {
    const { access_token } = await getTokens(client.send, account, app, 'openid read:account')
    for (const id_token_hint of [access_token, account.token]) {
      const response = await client.get(`/oauth/end-session?${new URLSearchParams({ id_token_hint })}`)
      expect(response.status).toBe(400)
    }
  })
})
