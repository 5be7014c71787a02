import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount } from '../../../../support/app.ts'
import {
  authorizationPath,
  getCode,
  PKCE,
  REDIRECT_URI,
  type Registered,
  redeemCode,
  registerClient,
} from '../../../../support/oauth.ts'
import { bearer, createProvider, expectError, expectRedirectError, registerOwned } from '../support.ts'

const CHALLENGED = { code_challenge: PKCE.challenge, code_challenge_method: 'S256' }

let client: Client
let account: Account
let app: Registered
let confidentialApp: Registered

beforeAll(async () => {
  client = createProvider()
  account = await createAccount(client)
  app = await registerOwned(client)
  confidentialApp = await registerClient(client.send, {}, bearer(account.token).Authorization)
})

/** S256 of section 4.2, computed without the code of the service. */
async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Sends a request with the challenge of one verifier, and redeems the code with another verifier. */
async function exchange(verifier: string, sent: string | undefined = verifier): Promise<Response> {
  const code = await getCode(client.send, account, app.id, { code_challenge: await challengeOf(verifier) })
  return await redeemCode(client.send, app, code, { code_verifier: sent })
}

describe('an authorization request', () => {
  it.each<[string, Record<string, string | undefined>]>([
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['a method and no challenge', { code_challenge: undefined }],
    ['an empty challenge', { code_challenge: '' }],
    ['no method, which means plain', { code_challenge_method: undefined }],
    ['the method plain', { code_challenge_method: 'plain', code_challenge: PKCE.verifier }],
    ['the method in lower case', { code_challenge_method: 's256' }],
    ['an unknown method', { code_challenge_method: 'S512' }],
    ['a challenge of 42 characters', { code_challenge: PKCE.challenge.slice(1) }],
    ['a challenge of 44 characters', { code_challenge: `${PKCE.challenge}x` }],
    ['a challenge with padding', { code_challenge: `${PKCE.challenge}=` }],
    ['a challenge in plain base64', { code_challenge: PKCE.challenge.replace('-', '+') }],
  ])('is rejected with %s, from a public and from a confidential client', async (_, parameters) => {
    for (const { id } of [app, confidentialApp]) {
      const response = await client.get(authorizationPath(id, parameters))
      expectRedirectError(response, REDIRECT_URI, 'invalid_request')
    }
  })
})

describe('a code', () => {
  it('is redeemed with the verifier of appendix B', async () => {
    expect(await challengeOf(PKCE.verifier)).toBe(PKCE.challenge)
    expect((await exchange(PKCE.verifier)).status).toBe(200)
  })

  it.each<[string, string | undefined]>([
    ['no verifier', undefined],
    ['an empty verifier', ''],
    ['another verifier', 'x'.repeat(43)],
    ['the challenge as the verifier', PKCE.challenge],
    ['the verifier with one more character', `${PKCE.verifier}x`],
    ['the verifier in another case', PKCE.verifier.toUpperCase()],
    ['the verifier with a line end', `${PKCE.verifier}\n`],
  ])('is rejected with %s', async (_, verifier) => {
    const code = await getCode(client.send, account, app.id)
    await expectError(await redeemCode(client.send, app, code, { code_verifier: verifier }), 400, 'invalid_grant')
  })

  it('of a confidential client is rejected without its verifier', async () => {
    const code = await getCode(client.send, account, confidentialApp.id)
    const response = await redeemCode(client.send, confidentialApp, code, { code_verifier: undefined })
    await expectError(response, 400, 'invalid_grant')
  })

  it.each([
    [42, 400],
    [43, 200],
    [128, 200],
    [129, 400],
  ])('with a verifier of %d characters is answered with %d', async (length, status) => {
    expect((await exchange('v'.repeat(length))).status).toBe(status)
  })

  it('accepts every character that a verifier may contain', async () => {
    expect((await exchange(`-._~${'abcdefghijklmnopqrstuvwxyz'.repeat(2)}ABCXYZ0189`)).status).toBe(200)
  })

  it.each(['+', '/', '=', ' ', '%', 'é', '\0'])('rejects a verifier with another character: %j', async (character) => {
    expect((await exchange(`${character}${'v'.repeat(50)}`)).status).toBe(400)
  })

  it('is redeemed with its own verifier, not that of another code', async () => {
    const verifier = 'w'.repeat(64)
    const other = await getCode(client.send, account, app.id, { code_challenge: await challengeOf(verifier) })
    await expectError(await redeemCode(client.send, app, other), 400, 'invalid_grant')
  })
})

describe('a confidential client that asks for openid with a nonce (RFC 9700, section 2.1.1)', () => {
  const WITHOUT = { code_challenge: undefined, code_challenge_method: undefined }
  const PROTECTED = { ...WITHOUT, scope: 'openid read:account', nonce: 'n-0S6_WzA2Mj' }

  it('needs no challenge, and gets its nonce back', async () => {
    const code = await getCode(client.send, account, confidentialApp.id, PROTECTED)
    const response = await redeemCode(client.send, confidentialApp, code, { code_verifier: undefined })
    expect(response.status).toBe(200)
    expect(decodeJwt((await bodyOf(response)).id_token).nonce).toBe('n-0S6_WzA2Mj')
  })

  it.each<[string, Record<string, string | undefined>]>([
    ['no nonce', { nonce: undefined }],
    ['an empty nonce', { nonce: '' }],
    ['no openid', { scope: 'read:account' }],
    ['no scope', { scope: undefined }],
    ['a method without a challenge', { code_challenge_method: 'S256' }],
    ['an invalid challenge', { code_challenge: 'x', code_challenge_method: 'S256' }],
    ['a challenge without a method', { code_challenge: PKCE.challenge }],
  ])('is rejected with %s', async (_, parameters) => {
    const response = await client.get(authorizationPath(confidentialApp.id, { ...PROTECTED, ...parameters }))
    expectRedirectError(response, REDIRECT_URI, 'invalid_request')
  })

  it('must redeem a challenge that it sends all the same', async () => {
    const code = await getCode(client.send, account, confidentialApp.id, { ...PROTECTED, ...CHALLENGED })
    const response = await redeemCode(client.send, confidentialApp, code, { code_verifier: undefined })
    await expectError(response, 400, 'invalid_grant')
    expect((await redeemCode(client.send, confidentialApp, code)).status).toBe(200)
  })

  it.each([PKCE.verifier, 'x'])('cannot redeem a code without a challenge with a verifier: %s', async (verifier) => {
    const code = await getCode(client.send, account, confidentialApp.id, PROTECTED)
    const response = await redeemCode(client.send, confidentialApp, code, { code_verifier: verifier })
    await expectError(response, 400, 'invalid_grant')
  })

  it('must authenticate: a public client is rejected', async () => {
    const response = await client.get(authorizationPath(app.id, PROTECTED))
    expectRedirectError(response, REDIRECT_URI, 'invalid_request')
  })
})
