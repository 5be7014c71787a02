import { decodeJwt } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount } from '../../../../support/app.ts'
import {
  authorizationPath,
  getTokens,
  REDIRECT_URI,
  type Registered,
  redeemCode,
  registerClient,
  signIn,
  UserAgent,
} from '../../../../support/oauth.ts'
import { Clock, createProvider, expectErrorPage, expectRedirectError, registerOwned } from '../support.ts'

const SIGN_IN = '<title>Sign in to Galaxy</title>'
const CONSENT = '<title>Allow access to your Galaxy account?</title>'

let clock: Clock
let client: Client
let account: Account
let app: Registered
/** A browser in which the user has signed in. */
let browser: UserAgent

beforeEach(async () => {
  clock = new Clock()
  client = createProvider({ now: clock.now })
  account = await createAccount(client)
  app = await registerClient(client.send)
  browser = await signIn(client.send, account, app.id)
})

/** The page that a user sees whom a client sends to the authorization endpoint. */
async function open(parameters: Record<string, string>, by = browser): Promise<string> {
  await by.open(authorizationPath(app.id, { scope: 'openid', ...parameters }))
  return by.page
}

async function signInAgain({ email, password } = account): Promise<string> {
  await browser.submit({ email, password })
  return browser.page
}

describe('a browser in which the user has signed in', () => {
  it('asks for consent each time if the client has no owner, even if the user has allowed it before', async () => {
    for (let i = 0; i < 2; i++) {
      expect(await open({})).toContain(CONSENT)
      expect((await browser.submit({ decision: 'allow' }))?.searchParams.has('code')).toBe(true)
    }
  })

  it.each(['consent', ''])('does so with prompt=%s', async (prompt) => {
    expect(await open({ prompt })).toContain(CONSENT)
  })

  it.each(['login', 'select_account', 'login consent', 'consent select_account'])(
    'asks for the password again with prompt=%s, once',
    async (prompt) => {
      expect(await open({ prompt })).toContain(SIGN_IN)
      expect(await signInAgain()).toContain(CONSENT)
      expect((await browser.submit({ decision: 'allow' }))?.searchParams.get('state')).toBe('here')
    },
  )

  it('tells the client the time of the sign-in that it has requested', async () => {
    clock.pass(1000)
    await open({ prompt: 'login' })
    await signInAgain()
    const redirect = await browser.submit({ decision: 'allow' })
    const { id_token } = await bodyOf(await redeemCode(client.send, app, redirect?.searchParams.get('code') ?? ''))
    expect(decodeJwt(id_token).auth_time).toBe(Math.floor(clock.ms / 1000))
  })

  it.each([
    ['100', 99, CONSENT],
    ['100', 100, SIGN_IN],
    ['0', 0, SIGN_IN],
    ['999999999', 40_000, CONSENT],
    ['', 40_000, CONSENT],
  ])('with max_age=%s, %d seconds after the sign-in, shows %s', async (max_age, seconds, page) => {
    clock.pass(seconds)
    expect(await open({ max_age })).toContain(page)
    if (page === SIGN_IN) expect(await signInAgain()).toContain(CONSENT)
  })

  it('stays signed in for twelve hours', async () => {
    clock.pass(12 * 3600 - 1)
    expect(await open({})).toContain(CONSENT)
    clock.pass(1)
    expect(await open({})).toContain(SIGN_IN)
  })
})

describe('a client that sends prompt=none', () => {
  it('gets login_required if no user has signed in', async () => {
    const { id } = await registerOwned(client)
    const response = await client.get(authorizationPath(id, { prompt: 'none' }))
    const { searchParams } = expectRedirectError(response, REDIRECT_URI, 'login_required')
    expect(searchParams.get('state')).toBe('here')
  })

  it('gets consent_required if the user has not allowed it', async () => {
    await browser.submit({ decision: 'allow' })
    const redirect = await browser.open(authorizationPath(app.id, { prompt: 'none' }))
    expect(redirect?.searchParams.get('error')).toBe('consent_required')
  })

  it('gets login_required if the sign-in is older than its max_age', async () => {
    const redirect = await browser.open(authorizationPath(app.id, { prompt: 'none', max_age: '0' }))
    expect(redirect?.searchParams.get('error')).toBe('login_required')
  })

  it('gets login_required if it expects another user', async () => {
    const { id_token = '' } = await getTokens(client.send, await createAccount(client), app, 'openid')
    const redirect = await browser.open(authorizationPath(app.id, { prompt: 'none', id_token_hint: id_token }))
    expect(redirect?.searchParams.get('error')).toBe('login_required')
  })
})

describe('a faulty request is reported to the client', () => {
  it.each<Record<string, string>>([
    { prompt: 'none login' },
    { prompt: 'create' },
    { prompt: 'login  consent' },
    { max_age: '-1' },
    { max_age: '1.5' },
    { max_age: 'x' },
    { max_age: '9999999999' },
    { id_token_hint: 'x' },
    { id_token_hint: 'x', prompt: 'none' },
  ])('%j', async (parameters) => {
    const { id } = await registerOwned(client)
    const response = await client.get(authorizationPath(id, parameters))
    expectRedirectError(response, REDIRECT_URI, 'invalid_request')
  })

  it('except a request for an ID token without a redirect_uri, which is reported to the user', async () => {
    await expectErrorPage(await client.get(authorizationPath(app.id, { scope: 'openid', redirect_uri: undefined })))
  })
})

describe('a client that knows its user', () => {
  it('can fill in the e-mail address for the user', async () => {
    const page = await open({ login_hint: account.email }, new UserAgent(client.send))
    expect(page).toContain(`name="email" type="email" autocomplete="username" required="" value="${account.email}"`)
  })

  it('gets its user by an earlier ID token, expired or not', async () => {
    const { id_token = '' } = await getTokens(client.send, account, app, 'openid')
    expect(await open({ id_token_hint: id_token })).toContain(CONSENT)
    clock.pass(2 * 3600)
    expect(await open({ id_token_hint: id_token })).toContain(CONSENT)
  })

  it('does not get another user: the browser of another user asks for a sign-in', async () => {
    const other = await createAccount(client)
    const { id_token = '' } = await getTokens(client.send, other, app, 'openid')
    expect(await open({ id_token_hint: id_token })).toContain(SIGN_IN)
    expect(await signInAgain(other)).toContain(CONSENT)
  })

  it('does not get another user who signs in instead', async () => {
    const other = await createAccount(client)
    const { id_token = '' } = await getTokens(client.send, other, app, 'openid')
    await open({ id_token_hint: id_token })
    await signInAgain(account)
    const redirect = browser.page.includes(CONSENT) ? await browser.submit({ decision: 'allow' }) : undefined
    expect(redirect?.searchParams.has('code') ?? false).toBe(false)
  })
})

describe('a request that comes as a form', () => {
  const form = () =>
    Object.fromEntries(new URLSearchParams(authorizationPath(app.id, { scope: 'openid' }).split('?')[1]))

  it('gets the same response as one by a link', async () => {
    const unknown = new UserAgent(client.send)
    await unknown.submitFromElsewhere('/oauth/authorize', form())
    expect(unknown.page).toContain(SIGN_IN)
    await unknown.submit({ email: account.email, password: account.password })
    expect((await unknown.submit({ decision: 'allow' }))?.searchParams.get('state')).toBe('here')
  })

  it('finds the user signed in if it comes from the site of the client, and changes nothing', async () => {
    await browser.submitFromElsewhere('/oauth/authorize', form())
    expect(browser.page).toContain(CONSENT)
    expect(await open({})).toContain(CONSENT)
  })
})
