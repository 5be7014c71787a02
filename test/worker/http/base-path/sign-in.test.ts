import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client } from '../../../support/app.ts'
import {
  authorizationPath,
  getTokens,
  type Registered,
  redeemCode,
  registerClient,
  requestTokens,
  sendForm,
  UserAgent,
} from '../../../support/oauth.ts'
import {
  BASE_PATH,
  BASE_URL,
  createInhabitant,
  createWorld,
  follow,
  tolerant,
} from '../../../support/world-below-path.ts'

// The provider of a world below a path: users sign in there, and nowhere else.

let world: Client
let account: Account
let app: Registered

beforeAll(async () => {
  world = createWorld()
  account = await createInhabitant(world)
  app = await registerClient(world.send)
})

const open = async (browser: UserAgent, parameters: Record<string, string> = {}) =>
  await browser.open(BASE_PATH + authorizationPath(app.id, parameters))

/** A browser that goes only where this world sends it, with a signed-in user. */
async function signIn(parameters: Record<string, string> = {}): Promise<UserAgent> {
  const browser = new UserAgent(follow(world))
  await open(browser, parameters)
  await browser.submit({ email: account.email, password: account.password })
  return browser
}

describe('the code flow', () => {
  it('stays below the path, and its tokens are those of the world', async () => {
    const browser = await signIn({ scope: 'openid read:account' })
    expect(browser.page).toContain('Allow access')
    const redirect = await browser.submit({ decision: 'allow' })
    expect(redirect?.searchParams.get('iss')).toBe(BASE_URL)
    const response = await redeemCode(world.send, app, redirect?.searchParams.get('code') ?? '', { resource: BASE_URL })
    const { access_token: token, id_token: idToken } = await bodyOf(response)
    expect(decodeJwt(token)).toMatchObject({ iss: BASE_URL, aud: BASE_URL })
    expect(decodeJwt(idToken)).toMatchObject({ iss: BASE_URL, aud: app.id })
    expect((await world.get('/me', { Authorization: `Bearer ${token}` })).status).toBe(200)
  })

  it('begins again below the path if the user takes another account, or signs up', async () => {
    const browser = await signIn()
    await browser.submit({ decision: 'switch' })
    expect(browser.page).toContain(`action="${BASE_PATH}/oauth/sign-in?`)
    const signUp = new UserAgent(follow(world))
    await signUp.open(BASE_PATH + authorizationPath(app.id).replace('authorize', 'sign-up'))
    await signUp.submit({ email: `${crypto.randomUUID()}@galaxy.test`, password: 'i-love-planets' })
    expect(signUp.page).toContain('Allow access')
  })

  it('shows the form again below the path if the password is wrong', async () => {
    const browser = new UserAgent(follow(world))
    await open(browser)
    await browser.submit({ email: account.email, password: 'wrong horse' })
    expect(browser.response?.status).toBe(401)
    expect(browser.page).toContain(`action="${BASE_PATH}/oauth/sign-in?`)
  })

  it('accepts a form from a page of its origin, and from no other', async () => {
    const statuses = await Promise.all(
      ['http://galaxy.test', BASE_URL, 'http://evil.test'].map(async (Origin) => {
        const browser = new UserAgent((path, init) =>
          follow(world)(path, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), Origin } }),
        )
        await open(browser)
        await browser.submit({ email: account.email, password: account.password })
        return browser.response?.status
      }),
    )
    expect(statuses).toEqual([200, 403, 403])
  })

  it('by POST continues with GET below the path', async () => {
    const [path = '', query = ''] = authorizationPath(app.id).split('?')
    const response = await sendForm(world.send, path, Object.fromEntries(new URLSearchParams(query)))
    expect(response.status).toBe(303)
    expect(response.headers.get('Location')).toMatch(`${BASE_PATH}/oauth/authorize?`)
  })
})

it('the resource of a token is the world, and not its origin', async () => {
  const parameters = { grant_type: 'refresh_token', refresh_token: 'x' }
  const refused = await bodyOf(await requestTokens(world.send, app, { ...parameters, resource: 'http://galaxy.test' }))
  expect(refused.error).toBe('invalid_target')
  const other = await bodyOf(await requestTokens(world.send, app, { ...parameters, resource: `${BASE_URL}/` }))
  expect(other.error).toBe('invalid_grant')
})

it('the API reference, which is a client, gets its answers below the path', async () => {
  const uri = `${BASE_URL}/docs/oauth2-redirect`
  const browser = new UserAgent(follow(world))
  await browser.open(BASE_PATH + authorizationPath('galaxy-reference', { redirect_uri: uri }))
  expect(browser.response?.status).toBe(200)
  const { email, password } = account
  const redirect = (await browser.submit({ email, password })) ?? (await browser.submit({ decision: 'allow' }))
  expect(redirect?.href).toMatch(`${uri}?code=`)
})

describe('the metadata', () => {
  it.each(['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'])(
    'at %s names the issuer with its path, and endpoints that are there',
    async (path) => {
      const metadata = await bodyOf(await world.get(path))
      expect(metadata.issuer).toBe(BASE_URL)
      expect(metadata.token_endpoint).toBe(`${BASE_URL}/oauth/token`)
      expect((await bodyOf(await world.get('/.well-known/oauth-protected-resource'))).resource).toBe(BASE_URL)
    },
  )
})

describe('signing out', () => {
  it('with an ID token leads to the client, and by form stays below the path', async () => {
    const { id_token = '' } = await getTokens(tolerant(world).send, account, app, 'openid read:account')
    const browser = await signIn()
    await browser.open(`${BASE_PATH}/oauth/end-session`)
    expect(browser.page).toContain(`action="${BASE_PATH}/oauth/end-session"`)
    await browser.submit({})
    expect(browser.page).toContain('You are signed out')
    const again = await signIn()
    await again.open(`${BASE_PATH}/oauth/end-session?${new URLSearchParams({ id_token_hint: id_token })}`)
    expect(again.page).toContain('You are signed out')
  })
})

describe('the cookie of a browser', () => {
  it.each([
    [BASE_URL, /^galaxy-universe=[\w-]{43}; Max-Age=43200; Path=\/u\/[a-z]{24}; HttpOnly; SameSite=Lax$/],
    [
      BASE_URL.replace('http:', 'https:'),
      /^__Secure-galaxy-universe=[\w-]{43}; Max-Age=43200; Path=\/u\/[a-z]{24}; HttpOnly; Secure; SameSite=Lax$/,
    ],
  ])('at %s is for its path alone', async (baseUrl, pattern) => {
    const response = await createWorld({ baseUrlOf: () => baseUrl }).get(authorizationPath(app.id))
    expect(response.headers.get('Set-Cookie')).toMatch(pattern)
  })

  it('of the whole host, which browsers send to the path too, is worth nothing there and hides nothing', async () => {
    const browser = await signIn()
    const secret = browser.cookie?.split('=')[1] ?? ''
    const openWith = (Cookie: string) => world.get(authorizationPath(app.id), { Cookie })
    for (const name of ['galaxy-browser', '__Host-galaxy-browser']) {
      const stranger = await openWith(`${name}=${secret}`)
      expect(await stranger.text()).toContain('Sign in')
      expect(stranger.headers.get('Set-Cookie')).toContain('galaxy-universe=')
      for (const pair of [
        `${name}=${'x'.repeat(43)}; ${browser.cookie}`,
        `${browser.cookie}; ${name}=${'x'.repeat(43)}`,
      ]) {
        expect(await (await openWith(pair)).text()).toContain('Allow access')
      }
    }
  })

  it('is not shown by the echo', async () => {
    const Cookie = 'galaxy-universe=s3cr3t; a=1; __Secure-galaxy-universe=s3cr3t; __Host-galaxy-browser=s3cr3t'
    const { cookies } = await bodyOf(await world.get('/echo', { Cookie }))
    expect(cookies).toEqual({ a: '1' })
  })
})
