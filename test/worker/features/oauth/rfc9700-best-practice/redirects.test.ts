import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, type Client, createAccount } from '../../../../support/app.ts'
import {
  authorizationPath,
  REDIRECT_URI,
  type Registered,
  registerClient,
  sendForm,
  signIn,
} from '../../../../support/oauth.ts'
import { createProvider, expectErrorPage } from '../support.ts'

const PAGES = ['/oauth/authorize', '/oauth/sign-in', '/oauth/consent', '/oauth/end-session']
const EVIL = 'https://evil.test/'

let client: Client
let account: Account
let app: Registered

beforeAll(async () => {
  client = createProvider()
  account = await createAccount(client)
  app = await registerClient(client.send)
})

describe('every redirect', () => {
  it('is 303, so that no form with a password is sent on', async () => {
    const browser = await signIn(client.send, account, app.id)
    const form = { email: account.email, password: account.password }
    const anew = await signIn(client.send, account, app.id, { prompt: 'login' })
    await anew.open(authorizationPath(app.id, { prompt: 'login' }))
    const csrf = /name="csrf" value="([^"]*)"/.exec(anew.page)?.[1] ?? ''
    const cookie = { Cookie: anew.cookie ?? '' }
    const query = authorizationPath(app.id).split('?')[1]
    const signedIn = await sendForm(client.send, `/oauth/sign-in?${query}`, { csrf, ...form }, cookie)
    expect(signedIn.status).toBe(303)
    for (const decision of ['switch', 'deny', 'allow']) {
      await browser.open(authorizationPath(app.id))
      const page = browser.page
      await browser.submit({ decision: 'deny' })
      expect(browser.response?.status).toBe(303)
      expect(page).toContain(`value="${decision}"`)
    }
  })

  it.each<[string, Record<string, string>]>([
    ['a faulty request', { scope: 'everything' }],
    ['prompt=none', { prompt: 'none' }],
  ])('is 303 for %s, also by POST', async (_, parameters) => {
    const [path = '', query] = authorizationPath(app.id, parameters).split('?')
    const response = await sendForm(client.send, path, Object.fromEntries(new URLSearchParams(query)))
    expect(response.status).toBe(303)
  })

  it('sends no referrer, and cannot be cached', async () => {
    const browser = await signIn(client.send, account, app.id)
    await browser.submit({ decision: 'allow' })
    expect(browser.response?.headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(browser.response?.headers.get('Cache-Control')).toBe('no-store')
  })
})

describe('no redirect goes to an address that no client has registered', () => {
  it.each(['redirect_uri', 'post_logout_redirect_uri', 'next', 'return_to', 'url'])('by %s', async (name) => {
    for (const path of PAGES) {
      const query = new URLSearchParams({ client_id: app.id, response_type: 'code', [name]: EVIL })
      for (const response of [
        await client.send(`${path}?${query}`, { redirect: 'manual' }),
        await client.send(path, { method: 'POST', body: query, redirect: 'manual' }),
        await client.send(`${path}?${query}`, { method: 'POST', body: new URLSearchParams(), redirect: 'manual' }),
      ]) {
        expect(new URL(response.headers.get('Location') ?? '/', 'http://galaxy.test').host).not.toBe('evil.test')
      }
    }
  })

  it('by a form that was changed after the user has signed in', async () => {
    const browser = await signIn(client.send, account, app.id)
    browser.page = browser.page.replaceAll(encodeURIComponent(REDIRECT_URI), encodeURIComponent(EVIL))
    expect(await browser.submit({ decision: 'allow' })).toBeUndefined()
    await expectErrorPage(new Response(browser.page, browser.response))
  })
})

describe('pages of other origins', () => {
  it.each(PAGES)('cannot use %s: neither responses nor a preflight', async (path) => {
    const origin = { Origin: 'https://evil.test' }
    const preflight = { ...origin, 'Access-Control-Request-Method': 'POST' }
    for (const response of [
      await client.get(path, origin),
      await client.send(path, { method: 'POST', headers: origin, body: new URLSearchParams() }),
      await client.send(path, { method: 'OPTIONS', headers: preflight }),
      await client.send(path, { method: 'DELETE', headers: origin }),
    ]) {
      const names = [...response.headers.keys()].filter((name) => name.startsWith('access-control-'))
      expect(names).toEqual([])
    }
  })

  it.each(['/oauth/token', '/oauth/register', '/oauth/revoke', '/oauth/introspect', '/oauth/userinfo'])(
    'can call %s, without cookies',
    async (path) => {
      const headers = { Origin: 'https://spa.test', 'Access-Control-Request-Method': 'POST' }
      const preflight = await client.send(path, { method: 'OPTIONS', headers })
      expect(preflight.headers.get('Access-Control-Allow-Origin')).toBe('*')
      const response = await client.send(path, { method: 'POST', headers, body: new URLSearchParams() })
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
      expect(response.headers.get('Access-Control-Allow-Credentials')).toBeNull()
    },
  )
})
