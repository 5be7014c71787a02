import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount, ORIGIN } from '../../../../support/app.ts'
import {
  allowDevice,
  type DeviceCodes,
  formOf,
  getDeviceCodes,
  openDevice,
  pollTokens,
  type Registered,
  registerDevice,
  type Send,
  sendForm,
  UserAgent,
} from '../../../../support/oauth.ts'
import { policyOf } from '../../../../support/pages.ts'
import { bearer, Clock, createProvider, expectErrorPage, sendFrom } from '../support.ts'

const CODE_PAGE = '<h1>Sign in a device</h1>'
const QUESTION = '<h1>Allow access to your account?</h1>'
const SIGN_IN = '<h1>Sign in to Galaxy</h1>'
const WRONG = 'This code is not valid: it may be mistyped, used or expired.'
const TEN_MINUTES = 600

let clock: Clock
let client: Client
let account: Account
let app: Registered
let codes: DeviceCodes

beforeEach(async () => {
  clock = new Clock()
  client = createProvider({ now: clock.now })
  account = await createAccount(client)
  app = await registerDevice(client.send, { client_name: 'Television' })
  codes = await getDeviceCodes(client.send, app)
})

const poll = (device = app, code = codes.device_code) => pollTokens(client.send, device, code)
const errorOf = async (polling: Promise<Response>) => (await bodyOf(await polling)).error

/** A browser types a code. */
async function type(userCode: string, send: Send = client.send, browser = new UserAgent(send)): Promise<UserAgent> {
  await browser.open('/device')
  await browser.submit({ user_code: userCode })
  return browser
}

/** A browser in which the user is signed in, on the page for the code. */
async function signedIn(send: Send = client.send, user = account): Promise<UserAgent> {
  const { user_code } = await getDeviceCodes(client.send, app)
  const browser = await openDevice(send, user, user_code)
  expect(browser.page).toContain(QUESTION)
  await browser.open('/device')
  return browser
}

describe('the page', () => {
  it('asks for the code, and has it filled in from the query, as text', async () => {
    expect(await (await client.get('/device')).text()).toContain('name="user_code"')
    const { pathname, search } = new URL(codes.verification_uri_complete)
    const path = `${pathname}${search}`.slice(new URL(ORIGIN).pathname.replace(/\/$/, '').length)
    const page = await (await client.get(path)).text()
    expect(page).toMatch(new RegExp(`name="user_code"[^>]* value="${codes.user_code}"`))
    const hostile = await (await client.get(`/device?user_code=${encodeURIComponent('"><script>')}`)).text()
    expect(hostile).toContain('value="&quot;&gt;&lt;script&gt;"')
  })

  it('never sends the code by itself, whoever is signed in', async () => {
    const browser = await signedIn()
    await browser.open(`/device?user_code=${codes.user_code}`)
    expect(browser.page).toContain(CODE_PAGE)
    expect(browser.page).not.toContain('<script')
    expect(browser.page).not.toContain('http-equiv')
    expect(await errorOf(poll())).toBe('authorization_pending')
  })

  it('asks for the code, then for the sign-in, then for the decision', async () => {
    const browser = await type(codes.user_code)
    expect(browser.page).toContain(SIGN_IN)
    expect(browser.page).toContain('Television')
    await browser.submit({ email: account.email, password: account.password })
    expect(browser.page).toContain(QUESTION)
    await browser.submit({ decision: 'allow' })
    expect(browser.page).toContain('Your device is signed in')
    expect((await poll()).status).toBe(200)
  })

  it('asks a user who is signed in at once for the decision: client, scopes, code, account, and a warning', async () => {
    const browser = await signedIn()
    await browser.submit({ user_code: codes.user_code })
    expect(browser.page).toContain(QUESTION)
    for (const text of ['Television', 'read:account', codes.user_code, account.email, 'deny it', 'not verified']) {
      expect(browser.page).toContain(text)
    }
  })

  it.each([
    ['in lower case', (code: string) => code.toLowerCase()],
    ['without the hyphen', (code: string) => code.replace('-', '')],
    ['with spaces', (code: string) => ` ${[...code.replace('-', '')].join(' ')} `],
    ['with other hyphens', (code: string) => code.replace('-', '\u2011\u2013')],
  ])('takes a code %s', async (_, write) => {
    expect((await type(write(codes.user_code))).page).toContain(SIGN_IN)
  })

  it('is an event for the user, like any sign-in with the page', async () => {
    await openDevice(client.send, account, codes.user_code)
    const { results } = await env.DB.prepare("select details from log where kind = 'login' and user_id = ?")
      .bind(account.id)
      .all<{ details: string }>()
    expect(results.map(({ details }) => JSON.parse(details).authentication)).toEqual([
      { method: 'oauth', tokenType: 'OAuth' },
    ])
  })

  it('says if the password is wrong, and keeps the code', async () => {
    const browser = await type(codes.user_code)
    await browser.submit({ email: account.email, password: 'guess' })
    expect(browser.response?.status).toBe(401)
    expect(browser.page).toContain('The e-mail address or the password is wrong.')
    await browser.submit({ email: account.email, password: account.password })
    expect(browser.page).toContain(QUESTION)
  })

  it('lets the user choose another account', async () => {
    const other = await createAccount(client)
    const browser = await openDevice(client.send, other, codes.user_code)
    await browser.submit({ decision: 'switch' })
    expect(browser.page).toContain(SIGN_IN)
    await browser.submit({ email: account.email, password: account.password })
    await browser.submit({ decision: 'allow' })
    const { access_token } = await bodyOf(await poll())
    expect(await bodyOf(await client.get('/me', bearer(access_token)))).toMatchObject({ id: account.id })
  })

  it('leads a user without an account to where one is created, if anybody can', async () => {
    expect((await type(codes.user_code)).page).toContain('Create an account')
    const closed = createProvider({ config: { signupOpen: false } })
    expect((await type(codes.user_code, closed.send)).page).not.toContain('Create an account')
  })
})

describe('every page of the flow', () => {
  const PAGES: [string, () => Promise<Response | undefined>, string?][] = [
    ['the code', () => client.get('/device')],
    ['a wrong code', async () => (await type('BBBB-BBBB', sendFrom(client))).response],
    ['sign-in', async () => (await type(codes.user_code)).response],
    ['question', async () => (await openDevice(client.send, account, codes.user_code)).response],
    ['end', async () => (await allowDevice(client.send, account, codes.user_code)).response, "'none'"],
  ]

  it.each(PAGES)(
    'has no script, cannot be framed, read or cached, and sends no referrer: %s',
    async (_, open, action) => {
      const response = (await open()) ?? new Response()
      expect(policyOf(response)).toEqual({
        'default-src': "'none'",
        'style-src': "'self'",
        'img-src': 'data:',
        'base-uri': "'none'",
        'form-action': action ?? "'self'",
        'frame-ancestors': "'none'",
      })
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      })
      expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull()
    },
  )

  it('shows the name of a client as text', async () => {
    const name = '<img src=x onerror=alert(1)>'
    const hostile = await registerDevice(client.send, { client_name: name })
    const { user_code } = await getDeviceCodes(client.send, hostile)
    const browser = await type(user_code)
    const pages = [browser.page]
    await browser.submit({ email: account.email, password: account.password })
    for (const page of [...pages, browser.page]) {
      expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;')
      expect(page).not.toContain('<img')
    }
  })
})

describe('a form', () => {
  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['without its proof', { csrf: '' }, {}],
    ['with a wrong proof', { csrf: 'x'.repeat(64) }, {}],
    ['from another site', {}, { Origin: 'https://evil.test', 'Sec-Fetch-Site': 'cross-site' }],
    ['from another site, in a browser without Sec-Fetch-Site', {}, { Origin: 'https://evil.test' }],
  ])('is refused %s, and costs no attempt', async (_, fields, headers) => {
    const browser = await openDevice(client.send, account, codes.user_code)
    const form = { ...formOf(browser.page).fields, decision: 'allow', ...fields }
    for (let times = 0; times < 12; times++) {
      const wrong = { ...form, user_code: 'BBBB-BBBB' }
      const sent = sendForm(client.send, '/device', wrong, { Cookie: browser.cookie ?? '', ...headers })
      await expectErrorPage(await sent, 403)
    }
    const forged = sendForm(client.send, '/device', form, { Cookie: browser.cookie ?? '', ...headers })
    await expectErrorPage(await forged, 403)
    expect(await errorOf(poll())).toBe('authorization_pending')
    await browser.submit({ decision: 'allow' })
    expect(browser.page).toContain('Your device is signed in')
  })

  it('is refused with the cookie of another browser', async () => {
    const [mine, theirs] = [await openDevice(client.send, account, codes.user_code), await signedIn()]
    const form = { ...formOf(mine.page).fields, decision: 'allow' }
    await expectErrorPage(await sendForm(client.send, '/device', form, { Cookie: theirs.cookie ?? '' }), 403)
  })

  it('that was shown before a sign-in is worthless afterwards, and so is a cookie that was planted', async () => {
    const browser = await type(codes.user_code)
    const [planted, { fields }] = [browser.cookie ?? '', formOf(browser.page)]
    await browser.submit({ email: account.email, password: account.password })
    expect(browser.cookie).not.toBe(planted)
    const form = { ...fields, decision: 'allow' }
    await expectErrorPage(await sendForm(client.send, '/device', form, { Cookie: browser.cookie ?? '' }), 403)
    const byAttacker = await sendForm(client.send, '/device', form, { Cookie: planted })
    expect(await byAttacker.text()).toContain(SIGN_IN)
    expect(await errorOf(poll())).toBe('authorization_pending')
  })

  it('that asks one user is worthless after another has signed in', async () => {
    const browser = await openDevice(client.send, account, codes.user_code)
    const { fields } = formOf(browser.page)
    await browser.submit({ decision: 'switch' })
    const other = await createAccount(client)
    await browser.submit({ email: other.email, password: other.password })
    const form = { ...fields, decision: 'allow' }
    await expectErrorPage(await sendForm(client.send, '/device', form, { Cookie: browser.cookie ?? '' }), 403)
  })
})

describe('a code with which nothing can be done', () => {
  const KINDS: [string, () => Promise<string>][] = [
    ['unknown', async () => 'BBBB-BBBB'],
    ['no code at all', async () => 'hello'],
    ['empty', async () => ''],
    [
      'allowed',
      async () => {
        await allowDevice(client.send, account, codes.user_code)
        return codes.user_code
      },
    ],
    [
      'allowed and redeemed',
      async () => {
        await allowDevice(client.send, account, codes.user_code)
        expect((await poll()).status).toBe(200)
        return codes.user_code
      },
    ],
    [
      'denied',
      async () => {
        const browser = await openDevice(client.send, account, codes.user_code)
        await browser.submit({ decision: 'deny' })
        return codes.user_code
      },
    ],
    [
      'expired',
      async () => {
        clock.pass(TEN_MINUTES)
        return codes.user_code
      },
    ],
    ['the device code', async () => codes.device_code],
  ]

  it.each(KINDS)('looks the same, and leads no further: %s', async (_, make) => {
    const code = await make()
    const neutral = ({ page }: UserAgent) =>
      page.replace(/name="csrf" value="[^"]*"/, '').replace(/(name="user_code"[^>]*) value="[^"]*"/, '$1')
    const expected = neutral(await type('CCCC-CCCC', sendFrom(client)))
    const send = sendFrom(client)
    for (const open of [() => type(code, send), async () => type(code, send, await signedIn(send))]) {
      const browser = await open()
      expect(browser.response?.status).toBe(400)
      expect(browser.page).toContain(WRONG)
      expect(browser.page).not.toContain('name="password"')
      expect(neutral(browser)).toBe(expected)
    }
  })

  it('is not allowed by a form that was shown while it waited', async () => {
    const late = await openDevice(client.send, account, codes.user_code)
    await allowDevice(client.send, await createAccount(client), codes.user_code)
    await late.submit({ decision: 'allow' })
    expect(late.page).toContain(WRONG)
    codes = await getDeviceCodes(client.send, app)
    const slow = await openDevice(client.send, account, codes.user_code)
    clock.pass(TEN_MINUTES)
    await slow.submit({ decision: 'allow' })
    expect(slow.page).toContain(WRONG)
    expect(await errorOf(poll())).toBe('expired_token')
  })
})

describe('wrong codes', () => {
  const guess = async (send: Send, browser?: UserAgent) => (await type('BBBB-BBBB', send, browser)).response?.status

  it('from one address are stopped after ten, also the right one, for ten minutes', async () => {
    const send = sendFrom(client)
    for (let times = 0; times < 10; times++) expect(await guess(send)).toBe(400)
    const stopped = await type(codes.user_code, send)
    expect(stopped.response?.status).toBe(429)
    expect(stopped.page).toMatch(/role="alert" id="fault">Too many attempts\. Try again in \d+ seconds\./)
    expect(stopped.page).not.toContain('name="password"')
    expect(Number(stopped.response?.headers.get('Retry-After'))).toBeLessThanOrEqual(TEN_MINUTES)
    expect((await type(codes.user_code, sendFrom(client))).page).toContain(SIGN_IN)
    clock.pass(TEN_MINUTES - 1)
    codes = await getDeviceCodes(client.send, app)
    expect((await type(codes.user_code, send)).response?.status).toBe(429)
    clock.pass(1)
    expect((await type(codes.user_code, send)).page).toContain(SIGN_IN)
  })

  it('of one user are stopped after ten, from wherever they come', async () => {
    const browsers = [await signedIn(sendFrom(client)), await signedIn(sendFrom(client))]
    for (let times = 0; times < 10; times++) {
      const browser = browsers[times % 2]
      await browser?.open('/device')
      await browser?.submit({ user_code: 'BBBB-BBBB' })
      expect(browser?.response?.status).toBe(400)
    }
    for (const browser of browsers) {
      await browser.open('/device')
      await browser.submit({ user_code: codes.user_code })
      expect(browser.response?.status).toBe(429)
    }
  })

  it('are all counted if they come at once', async () => {
    const send = sendFrom(client)
    const statuses = await Promise.all(Array.from({ length: 15 }, () => guess(send)))
    expect(statuses.filter((status) => status === 400)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
  })

  it('are stopped in each step', async () => {
    const send = sendFrom(client)
    const waiting = await openDevice(send, account, codes.user_code)
    for (let times = 0; times < 10; times++) await guess(send)
    await waiting.submit({ decision: 'allow' })
    expect(waiting.response?.status).toBe(429)
    expect(await errorOf(poll())).toBe('authorization_pending')
  })

  it('do not include right ones, however many, also at once', async () => {
    const send = sendFrom(client)
    const pages = await Promise.all(Array.from({ length: 15 }, () => type(codes.user_code, send)))
    expect(pages.filter(({ page }) => page.includes(SIGN_IN))).toHaveLength(15)
    for (let times = 0; times < 10; times++) expect(await guess(send)).toBe(400)
    expect(await guess(send)).toBe(429)
  })
})
