import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, type Client, createAccount, ORIGIN } from '../../../../support/app.ts'
import {
  authorizationPath,
  getTokens,
  PKCE,
  type Registered,
  registerClient,
  sendForm,
  signIn,
  UserAgent,
} from '../../../../support/oauth.ts'
import { contentOf, linksOf } from '../../../../support/pages.ts'
import { BASE_PATH } from '../../../../support/world.ts'
import { createProvider, expectErrorPage, expectRedirectError, registerOwned } from '../support.ts'

// Section 4.11.2: anybody can register a client, and so could create a link to this service that leads to a page of
// theirs.

const PHISH = 'https://phish.example/login'
const NAMED = 'https://phish.example'

let client: Client
let victim: Account
/** A client without an owner. */
let app: Registered

beforeEach(async () => {
  client = createProvider({ config: { legacyFlows: true } })
  victim = await createAccount(client)
  const metadata = {
    redirect_uris: [PHISH],
    post_logout_redirect_uris: [PHISH],
    grant_types: ['authorization_code', 'implicit'],
  }
  app = await registerClient(client.send, metadata)
})

const FAULTS: [string, Record<string, string | undefined>][] = [
  ['invalid_scope', { scope: 'nonsense' }],
  ['invalid_request', { code_challenge: undefined }],
  ['unsupported_response_type', { response_type: 'cookie' }],
  ['invalid_target', { resource: 'https://else.test' }],
  ['request_not_supported', { request: 'x' }],
  ['login_required', { prompt: 'none' }],
  ['login_required', { prompt: 'none', max_age: '0' }],
  ['invalid_scope', { response_type: 'token', scope: 'nonsense' }],
  ['invalid_request', { response_type: 'id_token', scope: 'openid' }],
  ['invalid_request', { response_mode: 'web_message' }],
]

const linkTo = (parameters: Record<string, string | undefined>) =>
  authorizationPath(app.id, { redirect_uri: PHISH, ...parameters })

/** Expects that a page leads nowhere but to other pages of this service. */
function expectNoWayOut(page: string): void {
  expect(page).not.toMatch(/<form|http-equiv|<script/)
  expect(linksOf(contentOf(page))).toEqual([])
  expect(linksOf(page).filter((link) => !/^(?:\/(?!\/)|#)/.test(link))).toEqual([])
}

describe('an error of a client without an owner', () => {
  it.each(FAULTS)(
    'is shown on a page that names the host, and nothing else of the address: %s %j',
    async (error, parameters) => {
      const page = await expectErrorPage(await client.get(linkTo(parameters)))
      expect(page).toContain(`(${error})`)
      expect(page).toContain(`${NAMED}. That address is not verified`)
      expect(page).not.toContain(PHISH)
      expectNoWayOut(page)
    },
  )

  it.each(FAULTS)('does not redirect if the request comes as a form: %s %j', async (_, parameters) => {
    const [path = '', query] = linkTo(parameters).split('?')
    const response = await sendForm(client.send, path, Object.fromEntries(new URLSearchParams(query)))
    const location = response.headers.get('Location') ?? ''
    expect(location.startsWith(`${BASE_PATH}/oauth/authorize?`)).toBe(true)
    await expectErrorPage(await client.get(location))
  })

  it.each(FAULTS)('is not posted either (form_post): %s %j', async (error, parameters) => {
    const page = await expectErrorPage(await client.get(linkTo({ response_mode: 'form_post', ...parameters })))
    expect(page).toContain(`(${error})`)
    expect(page).not.toContain(PHISH)
    expectNoWayOut(page)
  })

  it('does not redirect from the sign-in page and the consent page, if their addresses are changed', async () => {
    const browser = new UserAgent(client.send)
    await browser.open(linkTo({}))
    browser.page = browser.page.replaceAll('read%3Aaccount', 'nonsense')
    expect(await browser.submit({ email: victim.email, password: victim.password })).toBeUndefined()
    await expectErrorPage(new Response(browser.page, browser.response))
    const csrf = /name="csrf" value="([^"]*)"/.exec(browser.page)?.[1]
    const query = linkTo({ scope: 'nonsense' }).split('?')[1]
    for (const decision of ['allow', 'deny']) {
      const cookie = { Cookie: browser.cookie ?? '' }
      const response = await sendForm(client.send, `/oauth/consent?${query}`, { csrf, decision }, cookie)
      expect(response.headers.get('Location') ?? '/').toMatch(/^\//)
    }
  })

  it.each(['wrong', ''])('does not redirect with the cookie %j, which belongs to no sign-in', async (value) => {
    const headers = { Cookie: `galaxy-browser=${value.padEnd(43, 'x')}` }
    await expectErrorPage(await client.get(linkTo({ scope: 'nonsense' }), headers))
  })

  it('does not redirect after the sign-in has ended: by time, a new password, a suspension', async () => {
    for (const end of [
      'update sign_ins set expires_at = 1 where user_id = ?',
      'update users set password_generation = password_generation + 1 where id = ?',
      'update users set suspended_at = 1 where id = ?',
    ]) {
      const user = await createAccount(client)
      const browser = await signIn(client.send, user, app.id, { redirect_uri: PHISH })
      expect((await browser.open(linkTo({ scope: 'nonsense' })))?.origin).toBe(NAMED)
      await env.DB.prepare(end).bind(user.id).run()
      expect(await browser.open(linkTo({ scope: 'nonsense' }))).toBeUndefined()
      await expectErrorPage(new Response(browser.page, browser.response))
    }
  })

  it('redirects to the client in the browser of a user who has signed in', async () => {
    const browser = await signIn(client.send, victim, app.id, { redirect_uri: PHISH })
    for (const [error, parameters] of [
      ['invalid_scope', { scope: 'nonsense' }],
      ['consent_required', { prompt: 'none' }],
    ] as const) {
      const redirect = await browser.open(linkTo(parameters))
      expect([redirect?.origin, redirect?.searchParams.get('error')]).toEqual([NAMED, error])
    }
  })

  it.each([
    ['https://xn--mnchen-3ya.example/a?b=c', 'https://xn--mnchen-3ya.example'],
    ["https://evil.test/'<img>", 'https://evil.test'],
    ['http://127.0.0.1:5555/callback', 'http://127.0.0.1:5555'],
    ['com.example.app:/callback', 'com.example.app:'],
    ['com.example.app://host/callback', 'com.example.app://host'],
  ])('names the target of %s', async (redirect_uri, named) => {
    const { id } = await registerClient(client.send, { redirect_uris: [redirect_uri] })
    const page = await expectErrorPage(await client.get(authorizationPath(id, { redirect_uri, scope: 'nonsense' })))
    expect(page).toContain(`asked to receive this error at ${named}. That address is not verified`)
  })
})

describe('an error is redirected before the user has signed in', () => {
  it.each(FAULTS)('if a user owns the client: %s %j', async (error, parameters) => {
    const { id } = await registerOwned(client, {
      redirect_uris: [PHISH],
      grant_types: ['authorization_code', 'implicit'],
    })
    const response = await client.get(authorizationPath(id, { redirect_uri: PHISH, ...parameters }))
    expectRedirectError(response, PHISH, error)
  })

  it('if the client is the API reference, which is on this service', async () => {
    const redirect_uri = `${ORIGIN}/docs/oauth2-redirect`
    const path = authorizationPath('galaxy-reference', { redirect_uri, scope: 'nonsense' })
    expectRedirectError(await client.get(path), redirect_uri, 'invalid_scope')
  })

  it('but not if the owner is suspended', async () => {
    const owner = await createAccount(client)
    const { id } = await registerOwned(client, { redirect_uris: [PHISH] }, owner)
    await env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(owner.id).run()
    await expectErrorPage(await client.get(authorizationPath(id, { redirect_uri: PHISH, scope: 'nonsense' })))
  })
})

describe('a logout for a client without an owner', () => {
  const logout = (parameters: Record<string, string>) =>
    `/oauth/end-session?${new URLSearchParams({ post_logout_redirect_uri: PHISH, ...parameters })}`

  /** An ID token that the attacker got for himself. */
  async function attackersToken(): Promise<string> {
    const attacker = await createAccount(client)
    const parameters = { redirect_uri: PHISH, scope: 'openid', code_challenge: PKCE.challenge }
    const browser = await signIn(client.send, attacker, app.id, parameters)
    const code = (await browser.submit({ decision: 'allow' }))?.searchParams.get('code') ?? ''
    const form = { grant_type: 'authorization_code', client_id: app.id, code, redirect_uri: PHISH }
    const response = await sendForm(client.send, '/oauth/token', { ...form, code_verifier: PKCE.verifier })
    return ((await response.json()) as { id_token: string }).id_token
  }

  it('asks first, and names the host, whoever the ID token belongs to', async () => {
    for (const parameters of [{ client_id: app.id }, { id_token_hint: await attackersToken() }]) {
      const browser = new UserAgent(client.send)
      expect(await browser.open(logout(parameters))).toBeUndefined()
      expect(browser.page).toContain(`<code>${NAMED}</code>`)
      expect(linksOf(contentOf(browser.page))).toEqual([])
      expect((await browser.submit({}))?.href).toBe(PHISH)
    }
  })

  it('asks first if another user has signed in', async () => {
    const browser = await signIn(client.send, victim, app.id, { redirect_uri: PHISH })
    expect(await browser.open(logout({ id_token_hint: await attackersToken() }))).toBeUndefined()
    expect(browser.page).toContain(`<code>${NAMED}</code>`)
  })

  it('redirects at once if a user owns the client', async () => {
    const uris = ['https://owned.example/bye']
    const owned = await registerOwned(client, { post_logout_redirect_uris: uris })
    const { id_token = '' } = await getTokens(client.send, victim, owned, 'openid')
    const parameters = { id_token_hint: id_token, post_logout_redirect_uri: uris[0] ?? '' }
    expect((await new UserAgent(client.send).open(logout(parameters)))?.href).toBe(uris[0])
  })
})
