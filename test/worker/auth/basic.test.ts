import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { openD1 } from '../../../src/db/port.ts'
import { type Account, bodyOf, type Client, createAccount, createClient, type Overrides } from '../../support/app.ts'
import { basic, inHeader } from '../../support/credentials.ts'
import { type Meter, meterDatabase } from '../../support/metered-database.ts'
import { emptyDatabase } from '../../support/stored.ts'

// E-mail and password on every call. A successful check is remembered for a minute: what that saves, and when it ends.

const ATTEMPTS = 10

let meter: Meter
let clock: number
let client: Client
let account: Account

beforeEach(async () => {
  await emptyDatabase()
  clock = Date.now()
  client = createWorker()
  account = await createAccount(client)
})

/** The service as one of several machines, each with its own memory. */
function createWorker(overrides: Overrides = {}): Client {
  const metered = meterDatabase(openD1(env.DB))
  meter = metered.meter
  const config = { passwordAttempts: ATTEMPTS, signupsPerHour: 1000, ...overrides.config }
  return createClient({ database: metered.database, now: () => new Date(clock), ...overrides, config })
}

const me = ({ email, password }: Pick<Account, 'email' | 'password'>, at = client) =>
  at.get('/me', basic(email, password).headers)

/** The status, and the number of round trips. */
async function measure(request: () => Promise<Response>): Promise<[status: number, roundTrips: number]> {
  meter.roundTrips = 0
  const { status } = await request()
  return [status, meter.roundTrips]
}

/** Counted password attempts: from the client's address, and at the account's e-mail address. */
async function countAttempts(): Promise<unknown> {
  const count = (kind: string) =>
    env.DB.prepare(`select sum(attempts) as attempts from rate_limits where key like 'password/${kind}/%'`)
  const results = await env.DB.batch<{ attempts: number | null }>([count('address'), count('email')])
  return results.map(({ results: [row] }) => row?.attempts)
}

const wrong = () => ({ ...account, password: 'wrong horse' })

describe('a pair that was checked', () => {
  it('is remembered for a minute: each call within it takes one round trip', async () => {
    const [, first] = await measure(() => me(account))
    expect(first).toBeGreaterThan(1)
    clock += 1
    expect(await measure(() => me(account))).toEqual([200, 1])
    clock += 59_998
    expect(await measure(() => me(account))).toEqual([200, 1])
    clock += 1
    expect(await measure(() => me(account))).toEqual([200, first])
    expect(await measure(() => me(account))).toEqual([200, 1])
  })

  it('is remembered in any case of the e-mail', async () => {
    await me(account)
    expect(await measure(() => me({ ...account, email: account.email.toUpperCase() }))).toEqual([200, 1])
  })

  it('is remembered as that pair: another password, or the same one of another account, is checked on its own', async () => {
    await me(account)
    const other = await createAccount(client)
    expect((await me(wrong())).status).toBe(401)
    const [status, roundTrips] = await measure(() => me({ ...account, email: other.email }))
    expect([status, roundTrips > 1]).toEqual([200, true])
    expect((await me({ email: `${account.email}:correct`, password: 'horse' })).status).toBe(401)
  })

  it('is not remembered by another machine', async () => {
    await me(account)
    const other = createWorker()
    const [status, roundTrips] = await measure(() => me(account, other))
    expect([status, roundTrips > 1]).toEqual([200, true])
  })

  it('costs no attempt in the end', async () => {
    await me(account)
    expect(await countAttempts()).toEqual([0, 0])
  })

  it('still works after somebody at the same address has used up all attempts', async () => {
    await me(account)
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) expect((await me(wrong())).status).toBe(401)
    const refused = await me(wrong())
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(refused.headers.get('X-RateLimit-Remaining')).toBe('0')
    expect((await me(account)).status).toBe(200)
    expect((await me(await createAccount(client))).status).toBe(429)
  })

  it('that is sent 20 times at once is checked once, and costs one attempt', async () => {
    const [, alone] = await measure(() => me(account))
    // There is no attempt left that a second check could use.
    const worker = createWorker({ config: { passwordAttempts: 1 } })
    meter.roundTrips = 0
    const answers = await Promise.all(Array.from({ length: 20 }, () => me(account, worker)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    // Each reads the account's state; only one counts, compares and takes the attempt back.
    expect(meter.roundTrips).toBe(20 + alone - 1)
    expect(await countAttempts()).toEqual([0, 0])
  })

  it('that is sent 20 times at once, while its hash is upgraded, is never checked twice at the same time', async () => {
    const worker = createWorker({ config: { passwordAttempts: 1, passwordIterations: 1100 } })
    const answers = await Promise.all(Array.from({ length: 20 }, () => me(account, worker)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(await countAttempts()).toEqual([0, 0])
  })
})

describe('a wrong pair', () => {
  it('costs an attempt each time, also 20 at once: no more are checked than allowed', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => me(wrong())))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(ATTEMPTS).fill(401), ...Array(20 - ATTEMPTS).fill(429)])
  })

  it('has the same limit if 20 different ones come at once', async () => {
    const guesses = Array.from({ length: 20 }, (_, index) => me({ ...account, password: `guess ${index}` }))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(ATTEMPTS).fill(401), ...Array(20 - ATTEMPTS).fill(429)])
  })

  it('shares its attempts with POST /auth/token', async () => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) await me(wrong())
    const { email, password } = account
    expect((await client.sendJson('POST', '/auth/token', { email, password })).status).toBe(429)
  })

  it('of an unknown user gets the same response as a wrong password', async () => {
    const [known, unknown] = [await me(wrong()), await me({ ...wrong(), email: 'nobody@galaxy.test' })]
    expect([known.status, unknown.status]).toEqual([401, 401])
    expect(unknown.headers.get('WWW-Authenticate')).toBe(known.headers.get('WWW-Authenticate'))
    expect((await bodyOf(unknown)).detail).toBe((await bodyOf(known)).detail)
  })

  it('no longer counts after its window', async () => {
    for (let attempt = 0; attempt <= ATTEMPTS; attempt++) await me(wrong())
    clock += 59_999
    expect((await me(account)).status).toBe(429)
    clock += 1
    expect((await me(account)).status).toBe(200)
  })
})

describe('a remembered pair ends at once', () => {
  const change = (newPassword: string, at = client) => {
    const { headers } = basic(account.email, account.password)
    const body = JSON.stringify({ currentPassword: account.password, newPassword })
    return at.send('/me/password', { method: 'PUT', body, headers: { ...headers, 'Content-Type': 'application/json' } })
  }

  it.each(['this', 'another'])('with a password change, made at %s machine', async (which) => {
    const other = createWorker()
    await me(account)
    expect((await change('another horse', which === 'this' ? client : other)).status).toBe(204)
    expect((await me(account)).status).toBe(401)
    expect((await me({ ...account, password: 'another horse' })).status).toBe(200)
  })

  it('with the same password set again, which works at once', async () => {
    await me(account)
    expect((await change(account.password)).status).toBe(204)
    const [status, roundTrips] = await measure(() => me(account))
    expect([status, roundTrips > 1]).toEqual([200, true])
    expect(await measure(() => me(account))).toEqual([200, 1])
  })

  it('with a suspension, and works again after its end', async () => {
    await me(account)
    const suspend = env.DB.prepare('update users set suspended_at = ? where id = ?')
    await suspend.bind(clock, account.id).run()
    expect((await me(account)).status).toBe(403)
    await suspend.bind(null, account.id).run()
    expect(await measure(() => me(account))).toEqual([200, 1])
  })

  it('with the account', async () => {
    await me(account)
    await env.DB.prepare('delete from users where id = ?').bind(account.id).run()
    expect((await me(account)).status).toBe(401)
  })
})

describe('a password', () => {
  const signUp = async (password: string) => {
    const email = `new-${crypto.randomUUID()}@galaxy.test`
    expect((await client.sendJson('POST', '/user/signup', { email, password })).status).toBe(201)
    return email
  }

  it.each([
    ['colons', 'a:b:c:d'],
    ['nothing but colons', '::::::'],
    ['a colon before it', ':leading'],
    ['a colon after it', 'trailing:'],
    ['pictures', '🪐🚀🌍✨🌌🛸'],
    ['umlauts', 'pässwörd'],
    ['another alphabet', 'пароль пароль'],
    ['spaces around it', ' with spaces '],
    ['tabs and line breaks', '\t\n\r tabs'],
    ['a byte-order mark', '\ufeffmarked'],
    ['256 letters', 'x'.repeat(256)],
    ['256 pictures', '🪐'.repeat(256)],
  ])('with %s is accepted as it was set, and in no other form', async (_, password) => {
    const email = await signUp(password)
    expect((await me({ email, password })).status).toBe(200)
    expect((await me({ email, password: `${password}x` })).status).toBe(401)
    expect((await me({ email, password: password.slice(1) })).status).toBe(401)
  })

  it.each([
    ['Grüße an', 'Grusse an'],
    ['Password', 'password'],
    ['password', 'password '],
  ])('is compared in each letter: %j is not %j', async (one, other) => {
    const email = await signUp(one)
    expect((await me({ email, password: other })).status).toBe(401)
    expect((await me({ email, password: one })).status).toBe(200)
  })
})

describe('a malformed credential is rejected without the database, and costs no attempt', () => {
  const bytes = (...parts: (string | number[])[]) =>
    Uint8Array.from(
      parts.flatMap((part) => (typeof part === 'string' ? [...new TextEncoder().encode(part)] : part)),
    ).toBase64()

  it.each([
    ['nothing', ''],
    ['no base64', '!!!!'],
    ['truncated base64', 'YTpiY'],
    ['base64url', '-_-_'],
    ['no colon', bytes('user@galaxy.test')],
    ['a colon alone', bytes(':')],
    ['no e-mail', bytes(':correct horse')],
    ['no password', bytes('user@galaxy.test:')],
    ['a NUL in the password', bytes('user@galaxy.test:a\0b')],
    ['a NUL after the password', bytes('user@galaxy.test:correct horse\0')],
    ['a password in Latin-1', bytes('user@galaxy.test:p', [0xe4], 'ssword')],
    ['a password of bytes that are not text', bytes('user@galaxy.test:', [0xff, 0xfe])],
    ['an overlong character', bytes('user@galaxy.test:', [0xc0, 0x80])],
    ['a lone surrogate', bytes('user@galaxy.test:', [0xed, 0xa0, 0x80])],
    ['UTF-16', bytes([0xff, 0xfe, 0x61, 0, 0x3a, 0, 0x62, 0])],
  ])('%s', async (_, credential) => {
    const headers = { Authorization: `Basic ${credential}` }
    meter.roundTrips = 0
    const response = await client.get('/me', headers)
    expect([response.status, meter.roundTrips]).toEqual([401, 0])
    expect(response.headers.get('WWW-Authenticate')).toMatch(/^Basic realm="Galaxy", charset="UTF-8", Bearer /)
    expect(await countAttempts()).toEqual([null, null])
  })

  it('a byte-order mark before the e-mail is part of it', async () => {
    expect((await me({ ...account, email: `\ufeff${account.email}` })).status).toBe(401)
  })
})

it.each(['basic', 'BASIC', 'Basic '])('the scheme can be written as %s', async (word) => {
  const { Authorization = '' } = basic(account.email, account.password).headers
  expect(
    (await client.get('/me', inHeader('Authorization', Authorization.replace('Basic', word)).headers)).status,
  ).toBe(200)
})

it('a browser shows no dialog', async () => {
  const challenges = await Promise.all(
    [{}, { Authorization: 'Bearer junk' }, { Authorization: 'Basic junk' }, { 'X-API-Key': 'junk' }].map(
      async (headers) =>
        (await client.get('/me', { ...headers, 'Sec-Fetch-Mode': 'cors' })).headers.get('WWW-Authenticate') ?? '',
    ),
  )
  for (const challenge of challenges) expect(challenge).not.toContain('Basic')
})
