import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, bodyOf, CHALLENGE, type Client, createAccount } from '../../../../support/app.ts'
import { type Registered, registerClient, requestTokens, sendForm } from '../../../../support/oauth.ts'
import { basic, bearer, createProvider, expectError } from '../support.ts'

const OWN_TOKENS = { grant_types: ['client_credentials', 'authorization_code', 'refresh_token'] }
const GRANT = { grant_type: 'client_credentials', scope: 'read:account' }

let client: Client
let account: Account
/** Confidential, with a secret. */
let app: Registered & { secret: string }
let publicApp: Registered

beforeAll(async () => {
  client = createProvider()
  account = await createAccount(client)
  const registered = await registerClient(client.send, OWN_TOKENS, bearer(account.token).Authorization)
  app = { id: registered.id, secret: registered.secret ?? '' }
  publicApp = await registerClient(client.send)
})

const request = (parameters: Record<string, string | undefined>, headers: Record<string, string> = {}) =>
  sendForm(client.send, '/oauth/token', parameters, headers)

describe('a client with a secret', () => {
  it('is told if its name is missing', async () => {
    const response = await request({ ...GRANT, client_secret: app.secret })
    expect(response.status).toBe(401)
    expect(await bodyOf(response)).toMatchObject({
      error: 'invalid_client',
      error_description: 'The parameter client_id is missing.',
    })
  })

  it('authenticates with Basic, both parts encoded as in a form', async () => {
    const encoded = (text: string) => [...text].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('')
    for (const write of [(text: string) => text, encodeURIComponent, encoded]) {
      const credential = btoa(`${write(app.id)}:${write(app.secret)}`)
      expect((await request(GRANT, { Authorization: `Basic ${credential}` })).status).toBe(200)
      expect((await request(GRANT, { Authorization: `basic ${credential}` })).status).toBe(200)
    }
  })

  it('authenticates in the form', async () => {
    expect((await request({ ...GRANT, client_id: app.id, client_secret: app.secret })).status).toBe(200)
  })

  it('can also send its client_id in the form, if it is the same', async () => {
    const headers = basic(app.id, app.secret)
    expect((await request({ ...GRANT, client_id: app.id }, headers)).status).toBe(200)
    await expectError(await request({ ...GRANT, client_id: publicApp.id }, headers), 400, 'invalid_request')
  })

  it('must not use two authentication methods', async () => {
    const { id, secret } = app
    const two = await request({ ...GRANT, client_id: id, client_secret: secret }, basic(id, secret))
    await expectError(two, 400, 'invalid_request')
  })

  it.each<[string, () => Record<string, string>]>([
    ['a wrong secret', () => basic(app.id, 'guess')],
    ['an empty secret', () => basic(app.id, '')],
    ['the secret in another case', () => basic(app.id, app.secret.toUpperCase())],
    ['an unknown name', () => basic('nobody', app.secret)],
    ['no name', () => basic('', app.secret)],
  ])('is rejected with %s in Basic: 401, with a challenge for Basic', async (_, headers) => {
    const response = await request(GRANT, headers())
    expect(response.headers.get('WWW-Authenticate')).toBe('Basic realm="Galaxy", charset="UTF-8"')
    await expectError(response, 401, 'invalid_client')
  })

  it.each<[string, () => Record<string, string>]>([
    ['a wrong secret', () => ({ client_id: app.id, client_secret: 'guess' })],
    ['no secret', () => ({ client_id: app.id })],
    ['an unknown name', () => ({ client_id: 'nobody', client_secret: app.secret })],
  ])('is rejected with %s in the form: 401, without a challenge that opens a dialog', async (_, parameters) => {
    const response = await request({ ...GRANT, ...parameters() })
    expect(response.headers.get('WWW-Authenticate')).toBe(CHALLENGE)
    await expectError(response, 401, 'invalid_client')
  })

  it.each(['%%%', btoa('%zz:%zz'), btoa('\xff\xfe:x'), btoa('no colon'), ''])(
    'is rejected with a malformed header: %s',
    async (text) => {
      await expectError(await request(GRANT, { Authorization: `Basic ${text}` }), 400, 'invalid_request')
    },
  )
})

describe('a public client', () => {
  it('sends its client_id, and has no secret', async () => {
    const parameters = { grant_type: 'refresh_token', refresh_token: 'unknown', client_id: publicApp.id }
    await expectError(await request(parameters), 400, 'invalid_grant')
    await expectError(await request({ ...parameters, client_secret: 'any' }), 401, 'invalid_client')
    await expectError(await request({ ...parameters, client_id: undefined }), 400, 'invalid_request')
  })
})

describe('the token endpoint', () => {
  it.each<[string, Record<string, string | undefined>, string]>([
    ['no grant_type', {}, 'invalid_request'],
    ['an empty grant_type', { grant_type: '' }, 'invalid_request'],
    ['an unknown grant_type', { grant_type: 'urn:example:device' }, 'unsupported_grant_type'],
    ['the password grant, switched off', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['no code', { grant_type: 'authorization_code' }, 'invalid_request'],
    ['an empty code', { grant_type: 'authorization_code', code: '' }, 'invalid_request'],
    ['an unknown code', { grant_type: 'authorization_code', code: 'unknown' }, 'invalid_grant'],
    ['no refresh_token', { grant_type: 'refresh_token' }, 'invalid_request'],
    ['an unknown refresh_token', { grant_type: 'refresh_token', refresh_token: 'unknown' }, 'invalid_grant'],
    ['an unknown scope', { grant_type: 'client_credentials', scope: 'everything' }, 'invalid_scope'],
  ])('answers %s with 400 and its error', async (_, parameters, error) => {
    await expectError(await requestTokens(client.send, app, parameters), 400, error)
  })

  it('rejects a grant that the client is not registered for', async () => {
    await expectError(await requestTokens(client.send, publicApp, GRANT), 400, 'unauthorized_client')
  })

  it.each(['grant_type', 'scope', 'client_id', 'x'])('rejects a repeated %s', async (name) => {
    const body = `grant_type=client_credentials&${name}=a&${name}=b`
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', ...basic(app.id, app.secret) }
    await expectError(await client.send('/oauth/token', { method: 'POST', body, headers }), 400, 'invalid_request')
  })

  it('ignores unknown parameters, and empty ones', async () => {
    const response = await requestTokens(client.send, app, { ...GRANT, x: '1', resource: '', code: '' })
    expect(response.status).toBe(200)
  })

  it('accepts only forms of limited size, by POST', async () => {
    const json = await client.sendJson('POST', '/oauth/token', {
      ...GRANT,
      client_id: app.id,
      client_secret: app.secret,
    })
    await expectError(json, 415, 'invalid_request')
    const get = await client.get(`/oauth/token?${new URLSearchParams(GRANT)}`, basic(app.id, app.secret))
    expect([get.status, get.headers.get('Allow')]).toEqual([405, 'POST, OPTIONS'])
    await expectError(await request({ ...GRANT, x: 'x'.repeat(70_000) }), 413, 'invalid_request')
  })

  it('ignores credentials in the query', async () => {
    const query = new URLSearchParams({ client_id: app.id, client_secret: app.secret })
    await expectError(await sendForm(client.send, `/oauth/token?${query}`, GRANT), 400, 'invalid_request')
  })

  it('returns tokens in JSON that must not be cached', async () => {
    const response = await requestTokens(client.send, app, GRANT)
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(response.headers.get('Pragma')).toBe('no-cache')
    expect(await bodyOf(response)).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'read:account',
    })
  })

  it('answers in JSON whatever the client accepts', async () => {
    const response = await request(GRANT, { ...basic(app.id, 'guess'), Accept: 'application/xml' })
    await expectError(response, 401, 'invalid_client')
  })
})
