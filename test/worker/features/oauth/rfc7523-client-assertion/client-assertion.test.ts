import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Account, bodyOf, CHALLENGE, type Client, createAccount, ORIGIN } from '../../../../support/app.ts'
import { getCode, PKCE, REDIRECT_URI, registerClient, sendForm } from '../../../../support/oauth.ts'
import { basic, bearer, Clock, createProvider, expectError } from '../support.ts'

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const GRANT = { grant_type: 'client_credentials' }
type Claims = Record<string, unknown>

let clock: Clock
let client: Client
let account: Account
let keys: CryptoKeyPair
let app: string

beforeAll(async () => {
  keys = (await generateKeyPair('ES256', { extractable: true })) as CryptoKeyPair
  const provider = createProvider()
  account = await createAccount(provider)
  app = (await registerWithKey(provider, keys)).id
})

beforeEach(() => {
  clock = new Clock()
  client = createProvider({ now: clock.now })
})

async function registerWithKey({ send }: Client, { publicKey }: CryptoKeyPair, more: object = {}) {
  const metadata = {
    token_endpoint_auth_method: 'private_key_jwt',
    grant_types: ['client_credentials', 'authorization_code'],
    jwks: { keys: [await exportJWK(publicKey)] },
    ...more,
  }
  return await registerClient(send, metadata, bearer(account.token).Authorization)
}

const seconds = () => Math.floor(clock.ms / 1000)

/** An assertion that is valid except for the given claims. */
function makeAssertion(claims: Claims = {}, key: CryptoKey = keys.privateKey, alg = 'ES256'): Promise<string> {
  const good = { iss: app, sub: app, aud: ORIGIN, jti: crypto.randomUUID(), iat: seconds(), exp: seconds() + 60 }
  return new SignJWT({ ...good, ...claims } as JWTPayload).setProtectedHeader({ alg }).sign(key)
}

const send = (client_assertion: string | undefined, more: Record<string, string | undefined> = {}, headers = {}) =>
  sendForm(client.send, '/oauth/token', { ...GRANT, client_assertion, client_assertion_type: TYPE, ...more }, headers)

describe('an assertion', () => {
  it.each<[string, () => Claims]>([
    ['to the issuer', () => ({})],
    ['to the token endpoint', () => ({ aud: `${ORIGIN}/oauth/token` })],
    ['to several audiences, one of them right', () => ({ aud: ['https://else.test', ORIGIN] })],
    ['valid for an hour', () => ({ exp: seconds() + 3600 })],
    ['that has expired within the allowed clock skew', () => ({ exp: seconds() - 29 })],
  ])('authenticates the client: one %s', async (_, claims) => {
    expect((await send(await makeAssertion(claims()))).status).toBe(200)
  })

  it.each<[string, () => Claims]>([
    ['to another audience', () => ({ aud: 'https://else.test' })],
    ['without an audience', () => ({ aud: undefined })],
    ['to another endpoint of the service', () => ({ aud: `${ORIGIN}/oauth/authorize` })],
    ['to this service, almost', () => ({ aud: `${ORIGIN}/` })],
    ['from another issuer', () => ({ iss: 'someone-else' })],
    ['without an issuer', () => ({ iss: undefined })],
    ['for an unknown client', () => ({ sub: 'nobody', iss: 'nobody' })],
    ['that has expired', () => ({ exp: seconds() - 30 })],
    ['that never expires', () => ({ exp: undefined })],
    ['valid for more than an hour', () => ({ exp: seconds() + 3601 })],
    ['that is not valid yet', () => ({ nbf: seconds() + 60 })],
    ['without an id', () => ({ jti: undefined })],
    ['with an empty id', () => ({ jti: '' })],
    ['with an id that is not a string', () => ({ jti: 7 })],
    ['with a subject that is not a string', () => ({ sub: { id: app } })],
    ['without a subject', () => ({ sub: undefined })],
  ])('is rejected: one %s', async (_, claims) => {
    const response = await send(await makeAssertion(claims()))
    expect(response.headers.get('WWW-Authenticate')).toBe(CHALLENGE)
    await expectError(response, 401, 'invalid_client')
  })

  it('is rejected if it is signed by another key, also by one of another client', async () => {
    const other = (await generateKeyPair('ES256', { extractable: true })) as CryptoKeyPair
    await registerWithKey(client, other)
    await expectError(await send(await makeAssertion({}, other.privateKey)), 401, 'invalid_client')
  })

  it('is rejected without a signature, and with the public key as a secret', async () => {
    const [, claims = ''] = (await makeAssertion()).split('.')
    const header = btoa(JSON.stringify({ alg: 'none' })).replaceAll('=', '')
    await expectError(await send(`${header}.${claims}.`), 401, 'invalid_client')
    const { x = '' } = await exportJWK(keys.publicKey)
    const hmac = { name: 'HMAC', hash: 'SHA-256' }
    const secret = await crypto.subtle.importKey('raw', new TextEncoder().encode(x), hmac, false, ['sign'])
    await expectError(await send(await makeAssertion({}, secret, 'HS256')), 401, 'invalid_client')
  })

  it.each(['', 'x', 'a.b.c', '..'])('is rejected if it is malformed: %j', async (text) => {
    const response = await send(text, { client_id: app })
    await expectError(response, 401, 'invalid_client')
  })

  it('works once, also if it is sent many times at the same moment', async () => {
    const assertion = await makeAssertion()
    const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await send(assertion)).status))
    expect(statuses.sort()).toEqual([200, 401, 401, 401, 401])
    clock.pass(80)
    await expectError(await send(assertion), 401, 'invalid_client')
  })

  it('with a used id is rejected, whatever its other claims; ids of other clients do not matter', async () => {
    const jti = crypto.randomUUID()
    expect((await send(await makeAssertion({ jti }))).status).toBe(200)
    await expectError(await send(await makeAssertion({ jti, exp: seconds() + 120 })), 401, 'invalid_client')
    const { id } = await registerWithKey(client, keys)
    expect((await send(await makeAssertion({ jti, iss: id, sub: id }))).status).toBe(200)
  })

  it.each(['RS256', 'PS256', 'EdDSA'])('can be signed with %s', async (alg) => {
    const pair = (await generateKeyPair(alg, { extractable: true })) as CryptoKeyPair
    const { id } = await registerWithKey(client, pair)
    expect((await send(await makeAssertion({ iss: id, sub: id }, pair.privateKey, alg))).status).toBe(200)
  })
})

describe('a client with a key', () => {
  it('authenticates everywhere with an assertion', async () => {
    const form = async () => ({
      client_assertion: await makeAssertion(),
      client_assertion_type: TYPE,
      token: 'unknown',
    })
    expect((await sendForm(client.send, '/oauth/revoke', await form())).status).toBe(200)
    expect(await (await sendForm(client.send, '/oauth/introspect', await form())).json()).toEqual({ active: false })
  })

  it('must not use two authentication methods', async () => {
    const more = { client_id: app, client_secret: 'any' }
    await expectError(await send(await makeAssertion(), more), 400, 'invalid_request')
    await expectError(await send(await makeAssertion(), {}, basic(app, 'any')), 400, 'invalid_request')
  })

  it('can omit client_id in the form, or send the same one as in the assertion', async () => {
    expect((await send(await makeAssertion(), { client_id: app })).status).toBe(200)
    await expectError(await send(await makeAssertion(), { client_id: 'galaxy-reference' }), 400, 'invalid_request')
  })

  it('must send the type of the assertion', async () => {
    const other = { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' }
    await expectError(await send(await makeAssertion(), other), 400, 'invalid_request')
    await expectError(await send(await makeAssertion(), { client_assertion_type: undefined }), 400, 'invalid_request')
  })

  it('cannot authenticate otherwise: neither with its client_id alone nor with a secret', async () => {
    const none = { client_assertion_type: undefined, client_id: app }
    await expectError(await send(undefined, none), 401, 'invalid_client')
    await expectError(await send(undefined, { ...none, client_secret: 'any' }), 401, 'invalid_client')
  })
})

it('a client with a secret cannot authenticate with an assertion', async () => {
  const { id } = await registerClient(
    client.send,
    { grant_types: ['client_credentials'] },
    bearer(account.token).Authorization,
  )
  await expectError(await send(await makeAssertion({ iss: id, sub: id })), 401, 'invalid_client')
})

it('a client with a key gets the tokens of a user with it', async () => {
  const code = await getCode(client.send, account, app)
  const grant = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: PKCE.verifier }
  await expectError(
    await send(undefined, { ...grant, client_assertion_type: undefined, client_id: app }),
    401,
    'invalid_client',
  )
  const { access_token } = await bodyOf(await send(await makeAssertion(), grant))
  expect((await client.get('/me', bearer(access_token))).status).toBe(200)
})
