import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount, ORIGIN } from '../../../../support/app.ts'
import {
  authorizationPath,
  getCode,
  getTokens,
  PKCE,
  REDIRECT_URI,
  type Registered,
  redeemCode,
  registerClient,
  requestTokens,
} from '../../../../support/oauth.ts'
import { bearer, createProvider, expectError, expectRedirectError, registerOwned } from '../support.ts'

const OTHERS = [
  'https://else.test',
  `${ORIGIN}/planets`,
  `${ORIGIN}:8080`,
  `${ORIGIN}.evil.test`,
  'https://galaxy.test',
  'galaxy.test',
  `${ORIGIN}#x`,
  `${ORIGIN}?x`,
]

let client: Client
let account: Account
let app: Registered

beforeAll(async () => {
  client = createProvider()
  account = await createAccount(client)
  app = await registerOwned(client)
})

describe('a client that names the resource of its token', () => {
  it.each([ORIGIN, `${ORIGIN}/`, undefined])('gets a token for this service: %s', async (resource) => {
    const code = await getCode(client.send, account, app.id, { resource })
    const { access_token } = await bodyOf(await redeemCode(client.send, app, code, { resource }))
    expect(decodeJwt(access_token).aud).toBe(ORIGIN)
    expect((await client.get('/me', bearer(access_token))).status).toBe(200)
  })

  it.each(OTHERS)('gets invalid_target at once for another resource: %s', async (resource) => {
    const response = await client.get(authorizationPath(app.id, { resource }))
    expectRedirectError(response, REDIRECT_URI, 'invalid_target')
  })

  it.each(OTHERS)('gets no token for another resource, neither for a code nor for itself: %s', async (resource) => {
    const code = await getCode(client.send, account, app.id)
    await expectError(await redeemCode(client.send, app, code, { resource }), 400, 'invalid_target')
    expect((await redeemCode(client.send, app, code)).status).toBe(200)
    const metadata = { grant_types: ['client_credentials'] }
    const own = await registerClient(client.send, metadata, bearer(account.token).Authorization)
    const grant = { grant_type: 'client_credentials', resource }
    await expectError(await requestTokens(client.send, own, grant), 400, 'invalid_target')
  })

  it('gets no token for another resource by a refresh token, which is still valid after that', async () => {
    const { refresh_token } = await getTokens(client.send, account, app, 'read:account offline_access')
    const refresh = (resource: string) =>
      requestTokens(client.send, app, { grant_type: 'refresh_token', refresh_token, resource })
    await expectError(await refresh('https://else.test'), 400, 'invalid_target')
    expect((await refresh(ORIGIN)).status).toBe(200)
  })

  it('gets a token for this service if it names it several times', async () => {
    const repeated = `&${new URLSearchParams([
      ['resource', ORIGIN],
      ['resource', ''],
      ['resource', `${ORIGIN}/`],
    ])}`
    expect((await client.get(authorizationPath(app.id) + repeated)).status).toBe(200)
    const code = await getCode(client.send, account, app.id)
    expect((await redeemWith(code, [ORIGIN, `${ORIGIN}/`])).status).toBe(200)
  })

  it.each(OTHERS)('gets invalid_target if any of several is another: %s', async (resource) => {
    for (const both of [
      [ORIGIN, resource],
      [resource, ORIGIN],
    ]) {
      const repeated = both.map((value) => `&${new URLSearchParams({ resource: value })}`).join('')
      const response = await client.get(authorizationPath(app.id) + repeated)
      expectRedirectError(response, REDIRECT_URI, 'invalid_target')
      const code = await getCode(client.send, account, app.id)
      await expectError(await redeemWith(code, both), 400, 'invalid_target')
    }
  })
})

/** Redeems a code, with several resources. */
function redeemWith(code: string, resources: readonly string[]): Promise<Response> {
  const parameters = { grant_type: 'authorization_code', client_id: app.id, code, redirect_uri: REDIRECT_URI }
  const body = new URLSearchParams({ ...parameters, code_verifier: PKCE.verifier })
  for (const resource of resources) body.append('resource', resource)
  return client.send('/oauth/token', { method: 'POST', body })
}

it('no other parameter of a token request may be repeated', async () => {
  const body = new URLSearchParams({ grant_type: 'authorization_code', client_id: app.id, scope: 'openid' })
  body.append('scope', 'openid')
  await expectError(await client.send('/oauth/token', { method: 'POST', body }), 400, 'invalid_request')
})
