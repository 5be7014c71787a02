import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount, ORIGIN } from '../../../../support/app.ts'
import {
  authorizeDevice,
  DEVICE_GRANT,
  getDeviceCodes,
  registerClient,
  registerDevice,
  sendForm,
} from '../../../../support/oauth.ts'
import { wellKnownUrl } from '../../../../support/world.ts'
import { basic, bearer, Clock, createProvider, expectError, sendFrom } from '../support.ts'

const HOUR_SECONDS = 3600

let clock: Clock
let client: Client
let account: Account

beforeEach(async () => {
  clock = new Clock()
  client = createProvider({ now: clock.now })
  account = await createAccount(client)
})

describe('a request for a code', () => {
  it('gets both codes, the address of the page, their lifetime and the interval', async () => {
    const response = await authorizeDevice(client.send, await registerDevice(client.send))
    expect(response.status).toBe(200)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(response.headers.get('Content-Type')).toBe('application/json')
    const codes = await bodyOf(response)
    expect(codes).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${ORIGIN}/device`,
      verification_uri_complete: `${ORIGIN}/device?user_code=${codes.user_code}`,
      expires_in: 600,
      interval: 5,
    })
  })

  it('gets other codes each time, and every letter occurs', async () => {
    const app = await registerDevice(client.send)
    const codes = await Promise.all(Array.from({ length: 40 }, () => getDeviceCodes(client.send, app)))
    expect(new Set(codes.map(({ device_code }) => device_code)).size).toBe(40)
    expect(new Set(codes.map(({ user_code }) => user_code)).size).toBe(40)
    // With 320 letters, one of 20 is missing once in 700,000 runs.
    expect(new Set(codes.flatMap(({ user_code }) => [...user_code])).size).toBe(21)
  })

  it('may come from a page of another origin', async () => {
    const { id } = await registerDevice(client.send)
    const origin = { Origin: 'https://television.test' }
    const response = await sendForm(client.send, '/oauth/device', { client_id: id }, origin)
    expect([response.status, response.headers.get('Access-Control-Allow-Origin')]).toEqual([200, '*'])
  })

  it('gets codes that last as long as the operator says', async () => {
    const brief = createProvider({ config: { deviceCodeSeconds: 30 } })
    expect(await getDeviceCodes(brief.send, await registerDevice(brief.send))).toMatchObject({ expires_in: 30 })
  })
})

describe('a client', () => {
  it.each([['client_secret_basic'], ['client_secret_post']])('authenticates as for a token: %s', async (method) => {
    const metadata = { token_endpoint_auth_method: method }
    const app = await registerDevice(client.send, metadata, bearer(account.token).Authorization)
    const secret = app.secret ?? ''
    const [inHeader, inForm] = [basic(app.id, secret), { client_id: app.id, client_secret: secret }]
    expect((await sendForm(client.send, '/oauth/device', {}, inHeader)).status).toBe(200)
    expect((await sendForm(client.send, '/oauth/device', inForm)).status).toBe(200)
    await expectError(await sendForm(client.send, '/oauth/device', { client_id: app.id }), 401, 'invalid_client')
    const wrong = await sendForm(client.send, '/oauth/device', {}, basic(app.id, 'wrong'))
    await expectError(wrong, 401, 'invalid_client')
    expect(wrong.headers.get('WWW-Authenticate')).toMatch(/^Basic /)
  })

  it.each<[string, Record<string, string>, number, string]>([
    ['no client', {}, 400, 'invalid_request'],
    ['an unknown client', { client_id: 'nobody' }, 401, 'invalid_client'],
  ])('is refused as there: %s', async (_, parameters, status, error) => {
    await expectError(await sendForm(client.send, '/oauth/device', parameters), status, error)
  })

  it.each<[string, Record<string, string>, string]>([
    ['an unknown scope', { scope: 'fly' }, 'invalid_scope'],
    ['a scope that it has not registered', { scope: 'write:account' }, 'invalid_scope'],
    ['another resource', { resource: 'https://elsewhere.test' }, 'invalid_target'],
  ])('is refused %s', async (_, parameters, error) => {
    const app = await registerDevice(client.send, { scope: 'read:account openid' })
    await expectError(await authorizeDevice(client.send, app, parameters), 400, error)
  })

  it('gets all scopes that it has registered if it names none', async () => {
    const app = await registerDevice(client.send, { scope: 'read:account openid' })
    expect((await authorizeDevice(client.send, app, { scope: undefined, resource: ORIGIN })).status).toBe(200)
  })

  it('is refused if it is not registered for the device flow', async () => {
    const app = await registerClient(client.send)
    await expectError(await authorizeDevice(client.send, app), 400, 'unauthorized_client')
  })

  it('is refused while the account of its owner is suspended', async () => {
    const owner = await createAccount(client)
    const app = await registerDevice(client.send, {}, bearer(owner.token).Authorization)
    expect((await authorizeDevice(client.send, app)).status).toBe(200)
    await env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(owner.id).run()
    await expectError(await authorizeDevice(client.send, app), 400, 'invalid_grant')
  })

  it('needs no redirect URI if it only uses the device flow, and one for codes', async () => {
    const register = (grant_types: string[]) =>
      client.sendJson('POST', '/oauth/register', { client_name: 'Television', grant_types })
    const registered = await register([DEVICE_GRANT])
    expect(registered.status).toBe(201)
    expect(await bodyOf(registered)).toMatchObject({
      grant_types: [DEVICE_GRANT],
      redirect_uris: [],
      response_types: [],
    })
    await expectError(await register([DEVICE_GRANT, 'authorization_code']), 400, 'invalid_redirect_uri')
  })

  it('finds the endpoint and the grant type in the metadata', async () => {
    for (const name of ['oauth-authorization-server', 'openid-configuration']) {
      const url = wellKnownUrl(name)
      const { device_authorization_endpoint, grant_types_supported } = await bodyOf(await client.get(url))
      expect(device_authorization_endpoint).toBe(`${ORIGIN}/oauth/device`)
      expect(grant_types_supported).toContain(DEVICE_GRANT)
    }
  })
})

describe('an address', () => {
  it('gets 60 codes in an hour, and says how many are left', async () => {
    const send = sendFrom(client)
    const app = await registerDevice(client.send)
    const first = await authorizeDevice(send, app)
    expect(first.headers.get('X-RateLimit-Remaining')).toBe('59')
    for (let made = 1; made < 60; made++) expect((await authorizeDevice(send, app)).status).toBe(200)
    const refused = await authorizeDevice(send, app)
    await expectError(refused, 429, 'temporarily_unavailable')
    expect(Number(refused.headers.get('Retry-After'))).toBeLessThanOrEqual(HOUR_SECONDS)
    expect((await authorizeDevice(sendFrom(client), app)).status).toBe(200)
    clock.pass(HOUR_SECONDS)
    expect((await authorizeDevice(send, app)).status).toBe(200)
  })

  it('uses up nothing with a request that is refused', async () => {
    const one = createProvider({ config: { deviceCodesPerHour: 1 } })
    const send = sendFrom(one)
    const app = await registerDevice(one.send)
    await expectError(await authorizeDevice(send, app, { scope: 'fly' }), 400, 'invalid_scope')
    await expectError(await authorizeDevice(send, { ...app, id: 'nobody' }), 401, 'invalid_client')
    expect((await authorizeDevice(send, app)).status).toBe(200)
    expect((await authorizeDevice(send, app)).status).toBe(429)
  })
})
