import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, type Client, createAccount } from '../../../../support/app.ts'
import { authorizationPath, registerClient, signIn, signUpPath, UserAgent } from '../../../../support/oauth.ts'
import { policyOf } from '../../../../support/pages.ts'
import { createProvider, sendFrom } from '../support.ts'

const policy = (formAction: string) => ({
  'default-src': "'none'",
  'style-src': "'self'",
  'img-src': 'data:',
  'base-uri': "'none'",
  'form-action': formAction,
  'frame-ancestors': "'none'",
})

let client: Client
let account: Account

beforeEach(async () => {
  client = createProvider()
  account = await createAccount(client)
})

describe('the page that asks for consent', () => {
  it.each([
    ['https://client.test/callback', 'https://client.test'],
    ['https://client.test:8443/callback', 'https://client.test:8443'],
    ['http://127.0.0.1:49152/callback', 'http://127.0.0.1:49152'],
    ['http://localhost:3000/callback', 'http://localhost:3000'],
    ['http://[::1]:49152/callback', 'http:'],
    ['https://[2001:db8::1]/callback', 'https:'],
    ['com.example.app:/callback', 'com.example.app:'],
  ])('for a client at %s can send its form to the service and be redirected to %s', async (redirect_uri, source) => {
    const { id } = await registerClient(client.send, { redirect_uris: [redirect_uri] })
    const { response } = await signIn(client.send, account, id, { redirect_uri })
    expect(policyOf(response ?? new Response())).toEqual(policy(`'self' ${source}`))
  })
})

/** Every kind of page, with the targets that its form may have. */
const PAGES: [string, string, () => Promise<Response | undefined>][] = [
  ['sign-in', "'self'", async () => client.get(authorizationPath((await registerClient(client.send)).id))],
  [
    'sign-in, again',
    "'self'",
    async () => {
      const { id } = await registerClient(client.send)
      return (await signIn(sendFrom(client), { email: account.email, password: 'guess' }, id)).response
    },
  ],
  [
    'sign-up',
    "'self'",
    async () => {
      const { id } = await registerClient(client.send)
      return client.get(signUpPath(id))
    },
  ],
  [
    'sign-up, again',
    "'self'",
    async () => {
      const { id } = await registerClient(client.send)
      const browser = new UserAgent(sendFrom(client))
      await browser.open(signUpPath(id))
      await browser.submit({ email: account.email, password: account.password })
      return browser.response
    },
  ],
  [
    'consent',
    "'self' http://127.0.0.1",
    async () => (await signIn(client.send, account, (await registerClient(client.send)).id)).response,
  ],
  ['a fault', "'none'", async () => client.get(authorizationPath('nobody'))],
  [
    'a rejected form',
    "'none'",
    async () => client.send('/oauth/consent', { method: 'POST', body: new URLSearchParams() }),
  ],
  ['a body that is not a form', "'none'", async () => client.sendJson('POST', '/oauth/sign-in', {})],
  [
    'a logout',
    "'self'",
    async () => {
      const browser = await signIn(client.send, account, (await registerClient(client.send)).id)
      await browser.open('/oauth/end-session')
      return browser.response
    },
  ],
  [
    'a logout for a client',
    "'self' https://client.test",
    async () => {
      const post_logout_redirect_uri = 'https://client.test/bye'
      const { id } = await registerClient(client.send, { post_logout_redirect_uris: [post_logout_redirect_uri] })
      const browser = await signIn(client.send, account, id)
      await browser.open(`/oauth/end-session?${new URLSearchParams({ client_id: id, post_logout_redirect_uri })}`)
      return browser.response
    },
  ],
  ['signed out', "'none'", async () => client.get('/oauth/end-session')],
]

describe.each(PAGES)('the page: %s', (_, formAction, open) => {
  it('has no script, cannot be framed or cached, and sends no referrer', async () => {
    const response = (await open()) ?? new Response()
    const { headers } = response
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(policyOf(response)).toEqual(policy(formAction))
    expect(headers.get('X-Frame-Options')).toBe('DENY')
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(headers.get('Cache-Control')).toBe('no-store')
  })
})

it.each(PAGES.filter(([name]) => !/again|consent|logout/.test(name)))('has no script: %s', async (_, __, open) => {
  const page = await (await open())?.text()
  expect(page).toMatch(/^<!doctype html>/)
  expect(page).not.toMatch(/<script|javascript:|\son[a-z]+=|https?:\/\/(?!www\.w3\.org|galaxy\.test)/i)
})
