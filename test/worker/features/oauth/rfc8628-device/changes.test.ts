import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { openD1 } from '../../../../../src/db/port.ts'
import { sweep } from '../../../../../src/sweep.ts'
import { type Account, bodyOf, type Client, createAccount } from '../../../../support/app.ts'
import { readLog } from '../../../../support/log-lines.ts'
import {
  allowDevice,
  type DeviceCodes,
  getDeviceCodes,
  openDevice,
  pollTokens,
  type Registered,
  registerDevice,
} from '../../../../support/oauth.ts'
import { letRivalWriteFirst } from '../../../../support/rival-writers.ts'
import { bearer, Clock, createProvider, expectError, expectErrorPage, sendFrom } from '../support.ts'

// What changes between the steps of the device flow, or at the same moment.

const log = readLog()
let clock: Clock
let client: Client
let account: Account
let app: Registered
let codes: DeviceCodes

beforeEach(async () => {
  clock = new Clock()
  client = createProvider({ now: clock.now })
  await env.DB.prepare('delete from device_codes').run()
  account = await createAccount(client)
  app = await registerDevice(client.send)
  codes = await getDeviceCodes(client.send, app)
})

const poll = () => pollTokens(client.send, app, codes.device_code)
const run = (sql: string, ...values: (string | number)[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run()
const suspend = ({ id }: Account) => run('update users set suspended_at = 1 where id = ?', id)
const countCodes = async () => {
  const counted = await env.DB.prepare('select count(*) as n from device_codes').first<{ n: number }>()
  return counted?.n ?? 0
}

async function changePassword(): Promise<void> {
  const change = { currentPassword: account.password, newPassword: 'another horse' }
  expect((await client.sendJson('PUT', '/me/password', change, account)).status).toBe(204)
}

const deleteAccount = async () => void expect((await client.sendJson('DELETE', '/me', '', account)).status).toBe(204)

describe('between the decision and the poll', () => {
  it.each([
    ['the account is deleted', deleteAccount],
    ['the account is suspended', () => suspend(account)],
    ['the user gets a new password', changePassword],
    ['the grant is revoked', () => run('update grants set ended_at = 1 where client_id = ?', app.id)],
  ])('%s: the device gets nothing', async (_, change) => {
    await allowDevice(client.send, account, codes.user_code)
    await change()
    await expectError(await poll(), 400, 'invalid_grant')
  })

  it('the client is deleted: it is unknown', async () => {
    await allowDevice(client.send, account, codes.user_code)
    await run('delete from clients where id = ?', app.id)
    await expectError(await poll(), 401, 'invalid_client')
    expect(await countCodes()).toBe(0)
  })
})

describe('between the question and the decision', () => {
  it.each([
    ['the account is deleted', deleteAccount],
    ['the account is suspended', () => suspend(account)],
    ['the user gets a new password', changePassword],
  ])('%s: the user must sign in again', async (_, change) => {
    const browser = await openDevice(client.send, account, codes.user_code)
    await change()
    await browser.submit({ decision: 'allow' })
    expect(browser.page).toContain('<h1>Sign in to Galaxy</h1>')
    await expectError(await poll(), 400, 'authorization_pending')
  })

  it('the owner of the client is suspended: the user sees an error', async () => {
    const owner = await createAccount(client)
    app = await registerDevice(client.send, {}, bearer(owner.token).Authorization)
    codes = await getDeviceCodes(client.send, app)
    const browser = await openDevice(client.send, account, codes.user_code)
    await suspend(owner)
    await browser.submit({ decision: 'allow' })
    await expectErrorPage(new Response(browser.page, browser.response))
  })
})

describe('between the check of the session and the allowance', () => {
  it.each([
    ['the account is deleted', deleteAccount],
    ['the user gets a new password', changePassword],
  ])('%s: the user is told why, and not that the code is mistyped', async (_, change) => {
    const { database } = letRivalWriteFirst(openD1(env.DB), 'grants', change)
    const slow = createProvider({ now: clock.now, database })
    const browser = await openDevice(sendFrom(slow), account, codes.user_code)
    await browser.submit({ decision: 'allow' })
    expect(browser.response?.status).toBe(400)
    expect(browser.page).toContain('your password was changed')
    expect(browser.page).not.toContain('mistyped')
    await expectError(await poll(), 400, 'authorization_pending')
  })
})

describe('two users who decide about the same code at once', () => {
  it('one of them signs the device in, and the other one is told that the code is not valid', async () => {
    const other = await createAccount(client)
    const browsers = [
      await openDevice(sendFrom(client), account, codes.user_code),
      await openDevice(sendFrom(client), other, codes.user_code),
    ]
    await Promise.all(browsers.map((browser) => browser.submit({ decision: 'allow' })))
    expect(browsers.map(({ response }) => response?.status).toSorted()).toEqual([200, 400])
    const winner = browsers[0]?.response?.status === 200 ? account : other
    const loser = winner === account ? other : account
    const { access_token } = await bodyOf(await poll())
    expect(await bodyOf(await client.get('/me', bearer(access_token)))).toMatchObject({ id: winner.id })
    expect((await bodyOf(await client.get('/me/grants', bearer(loser.token)))).data).toEqual([])
  })

  it('only one of an allowance and a denial counts', async () => {
    const [one, two] = [
      await openDevice(sendFrom(client), account, codes.user_code),
      await openDevice(sendFrom(client), await createAccount(client), codes.user_code),
    ]
    await Promise.all([one.submit({ decision: 'allow' }), two.submit({ decision: 'deny' })])
    const isAllowed = one.response?.status === 200
    expect(two.response?.status).toBe(isAllowed ? 400 : 200)
    expect((await poll()).status).toBe(isAllowed ? 200 : 400)
  })
})

describe('codes', () => {
  it('are never in the log', async () => {
    const logged = createProvider({ config: { logsRequests: true } })
    codes = await getDeviceCodes(logged.send, app)
    await logged.send(`/device?user_code=${codes.user_code}`)
    await allowDevice(logged.send, account, codes.user_code)
    for (const status of [200, 400]) {
      expect((await pollTokens(logged.send, app, codes.device_code)).status).toBe(status)
    }
    expect(log.of('request').map(({ route }) => route)).toContain('/device')
    for (const code of [codes.user_code, codes.user_code.replace('-', ''), codes.device_code]) {
      expect(log.text()).not.toContain(code)
    }
  })

  it('that nobody has allowed are removed ten minutes after they have expired', async () => {
    const sweepNow = () => sweep({ ...client.services, now: clock.now })
    clock.pass(600)
    await expectError(await poll(), 400, 'expired_token')
    clock.pass(600)
    await sweepNow()
    expect(await countCodes()).toBe(1)
    clock.pass(0.001)
    await sweepNow()
    expect(await countCodes()).toBe(0)
    await expectError(await poll(), 400, 'invalid_grant')
  })

  it('that were allowed and not redeemed are expired as long, and then removed with their grants', async () => {
    const sweepNow = () => sweep({ ...client.services, now: clock.now })
    await allowDevice(client.send, account, codes.user_code)
    clock.pass(1200)
    await sweepNow()
    await expectError(await poll(), 400, 'expired_token')
    expect((await bodyOf(await client.get('/me/grants', bearer(account.token)))).data).toEqual([])
    clock.pass(0.001)
    await sweepNow()
    expect(await countCodes()).toBe(0)
    await expectError(await poll(), 400, 'invalid_grant')
  })

  it('that have expired take no room of those that wait, and are still known as expired', async () => {
    const mine = await getDeviceCodes(sendFrom(client, '198.51.100.1'), app)
    await run(
      `with recursive n(i) as (values (1) union all select i + 1 from n where i < 2000)
      insert into device_codes (hash, expires_at, client_id, scopes, user_code, network, interval)
      select 'hash-' || i, ?, ?, '[]', 'code-' || i, iif(i <= 600, '192.0.2.0/24', 'small-' || (i / 300)), 5 from n`,
      clock.ms,
      app.id,
    )
    const first = await getDeviceCodes(sendFrom(client, '192.0.2.1'), app)
    await getDeviceCodes(sendFrom(client, '192.0.2.2'), app)
    for (const { device_code } of [mine, first])
      expect((await bodyOf(await pollTokens(client.send, app, device_code))).error).toBe('authorization_pending')
    // One waits from the beginning.
    expect(await countCodes()).toBe(2004)
  })

  it('of one network are 500 at most: the oldest ones give way, and those of others stay', async () => {
    const unlimited = createProvider({ now: clock.now, config: { deviceCodesPerHour: 1_000_000 } })
    const ask = (address: string) => getDeviceCodes(sendFrom(unlimited, address), app)
    const other = await ask('198.51.100.1')
    const first = await ask('192.0.2.1')
    clock.pass(1)
    await run(
      `with recursive n(i) as (values (1) union all select i + 1 from n where i < 499)
      insert into device_codes (hash, expires_at, client_id, scopes, user_code, network, interval)
      select 'hash-' || i, ?, ?, '[]', 'code-' || i, '192.0.2.0/24', 5 from n`,
      clock.ms + 600_000,
      app.id,
    )
    const status = async ({ device_code }: DeviceCodes) =>
      (await bodyOf(await pollTokens(client.send, app, device_code))).error
    expect(await status(first)).toBe('authorization_pending')
    const last = await ask('192.0.2.99')
    expect(await status(first)).toBe('invalid_grant')
    for (const kept of [other, last]) expect(await status(kept)).toBe('authorization_pending')
  })

  it('are 2,000 at most: the network with the most loses one, and what was allowed does not count', async () => {
    await allowDevice(client.send, account, codes.user_code)
    const mine = await getDeviceCodes(sendFrom(client, '198.51.100.1'), app)
    await run(
      `with recursive n(i) as (values (1) union all select i + 1 from n where i < 1999)
      insert into device_codes (hash, expires_at, client_id, scopes, user_code, network, interval)
      select 'hash-' || i, ?, ?, '[]', 'code-' || i, iif(i <= 400, 'large', 'small-' || (i / 300)), 5 from n`,
      clock.ms + 1000,
      app.id,
    )
    const countOf = async (network: string) =>
      (
        await env.DB.prepare('select count(*) as n from device_codes where network = ?')
          .bind(network)
          .first<{ n: number }>()
      )?.n
    expect(await countOf('large')).toBe(400)
    await getDeviceCodes(sendFrom(client, '203.0.113.1'), app)
    expect(await countOf('large')).toBe(399)
    expect((await bodyOf(await pollTokens(client.send, app, mine.device_code))).error).toBe('authorization_pending')
    expect((await poll()).status).toBe(200)
  })
})
