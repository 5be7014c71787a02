import { beforeEach, expect, it } from 'vitest'
import { type Account, authorization, bodyOf, type Client, createAccount, createClient } from '../../support/app.ts'
import { getTokens, type Registered, registerClient } from '../../support/oauth.ts'

// GET and DELETE of /me/clients and /me/grants: what a user sees of OAuth.

const HOUR_MS = 60 * 60 * 1000

let client: Client
let clock: number
let ada: Account
let bob: Account
let app: Registered

beforeEach(async () => {
  clock = Date.now()
  client = createClient({ now: () => new Date(clock) })
  ada = await createAccount(client)
  bob = await createAccount(client)
  app = await registerClient(client.send, { client_name: 'Atlas' }, `Bearer ${ada.token}`)
})

const read = async (path: string, account: Account) => bodyOf(await client.get(path, authorization(account)))
const remove = (path: string, account: Account) =>
  client.send(path, { method: 'DELETE', headers: authorization(account) })

it('lists the clients of a user, without secrets, and nobody else’s', async () => {
  const { data, meta } = await read('/me/clients', ada)
  expect(meta.total).toBe(1)
  expect(data).toEqual([
    {
      id: app.id,
      name: 'Atlas',
      authentication: 'client_secret_basic',
      redirectUris: ['http://127.0.0.1/callback'],
      scopes: expect.arrayContaining(['read:account', 'openid']),
      createdAt: new Date(clock).toISOString(),
      lastUsedAt: new Date(clock).toISOString(),
    },
  ])
  expect((await read('/me/clients', bob)).data).toEqual([])
  expect((await remove(`/me/clients/${app.id}`, bob)).status).toBe(404)
})

it('deletes a client with all its grants, at once', async () => {
  const { access_token } = await getTokens(client.send, bob, app)
  const me = () => client.get('/me', { Authorization: `Bearer ${access_token}` })
  expect((await me()).status).toBe(200)
  expect((await remove(`/me/clients/${app.id}`, ada)).status).toBe(204)
  expect((await me()).status).toBe(401)
  expect((await remove(`/me/clients/${app.id}`, ada)).status).toBe(404)
})

it('lists the valid grants of a user: none that has expired, was revoked, or precedes the current password', async () => {
  await getTokens(client.send, bob, app, 'read:account')
  clock += 1
  await getTokens(client.send, bob, app, 'read:account offline_access')
  const { data } = await read('/me/grants', bob)
  expect(data).toMatchObject([
    { clientId: app.id, clientName: 'Atlas', scopes: ['read:account'] },
    { clientId: app.id, clientName: 'Atlas', scopes: ['read:account', 'offline_access'] },
  ])
  expect((await read('/me/grants', ada)).data).toEqual([])
  clock = Date.parse(data[0].expiresAt)
  expect(clock).toBeGreaterThanOrEqual(Date.now() + HOUR_MS - 60_000)
  const key = { 'X-API-Key': (await bodyOf(await client.sendJson('POST', '/me/api-keys', {}, await freshen(bob)))).key }
  const later = await bodyOf(await client.get('/me/grants', key))
  expect(later.data.map(({ id }: { id: string }) => id)).toEqual([data[1].id])
  expect((await client.send(`/me/grants/${data[0].id}`, { method: 'DELETE', headers: key })).status).toBe(404)
  expect((await client.send(`/me/grants/${data[1].id}`, { method: 'DELETE', headers: key })).status).toBe(204)
  expect((await bodyOf(await client.get('/me/grants', key))).data).toEqual([])
})

it('does not let a user revoke another user’s grant', async () => {
  const { access_token } = await getTokens(client.send, bob, app)
  const [{ id }] = (await read('/me/grants', bob)).data
  expect((await remove(`/me/grants/${id}`, ada)).status).toBe(404)
  expect((await client.get('/me', { Authorization: `Bearer ${access_token}` })).status).toBe(200)
})

/** The account with a token issued at the current time of the test. */
async function freshen(account: Account): Promise<Account> {
  const { email, password } = account
  const { token } = await bodyOf(await client.sendJson('POST', '/auth/token', { email, password }))
  return { ...account, token }
}
