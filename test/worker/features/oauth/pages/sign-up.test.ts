import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount } from '../../../../support/app.ts'
import {
  authorizationPath,
  formOf,
  type Registered,
  redeemCode,
  registerClient,
  type Send,
  sendForm,
  signUpPath,
  UserAgent,
} from '../../../../support/oauth.ts'
import { linksOf } from '../../../../support/pages.ts'
import { BASE_PATH } from '../../../../support/world.ts'
import { bearer, Clock, createProvider, expectErrorPage, sendFrom } from '../support.ts'

const PASSWORD = 'i-love-planets'

let clock: Clock
let client: Client
let app: Registered

beforeEach(async () => {
  clock = new Clock()
  client = createProvider({ now: clock.now })
  app = await registerClient(client.send)
})

const newEmail = () => `${crypto.randomUUID()}@galaxy.test`

/** A user follows the link of the sign-in page. @returns The browser, with the sign-up page */
async function openSignUp(send: Send = client.send, parameters: Record<string, string> = {}): Promise<UserAgent> {
  const browser = new UserAgent(send)
  await browser.open(authorizationPath(app.id, parameters))
  await browser.open(linksOf(browser.page).find((link) => link.startsWith(`${BASE_PATH}/oauth/sign-up?`)) ?? '')
  return browser
}

const typedIn = (page: string, field: string) => new RegExp(`name="${field}"[^>]* value="([^"]*)"`).exec(page)?.[1]

it('a user without an account creates one on the way to an application, and is then asked for consent', async () => {
  const browser = await openSignUp()
  expect(browser.page).toContain('<h1>Create a Galaxy account</h1>')
  await browser.submit({ name: 'Ada', email: newEmail(), password: PASSWORD })
  expect(browser.page).toContain('Allow access to your account?')
  const redirect = await browser.submit({ decision: 'allow' })
  expect(redirect?.searchParams.get('state')).toBe('here')
  const tokens = await bodyOf(await redeemCode(client.send, app, redirect?.searchParams.get('code') ?? ''))
  expect(await bodyOf(await client.get('/me', bearer(tokens.access_token)))).toMatchObject({ name: 'Ada' })
})

it('the account works elsewhere too, and needs no name', async () => {
  const email = newEmail()
  await (await openSignUp()).submit({ name: '', email, password: PASSWORD })
  const response = await client.sendJson('POST', '/auth/token', { email, password: PASSWORD })
  expect(response.status).toBe(201)
  expect(await bodyOf(await client.get('/me', bearer((await bodyOf(response)).token)))).not.toHaveProperty('name')
})

it('a request for a new sign-in continues after the sign-up', async () => {
  const browser = await openSignUp(client.send, { prompt: 'login' })
  await browser.submit({ email: newEmail(), password: PASSWORD })
  expect(browser.page).toContain('Allow access to your account?')
})

it('the page links back to the sign-in page of the same request', async () => {
  const { page } = await openSignUp()
  expect(linksOf(page)).toContain(BASE_PATH + authorizationPath(app.id))
})

it('the e-mail address that the client knows is filled in', async () => {
  const { page } = await openSignUp(client.send, { login_hint: 'ada@galaxy.test' })
  expect(typedIn(page, 'email')).toBe('ada@galaxy.test')
})

it('the browser gets a new secret, so that an old one that was planted is worthless', async () => {
  const browser = await openSignUp()
  const before = browser.cookie
  await browser.submit({ email: newEmail(), password: PASSWORD })
  expect(browser.cookie).not.toBe(before)
  expect(browser.cookie).toBeDefined()
})

describe('a sign-up that is refused', () => {
  let taken: Account

  beforeEach(async () => {
    taken = await createAccount(client)
  })

  it.each<[string, () => Record<string, string>, number, string, string]>([
    ['without an e-mail address', () => ({ email: '' }), 400, 'email', 'This is required.'],
    ['with another text', () => ({ email: 'ada' }), 400, 'email', 'This must be an e-mail address.'],
    ['with a long name', () => ({ name: 'a'.repeat(201) }), 400, 'name', 'This must have 1 to 200 characters.'],
    [
      'with the address of an account',
      () => ({ email: taken.email }),
      409,
      'email',
      'This already belongs to an account.',
    ],
    ['with a short password', () => ({ password: 'abc' }), 422, 'password', 'This must have 6 to 256 characters.'],
    ['without a password', () => ({ password: '' }), 422, 'password', 'This must have 6 to 256 characters.'],
    [
      'with the address as the password',
      () => ({ email: 'ada@galaxy.test', password: 'ada@galaxy.test' }),
      422,
      'password',
      'This must not be the e-mail address.',
    ],
  ])('%s: the form says so and keeps what was typed, but not the password', async (_, change, status, field, fault) => {
    const typed = { name: 'Ada', email: newEmail(), password: PASSWORD, ...change() }
    const browser = await openSignUp()
    await browser.submit(typed)
    const { page, response } = browser
    expect(response?.status).toBe(status)
    expect(page).toContain('<title>Not created yet: Create a Galaxy account</title>')
    expect(page).toMatch(/<p class="fault" role="alert">[^<]+\.<\/p>/)
    expect(page).toContain(`id="${field}-fault">${fault}</p>`)
    const input = new RegExp(`<input id="${field}"[^>]*>`).exec(page)?.[0]
    expect(input).toMatch(new RegExp(`autofocus.* aria-describedby="[^"]*\\b${field}-fault" aria-invalid="true"`))
    expect(typedIn(page, 'name') ?? '').toBe(typed.name)
    expect(typedIn(page, 'email') ?? '').toBe(typed.email)
    expect(typedIn(page, 'password')).toBeUndefined()
    expect(page).not.toContain(`value="${PASSWORD}"`)
    await browser.submit({ name: 'Ada', email: newEmail(), password: PASSWORD })
    expect(browser.page).toContain('Allow access to your account?')
  })

  it('after too many from one address says how long to wait, and keeps what was typed', async () => {
    const limited = createProvider({ now: clock.now, config: { signupsPerHour: 2 } })
    const send = sendFrom(limited)
    for (let i = 0; i < 2; i++) await (await openSignUp(send)).submit({ email: newEmail(), password: PASSWORD })
    const browser = await openSignUp(send)
    const email = newEmail()
    await browser.submit({ email, password: PASSWORD })
    expect(browser.response?.status).toBe(429)
    expect(browser.response?.headers.get('Retry-After')).toBe('3600')
    expect(browser.page).toContain('Too many attempts. Try again in 3600 seconds.')
    expect(typedIn(browser.page, 'email')).toBe(email)
    clock.pass(3600)
    await browser.submit({ email, password: PASSWORD })
    expect(browser.page).toContain('Allow access to your account?')
  })

  it('is counted together with those at /user/signup', async () => {
    const limited = createProvider({ now: clock.now, config: { signupsPerHour: 1 } })
    const send = sendFrom(limited)
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ email: newEmail(), password: PASSWORD })
    expect((await send('/user/signup', { method: 'POST', headers, body })).status).toBe(201)
    const browser = await openSignUp(send)
    await browser.submit({ email: newEmail(), password: PASSWORD })
    expect(browser.response?.status).toBe(429)
  })
})

describe('if the operator has closed the sign-up', () => {
  const closed = () => createProvider({ config: { signupOpen: false } })

  it('the sign-in page does not offer it', async () => {
    const { send } = closed()
    const browser = new UserAgent(send)
    await browser.open(authorizationPath(app.id))
    expect(browser.page).toContain('Sign in to Galaxy')
    expect(browser.page).not.toContain('/oauth/sign-up')
    await browser.submit({ email: newEmail(), password: PASSWORD })
    expect(browser.page).not.toContain('/oauth/sign-up')
  })

  it('the page says so, and no form is accepted', async () => {
    const { send } = closed()
    const path = signUpPath(app.id)
    expect(await expectErrorPage(await send(path), 403)).toContain('does not accept new accounts')
    const browser = await openSignUp()
    const { action, fields } = formOf(browser.page)
    const form = { ...fields, email: newEmail(), password: PASSWORD }
    const response = await sendForm(send, action, form, { Cookie: browser.cookie ?? '' })
    expect(await expectErrorPage(response, 403)).toContain('does not accept new accounts')
  })
})

it('a faulty request is reported as it is at the sign-in page', async () => {
  await expectErrorPage(await client.get('/oauth/sign-up?client_id=nobody'))
  const query = new URLSearchParams({ client_id: app.id, redirect_uri: 'https://evil.test/' })
  await expectErrorPage(await client.get(`/oauth/sign-up?${query}`))
})
