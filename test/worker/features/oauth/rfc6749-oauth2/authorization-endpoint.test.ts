import { beforeAll, describe, expect, it } from 'vitest'
import { AuthorizationParameters } from '../../../../../src/schemas/oauth.ts'
import { type Client, createAccount, ORIGIN } from '../../../../support/app.ts'
import { authorizationPath, formOf, REDIRECT_URI, registerClient, sendForm, signIn } from '../../../../support/oauth.ts'
import { BASE_PATH } from '../../../../support/world.ts'
import { createProvider, expectErrorPage, expectRedirectError, registerOwned } from '../support.ts'

type Parameters = Record<string, string | undefined>

const SECOND_URI = 'https://client.test/callback?app=1'

let client: Client
let app: string
let appWithTwo: string

beforeAll(async () => {
  client = createProvider()
  app = (await registerOwned(client, { scope: 'openid read:account' })).id
  appWithTwo = (await registerOwned(client, { redirect_uris: [REDIRECT_URI, SECOND_URI] })).id
})

/** The same request by both methods. A form is redirected to the same address with GET. */
const METHODS: [string, (path: string) => Promise<Response>][] = [
  ['GET', (path) => client.get(path)],
  [
    'POST',
    async (path) => {
      const [place = '', query] = path.split('?')
      const response = await sendForm(client.send, place, Object.fromEntries(new URLSearchParams(query)))
      const location = response.headers.get('Location')
      return location?.startsWith(BASE_PATH + place) ? await client.get(location) : response
    },
  ],
]

describe.each(METHODS)('a request by %s', (_, request) => {
  it.each<[string, () => Parameters]>([
    ['no client_id', () => ({ client_id: undefined })],
    ['an empty client_id', () => ({ client_id: '' })],
    ['an unknown client_id', () => ({ client_id: 'nobody' })],
    ['a redirect_uri that is not registered', () => ({ redirect_uri: 'https://evil.test/callback' })],
    ['a redirect_uri that is not a URI', () => ({ redirect_uri: 'callback' })],
    ['no redirect_uri if two are registered', () => ({ client_id: appWithTwo, redirect_uri: undefined })],
    ['an empty redirect_uri if two are registered', () => ({ client_id: appWithTwo, redirect_uri: '' })],
    ['a wrong redirect_uri and a wrong scope', () => ({ redirect_uri: 'https://evil.test', scope: 'everything' })],
    ['a wrong redirect_uri and prompt=none', () => ({ redirect_uri: 'https://evil.test', prompt: 'none' })],
  ])('reports %s to the user, without a redirect', async (_, parameters) => {
    await expectErrorPage(await request(authorizationPath(app, parameters())))
  })

  it.each<[string, Parameters, string]>([
    ['no response_type', { response_type: undefined }, 'invalid_request'],
    ['an empty response_type', { response_type: '' }, 'invalid_request'],
    ['an unknown response_type', { response_type: 'cookie' }, 'unsupported_response_type'],
    ['a hybrid flow', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['an unknown scope', { scope: 'everything' }, 'invalid_scope'],
    ['a scope beyond its registration', { scope: 'read:account write:account' }, 'invalid_scope'],
    ['an unknown response_mode', { response_mode: 'web_message' }, 'invalid_request'],
    ['a response_mode in capitals', { response_mode: 'FORM_POST' }, 'invalid_request'],
    ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['a request_uri', { request_uri: 'https://client.test/request' }, 'request_uri_not_supported'],
  ])('reports %s to the client, with its state', async (_, parameters, error) => {
    const response = await request(authorizationPath(app, parameters))
    const { searchParams } = expectRedirectError(response, REDIRECT_URI, error)
    expect(searchParams.get('state')).toBe('here')
  })

  it('needs no redirect_uri if the client has only one', async () => {
    expect((await request(authorizationPath(app, { redirect_uri: undefined }))).status).toBe(200)
    const response = await request(authorizationPath(app, { redirect_uri: '', scope: 'everything' }))
    expectRedirectError(response, REDIRECT_URI, 'invalid_scope')
  })

  it.each(['scope', 'prompt', 'max_age', 'nonce', 'resource', 'response_mode', 'request', 'id_token_hint'])(
    'treats an empty %s as absent',
    async (name) => {
      expect((await request(authorizationPath(app, { [name]: '' }))).status).toBe(200)
    },
  )

  it('ignores unknown parameters, and unknown scopes beside known ones', async () => {
    const path = authorizationPath(app, { scope: 'read:account read:galaxies', display: 'popup', x: '1' })
    expect((await request(path)).status).toBe(200)
  })
})

it('reports to a client that none of its requested scopes is left: every token has a scope', async () => {
  const { id } = await registerOwned(client, { grant_types: ['authorization_code'] })
  const path = authorizationPath(id, { scope: 'offline_access' })
  expectRedirectError(await client.get(path), REDIRECT_URI, 'invalid_scope')
})

it('reports to a client that it is not registered for codes', async () => {
  const legacy = createProvider({ config: { legacyFlows: true } })
  const { id } = await registerOwned(legacy, { grant_types: ['implicit'] })
  expectRedirectError(await legacy.get(authorizationPath(id)), REDIRECT_URI, 'unauthorized_client')
})

describe('a repeated parameter', () => {
  it.each(['client_id', 'redirect_uri'])('is reported to the user if it is %s', async (name) => {
    const repeated = `&${new URLSearchParams({ [name]: name === 'client_id' ? app : REDIRECT_URI })}`
    await expectErrorPage(await client.get(authorizationPath(app) + repeated))
    await expectErrorPage(await followForm(authorizationPath(app) + repeated))
  })

  it.each(['response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method', 'nonce', 'prompt'])(
    'is reported to the client if it is %s',
    async (name) => {
      const repeated = `&${name}=a&${name}=b`
      const path = authorizationPath(app, { [name]: undefined }) + repeated
      expectRedirectError(await client.get(path), REDIRECT_URI, 'invalid_request')
      expectRedirectError(await followForm(path), REDIRECT_URI, 'invalid_request')
    },
  )
})

/** Sends the query as a form, and follows the redirect to GET. */
async function followForm(path: string, body: BodyInit = path.split('?')[1] ?? ''): Promise<Response> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const init = { method: 'POST', body, headers, redirect: 'manual' } as const
  const response = await client.send('/oauth/authorize', init)
  expect(response.status).toBe(303)
  return await client.send(response.headers.get('Location') ?? '', { redirect: 'manual' })
}

/** The parameters that are only checked with the others, by their longest values. */
const MAXIMA = {
  response_type: 2048,
  scope: 2048,
  state: 8192,
  code_challenge: 2048,
  code_challenge_method: 2048,
  nonce: 2048,
  prompt: 2048,
  max_age: 2048,
  login_hint: 2048,
  id_token_hint: 8192,
  response_mode: 2048,
  resource: 2048,
}

describe('a long parameter', () => {
  it('is each of the documented ones', () => {
    const { client_id, redirect_uri, request, request_uri, ...others } = AuthorizationParameters.shape
    const documented = Object.entries(others).map(([name, schema]) => [name, schema.meta()?.maxLength])
    expect(Object.fromEntries(documented)).toEqual(MAXIMA)
  })

  it.each(Object.entries(MAXIMA))('%s is reported to the client beyond %i characters', async (name, maximum) => {
    const path = authorizationPath(app, { [name]: 'x'.repeat(maximum + 1) })
    for (const response of [await client.get(path), await followForm(path)]) {
      const { searchParams } = expectRedirectError(response, REDIRECT_URI, 'invalid_request')
      expect(searchParams.get('error_description')).toBe(`${name} must have at most ${maximum} characters.`)
      expect(searchParams.get('state')).toBe(name === 'state' ? 'x'.repeat(maximum + 1) : 'here')
    }
  })

  it.each(['state', 'nonce', 'login_hint', 'scope'] as const)('%s may be as long as its limit', async (name) => {
    const filler = 'x'.repeat(MAXIMA[name])
    const value = name === 'scope' ? `read:account ${filler}`.slice(0, MAXIMA[name]) : filler
    expect((await client.get(authorizationPath(app, { [name]: value }))).status).toBe(200)
    expect((await followForm(authorizationPath(app, { [name]: value }))).status).toBe(200)
  })

  it('that is not supported at all is reported as that', async () => {
    const path = authorizationPath(app, { request: 'x'.repeat(10_000) })
    expectRedirectError(await client.get(path), REDIRECT_URI, 'request_not_supported')
  })

  it.each(['client_id', 'redirect_uri'])('is reported to the user if it is %s', async (name) => {
    const path = authorizationPath(app, { [name]: `https://client.test/${'x'.repeat(3000)}` })
    await expectErrorPage(await client.get(path))
    await expectErrorPage(await followForm(path))
  })

  it('is reported to the user if its client has no owner and nobody is signed in', async () => {
    const { id } = await registerClient(client.send)
    const page = await expectErrorPage(await client.get(authorizationPath(id, { state: 'x'.repeat(8193) })))
    expect(page).toContain('state must have at most 8192 characters.')
  })

  it('comes back with the code, through all pages', async () => {
    const state = 'CfDJ8'.repeat(1638)
    const account = await createAccount(client)
    const { id } = await registerClient(client.send)
    for (const response_mode of ['query', 'form_post']) {
      const browser = await signIn(client.send, account, id, { state, response_mode })
      const redirect = await browser.submit({ decision: 'allow' })
      const returned = redirect?.searchParams.get('state') ?? formOf(browser.page).fields.state
      expect(returned).toBe(state)
    }
  })
})

describe('a form', () => {
  it.each([
    { what: 'a control character', state: '\0\u0007', returned: '\0\u0007' },
    { what: 'bytes that are not UTF-8', state: Uint8Array.of(0xff, 0x41), returned: '\ufffdA' },
  ])('with $what reports its errors to the client', async ({ state, returned }) => {
    const query = new URLSearchParams(authorizationPath(app, { state: undefined, scope: 'everything' }).split('?')[1])
    const body = new Blob([`${query}&state=`, state])
    const response = await followForm('', await body.bytes())
    expect(expectRedirectError(response, REDIRECT_URI, 'invalid_scope').searchParams.get('state')).toBe(returned)
  })

  it('passes on only the parameters that are known', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const body = 'client_id=x&unknown=1&__proto__=2&toString=3&scope='
    const response = await client.send('/oauth/authorize', { method: 'POST', body, headers, redirect: 'manual' })
    expect(response.headers.get('Location')).toBe(`${BASE_PATH}/oauth/authorize?client_id=x`)
  })
})

describe('the response', () => {
  it.each(['x', 'a b+c&d=%41/ü🪐', '"><script>alert(1)</script>', "'; --", '\r\nSet-Cookie: a=b', 'x'.repeat(2048)])(
    'returns the state unchanged: %j',
    async (state) => {
      const response = await client.get(authorizationPath(app, { state, scope: 'everything' }))
      expect(expectRedirectError(response, REDIRECT_URI, 'invalid_scope').searchParams.get('state')).toBe(state)
      expect(response.headers.get('Set-Cookie')).toBeNull()
    },
  )

  it.each([undefined, ''])('has no state if the request has none: %j', async (state) => {
    const response = await client.get(authorizationPath(app, { state, scope: 'everything' }))
    expect(expectRedirectError(response, REDIRECT_URI, 'invalid_scope').searchParams.has('state')).toBe(false)
  })

  it('keeps the query of the redirect URI, and has an opaque code', async () => {
    const account = await createAccount(client)
    const path = { redirect_uri: SECOND_URI, scope: 'read:account' }
    const browser = await signIn(client.send, account, appWithTwo, path)
    const redirect = await browser.submit({ decision: 'allow' })
    expect(browser.response?.status).toBe(303)
    expect(redirect?.href.startsWith(`${SECOND_URI}&code=`)).toBe(true)
    expect(Object.fromEntries(redirect?.searchParams ?? [])).toEqual({
      app: '1',
      code: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      state: 'here',
      iss: ORIGIN,
    })
  })
})
