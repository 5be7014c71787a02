import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, type Client, createAccount } from '../../../../support/app.ts'
import {
  authorizationPath,
  getTokens,
  type Registered,
  registerClient,
  sendForm,
  signIn,
  UserAgent,
} from '../../../../support/oauth.ts'
import { bearer, Clock, createProvider, expectErrorPage } from '../support.ts'

const BYE = 'https://client.test/bye?app=1'
const SIGNED_OUT = '<h1>You are signed out</h1>'
const ASK = '<h1>Sign out of Galaxy?</h1>'

let clock: Clock
let client: Client
let account: Account
let app: Registered
let idToken: string
let browser: UserAgent

beforeEach(async () => {
  clock = new Clock()
  client = createProvider({ now: clock.now })
  account = await createAccount(client)
  app = await registerClient(client.send, { post_logout_redirect_uris: [BYE, 'http://127.0.0.1/bye'] })
  idToken = (await getTokens(client.send, account, app, 'openid')).id_token ?? ''
  browser = await signIn(client.send, account, app.id)
})

const logoutPath = (parameters: Record<string, string>) => `/oauth/end-session?${new URLSearchParams(parameters)}`

async function isSignedIn(): Promise<boolean> {
  await browser.open(authorizationPath(app.id))
  return browser.page.includes('Allow access to your account?')
}

describe('a client that names its user by an ID token', () => {
  it('signs the user out of the pages, and gets the browser back with its state', async () => {
    const path = logoutPath({ id_token_hint: idToken, post_logout_redirect_uri: BYE, state: 'a b&c' })
    const redirect = await browser.open(path)
    expect(browser.response?.status).toBe(303)
    expect(redirect?.href).toBe(`${BYE}&state=a+b%26c`)
    expect(await isSignedIn()).toBe(false)
  })

  it('signs the user out, who then sees a page', async () => {
    expect(await browser.open(logoutPath({ id_token_hint: idToken }))).toBeUndefined()
    expect(browser.page).toContain(SIGNED_OUT)
    expect(await isSignedIn()).toBe(false)
  })

  it('can use an expired token', async () => {
    clock.pass(3 * 3600)
    await browser.open(logoutPath({ id_token_hint: idToken, post_logout_redirect_uri: BYE }))
    expect(browser.response?.status).toBe(303)
    expect(await isSignedIn()).toBe(false)
  })

  it('can use a form on its own site', async () => {
    const form = { id_token_hint: idToken, client_id: app.id, post_logout_redirect_uri: 'http://127.0.0.1:8080/bye' }
    const redirect = await browser.submitFromElsewhere('/oauth/end-session', form)
    expect([browser.response?.status, redirect?.href]).toEqual([303, 'http://127.0.0.1:8080/bye'])
    expect(await isSignedIn()).toBe(false)
  })

  it('does not end the tokens of the user', async () => {
    const { access_token } = await getTokens(client.send, account, app)
    await browser.open(logoutPath({ id_token_hint: idToken }))
    expect((await client.get('/me', bearer(access_token))).status).toBe(200)
  })

  it('cannot sign another user out without a question', async () => {
    const other = await createAccount(client)
    const theirs = (await getTokens(client.send, other, app, 'openid')).id_token ?? ''
    await browser.open(logoutPath({ id_token_hint: theirs }))
    expect(browser.page).toContain(ASK)
    expect(await isSignedIn()).toBe(true)
  })
})

describe('without an ID token', () => {
  it('the user is asked, signs out, and continues to the client', async () => {
    const path = logoutPath({ client_id: app.id, post_logout_redirect_uri: BYE, state: '"><b>' })
    expect(await browser.open(path)).toBeUndefined()
    expect(browser.page).toContain(ASK)
    expect(browser.page).toContain(account.email)
    expect(browser.page).not.toContain('"><b>')
    expect((await browser.submit({}))?.href).toBe(`${BYE}&state=%22%3E%3Cb%3E`)
    expect(await isSignedIn()).toBe(false)
  })

  it('the page says who is signed in, and its button what it does', async () => {
    const path = logoutPath({ client_id: app.id, post_logout_redirect_uri: BYE })
    await browser.open(path)
    expect(browser.page).toContain(`You are signed in as <strong>${account.email}</strong>.`)
    expect(browser.page).toContain('<button type="submit">Sign out</button>')
    const unknown = new UserAgent(client.send)
    await unknown.open(path)
    expect(unknown.page).toContain('No one is signed in with this browser.')
    expect(unknown.page).toContain('<button type="submit">Continue</button>')
  })

  it('nobody is signed out without agreement', async () => {
    await browser.open(logoutPath({}))
    expect(browser.page).toContain(ASK)
    expect(await isSignedIn()).toBe(true)
  })

  it.each<[string, Record<string, string>]>([
    ['a wrong proof', { csrf: 'x' }],
    ['a proof of another browser', { csrf: 'b860e450a3d37015447e13ec8686255c07e8d6b5167b1ff84c442afdf843b99b' }],
  ])('the form is rejected with %s', async (_, form) => {
    const response = await sendForm(client.send, '/oauth/end-session', form, { Cookie: browser.cookie ?? '' })
    await expectErrorPage(response, 403)
    expect(await isSignedIn()).toBe(true)
  })

  it('a page of another site cannot send the form', async () => {
    await browser.open(logoutPath({}))
    const csrf = /name="csrf" value="([^"]*)"/.exec(browser.page)?.[1]
    const headers = { Cookie: browser.cookie ?? '', 'Sec-Fetch-Site': 'cross-site' }
    await expectErrorPage(await sendForm(client.send, '/oauth/end-session', { csrf }, headers), 403)
    expect(await isSignedIn()).toBe(true)
  })

  it('a browser without a sign-in is not redirected without a question', async () => {
    const unknown = new UserAgent(client.send)
    await unknown.open(logoutPath({ client_id: app.id, post_logout_redirect_uri: BYE }))
    expect(unknown.page).toContain('No one is signed in with this browser.')
    expect((await unknown.submit({}))?.href).toBe(BYE)
    await unknown.open(logoutPath({}))
    expect(unknown.page).toContain(SIGNED_OUT)
  })
})

describe('a logout is rejected, without a redirect', () => {
  it.each<[string, () => Record<string, string>]>([
    [
      'to an address that is not registered',
      () => ({ id_token_hint: idToken, post_logout_redirect_uri: 'https://evil.test/' }),
    ],
    [
      'to a redirect URI for codes',
      () => ({ id_token_hint: idToken, post_logout_redirect_uri: 'http://127.0.0.1/callback' }),
    ],
    ['to an address without a client', () => ({ post_logout_redirect_uri: BYE })],
    ['to an address of an unknown client', () => ({ client_id: 'nobody', post_logout_redirect_uri: BYE })],
    ['by a hint that is not an ID token', () => ({ id_token_hint: 'x' })],
    ['by a hint whose signature is wrong', () => ({ id_token_hint: `${idToken.slice(0, -4)}AAAA` })],
    ['by a token of /auth/token', () => ({ id_token_hint: account.token })],
    ['by an ID token of another client', () => ({ id_token_hint: idToken, client_id: 'galaxy-reference' })],
  ])('%s', async (_, parameters) => {
    await browser.open(logoutPath(parameters()))
    await expectErrorPage(new Response(browser.page, browser.response))
    expect(await isSignedIn()).toBe(true)
  })
})
