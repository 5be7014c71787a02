import { describe, expect, it } from 'vitest'
import { describeCompletely } from '../../documents/documents.ts'
import { DEFECTS } from '../../src/domain/receiver-tests.ts'
import { CURRENT_API_VERSION } from '../../src/http/api-versions.ts'
import { finishDeferred } from '../support/deferred.ts'
import { batchOf, MIXED, writeMixed } from '../support/mixed.ts'
import {
  authorizationPath,
  getCode,
  getTokens,
  PKCE,
  REDIRECT_URI,
  type Registered,
  redeemCode,
  registerClient,
  requestTokens,
  signIn,
} from '../support/oauth.ts'
import { SECURED, type SecuredOperation, securedOperationsOf } from '../support/secured-operations.ts'
import {
  basicOf,
  bearer,
  bodyOf,
  COMMON,
  fromAnywhere,
  makeUniverse,
  uploadTo,
  useWorlds,
  type World,
} from '../support/worlds.ts'

useWorlds()

const RECEIVER = 'https://receiver.example/planets'
const SCOPES = 'read:account write:account read:planets write:planets openid offline_access'
const IN_UNIVERSE = securedOperationsOf(describeCompletely('universe', CURRENT_API_VERSION))

/** Something of every kind in a world. */
async function furnish(world: World) {
  const account = { email: `ada-${crypto.randomUUID()}@example.com`, password: 'correct horse' }
  const post = async (path: string, body: object, token?: string) => {
    const headers = { 'Content-Type': 'application/json', ...bearer(token), ...fromAnywhere() }
    const response = await world.send(path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    return await bodyOf(response)
  }
  await post('/user/signup', account)
  const { token } = await post('/auth/token', account)
  const { id: planetId } = await post('/planets', { name: 'Mine', successCallbackUrl: RECEIVER }, token)
  const { imageUrl } = await bodyOf(await uploadTo(world, planetId, token))
  const { batchId } = await bodyOf(
    await world.send(`/planets/${planetId}/observations`, {
      method: 'POST',
      headers: { ...MIXED, ...bearer(token) },
      body: writeMixed(batchOf(0)),
    }),
  )
  const { id: keyId, key } = await post('/me/api-keys', {}, token)
  const { eventId } = await post('/events', { type: 'user.profile_updated' }, token)
  const webhook = await post('/webhooks', { url: RECEIVER, events: ['newPlanet'] }, token)
  const skip = Object.fromEntries(DEFECTS.map((defect) => [defect, 'not sent']))
  const check = await post(`/webhooks/${webhook.id}/checks`, { skip }, token)
  const inbox = await post('/inboxes', {})
  const client = await registerClient(world.send, { scope: SCOPES }, `Bearer ${token}`)
  const open = await registerClient(world.send, { scope: SCOPES })
  const tokens = await getTokens(world.send, account, open, SCOPES)
  const { data: grants } = await bodyOf(await world.sendJson('GET', '/me/grants', undefined, token))
  const { data: deliveries } = await bodyOf(await world.sendJson('GET', '/deliveries', undefined, token))
  const code = await getCode(world.send, account, open.id, { scope: SCOPES })
  const browser = await signIn(world.send, account, open.id)
  await finishDeferred()
  return {
    account,
    token: String(token),
    key: String(key),
    client,
    open,
    tokens,
    code,
    cookie: browser.cookie ?? '',
    picture: String(imageUrl).split('/').at(-1) ?? '',
    inbox: String(inbox.id),
    ids: {
      planetId,
      batchId,
      celestialBodyId: planetId,
      keyId,
      webhookId: webhook.id,
      checkId: check.id,
      clientId: client.id,
      grantId: grants[0].id,
      deliveryId: deliveries[0].id,
      eventId,
    } as Record<string, unknown>,
  }
}

type Furniture = Awaited<ReturnType<typeof furnish>>

/** The credentials of every kind: the headers and the query that carry them, by the name of their scheme. */
function credentialsOf({ account, token, key, tokens }: Furniture): [string, Record<string, string>, string?][] {
  return [
    ['bearerAuth', bearer(token)],
    ['basicAuth', basicOf(account)],
    ['apiKeyHeader', { 'X-API-Key': key }],
    ['apiKeyCookie', { Cookie: `api_key=${key}` }],
    ['apiKeyQuery', {}, `?api_key=${key}`],
    ['oAuth2', bearer(tokens.access_token)],
    ['openIdConnect', bearer(tokens.access_token)],
  ]
}

/** The path of an operation with these values of its parameters. */
function fill({ id, path }: SecuredOperation, ids: Record<string, unknown>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (ids[name] === undefined) throw new Error(`${id} has the parameter ${name}: let furnish() make one`)
    return String(ids[name])
  })
}

/** Calls every operation of a world with the credentials of another. @returns What was not refused, in words */
async function callWithForeign(
  world: World,
  operations: readonly SecuredOperation[],
  own: Furniture,
  foreign: Furniture,
) {
  const accepted: string[] = []
  for (const operation of operations) {
    const path = fill(operation, own.ids)
    for (const [scheme, headers, query = ''] of credentialsOf(foreign)) {
      if (!operation.schemes.includes(scheme)) continue
      const { status } = await world.send(path + query, {
        method: operation.method,
        headers: { ...headers, ...fromAnywhere() },
      })
      if (status !== 401) accepted.push(`${operation.id} by ${scheme}: ${status}`)
    }
  }
  return accepted
}

describe('credentials of one world', () => {
  it('are worth nothing in another, for every operation', async () => {
    const [one, two] = [await makeUniverse(), await makeUniverse()]
    const [ofOne, ofTwo, ofCommon] = [await furnish(one), await furnish(two), await furnish(COMMON)]
    expect(await callWithForeign(two, IN_UNIVERSE, ofTwo, ofOne)).toEqual([])
    expect(await callWithForeign(one, IN_UNIVERSE, ofOne, ofCommon)).toEqual([])
    expect(await callWithForeign(COMMON, SECURED, ofCommon, ofOne)).toEqual([])
    // All of them are good in their own world.
    for (const [world, operations, own] of [
      [one, IN_UNIVERSE, ofOne],
      [two, IN_UNIVERSE, ofTwo],
      [COMMON, SECURED, ofCommon],
    ] as const) {
      for (const [scheme, headers, query = ''] of credentialsOf(own)) {
        const operation = operations.find(({ path, schemes }) => path === '/planets' && schemes.includes(scheme))
        const body = JSON.stringify(operation?.example)
        const typed = { ...headers, 'Content-Type': 'application/json' }
        const { status } = await world.send(`/planets${query}`, { method: 'POST', headers: typed, body })
        expect(status, scheme).toBe(201)
      }
    }
  }, 120_000)

  it('are worth nothing to the provider of another', async () => {
    const [one, two] = [await makeUniverse(), await makeUniverse()]
    const worlds = [one, two, COMMON] as const
    const furniture = [await furnish(one), await furnish(two), await furnish(COMMON)] as const
    for (const [to, world] of worlds.entries()) {
      for (const [from, foreign] of furniture.entries()) {
        const own = furniture[to]
        if (from === to || !own) continue
        await expectNoSignIn(world, own, foreign)
      }
    }
    // Each is good at home.
    for (const [index, world] of worlds.entries()) {
      const own = furniture[index]
      if (!own) throw new Error('a world without furniture')
      expect((await redeemCode(world.send, own.open, own.code)).status).toBe(200)
      expect((await refresh(world, own.open, own)).status).toBe(200)
      const page = await world.send(authorizationPath(own.open.id), { headers: { Cookie: own.cookie } })
      expect(await page.text()).toContain(own.account.email)
    }
  }, 60_000)
})

const refresh = (world: World, client: Registered, { tokens }: Furniture) =>
  requestTokens(world.send, client, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })

/** Fails the test if codes, refresh tokens, clients or cookies of another world are good for anything. */
async function expectNoSignIn(world: World, own: Furniture, foreign: Furniture): Promise<void> {
  expect((await redeemCode(world.send, own.open, foreign.code)).status).toBe(400)
  expect((await redeemCode(world.send, foreign.open, foreign.code)).status).toBe(401)
  expect((await redeemCode(world.send, foreign.open, own.code)).status).toBe(401)
  expect((await refresh(world, own.open, foreign)).status).toBe(400)
  expect((await refresh(world, foreign.open, foreign)).status).toBe(401)
  const token = foreign.tokens.access_token
  const asked = await world.send('/oauth/introspect', {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${foreign.client.id}:${foreign.client.secret}`)}` },
    body: new URLSearchParams({ token }),
  })
  expect(asked.status).toBe(401)
  const page = await world.send(authorizationPath(own.open.id), { headers: { Cookie: foreign.cookie } })
  expect(await page.text()).not.toContain(foreign.account.email)
  const unknown = await world.send(
    `/oauth/authorize?${new URLSearchParams({
      ...{ response_type: 'code', client_id: foreign.open.id, redirect_uri: REDIRECT_URI },
      ...{ code_challenge: PKCE.challenge, code_challenge_method: 'S256' },
    })}`,
  )
  expect(unknown.status).toBe(400)
}

describe('ids of one world', () => {
  it('are those of nothing in another', async () => {
    const [full, empty] = [await makeUniverse(), await makeUniverse()]
    const { ids, picture, inbox } = await furnish(full)
    const found: string[] = []
    for (const operation of IN_UNIVERSE) {
      if (!operation.isOwned) continue
      const body = operation.method === 'GET' ? undefined : Object(operation.example)
      const { status } = await empty.own(operation.method, fill(operation, ids), body)
      // An operation that only takes a form says so before it looks.
      if (status !== 404 && status !== 415) found.push(`${operation.id}: ${status}`)
    }
    expect(found).toEqual([])
    for (const world of [empty, COMMON]) {
      expect((await world.send(`/images/${picture}`)).status).toBe(404)
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const body = method === 'PUT' ? { status: 200 } : undefined
        expect((await world.sendJson(method, `/inboxes/${inbox}`, body)).status).toBe(404)
      }
      expect((await world.sendJson('POST', `/inboxes/${inbox}/callbacks`, {})).status).toBe(404)
    }
    expect((await full.send(`/images/${picture}`)).status).toBe(200)
    expect((await full.send(`/inboxes/${inbox}`)).status).toBe(200)
  })

  it('of the common world are those of nothing in a universe', async () => {
    const empty = await makeUniverse()
    const { ids, picture, inbox } = await furnish(COMMON)
    for (const operation of SECURED) {
      if (!/\{(?:clientId|grantId)\}/.test(operation.path)) continue
      expect((await empty.own(operation.method, fill(operation, ids))).status, operation.id).toBe(404)
    }
    expect((await empty.send(`/images/${picture}`)).status).toBe(404)
    expect((await empty.send(`/inboxes/${inbox}`)).status).toBe(404)
  })
})
