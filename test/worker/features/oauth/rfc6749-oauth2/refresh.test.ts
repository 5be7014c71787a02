import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { openD1, openSession } from '../../../../../src/db/port.ts'
import { removeEndedClients } from '../../../../../src/stores/clients.ts'
import { type Account, bodyOf, type Client, createAccount } from '../../../../support/app.ts'
import { getTokens, type Registered, registerClient, requestTokens, type Tokens } from '../../../../support/oauth.ts'
import { bearer, Clock, createProvider, expectError } from '../support.ts'

const DAY_SECONDS = 24 * 60 * 60
const SCOPE = 'read:account read:planets offline_access'

let clock: Clock
let client: Client
let account: Account
let app: Registered
let tokens: Tokens

beforeEach(async () => {
  clock = new Clock()
  client = createProvider({ now: clock.now })
  account = await createAccount(client)
  app = await registerClient(client.send)
  tokens = await getTokens(client.send, account, app, SCOPE)
})

const refresh = (token: string | undefined, parameters: Record<string, string> = {}, by: Registered = app) =>
  requestTokens(client.send, by, { grant_type: 'refresh_token', refresh_token: token, ...parameters })

describe('a refresh token', () => {
  it('is issued with offline_access, to clients that are registered for it, and otherwise not', async () => {
    expect(tokens.refresh_token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(await getTokens(client.send, account, app, 'read:account')).not.toHaveProperty('refresh_token')
    const once = await registerClient(client.send, { grant_types: ['authorization_code'] })
    expect(await getTokens(client.send, account, once, SCOPE)).not.toHaveProperty('refresh_token')
  })

  it('returns the next access token, with the same scope, when the last one has expired', async () => {
    clock.pass(3601)
    expect((await client.get('/me', bearer(tokens.access_token))).status).toBe(401)
    const response = await refresh(tokens.refresh_token)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(response.headers.get('Pragma')).toBe('no-cache')
    const next = await bodyOf(response)
    expect(next.scope).toBe(tokens.scope)
    expect(await bodyOf(await client.get('/me', bearer(next.access_token)))).toMatchObject({ id: account.id })
  })

  it('can be used for a smaller scope, and for the full scope the next time', async () => {
    const narrow = await bodyOf(await refresh(tokens.refresh_token, { scope: 'read:planets' }))
    expect(narrow.scope).toBe('read:planets')
    expect((await client.get('/me', bearer(narrow.access_token))).status).toBe(403)
    expect(await bodyOf(await refresh(narrow.refresh_token))).toMatchObject({ scope: tokens.scope })
  })

  it.each(['read:account write:account', 'everything', 'openid'])(
    'cannot be used for a larger scope: %s; and is still valid after that',
    async (scope) => {
      await expectError(await refresh(tokens.refresh_token, { scope }), 400, 'invalid_scope')
      expect((await refresh(tokens.refresh_token)).status).toBe(200)
    },
  )

  it('is rejected from another client, and still works for its own', async () => {
    const other = await registerClient(client.send)
    await expectError(await refresh(tokens.refresh_token, {}, other), 400, 'invalid_grant')
    expect((await refresh(tokens.refresh_token)).status).toBe(200)
  })

  it('of a confidential client is rejected without its secret', async () => {
    const owned = await registerClient(client.send, {}, bearer(account.token).Authorization)
    const { refresh_token } = await getTokens(client.send, account, owned, SCOPE)
    await expectError(await refresh(refresh_token, {}, { id: owned.id, secret: undefined }), 401, 'invalid_client')
    await expectError(await refresh(refresh_token, {}, { id: owned.id, secret: 'guess' }), 401, 'invalid_client')
    expect((await refresh(refresh_token, {}, owned)).status).toBe(200)
  })

  it.each([
    [30 * DAY_SECONDS - 0.001, 200],
    [30 * DAY_SECONDS, 400],
  ])('is answered after %d seconds without use with %d', async (seconds, status) => {
    clock.pass(seconds)
    const response = await refresh(tokens.refresh_token)
    expect(response.status).toBe(status)
    if (status === 400) await expectError(response, 400, 'invalid_grant')
  })

  it('stays valid as long as it is used', async () => {
    let latest: Tokens = tokens
    for (let month = 0; month < 4; month++) {
      clock.pass(29 * DAY_SECONDS)
      latest = await bodyOf(await refresh(latest.refresh_token))
    }
    expect((await client.get('/me', bearer(latest.access_token))).status).toBe(200)
  })

  it('ends a year after the consent of the user, however often it is used', async () => {
    let latest: Tokens = tokens
    for (let day = 0; day < 364; day += 28) {
      latest = await bodyOf(await refresh(latest.refresh_token))
      clock.pass(28 * DAY_SECONDS)
    }
    clock.pass(DAY_SECONDS - 1)
    const last: Tokens = await bodyOf(await refresh(latest.refresh_token))
    clock.pass(1)
    await expectError(await refresh(last.refresh_token), 400, 'invalid_grant')
    expect((await client.get('/me', bearer(last.access_token))).status).toBe(200)
  })

  it('is rejected while the account is suspended', async () => {
    const suspend = (at: number | null) =>
      env.DB.prepare('update users set suspended_at = ? where id = ?').bind(at, account.id).run()
    await suspend(1)
    await expectError(await refresh(tokens.refresh_token), 400, 'invalid_grant')
    await suspend(null)
    expect((await refresh(tokens.refresh_token)).status).toBe(200)
  })

  it('is stored only as a hash, as codes and secrets are', async () => {
    const rows = await env.DB.prepare('select * from refresh_tokens').all()
    expect(rows.results.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows.results)).not.toContain(tokens.refresh_token)
  })
})

describe('a public client without an owner', () => {
  const DAYS_IDLE = 90
  const sweepNow = () =>
    removeEndedClients(openSession({ database: openD1(env.DB), hub: undefined }, 'first-primary'), clock.now())
  const lastUse = async () =>
    (await env.DB.prepare('select last_used_at from clients where id = ?').bind(app.id).first())?.last_used_at

  it('is kept while it refreshes its tokens, and removed 90 days after', async () => {
    for (let days = 0; days <= 2 * DAYS_IDLE; days += 29) {
      tokens = await bodyOf(await refresh(tokens.refresh_token))
      clock.pass(29 * DAY_SECONDS)
      await sweepNow()
      expect(await lastUse()).toBeDefined()
    }
    clock.pass((DAYS_IDLE - 29) * DAY_SECONDS)
    await sweepNow()
    expect(await lastUse()).toBeDefined()
    clock.pass(1)
    await sweepNow()
    expect(await lastUse()).toBeUndefined()
  })

  it('has its use recorded once a day', async () => {
    const start = await lastUse()
    clock.pass(DAY_SECONDS)
    tokens = await bodyOf(await refresh(tokens.refresh_token))
    expect(await lastUse()).toBe(start)
    clock.pass(1)
    tokens = await bodyOf(await refresh(tokens.refresh_token))
    expect(await lastUse()).toBe(clock.ms)
  })
})
