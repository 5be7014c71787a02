import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, BASIC_CHALLENGE, bodyOf, type Client, createAccount, ORIGIN } from '../../../../support/app.ts'
import { getTokens, registerClient, sendForm } from '../../../../support/oauth.ts'
import { bearer, Clock, createProvider } from '../support.ts'

const REALM = 'Bearer realm="Galaxy"'
const METADATA = `resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource"`

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
  it.each(['Bearer', 'bearer', 'BEARER'])('is taken in the header Authorization: %s', async (scheme) => {
    const response = await readMe({ Authorization: `${scheme} ${token}` })
    expect(await bodyOf(response)).toMatchObject({ id: account.id })
  })

  it('is not taken in the query or in a form, where it would be written down', async () => {
    const query = `?${new URLSearchParams({ access_token: token })}`
    expect((await readMe({}, `/me${query}`)).status).toBe(401)
    expect((await sendForm(client.send, `/oauth/userinfo${query}`, { access_token: token })).status).toBe(401)
  })

  it('is not taken with a word behind it', async () => {
    expect((await readMe({ Authorization: `Bearer ${token} ${token}` })).status).toBe(401)
    expect((await readMe({ Authorization: `Bearer ${token}, Bearer ${token}` })).status).toBe(401)
  })

  it('is good for what it does not need to be good for: what is public', async () => {
    expect((await readMe(bearer(token), '/planets')).status).toBe(200)
  })

  it('opens answers that no cache keeps', async () => {
    expect((await readMe(bearer(token))).headers.get('Cache-Control')).toBe('no-store')
  })
})

describe('the challenge', () => {
  it('says nothing of an error where no token was sent, only what is asked for and where to get it', async () => {
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
  ])('says invalid_token of a token that %s', async (_, make) => {
    await expectInvalid(await readMe(bearer(await make())))
  })

  it('says invalid_token of a token that has expired', async () => {
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

  it('says invalid_token of a token that was revoked', async () => {
    const app = await registerClient(client.send)
    const { access_token } = await getTokens(client.send, account, app)
    await sendForm(client.send, '/oauth/revoke', { token: access_token, client_id: app.id })
    await expectInvalid(await readMe(bearer(access_token)))
  })

  it('says insufficient_scope, and which scope it takes, of a token that holds: with 403', async () => {
    const app = await registerClient(client.send)
    const { access_token } = await getTokens(client.send, account, app, 'read:planets')
    const response = await readMe(bearer(access_token))
    expect(response.status).toBe(403)
    expect(response.headers.get('WWW-Authenticate')).toBe(
      `${REALM}, ${METADATA}, error="insufficient_scope", scope="read:account"`,
    )
  })

  it('says nothing of a scope of a suspended account, whose token holds: 403', async () => {
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
