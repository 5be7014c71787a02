import { beforeEach, describe, expect, it } from 'vitest'
import { BROWSER_FILES } from '../../../../../src/design/browser-files.ts'
import { type Account, bodyOf, type Client, createAccount, ORIGIN } from '../../../../support/app.ts'
import {
  authorizationPath,
  formOf,
  REDIRECT_URI,
  type Registered,
  redeemCode,
  registerClient,
  signIn,
  type UserAgent,
} from '../../../../support/oauth.ts'
import { policyOf } from '../../../../support/pages.ts'
import { BASE_PATH } from '../../../../support/world.ts'
import { bearer, createProvider, expectErrorPage, expectRedirectError, registerOwned } from '../support.ts'

type Parameters = Record<string, string | undefined>

const FORM_POST = { response_mode: 'form_post' }
const ID_TOKEN = { ...FORM_POST, response_type: 'id_token', scope: 'openid profile email', nonce: 'n' }
const RESPONSE_TYPES = { response_types: ['code', 'id_token'] }
/** The only script of the page. */
const SCRIPT = BROWSER_FILES.scripts['submit-form']?.url

let client: Client
let account: Account
/** A public client that another user owns. */
let app: Registered

beforeEach(async () => {
  client = createProvider()
  account = await createAccount(client)
  app = await registerOwned(client, RESPONSE_TYPES)
})

/** The response of a page that submits itself. */
async function answerOf(response: Response): Promise<{ action: string; fields: Record<string, string> }> {
  expect(response.status).toBe(200)
  const page = await response.text()
  expect(page.match(/<script.*?<\/script>/gs)).toEqual([`<script type="module" src="${BASE_PATH}${SCRIPT}"></script>`])
  return formOf(page)
}

/** The browser state just after the form of the consent page was sent. */
async function decide(decision: string, parameters: Parameters, id = app.id): Promise<UserAgent> {
  const browser = await signIn(client.send, account, id, parameters)
  expect(await browser.submit({ decision })).toBeUndefined()
  return browser
}

describe('a response that the browser posts', () => {
  it('is a code with its state and issuer, in a form to the redirect URI', async () => {
    const { page } = await decide('allow', FORM_POST)
    const { action, fields } = formOf(page)
    expect(action).toBe(REDIRECT_URI)
    expect(fields).toEqual({ code: expect.any(String), state: 'here', iss: ORIGIN })
    const tokens = await bodyOf(await redeemCode(client.send, app, fields.code ?? ''))
    expect((await client.get('/me', bearer(tokens.access_token))).status).toBe(200)
  })

  it('is an ID token', async () => {
    const { page } = await decide('allow', ID_TOKEN)
    expect(formOf(page).fields).toEqual({ id_token: expect.any(String), state: 'here', iss: ORIGIN })
  })

  it('comes at once, also with prompt=none, if the user has allowed it before', async () => {
    const confidential = await registerClient(client.send, RESPONSE_TYPES, bearer(account.token).Authorization)
    const browser = await decide('allow', ID_TOKEN, confidential.id)
    for (const prompt of [undefined, 'none']) {
      await browser.open(authorizationPath(confidential.id, { ...ID_TOKEN, prompt }))
      expect(formOf(browser.page)).toMatchObject({ action: REDIRECT_URI, fields: { id_token: expect.any(String) } })
    }
  })

  it.each<[string, Parameters, string]>([
    ['an unknown scope', { scope: 'everything' }, 'invalid_scope'],
    ['an unknown response type', { response_type: 'cookie' }, 'unsupported_response_type'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['a hybrid response type', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['the response type token, switched off', { response_type: 'token' }, 'unsupported_response_type'],
    ['no code_challenge', { code_challenge: undefined }, 'invalid_request'],
    ['an ID token without a nonce', { ...ID_TOKEN, nonce: undefined }, 'invalid_request'],
    ['prompt=none', { prompt: 'none' }, 'login_required'],
    ['prompt=none and an ID token', { ...ID_TOKEN, prompt: 'none' }, 'login_required'],
  ])('is an error: %s', async (_, parameters, error) => {
    const response = await client.get(authorizationPath(app.id, { ...FORM_POST, ...parameters }))
    const { action, fields } = await answerOf(response)
    expect(action).toBe(REDIRECT_URI)
    expect(fields).toEqual({ error, error_description: expect.any(String), state: 'here', iss: ORIGIN })
  })

  it('is access_denied if the user denies it', async () => {
    const { fields } = formOf((await decide('deny', FORM_POST)).page)
    expect(fields).toEqual({
      error: 'access_denied',
      error_description: expect.any(String),
      state: 'here',
      iss: ORIGIN,
    })
  })

  it('has no state if the request has none', async () => {
    const path = authorizationPath(app.id, { ...FORM_POST, state: undefined, scope: 'everything' })
    expect((await answerOf(await client.get(path))).fields).not.toHaveProperty('state')
  })

  it.each(['a b+c&d=%41/ü🪐', '"><script>alert(1)</script>', "'><svg onload=alert(1)>", '&lt;&amp;quot;', '</form>'])(
    'contains the client’s values as text: %j',
    async (state) => {
      const redirect_uri = `https://client.test/"><script>alert(1)</script>'?a=1&amp;b=${encodeURIComponent(state)}`
      const { id } = await registerOwned(client, { redirect_uris: [redirect_uri] })
      const path = authorizationPath(id, { ...FORM_POST, redirect_uri, state, scope: 'everything' })
      const { action, fields } = await answerOf(await client.get(path))
      expect([action, fields.state]).toEqual([redirect_uri, state])
    },
  )
})

describe('the page that posts a response', () => {
  it.each([
    ['https://client.test/callback', 'https://client.test'],
    ['https://client.test:8443/callback?x=1', 'https://client.test:8443'],
    ['http://localhost:3000/callback', 'http://localhost:3000'],
    ['http://[::1]:49152/callback', 'http:'],
  ])('runs only that script and can post only to the client at %s', async (redirect_uri, source) => {
    const { id } = await registerOwned(client, { redirect_uris: [redirect_uri] })
    const response = await client.get(authorizationPath(id, { ...FORM_POST, redirect_uri, prompt: 'none' }))
    const { headers } = response
    expect(policyOf(response)).toEqual({
      'default-src': "'none'",
      'style-src': "'self'",
      'img-src': 'data:',
      'base-uri': "'none'",
      'form-action': source,
      'frame-ancestors': "'none'",
      'script-src': "'self'",
    })
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(headers.get('X-Frame-Options')).toBe('DENY')
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    const page = await response.text()
    expect(page).toContain('<button type="submit">')
    expect(page).not.toMatch(/\son[a-z]+=|<script[^>]*>[^<]/)
    expect(await (await client.get(SCRIPT ?? '')).text()).toMatch(/^document\.forms\[0\]\??\.submit\(\)/)
  })

  it('is not cached after a form either', async () => {
    const { response } = await decide('allow', ID_TOKEN)
    expect(response?.headers.get('Cache-Control')).toBe('no-store')
    expect(policyOf(response ?? new Response())['script-src']).toBe("'self'")
  })
})

describe('a client that cannot receive a post', () => {
  it('because it has a private-use scheme gets the error by a redirect', async () => {
    const redirect_uri = 'com.example.app:/callback'
    const { id } = await registerOwned(client, { redirect_uris: [redirect_uri] })
    const response = await client.get(authorizationPath(id, { ...FORM_POST, redirect_uri }))
    const location = response.headers.get('Location') ?? ''
    expect(location.startsWith(`${redirect_uri}?error=invalid_request&`)).toBe(true)
    expect((await client.get(authorizationPath(id, { redirect_uri, prompt: 'none' }))).status).toBe(303)
  })
})

describe('a client without an owner', () => {
  it('gets errors posted only by the browser of a user who has signed in', async () => {
    const { id } = await registerClient(client.send, RESPONSE_TYPES)
    for (const parameters of [FORM_POST, ID_TOKEN]) {
      const path = authorizationPath(id, { ...parameters, prompt: 'none' })
      expect(await expectErrorPage(await client.get(path))).not.toMatch(/<form|<script/)
      const browser = await signIn(client.send, account, id, parameters)
      await browser.open(path)
      expect(formOf(browser.page)).toMatchObject({ action: REDIRECT_URI, fields: { error: 'consent_required' } })
    }
  })
})

it.each<[string, Parameters]>([
  ['a code', { response_mode: 'fragment' }],
  ['an ID token', { ...ID_TOKEN, response_mode: 'fragment' }],
])('the mode fragment also works for %s', async (_, parameters) => {
  const response = await client.get(authorizationPath(app.id, { ...parameters, prompt: 'none' }))
  const { hash, search } = expectRedirectError(response, REDIRECT_URI, 'login_required')
  expect([search, hash]).toEqual(['', expect.stringContaining('state=here')])
})
