import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount } from '../../../../support/app.ts'
import {
  authorizationPath,
  getCode,
  getTokens,
  type Registered,
  redeemCode,
  registerClient,
  requestTokens,
  signIn,
} from '../../../../support/oauth.ts'
import { bearer, createProvider, expectError, expectErrorPage, sendFrom } from '../support.ts'

const SIGN_IN = '<title>Sign in to Galaxy</title>'
const SCOPE = 'read:account offline_access'

let client: Client
let account: Account
let app: Registered

beforeEach(async () => {
  client = createProvider()
  account = await createAccount(client)
  app = await registerClient(client.send)
})

const suspend = () => env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(account.id).run()
const readMe = async (token: string) => (await client.get('/me', bearer(token))).status

async function changePassword(): Promise<void> {
  const change = { currentPassword: account.password, newPassword: 'another horse' }
  expect((await client.sendJson('PUT', '/me/password', change, account)).status).toBe(204)
}

describe('a suspended account', () => {
  it('cannot sign in, and learns why only with the right password', async () => {
    await suspend()
    const { page, response } = await signIn(client.send, account, app.id)
    expect(await expectErrorPage(new Response(page, response), 403)).toContain('This account is suspended.')
    expect(response?.headers.get('Set-Cookie')).toBeNull()
    const guessed = await signIn(sendFrom(client), { ...account, password: 'guess' }, app.id)
    expect(guessed.response?.status).toBe(401)
    expect(guessed.page).not.toContain('suspended')
  })

  it('loses all its sign-ins', async () => {
    const browser = await signIn(client.send, account, app.id)
    await suspend()
    await browser.open(authorizationPath(app.id))
    expect(browser.page).toContain(SIGN_IN)
  })

  it('allows nothing more on a page that was opened before', async () => {
    const browser = await signIn(client.send, account, app.id)
    await suspend()
    expect(await browser.submit({ decision: 'allow' })).toBeUndefined()
    expect(browser.page).toContain(SIGN_IN)
  })

  it('gets no tokens for a code, and loses earlier ones', async () => {
    const tokens = await getTokens(client.send, account, app, SCOPE)
    const code = await getCode(client.send, account, app.id)
    await suspend()
    await expectError(await redeemCode(client.send, app, code), 400, 'invalid_grant')
    expect(await readMe(tokens.access_token)).toBe(403)
  })
})

describe('the owner of a client', () => {
  it('who is suspended can no longer ask users for consent', async () => {
    const owner = await createAccount(client)
    const owned = await registerClient(client.send, {}, bearer(owner.token).Authorization)
    const browser = await signIn(client.send, account, owned.id)
    await env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(owner.id).run()
    expect(await browser.submit({ decision: 'allow' })).toBeUndefined()
    await expectErrorPage(new Response(browser.page, browser.response))
    await expectErrorPage(await client.get(authorizationPath(owned.id)))
  })
})

describe('a user who revokes a grant', () => {
  it('ends everything that the client got from it: codes, access tokens, refresh tokens', async () => {
    const tokens = await getTokens(client.send, account, app, SCOPE)
    const code = await getCode(client.send, account, app.id)
    const { data } = await bodyOf(await client.get('/me/grants', bearer(account.token)))
    expect(data).toHaveLength(2)
    for (const { id } of data) {
      const response = await client.send(`/me/grants/${id}`, { method: 'DELETE', headers: bearer(account.token) })
      expect(response.status).toBe(204)
    }
    expect(await readMe(tokens.access_token)).toBe(401)
    await expectError(await redeemCode(client.send, app, code), 400, 'invalid_grant')
    const grant = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    await expectError(await requestTokens(client.send, app, grant), 400, 'invalid_grant')
  })
})

describe('a password change', () => {
  it('signs every browser out', async () => {
    const browsers = [await signIn(client.send, account, app.id), await signIn(client.send, account, app.id)]
    await changePassword()
    for (const browser of browsers) {
      await browser.open(authorizationPath(app.id))
      expect(browser.page).toContain(SIGN_IN)
    }
  })

  it('makes every open page worthless', async () => {
    const browser = await signIn(client.send, account, app.id)
    await changePassword()
    expect(await browser.submit({ decision: 'allow' })).toBeUndefined()
    expect(browser.page).toContain(SIGN_IN)
  })

  it('ends the grants of clients: codes, access tokens, refresh tokens', async () => {
    const tokens = await getTokens(client.send, account, app, SCOPE)
    const code = await getCode(client.send, account, app.id)
    await changePassword()
    expect(await readMe(tokens.access_token)).toBe(401)
    await expectError(await redeemCode(client.send, app, code), 400, 'invalid_grant')
    const grant = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    await expectError(await requestTokens(client.send, app, grant), 400, 'invalid_grant')
  })

  it('makes the new password the only one that works on the page', async () => {
    await changePassword()
    expect((await signIn(sendFrom(client), account, app.id)).response?.status).toBe(401)
    const renewed = { ...account, password: 'another horse' }
    const { access_token } = await getTokens(client.send, renewed, app)
    expect(await readMe(access_token)).toBe(200)
  })

  it('of one user does not affect another', async () => {
    const other = await createAccount(client)
    const tokens = await getTokens(client.send, other, app)
    const browser = await signIn(client.send, other, app.id)
    await changePassword()
    expect(await readMe(tokens.access_token)).toBe(200)
    expect((await browser.submit({ decision: 'allow' }))?.searchParams.has('code')).toBe(true)
  })
})
