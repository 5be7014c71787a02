import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, type Client, createAccount } from '../../../../support/app.ts'
import {
  authorizationPath,
  type Registered,
  registerClient,
  sendForm,
  signIn,
  UserAgent,
} from '../../../../support/oauth.ts'
import { BASE_HOST, BASE_ORIGIN, SECURE_URL } from '../../../../support/world.ts'
import { createProvider, expectErrorPage, sendFrom } from '../support.ts'

let client: Client
let account: Account
let app: Registered
let query: string

beforeEach(async () => {
  client = createProvider()
  account = await createAccount(client)
  app = await registerClient(client.send)
  query = authorizationPath(app.id).split('?')[1] ?? ''
})

const csrfOf = ({ page }: UserAgent) => /name="csrf" value="([^"]*)"/.exec(page)?.[1] ?? ''

interface Form {
  path: string
  /** The fields that the user would send. */
  fields: Record<string, string>
  /** The browser that was shown the form. */
  browser: UserAgent
}

const FORMS: [string, () => Promise<Form>][] = [
  [
    'sign-in',
    async () => {
      const browser = new UserAgent(client.send)
      await browser.open(authorizationPath(app.id))
      const { email, password } = account
      return { path: `/oauth/sign-in?${query}`, fields: { csrf: csrfOf(browser), email, password }, browser }
    },
  ],
  [
    'sign-up',
    async () => {
      const browser = new UserAgent(client.send)
      await browser.open(`/oauth/sign-up?${query}`)
      const fields = { csrf: csrfOf(browser), email: `${crypto.randomUUID()}@galaxy.test`, password: 'i-love-planets' }
      return { path: `/oauth/sign-up?${query}`, fields, browser }
    },
  ],
  [
    'consent',
    async () => {
      const browser = await signIn(client.send, account, app.id)
      return { path: `/oauth/consent?${query}`, fields: { csrf: csrfOf(browser), decision: 'allow' }, browser }
    },
  ],
]

describe.each(FORMS)('the form for %s', (_, prepare) => {
  const send = ({ path, fields, browser }: Form, headers: Record<string, string> = {}) =>
    sendForm(client.send, path, fields, { Cookie: browser.cookie ?? '', ...headers })

  it.each<[string, Record<string, string>]>([
    ['a program, or a browser that sends no origin', {}],
    ['the service’s own page', { Origin: BASE_ORIGIN, 'Sec-Fetch-Site': 'same-origin' }],
    ['the service’s own page, without a referrer', { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' }],
    ['the service’s own page, in a browser without Sec-Fetch-Site', { Origin: 'null' }],
  ])('is accepted from %s', async (_, headers) => {
    expect((await send(await prepare(), headers)).status).toBe(303)
  })

  it.each<[string, Record<string, string>]>([
    ['another site', { Origin: 'https://evil.test', 'Sec-Fetch-Site': 'cross-site' }],
    ['another site without an origin', { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' }],
    ['another site, in a browser without Origin', { 'Sec-Fetch-Site': 'cross-site' }],
    ['another site, in a browser without Sec-Fetch-Site', { Origin: 'https://evil.test' }],
    ['the same host by https', { Origin: new URL(SECURE_URL).origin }],
    ['a neighbour', { Origin: `http://other.${BASE_HOST}`, 'Sec-Fetch-Site': 'same-site' }],
    ['another port of this host', { Origin: `${BASE_ORIGIN}:8080`, 'Sec-Fetch-Site': 'same-site' }],
  ])('is rejected from %s, even with the right proof', async (_, headers) => {
    const form = await prepare()
    await expectErrorPage(await send(form, headers), 403)
    expect((await send(form)).status).toBe(303)
  })

  it.each<[string, (form: Form) => Promise<Record<string, string | undefined>> | Record<string, string | undefined>]>([
    ['no proof', () => ({ csrf: undefined })],
    ['an empty proof', () => ({ csrf: '' })],
    ['a wrong proof', () => ({ csrf: 'x'.repeat(64) })],
    ['the cookie as a proof', ({ browser }) => ({ csrf: browser.cookie?.split('=')[1] })],
    ['the proof of another browser', async () => ({ csrf: csrfOf((await prepare()).browser) })],
  ])('is rejected with %s', async (_, change) => {
    const form = await prepare()
    const fields = { ...form.fields, ...(await change(form)) }
    await expectErrorPage(await sendForm(client.send, form.path, fields, { Cookie: form.browser.cookie ?? '' }), 403)
  })

  it('is rejected without the cookie, and with that of another browser', async () => {
    const { path, fields } = await prepare()
    await expectErrorPage(await sendForm(client.send, path, fields), 403)
    const { browser } = await prepare()
    await expectErrorPage(await sendForm(client.send, path, fields, { Cookie: browser.cookie ?? '' }), 403)
  })
})

describe('a page', () => {
  it('does not show the cookie', async () => {
    const browser = await signIn(client.send, account, app.id)
    expect(browser.page).not.toContain(browser.cookie?.split('=')[1])
  })

  it('that was opened before a sign-in is worthless afterwards', async () => {
    const browser = new UserAgent(client.send)
    await browser.open(authorizationPath(app.id))
    const old = csrfOf(browser)
    await browser.submit({ email: account.email, password: account.password })
    const headers = { Cookie: browser.cookie ?? '' }
    const response = await sendForm(client.send, `/oauth/consent?${query}`, { csrf: old, decision: 'allow' }, headers)
    await expectErrorPage(response, 403)
  })

  it('that asks one user is worthless after another has signed in', async () => {
    const browser = await signIn(client.send, account, app.id)
    const csrf = csrfOf(browser)
    const other = await createAccount(client)
    await browser.open(authorizationPath(app.id, { prompt: 'login' }))
    await browser.submit({ email: other.email, password: other.password })
    const headers = { Cookie: browser.cookie ?? '' }
    const response = await sendForm(client.send, `/oauth/consent?${query}`, { csrf, decision: 'allow' }, headers)
    await expectErrorPage(response, 403)
  })
})

it('whose form has no proof costs no attempt at the password', async () => {
  const limited = createProvider({ config: { passwordAttempts: 1 } })
  const send = sendFrom(limited)
  const form = { email: account.email, password: 'guess' }
  for (let i = 0; i < 3; i++) await expectErrorPage(await sendForm(send, `/oauth/sign-in?${query}`, form), 403)
  const browser = await signIn(send, account, app.id)
  expect(browser.page).toContain('Allow access')
})
