import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, type Client, createAccount, urlOf } from '../../../../support/app.ts'
import { authorizationPath, type Registered, registerClient, signIn, UserAgent } from '../../../../support/oauth.ts'
import { BASE_PATH, BASE_URL, SECURE_URL } from '../../../../support/world.ts'
import { createProvider } from '../support.ts'

/** Below a path it cannot have the prefix `__Host-`, and has a name that no cookie of the whole host has. */
const COOKIE =
  BASE_PATH === ''
    ? { name: 'galaxy-browser', prefix: '__Host-', path: '/' }
    : { name: 'galaxy-universe', prefix: '__Secure-', path: BASE_PATH }
const CONSENT = 'Allow access to your account?'

let client: Client
let account: Account
let app: Registered

beforeEach(async () => {
  client = createProvider()
  account = await createAccount(client)
  app = await registerClient(client.send)
})

describe.each([
  ['http', BASE_URL, COOKIE.name, 'HttpOnly; SameSite=Lax'],
  ['https', SECURE_URL, COOKIE.prefix + COOKIE.name, 'HttpOnly; Secure; SameSite=Lax'],
])('the cookie of a browser over %s', (_, baseUrl, name, attributes) => {
  const send: Client['send'] = (path, init) => client.send(urlOf(path).replace(BASE_URL, baseUrl), init)

  it('is for this host only, and not for scripts or forms of other sites', async () => {
    const response = await send(authorizationPath(app.id))
    const [pair = '', ...rest] = response.headers.get('Set-Cookie')?.split('; ') ?? []
    expect(pair.split('=')).toEqual([name, expect.stringMatching(/^[A-Za-z0-9_-]{43}$/)])
    expect(rest.join('; ')).toBe(`Max-Age=43200; Path=${COOKIE.path}; ${attributes}`)
  })

  it('changes with the sign-in, and is known from then on', async () => {
    const browser = new UserAgent(send)
    await browser.open(authorizationPath(app.id))
    const before = browser.cookie
    await browser.submit({ email: account.email, password: account.password })
    expect(browser.cookie).not.toBe(before)
    expect(browser.page).toContain(CONSENT)
    expect(browser.response?.headers.get('Set-Cookie')).toBeNull()
  })
})

it('has the same attributes after the sign-in', async () => {
  const cookies: (string | null)[] = []
  const send: typeof client.send = async (path, init) => {
    const response = await client.send(path, init)
    cookies.push(response.headers.get('Set-Cookie'))
    return response
  }
  await signIn(send, account, app.id)
  const attributes = cookies.filter((cookie) => cookie !== null).map((cookie) => cookie.replace(/=[^;]*/, ''))
  expect(attributes).toHaveLength(2)
  expect(attributes[0]).toBe(attributes[1])
})

describe('a cookie', () => {
  it('that an attacker has planted is worthless after the user has signed in', async () => {
    const attacker = new UserAgent(client.send)
    await attacker.open(authorizationPath(app.id))
    const planted = attacker.cookie ?? ''
    const victim = new UserAgent((path, init) => {
      const headers = new Headers(init?.headers)
      if (!headers.has('Cookie')) headers.set('Cookie', planted)
      return client.send(path, { ...init, headers })
    })
    await victim.open(authorizationPath(app.id))
    await victim.submit({ email: account.email, password: account.password })
    expect(victim.page).toContain(CONSENT)
    await attacker.open(authorizationPath(app.id))
    expect(attacker.page).toContain('Sign in to Galaxy')
  })

  it('from before is worthless after another sign-in', async () => {
    const browser = await signIn(client.send, account, app.id)
    const old = browser.cookie ?? ''
    await browser.open(authorizationPath(app.id, { prompt: 'login' }))
    await browser.submit({ email: account.email, password: account.password })
    expect(browser.page).toContain(CONSENT)
    const page = await (await client.get(authorizationPath(app.id), { Cookie: old })).text()
    expect(page).toContain('Sign in to Galaxy')
  })

  it('is stored only as a hash', async () => {
    const { cookie = '' } = await signIn(client.send, account, app.id)
    const { results } = await env.DB.prepare('select * from sign_ins where user_id = ?').bind(account.id).all()
    expect(results).toHaveLength(1)
    expect(JSON.stringify(results)).not.toContain(cookie.split('=')[1])
  })

  it.each(['', 'x', 'x'.repeat(42), 'x'.repeat(44), '"><script>', '%00'])(
    'of unknown origin is replaced: %j',
    async (value) => {
      const response = await client.get(authorizationPath(app.id), { Cookie: `${COOKIE.name}=${value}` })
      expect(response.headers.get('Set-Cookie')).toMatch(new RegExp(`^${COOKIE.name}=[A-Za-z0-9_-]{43};`))
    },
  )

  it('is not a credential of the API', async () => {
    const { cookie = '' } = await signIn(client.send, account, app.id)
    for (const path of ['/me', '/me/api-keys', '/oauth/userinfo']) {
      expect((await client.get(path, { Cookie: cookie })).status).toBe(401)
    }
  })

  it('works beside other cookies', async () => {
    const { cookie = '' } = await signIn(client.send, account, app.id)
    const headers = { Cookie: `a=b; ${cookie}; ${COOKIE.name}x=y; api_key=glx_x` }
    expect(await (await client.get(authorizationPath(app.id), headers)).text()).toContain(CONSENT)
  })
})
