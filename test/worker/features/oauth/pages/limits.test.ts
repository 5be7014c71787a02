import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, type Client, createAccount } from '../../../../support/app.ts'
import { type Registered, registerClient, type Send, signIn, type UserAgent } from '../../../../support/oauth.ts'
import { Clock, createProvider, sendFrom } from '../support.ts'

const CONSENT = 'Allow access to your account?'

let clock: Clock
let client: Client
let account: Account
let app: Registered

beforeEach(async () => {
  clock = new Clock()
  client = createProvider({ now: clock.now, config: { passwordAttempts: 3, passwordWindowSeconds: 60 } })
  account = await createAccount(client)
  app = await registerClient(client.send)
})

const guess = (send: Send, email = account.email) => signIn(send, { email, password: 'guess' }, app.id)
const signInRight = (send: Send) => signIn(send, account, app.id)

/** The page that says when to come back. */
async function expectStopped({ page, response }: UserAgent): Promise<void> {
  expect(response?.status).toBe(429)
  expect(page).toMatch(/role="alert" id="fault">Too many attempts\. Try again in \d+ seconds\./)
  expect(page).toContain('<title>Not signed in yet: Sign in to Galaxy</title>')
  const seconds = Number(response?.headers.get('Retry-After'))
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(60)
  expect(response?.headers.get('X-RateLimit-Remaining')).toBe('0')
}

describe('a wrong password on the page', () => {
  it('shows the form again, with the address and a message that a screen reader announces', async () => {
    const { page, response } = await guess(sendFrom(client))
    expect(response?.status).toBe(401)
    expect(response?.headers.get('X-RateLimit-Remaining')).toBe('2')
    expect(page).toContain('role="alert" id="fault">The e-mail address or the password is wrong.')
    expect(page).toContain(`value="${account.email}" aria-describedby="fault" aria-invalid="true"`)
    expect(page).not.toContain('guess')
  })

  it('does not reveal whether the account exists', async () => {
    const neutral = async (email: string) =>
      (await guess(sendFrom(client), email)).page.replaceAll(email, '').replace(/name="csrf" value="[^"]*"/, '')
    expect(await neutral('nobody@galaxy.test')).toBe(await neutral(account.email))
  })

  it('can be corrected on the same page', async () => {
    const browser = await guess(sendFrom(client))
    await browser.submit({ email: account.email, password: account.password })
    expect(browser.page).toContain(CONSENT)
  })

  it('includes the right one followed by U+0000, which a hash ignores', async () => {
    const { page } = await signIn(sendFrom(client), { ...account, password: `${account.password}\0` }, app.id)
    expect(page).not.toContain(CONSENT)
  })
})

describe('guesses', () => {
  it('from one address are stopped, even with the right password, for a limited time', async () => {
    const send = sendFrom(client)
    for (let i = 0; i < 3; i++) expect((await guess(send, `${i}@galaxy.test`)).response?.status).toBe(401)
    await expectStopped(await guess(send))
    await expectStopped(await signInRight(send))
    clock.pass(59)
    await expectStopped(await signInRight(send))
    clock.pass(1)
    expect((await signInRight(send)).page).toContain(CONSENT)
  })

  it('from one address do not affect other addresses', async () => {
    const send = sendFrom(client)
    for (let i = 0; i < 4; i++) await guess(send)
    expect((await signInRight(sendFrom(client))).page).toContain(CONSENT)
  })

  it('at one account from everywhere are stopped at ten times as many', async () => {
    for (let i = 0; i < 30; i++) expect((await guess(sendFrom(client))).response?.status).toBe(401)
    await expectStopped(await guess(sendFrom(client), account.email.toUpperCase()))
    const other = await createAccount(client)
    expect((await signIn(sendFrom(client), other, app.id)).page).toContain(CONSENT)
  })

  it('at one account do not lock out its owner at an address with an earlier sign-in', async () => {
    const home = sendFrom(client)
    expect((await signInRight(home)).page).toContain(CONSENT)
    for (let i = 0; i < 30; i++) await guess(sendFrom(client))
    expect((await signInRight(sendFrom(client))).response?.status).toBe(429)
    expect((await signInRight(home)).page).toContain(CONSENT)
    clock.pass(30 * 24 * 3600)
    for (let i = 0; i < 30; i++) await guess(sendFrom(client))
    expect((await signInRight(home)).response?.status).toBe(429)
  })

  it('are counted together with those at /auth/token', async () => {
    const send = sendFrom(client)
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ email: account.email, password: 'guess' })
    for (let i = 0; i < 3; i++) await send('/auth/token', { method: 'POST', headers, body })
    await expectStopped(await signInRight(send))
  })

  it('do not include right passwords: a user can sign in as often as needed', async () => {
    const send = sendFrom(client)
    for (let i = 0; i < 5; i++) expect((await signInRight(send)).page).toContain(CONSENT)
  })

  it('that are stopped leave the e-mail address in the form, and never the password', async () => {
    const send = sendFrom(client)
    for (let i = 0; i < 3; i++) await guess(send)
    const { page } = await signInRight(send)
    expect(page).toContain(`value="${account.email}"`)
    expect(page).not.toContain(account.password)
  })

  it('at the same moment are all counted', async () => {
    const send = sendFrom(client)
    const browsers = await Promise.all(Array.from({ length: 6 }, () => guess(send)))
    expect(browsers.map(({ response }) => response?.status).sort()).toEqual([401, 401, 401, 429, 429, 429])
  })
})
