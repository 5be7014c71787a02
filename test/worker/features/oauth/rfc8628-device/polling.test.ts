import { env } from 'cloudflare:workers'
import { decodeJwt } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount } from '../../../../support/app.ts'
import {
  allowDevice,
  DEVICE_GRANT,
  type DeviceCodes,
  getDeviceCodes,
  openDevice,
  pollTokens,
  type Registered,
  redeemCode,
  registerDevice,
  requestTokens,
} from '../../../../support/oauth.ts'
import { bearer, Clock, createProvider, expectError, idTokenClaims } from '../support.ts'

let clock: Clock
let client: Client
let account: Account
let app: Registered
let codes: DeviceCodes

beforeEach(async () => {
  clock = new Clock()
  client = createProvider({ now: clock.now })
  account = await createAccount(client)
  app = await registerDevice(client.send)
  codes = await getDeviceCodes(client.send, app)
})

const poll = (device = app, code = codes.device_code) => pollTokens(client.send, device, code)

/** The error of a poll. */
async function errorOf(polling: Promise<Response>): Promise<string> {
  const response = await polling
  const { error } = await bodyOf(response.clone())
  await expectError(response, 400, error)
  return error
}

async function getTokensOf(polling: Promise<Response>) {
  const response = await polling
  expect(response.status, await response.clone().text()).toBe(200)
  expect(response.headers.get('Cache-Control')).toBe('no-store')
  return await bodyOf(response)
}

describe('a device that waits', () => {
  it('is told so, also at once', async () => {
    expect(await errorOf(poll())).toBe('authorization_pending')
    clock.pass(5)
    expect(await errorOf(poll())).toBe('authorization_pending')
  })

  it.each([
    [0, 'slow_down'],
    [3.999, 'slow_down'],
    [4, 'authorization_pending'],
    [5, 'authorization_pending'],
  ])('and asks again after %d seconds is told %s', async (seconds, error) => {
    await poll()
    clock.pass(seconds)
    expect(await errorOf(poll())).toBe(error)
  })

  it.each([
    [0, 5],
    [1, 10],
    [2, 15],
    [11, 60],
    [12, 60],
  ])('must, after %d polls that came too early, wait %d seconds', async (times, interval) => {
    await poll()
    for (let early = 0; early < times; early++) expect(await errorOf(poll())).toBe('slow_down')
    clock.pass(interval - 1)
    expect(await errorOf(poll())).toBe('authorization_pending')
    clock.pass(interval - 1.001)
    expect(await errorOf(poll())).toBe('slow_down')
  })

  it('waits for its own code only', async () => {
    const other = await getDeviceCodes(client.send, app)
    await poll()
    expect(await errorOf(poll(app, other.device_code))).toBe('authorization_pending')
  })

  it('is told by one of two polls at once to slow down', async () => {
    const errors = await Promise.all([errorOf(poll()), errorOf(poll())])
    expect(errors.toSorted()).toEqual(['authorization_pending', 'slow_down'])
  })
})

describe('a device that its user has allowed', () => {
  it('gets tokens, also with a poll that comes too early', async () => {
    await poll()
    await allowDevice(client.send, account, codes.user_code)
    const tokens = await getTokensOf(poll())
    expect(tokens).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'read:account',
    })
    expect(await bodyOf(await client.get('/me', bearer(tokens.access_token)))).toMatchObject({ id: account.id })
  })

  it('gets a refresh token and an ID token as with a code, without a nonce', async () => {
    codes = await getDeviceCodes(client.send, app, { scope: 'openid profile read:account offline_access' })
    await allowDevice(client.send, account, codes.user_code)
    const tokens = await getTokensOf(poll())
    expect(tokens.scope.split(' ').toSorted()).toEqual(['offline_access', 'openid', 'profile', 'read:account'])
    const claims = { ...idTokenClaims(clock, account, app.id), name: 'Ada', at_hash: expect.any(String) }
    expect(decodeJwt(tokens.id_token)).toEqual(claims)
    const { refresh_token } = tokens
    const refreshed = await getTokensOf(requestTokens(client.send, app, { grant_type: 'refresh_token', refresh_token }))
    expect((await client.get('/me', bearer(refreshed.access_token))).status).toBe(200)
  })

  it('gets no refresh token if it is not registered for it', async () => {
    app = await registerDevice(client.send, { grant_types: [DEVICE_GRANT] })
    codes = await getDeviceCodes(client.send, app, { scope: 'read:account offline_access' })
    await allowDevice(client.send, account, codes.user_code)
    const tokens = await getTokensOf(poll())
    expect(tokens).not.toHaveProperty('refresh_token')
    expect(tokens.scope).toBe('read:account')
  })

  it('is among the grants of the user, who can revoke it, before and after it has got its tokens', async () => {
    const grants = async () => (await bodyOf(await client.get('/me/grants', bearer(account.token)))).data
    await allowDevice(client.send, account, codes.user_code)
    expect(await grants()).toMatchObject([{ clientId: app.id, scopes: ['read:account'] }])
    const { access_token } = await getTokensOf(poll())
    const revoke = async () => {
      const [{ id }] = await grants()
      expect((await client.sendJson('DELETE', `/me/grants/${id}`, '', account)).status).toBe(204)
    }
    await revoke()
    expect((await client.get('/me', bearer(access_token))).status).toBe(401)
    expect(await grants()).toEqual([])
    codes = await getDeviceCodes(client.send, app)
    await allowDevice(client.send, account, codes.user_code)
    await revoke()
    expect(await errorOf(poll())).toBe('invalid_grant')
  })

  it('is not remembered: the user is asked again, and no consent is stored', async () => {
    const owned = await registerDevice(client.send, {}, bearer((await createAccount(client)).token).Authorization)
    for (const attempt of [1, 2]) {
      const { user_code } = await getDeviceCodes(client.send, owned)
      const browser = await openDevice(client.send, account, user_code)
      expect([attempt, browser.page]).toEqual([attempt, expect.stringContaining('Allow access to your account?')])
      await browser.submit({ decision: 'allow' })
    }
    expect((await bodyOf(await client.get('/me/consents', bearer(account.token)))).data).toEqual([])
  })
})

describe('a device code', () => {
  it('works once: a second use ends what the first one got', async () => {
    codes = await getDeviceCodes(client.send, app, { scope: 'read:account offline_access' })
    await allowDevice(client.send, account, codes.user_code)
    const { access_token, refresh_token } = await getTokensOf(poll())
    expect(await errorOf(poll())).toBe('invalid_grant')
    expect((await client.get('/me', bearer(access_token))).status).toBe(401)
    const refreshing = requestTokens(client.send, app, { grant_type: 'refresh_token', refresh_token })
    expect(await errorOf(refreshing)).toBe('invalid_grant')
  })

  it('works for one of two polls at once, and then for nobody', async () => {
    await allowDevice(client.send, account, codes.user_code)
    const responses = await Promise.all([poll(), poll()])
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 400])
    const won = responses.find(({ status }) => status === 200)
    const { access_token } = await bodyOf(won ?? new Response('{}'))
    expect((await client.get('/me', bearer(access_token))).status).toBe(401)
  })

  it('is worth nothing to another client, which learns nothing', async () => {
    const other = await registerDevice(client.send)
    expect(await errorOf(poll(other))).toBe('invalid_grant')
    await allowDevice(client.send, account, codes.user_code)
    const error = async (polling: Promise<Response>) => await bodyOf(await polling)
    expect(await error(poll(other))).toEqual(await error(poll(other, 'unknown')))
    expect(await getTokensOf(poll())).toHaveProperty('access_token')
  })

  it('is no authorization code and no refresh token', async () => {
    const both = await registerDevice(client.send, {
      redirect_uris: ['http://127.0.0.1/callback'],
      grant_types: [DEVICE_GRANT, 'authorization_code', 'refresh_token'],
    })
    const { device_code, user_code } = await getDeviceCodes(client.send, both)
    await allowDevice(client.send, account, user_code)
    expect(await errorOf(redeemCode(client.send, both, device_code))).toBe('invalid_grant')
    const refresh = { grant_type: 'refresh_token', refresh_token: device_code }
    expect(await errorOf(requestTokens(client.send, both, refresh))).toBe('invalid_grant')
    expect(await getTokensOf(poll(both, device_code))).toHaveProperty('access_token')
  })

  it('is refused with access_denied if the user has denied it', async () => {
    const browser = await openDevice(client.send, account, codes.user_code)
    await browser.submit({ decision: 'deny' })
    expect(browser.page).toContain('Your device gets no access')
    expect(await errorOf(poll())).toBe('access_denied')
    expect(await errorOf(poll())).toBe('access_denied')
  })

  it.each([
    ['that waits', async () => {}],
    ['that was allowed', async () => void (await allowDevice(client.send, account, codes.user_code))],
  ])('%s expires after ten minutes', async (_, decide) => {
    await decide()
    clock.pass(600)
    expect(await errorOf(poll())).toBe('expired_token')
  })

  it('works until then', async () => {
    clock.pass(599)
    expect(await errorOf(poll())).toBe('authorization_pending')
    await allowDevice(client.send, account, codes.user_code)
    clock.pass(0.999)
    expect(await getTokensOf(poll())).toHaveProperty('access_token')
  })

  it('ends what it got also if its second use is after it has expired', async () => {
    await allowDevice(client.send, account, codes.user_code)
    const { access_token } = await getTokensOf(poll())
    clock.pass(601)
    expect(await errorOf(poll())).toBe('invalid_grant')
    expect((await client.get('/me', bearer(access_token))).status).toBe(401)
  })

  it('is required', async () => {
    expect(await errorOf(requestTokens(client.send, app, { grant_type: DEVICE_GRANT }))).toBe('invalid_request')
  })

  it('is stored as its hash only', async () => {
    const { results } = await env.DB.prepare('select * from device_codes').all()
    expect(results.length).toBeGreaterThan(0)
    expect(JSON.stringify(results)).not.toContain(codes.device_code)
  })
})
