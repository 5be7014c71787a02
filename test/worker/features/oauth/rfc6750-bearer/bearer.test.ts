import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, BASIC_CHALLENGE, bodyOf, type Client, createAccount, ORIGIN } from '../../../../support/app.ts'
import { getTokens, registerClient, sendForm } from '../../../../support/oauth.ts'
import { wellKnownUrl } from '../../../../support/world.ts'
import { bearer, Clock, createProvider } from '../support.ts'

const REALM = 'Bearer realm="Galaxy"'
const METADATA = `resource_metadata="${wellKnownUrl('oauth-protected-resource')}"`

let client: Client
let account: Account
let token: string

beforeAll(async () => {
  client = createProvider()
  account = await createAccount(client)
  token = (await getTokens(client.send, account, await registerClient(client.send))).access_token
})

const readMe = (headers: Record<string, string> = {}, path = '/me') => client.get(path, headers)

describe('an access token', () => {
  it.each(['Bearer', 'bearer', 'BEARER'])('is accepted in the header Authorization: %s', async (scheme) => {
    const response = await readMe({ Authorization: `${scheme} ${token}` })
    expect(await bodyOf(response)).toMatchObject({ id: account.id })
  })

  it('is rejected in the query and in a form, where it could be logged', async () => {
    const query = `?${new URLSearchParams({ access_token: token })}`
    expect((await readMe({}, `/me${query}`)).status).toBe(401)
    expect((await sendForm(client.send, `/oauth/userinfo${query}`, { access_token: token })).status).toBe(401)
  })

  it('is rejected with a second word', async () => {
    expect((await readMe({ Authorization: `Bearer ${token} ${token}` })).status).toBe(401)
    expect((await readMe({ Authorization: `Bearer ${token}, Bearer ${token}` })).status).toBe(401)
  })

  it('is accepted on public routes, whatever its scope', async () => {
    expect((await readMe(bearer(token), '/planets')).status).toBe(200)
  })

  it('gets responses that must not be cached', async () => {
    expect((await readMe(bearer(token))).headers.get('Cache-Control')).toBe('no-store')
  })
})

describe('the challenge', () => {
  it('has no error if no token was sent, only the required scope and where to get a token', async () => {
    const response = await readMe()
    expect(response.status).toBe(401)
    const basic = 'Basic realm="Galaxy", charset="UTF-8"'
    expect(response.headers.get('WWW-Authenticate')).toBe(`${basic}, ${REALM}, ${METADATA}`)
  })

  it.each<[string, () => string | Promise<string>]>([
    ['is none', () => 'x'],
    ['was changed', () => `${token.slice(0, -4)}AAAA`],
    ['has no signature', () => `${token.split('.').slice(0, 2).join('.')}.`],
    ['is empty', () => ''],
  ])('is invalid_token for a token that %s', async (_, make) => {
    await expectInvalid(await readMe(bearer(await make())))
  })

  it('is invalid_token for an expired token', async () => {
    const clock = new Clock()
    const later = createProvider({ now: clock.now })
    const app = await registerClient(later.send)
    const { access_token } = await getTokens(later.send, account, app)
    clock.pass(3598)
    expect((await later.get('/me', bearer(access_token))).status).toBe(200)
    clock.pass(2)
    const response = await later.get('/me', bearer(access_token))
    expect(response.headers.get('WWW-Authenticate')).toContain('error_description="The token has expired."')
    await expectInvalid(response)
  })

  it('is invalid_token for a revoked token', async () => {
    const app = await registerClient(client.send)
    const { access_token } = await getTokens(client.send, account, app)
    await sendForm(client.send, '/oauth/revoke', { token: access_token, client_id: app.id })
    await expectInvalid(await readMe(bearer(access_token)))
  })

  it('is insufficient_scope with the required scope for a valid token without it: 403', async () => {
    const app = await registerClient(client.send)
    const { access_token } = await getTokens(client.send, account, app, 'read:planets')
    const response = await readMe(bearer(access_token))
    expect(response.status).toBe(403)
    expect(response.headers.get('WWW-Authenticate')).toBe(
      `${REALM}, ${METADATA}, error="insufficient_scope", scope="read:account"`,
    )
  })

  it('names no scope to a suspended account with a valid token: 403', async () => {
    const suspended = await createAccount(client)
    const { access_token } = await getTokens(client.send, suspended, await registerClient(client.send))
    await env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(suspended.id).run()
    const response = await readMe(bearer(access_token))
    expect([response.status, response.headers.get('WWW-Authenticate')]).toEqual([403, null])
  })

  async function expectInvalid(response: Response): Promise<void> {
    expect(response.status).toBe(401)
    const challenge = response.headers.get('WWW-Authenticate') ?? ''
    const expected = `${BASIC_CHALLENGE}, ${REALM}, ${METADATA}, error="invalid_token", error_description="`
    expect(challenge.slice(0, expected.length)).toBe(expected)
    expect((await bodyOf(response)).type).toBe(`${ORIGIN}/problems/unauthorized`)
  }
})
