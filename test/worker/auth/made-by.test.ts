import { env } from 'cloudflare:workers'
import { decodeJwt } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { CONSTRAINTS } from '../../../src/db/constraints.ts'
import { sweep } from '../../../src/sweep.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  generationOf,
} from '../../support/app.ts'
import { getTokens, REDIRECT_URI, registerClient, sendForm } from '../../support/oauth.ts'

// What a credential has created ends with it: keys, clients, and whatever those have created in turn.

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let begin = 0
let clockOffset = 0
let client: Client
let account: Account

beforeEach(async () => {
  begin = Date.now()
  clockOffset = 0
  client = createClient({ now: () => new Date(begin + clockOffset), config: { signupsPerHour: 10_000 } })
  account = await createAccount(client)
})

const byKey = (key: string) => ({ 'X-API-Key': key })
const byToken = (token: string) => ({ Authorization: `Bearer ${token}` })
const JSON_TYPE = { 'Content-Type': 'application/json' }
type Headers = Record<string, string>

async function makeKey(headers: Headers, input: object = {}) {
  const body = JSON.stringify(input)
  const response = await client.send('/me/api-keys', { method: 'POST', body, headers: { ...JSON_TYPE, ...headers } })
  return { status: response.status, ...(await bodyOf(response)) }
}

/** A client with tokens of its own, and such a token. */
async function makeActingClient(headers: Headers) {
  const metadata = { redirect_uris: [REDIRECT_URI], grant_types: ['authorization_code', 'client_credentials'] }
  const body = JSON.stringify(metadata)
  const response = await client.send('/oauth/register', { method: 'POST', body, headers: { ...JSON_TYPE, ...headers } })
  expect(response.status).toBe(201)
  const registered = await bodyOf(response)
  return { ...registered, id: registered.client_id, secret: registered.client_secret }
}

async function actAs({ id, secret }: { id: string; secret: string }): Promise<Response> {
  const parameters = { grant_type: 'client_credentials', client_id: id, client_secret: secret }
  return await sendForm(client.send, '/oauth/token', parameters)
}

async function tokenOf(acting: { id: string; secret: string }): Promise<string> {
  return (await bodyOf(await actAs(acting))).access_token
}

/** The scopes that the user has granted another user's application: all that a key can have. */
async function allowApplication() {
  const registered = await registerClient(client.send)
  const scope = 'read:account write:account read:planets write:planets offline_access'
  const tokens = await getTokens(client.send, account, registered, scope)
  return { ...tokens, grantId: String(decodeJwt(tokens.access_token).grant_id), clientId: registered.id }
}

const statusOf = async (headers: Headers) => (await client.get('/me', headers)).status
const remove = async (path: string) =>
  expect((await client.send(path, { method: 'DELETE', headers: authorization(account) })).status).toBe(204)

describe('a deleted key ends', () => {
  it('the keys that it has created, and those that they have', async () => {
    const first = await makeKey(authorization(account))
    const second = await makeKey(byKey(first.key))
    const third = await makeKey(byKey(second.key))
    const other = await makeKey(authorization(account))
    await remove(`/me/api-keys/${first.id}`)
    expect(await Promise.all([second, third, other].map(({ key }) => statusOf(byKey(key))))).toEqual([401, 401, 200])
  })

  it('the clients that it has registered, and their tokens', async () => {
    const key = await makeKey(authorization(account))
    const acting = await makeActingClient(byKey(key.key))
    const token = await tokenOf(acting)
    expect(await statusOf(byToken(token))).toBe(200)
    await remove(`/me/api-keys/${key.id}`)
    expect(await statusOf(byToken(token))).toBe(401)
    expect((await actAs(acting)).status).toBe(401)
  })

  it('what those clients have created', async () => {
    const key = await makeKey(authorization(account))
    const grandchild = await makeKey(byToken(await tokenOf(await makeActingClient(byKey(key.key)))))
    expect(await statusOf(byKey(grandchild.key))).toBe(200)
    await remove(`/me/api-keys/${key.id}`)
    expect(await statusOf(byKey(grandchild.key))).toBe(401)
  })
})

describe('a chain of credentials that create one another', () => {
  it('has at most a key, one that it created, and one that this created', async () => {
    const first = await makeKey(authorization(account))
    const second = await makeKey(byKey(first.key))
    const third = await makeKey(byKey(second.key))
    const refused = await makeKey(byKey(third.key))
    expect([second.status, third.status, refused.status]).toEqual([201, 201, 403])
    expect(refused.type).toMatch(/\/problems\/forbidden$/)
    const register = (metadata: object) => {
      const body = JSON.stringify({ redirect_uris: [REDIRECT_URI], ...metadata })
      return client.send('/oauth/register', { method: 'POST', body, headers: { ...JSON_TYPE, ...byKey(third.key) } })
    }
    expect((await register({ token_endpoint_auth_method: 'client_secret_basic' })).status).toBe(400)
    // Like without credentials, this is a client of nobody.
    const { client_id: id } = await bodyOf(await register({}))
    expect(await env.DB.prepare('select owner_id from clients where id = ?').bind(id).first('owner_id')).toBeNull()
  })

  it('counts clients and their grants', async () => {
    const { key } = await makeKey(authorization(account))
    const acting = await makeActingClient(byKey(key))
    const last = await makeKey(byToken(await tokenOf(acting)))
    expect([last.status, (await makeKey(byKey(last.key))).status]).toEqual([201, 403])
  })

  it('of the maximum length ends as a whole: with its first key, a new password, or the account', async () => {
    const makeChain = async (owner: Account) => {
      const app = await getTokens(client.send, owner, await registerClient(client.send), 'write:account read:account')
      const acting = await makeActingClient(byToken(app.access_token))
      const inner = await makeActingClient(byToken(await tokenOf(acting)))
      return { token: await tokenOf(inner), grantId: String(decodeJwt(app.access_token).grant_id) }
    }
    const endings: ((owner: Account, grantId: string) => Promise<unknown>)[] = [
      (_, grantId) => env.DB.prepare('update grants set ended_at = 1 where id = ?').bind(grantId).run(),
      ({ id }) => env.DB.prepare('update users set password_generation = 9 where id = ?').bind(id).run(),
      ({ id }) => env.DB.prepare('update users set deleted_at = ? where id = ?').bind(Date.now(), id).run(),
      (_, grantId) => env.DB.prepare('delete from grants where id = ?').bind(grantId).run(),
    ]
    for (const end of endings) {
      const owner = await createAccount(client)
      const { token, grantId } = await makeChain(owner)
      expect(await statusOf(byToken(token))).toBe(200)
      await end(owner, grantId)
      expect(await statusOf(byToken(token))).toBe(401)
    }
  })

  it.each(['api_keys', 'clients'])('is limited by the database too: %s', async (table) => {
    const columns =
      table === 'clients'
        ? "(id, metadata, created_at, last_used_at, depth) values (?, '{}', 0, 0, 3)"
        : "(hash, user_id, password_generation, preview, scopes, created_at, depth) values (?, 1, 0, '', '[]', 0, 3)"
    const insertion = env.DB.prepare(`insert into ${table} ${columns}`).bind(crypto.randomUUID())
    await expect(insertion.run()).rejects.toThrow(CONSTRAINTS.credentialChain)
  })
})

describe('an application whose grant ends leaves behind', () => {
  it.each<[string, (app: Awaited<ReturnType<typeof allowApplication>>) => Promise<unknown>]>([
    ['the user ends the grant', ({ grantId }) => remove(`/me/grants/${grantId}`)],
    [
      'the application revokes its own token',
      ({ clientId, refresh_token }) =>
        sendForm(client.send, '/oauth/revoke', { client_id: clientId, token: String(refresh_token) }),
    ],
    [
      'the client is deleted',
      ({ clientId }) => env.DB.prepare('delete from clients where id = ?').bind(clientId).run(),
    ],
  ])('no key and no client, if %s', async (_, end) => {
    const app = await allowApplication()
    const key = await makeKey(byToken(app.access_token))
    const acting = await makeActingClient(byToken(app.access_token))
    const token = await tokenOf(acting)
    expect([await statusOf(byKey(key.key)), await statusOf(byToken(token))]).toEqual([200, 200])
    await end(app)
    expect([await statusOf(byKey(key.key)), await statusOf(byToken(token))]).toEqual([401, 401])
    expect((await actAs(acting)).status).toBe(401)
  })

  it('no key and no client, if a code was used twice', async () => {
    const app = await allowApplication()
    const key = await makeKey(byToken(app.access_token))
    const refresh = { grant_type: 'refresh_token', client_id: app.clientId, refresh_token: String(app.refresh_token) }
    expect((await sendForm(client.send, '/oauth/token', refresh)).status).toBe(200)
    expect((await sendForm(client.send, '/oauth/token', refresh)).status).toBe(400)
    expect(await statusOf(byKey(key.key))).toBe(401)
  })
})

describe('what a credential with an expiry creates expires no later', () => {
  it('a client of a key that expires stops acting, and its tokens end', async () => {
    const expiresAt = new Date(begin + HOUR_MS / 2).toISOString()
    const { key } = await makeKey(authorization(account), { expiresAt })
    const acting = await makeActingClient(byKey(key))
    expect(acting.client_secret_expires_at).toBe(Math.floor(Date.parse(expiresAt) / 1000))
    const { data } = await bodyOf(await client.get('/me/clients', authorization(account)))
    expect(data.at(-1)).toMatchObject({ id: acting.id, expiresAt })
    const token = await tokenOf(acting)
    // Times in tokens are whole seconds.
    clockOffset = HOUR_MS / 2 - 1000
    expect([await statusOf(byToken(token)), (await actAs(acting)).status]).toEqual([200, 200])
    clockOffset = HOUR_MS / 2 + 1000
    expect([await statusOf(byToken(token)), (await actAs(acting)).status]).toEqual([401, 401])
    await sweep(client.services)
    expect(await env.DB.prepare('select id from clients where id = ?').bind(acting.id).first()).toBeNull()
  })

  it('a refresh does not extend a grant beyond its client', async () => {
    const expiresAt = new Date(begin + DAY_MS).toISOString()
    const { key } = await makeKey(authorization(account), { expiresAt })
    const { id, secret } = await makeActingClient(byKey(key))
    const metadata = { grant_types: ['authorization_code', 'refresh_token'] }
    const registered = await registerClient(client.send, metadata)
    await env.DB.prepare('update clients set expires_at = ? where id = ?')
      .bind(Date.parse(expiresAt), registered.id)
      .run()
    const scope = 'read:account offline_access'
    const tokens = await getTokens(client.send, account, registered, scope)
    const ends = async () => {
      const grantId = String(decodeJwt(tokens.access_token).grant_id)
      return await env.DB.prepare('select expires_at from grants where id = ?').bind(grantId).first('expires_at')
    }
    expect(await ends()).toBe(Date.parse(expiresAt))
    const refresh = { grant_type: 'refresh_token', client_id: registered.id, refresh_token: tokens.refresh_token }
    expect((await sendForm(client.send, '/oauth/token', refresh)).status).toBe(200)
    expect(await ends()).toBe(Date.parse(expiresAt))
    expect((await actAs({ id, secret })).status).toBe(200)
  })

  it('a key created with an access token ends with the grant, and shows that expiry', async () => {
    const { access_token, grantId } = await allowApplication()
    const ends = await env.DB.prepare('select expires_at from grants where id = ?').bind(grantId).first('expires_at')
    const made = await makeKey(byToken(access_token))
    expect(Date.parse(made.expiresAt)).toBe(ends)
    const later = new Date(Number(ends) + 1).toISOString()
    expect(await makeKey(byToken(access_token), { expiresAt: later })).toMatchObject({
      status: 400,
      errors: [{ pointer: '/expiresAt' }],
    })
    const same = new Date(Number(ends)).toISOString()
    expect(await makeKey(byToken(access_token), { expiresAt: same })).toMatchObject({ status: 201, expiresAt: same })
  })

  it('a key created with a password’s token has no expiry', async () => {
    expect(await makeKey(authorization(account))).not.toHaveProperty('expiresAt')
  })
})

it('a new password leaves no key, no grant and no sign-in, whichever statement sets it', async () => {
  const { key } = await makeKey(authorization(account))
  const { access_token, grantId } = await allowApplication()
  await env.DB.prepare('update users set password_generation = 7 where id = ?').bind(account.id).run()
  expect([await statusOf(byKey(key)), await statusOf(byToken(access_token))]).toEqual([401, 401])
  const left = async (query: string, value: unknown) => (await env.DB.prepare(query).bind(value).all()).results
  expect(await left('select id from api_keys where user_id = ?', account.id)).toEqual([])
  expect(await left('select hash from sign_ins where user_id = ?', account.id)).toEqual([])
  expect(await left('select id from grants where ended_at is null and id = ?', grantId)).toEqual([])
})

it.each(['password_generation = 3', 'suspended_at = 1'])(
  'nothing is granted to a user with %s in the meantime',
  async (change) => {
    const { id } = await registerClient(client.send)
    const generation = await generationOf(account.id)
    await env.DB.prepare(`update users set ${change} where id = ?`).bind(account.id).run()
    const insertion = env.DB.prepare(
      "insert into grants (id, client_id, user_id, password_generation, scopes, created_at, expires_at) values (?, ?, ?, ?, '[]', 0, 1)",
    ).bind(crypto.randomUUID(), id, account.id, generation)
    await expect(insertion.run()).rejects.toThrow('credential ended')
  },
)
