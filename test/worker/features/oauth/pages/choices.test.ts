import { env } from 'cloudflare:workers'
import { decodeJwt } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { SCOPES } from '../../../../../src/domain/scopes.ts'
import { type Account, bodyOf, type Client, createAccount, ORIGIN } from '../../../../support/app.ts'
import {
  authorizationPath,
  type Registered,
  redeemCode,
  registerClient,
  signIn,
  type UserAgent,
} from '../../../../support/oauth.ts'
import { bearer, createProvider } from '../support.ts'

const SIGN_IN = '<title>Sign in to Galaxy</title>'
const CONSENT = '<title>Allow access to your Galaxy account?</title>'

let client: Client
let account: Account
let app: Registered
let browser: UserAgent

beforeEach(async () => {
  client = createProvider()
  account = await createAccount(client)
  app = await registerClient(client.send)
  browser = await signIn(client.send, account, app.id)
})

const countGrants = async () => (await env.DB.prepare('select count(*) as n from grants').first())?.n

describe('a user who denies consent', () => {
  it('returns to the client, which gets access_denied and nothing else', async () => {
    const before = await countGrants()
    const redirect = await browser.submit({ decision: 'deny' })
    expect(Object.fromEntries(redirect?.searchParams ?? [])).toEqual({
      error: 'access_denied',
      error_description: expect.any(String),
      state: 'here',
      iss: ORIGIN,
    })
    expect(await countGrants()).toBe(before)
  })

  it('stays signed in, and can decide otherwise the next time', async () => {
    await browser.submit({ decision: 'deny' })
    await browser.open(authorizationPath(app.id))
    expect(browser.page).toContain(CONSENT)
    expect((await browser.submit({ decision: 'allow' }))?.searchParams.has('code')).toBe(true)
  })
})

describe('a user who wants to use another account', () => {
  it('signs in as somebody else, who gets the same question', async () => {
    const other = await createAccount(client)
    expect(await browser.submit({ decision: 'switch' })).toBeUndefined()
    expect(browser.page).toContain(SIGN_IN)
    await browser.submit({ email: other.email, password: other.password })
    expect(browser.page).toContain(CONSENT)
    expect(browser.page).toContain(other.email)
    expect(browser.page).not.toContain(account.email)
    const redirect = await browser.submit({ decision: 'allow' })
    expect(redirect?.searchParams.get('state')).toBe('here')
    const code = redirect?.searchParams.get('code') ?? ''
    const { access_token } = await bodyOf(await redeemCode(client.send, app, code))
    expect(decodeJwt(access_token).sub).toBe(String(other.id))
  })

  it('is signed out even if nobody signs in instead', async () => {
    await browser.submit({ decision: 'switch' })
    await browser.open(authorizationPath(app.id))
    expect(browser.page).toContain(SIGN_IN)
  })
})

describe('a form without a decision', () => {
  it.each<Record<string, string>>([{}, { decision: '' }, { decision: 'maybe' }])('asks again: %j', async (fields) => {
    const before = await countGrants()
    expect(await browser.submit(fields)).toBeUndefined()
    expect(browser.page).toContain(CONSENT)
    expect(await countGrants()).toBe(before)
  })
})

describe('the page that asks for consent', () => {
  it('says who asks, for what, and as whom', async () => {
    const { id } = await registerClient(client.send, { client_name: 'Atlas' })
    const { page } = await signIn(client.send, account, id, { scope: 'openid write:planets offline_access' })
    expect(page).toContain('<strong><bdi>Atlas</bdi></strong> wants permission to:')
    expect(page).toContain(`You are signed in as <strong>${account.email}</strong>`)
    for (const [scope, meaning] of Object.entries(SCOPES)) {
      const isAsked = ['openid', 'write:planets', 'offline_access'].includes(scope)
      expect(page.includes(`<li>${meaning} <code class="soft">${scope}</code></li>`), scope).toBe(isAsked)
    }
  })

  it('tells how far the name of the client can be trusted', async () => {
    expect(browser.page).toContain('An unnamed application')
    expect(browser.page).toContain('This application is not verified')
    const owned = await registerClient(client.send, {}, bearer(account.token).Authorization)
    expect((await signIn(client.send, account, owned.id)).page).toContain(
      'This application was registered by a user of Galaxy',
    )
    const redirect_uri = `${ORIGIN}/docs/oauth2-redirect`
    const { page } = await signIn(client.send, account, 'galaxy-reference', { redirect_uri })
    expect(page).toContain('This application is part of this service.')
  })

  it('asks for what the request asks, not for what its form was changed to', async () => {
    browser.page = browser.page.replace('scope=read%3Aaccount', 'scope=everything')
    const redirect = await browser.submit({ decision: 'allow' })
    expect(redirect?.searchParams.get('error')).toBe('invalid_scope')
    expect(redirect?.searchParams.has('code')).toBe(false)
  })
})
