import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { FakeNetwork } from '../support/callbacks.ts'
import { finishDeferred } from '../support/deferred.ts'
import { allow, getCode, getTokens, redeemCode, registerClient, requestTokens, signIn } from '../support/oauth.ts'
import {
  bearer,
  bodyOf,
  fromAnywhere,
  HOUR_MS,
  keysOf,
  makeUniverse,
  type OwnWorld,
  queryInside,
  queue,
  readTables,
  replaceServices,
  slowBody,
  stalledBucket,
  universes,
  uploadTo,
  useWorlds,
  type World,
} from '../support/worlds.ts'

useWorlds()

const RECEIVER = 'https://receiver.example/planets'
const resetOf = (world: OwnWorld) => world.own('POST', '/universe/reset')

interface User {
  email: string
  password: string
  token: string
}

async function signUp(world: World, name = 'ada'): Promise<User & { id: number }> {
  const account = { email: `${name}@example.com`, password: 'correct horse' }
  const made = await world.send('/user/signup', {
    method: 'POST',
    body: JSON.stringify(account),
    headers: { 'Content-Type': 'application/json', ...fromAnywhere() },
  })
  if (made.status !== 201) throw new Error(await made.text())
  return { ...account, ...(await bodyOf(made)), ...(await tokenOf(world, account)) }
}

async function tokenOf(world: World, { email, password }: Omit<User, 'token'>): Promise<{ token: string }> {
  const response = await world.send('/auth/token', {
    method: 'POST',
    body: JSON.stringify({ email, password }),
    headers: { 'Content-Type': 'application/json', ...fromAnywhere() },
  })
  if (response.status !== 201) throw new Error(await response.text())
  return await bodyOf(response)
}

/** Fills a universe with something of every kind. */
async function fill(world: OwnWorld) {
  const user = await signUp(world)
  const planet = { name: 'Mine', satellites: [{ name: 'Moon' }], successCallbackUrl: RECEIVER }
  const { id: planetId } = await bodyOf(await world.sendJson('POST', '/planets', planet, user.token))
  await world.sendJson('POST', '/celestial-bodies', { name: 'Sun', type: 'star' }, user.token)
  const { imageUrl } = await bodyOf(await uploadTo(world, planetId, user.token))
  const webhook = { url: RECEIVER, events: ['newPlanet'] }
  expect((await world.sendJson('POST', '/webhooks', webhook, user.token)).status).toBe(201)
  await world.own('POST', '/planets', { name: 'Theirs' })
  const inbox = await bodyOf(await world.sendJson('POST', '/inboxes', {}))
  await world.send('/oauth/register', { method: 'POST' })
  const client = await registerClient(world.send, {}, `Bearer ${user.token}`)
  const tokens = await getTokens(world.send, user, client, 'read:account openid offline_access')
  const { key } = await bodyOf(await world.sendJson('POST', '/me/api-keys', {}, user.token))
  return { user, planetId, imageUrl: String(imageUrl), inbox, client, tokens, key: String(key) }
}

/** The rows that differ between two universes that are otherwise the same. */
function comparable(tables: Awaited<ReturnType<typeof readTables>>): unknown {
  const { universe_record, users, clients, universe_first_rows, ...others } = tables
  const owner = users?.map((user) => ({ ...user, created_at: 0, password_hash: '' }))
  // The migrations create a client, and note when.
  const dated = JSON.stringify([clients, universe_first_rows]).replaceAll(/_at(\\?)":\d{13}/g, '_at$1":0')
  return { ...others, owner, dated }
}

describe('a reset', () => {
  it.each(['blank', 'catalogue'] as const)('makes a %s universe the same as a new one', async (seed) => {
    const [world, fresh] = [await makeUniverse(seed), await makeUniverse(seed)]
    await fill(world)
    if (seed === 'catalogue') {
      expect((await world.own('PUT', '/planets/1', { name: 'Changed' })).status).toBe(200)
      expect((await world.own('DELETE', '/planets/2')).status).toBe(204)
    }
    expect((await resetOf(world)).status).toBe(204)
    await finishDeferred()
    expect(comparable(await readTables(world))).toEqual(comparable(await readTables(fresh)))
    expect(await keysOf(world.id)).toEqual([])
    const schema = (one: OwnWorld) => queryInside(one, 'select type, name, sql from sqlite_master order by type, name')
    expect(await schema(world)).toEqual(await schema(fresh))
  })

  it('leaves ids to be used again, from the first', async () => {
    const world = await makeUniverse()
    await fill(world)
    await resetOf(world)
    const again = await fill(world)
    expect(again.user.id).toBe(2)
    expect(again.planetId).toBe(1)
    expect((await bodyOf(await world.send('/universe'))).usage).toEqual({
      ...{ planets: 2, users: 2, images: 1, imageBytes: 100, deliveries: 1, inboxes: 1, labRuns: 0 },
    })
  })

  it('keeps the owner’s password, token, keys and signing secret, and when the universe was made and ends', async () => {
    const world = await makeUniverse()
    const { createdAt, expiresAt } = await bodyOf(await world.send('/universe'))
    const secret = await bodyOf(await world.own('POST', '/me/signing-secret/rotate'))
    await world.own('PATCH', '/me', { name: 'Grace' })
    const { id, key } = await bodyOf(
      await world.own('POST', '/me/api-keys', { scopes: ['read:account', 'write:account'] }),
    )
    const byKey = { method: 'POST', headers: { 'X-API-Key': key, 'Content-Type': 'application/json' } }
    const child = await bodyOf(await world.send('/me/api-keys', { ...byKey, body: '{"scopes":["read:account"]}' }))
    for (let round = 0; round < 2; round++) {
      expect((await resetOf(world)).status).toBe(204)
      expect(await bodyOf(await world.own('GET', '/me'))).toMatchObject({ id: 1, name: 'Grace' })
      expect(await bodyOf(await world.own('GET', '/me/signing-secret'))).toEqual(secret)
      for (const one of [key, child.key]) {
        expect((await world.send('/me', { headers: { 'X-API-Key': one } })).status).toBe(200)
      }
      const { token } = await tokenOf(world, world.owner)
      expect((await world.sendJson('GET', '/me', undefined, token)).status).toBe(200)
      expect(await bodyOf(await world.send('/universe'))).toMatchObject({ createdAt, expiresAt })
    }
    // A key that outlived the reset is what it was, for example the parent of another.
    expect((await world.own('DELETE', `/me/api-keys/${id}`)).status).toBe(204)
    expect((await world.send('/me', { headers: { 'X-API-Key': child.key } })).status).toBe(401)
  })

  it('keeps an end that the owner has fixed', async () => {
    const world = await makeUniverse()
    const expiresAt = new Date(Date.now() + HOUR_MS).toISOString()
    await world.own('PATCH', '/universe', { expiresAt })
    await resetOf(world)
    expect((await bodyOf(await world.send('/universe'))).expiresAt).toBe(expiresAt)
  })

  it('keeps a password that the owner has changed, and not the one from the beginning', async () => {
    const world = await makeUniverse()
    const change = { currentPassword: world.owner.password, newPassword: 'another horse' }
    expect((await world.own('PUT', '/me/password', change)).status).toBe(204)
    const { token } = await tokenOf(world, { ...world.owner, password: 'another horse' })
    expect((await world.sendJson('POST', '/universe/reset', undefined, token)).status).toBe(204)
    expect((await world.sendJson('GET', '/me', undefined, token)).status).toBe(200)
    expect((await world.own('GET', '/me')).status).toBe(401)
    await expect(tokenOf(world, world.owner)).rejects.toThrow('401')
  })

  it('ends all access of others, even if the same id, name and password exist again', async () => {
    const world = await makeUniverse()
    const before = await fill(world)
    const code = await getCode(world.send, before.user, before.client.id)
    const browser = await signIn(world.send, before.user, before.client.id)
    await resetOf(world)
    const again = await signUp(world)
    expect(again.id).toBe(before.user.id)
    const { headers } = { headers: { 'X-API-Key': before.key } }
    expect((await world.sendJson('GET', '/me', undefined, before.user.token)).status).toBe(401)
    expect((await world.sendJson('GET', '/me', undefined, before.tokens.access_token)).status).toBe(401)
    expect((await world.send('/me', { headers })).status).toBe(401)
    expect((await redeemCode(world.send, before.client, code)).status).toBe(401)
    const client = await registerClient(world.send)
    expect((await redeemCode(world.send, client, code)).status).toBe(400)
    const refresh = { grant_type: 'refresh_token', refresh_token: before.tokens.refresh_token }
    expect((await requestTokens(world.send, client, refresh)).status).toBe(400)
    // The session of the browser is nobody's any more.
    const page = await world.send(`/oauth/authorize?client_id=${client.id}&response_type=code`, {
      headers: { Cookie: browser.cookie ?? '' },
    })
    expect(await page.text()).not.toContain(before.user.email)
    await allow(world.send, again, client.id)
  })

  it('ends keys that were made under a grant, and those that were made with them', async () => {
    const world = await makeUniverse()
    const client = await registerClient(world.send, { scope: 'read:account write:account' })
    const { access_token } = await getTokens(world.send, world.owner, client, 'read:account write:account')
    const make = async (headers: Record<string, string>) =>
      await bodyOf(
        await world.send('/me/api-keys', {
          method: 'POST',
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: '{"scopes":["read:account","write:account"]}',
        }),
      )
    const underGrant = await make(bearer(access_token))
    const ofThat = await make({ 'X-API-Key': underGrant.key })
    const own = await make(bearer(world.token))
    expect((await world.send('/me', { headers: { 'X-API-Key': ofThat.key } })).status).toBe(200)
    await resetOf(world)
    for (const [made, status] of [
      [underGrant, 401],
      [ofThat, 401],
      [own, 200],
    ]) {
      expect((await world.send('/me', { headers: { 'X-API-Key': made.key } })).status).toBe(status)
    }
    expect((await world.sendJson('GET', '/me', undefined, access_token)).status).toBe(401)
  })

  it('leaves no inbox, image or client from before', async () => {
    const world = await makeUniverse()
    const { inbox, imageUrl, client } = await fill(world)
    const picture = imageUrl.slice(world.url.length)
    expect((await world.send(picture)).status).toBe(200)
    await resetOf(world)
    expect((await world.send(picture)).status).toBe(404)
    expect((await world.send(`/inboxes/${inbox.id}`)).status).toBe(404)
    expect((await world.send(new URL(inbox.url).pathname, { method: 'POST', body: 'x' })).status).toBe(404)
    const page = await world.send(`/oauth/authorize?client_id=${client.id}&response_type=code`)
    expect(page.status).toBe(400)
  })

  it('makes validators from before invalid, although id, content and version are the same again', async () => {
    const world = await makeUniverse()
    const path = '/planets/1'
    await world.own('POST', '/planets', { name: 'Mine' })
    const { headers } = await world.send(path)
    const [tag, date] = [headers.get('ETag') ?? '', headers.get('Last-Modified') ?? '']
    expect((await world.send(path, { headers: { 'If-None-Match': tag } })).status).toBe(304)
    await resetOf(world)
    await world.own('POST', '/planets', { name: 'Mine' })
    const again = await world.send(path, { headers: { 'If-None-Match': tag } })
    expect(again.status).toBe(200)
    const put = (condition: Record<string, string>) =>
      world.send(path, {
        method: 'PUT',
        headers: { ...bearer(world.token), ...condition, 'Content-Type': 'application/json' },
        body: '{"name":"Changed"}',
      })
    expect((await put({ 'If-Match': tag })).status).toBe(412)
    expect((await world.send(path, { headers: { 'If-Modified-Since': date } })).status).toBe(200)
    expect((await put({ 'If-Match': again.headers.get('ETag') ?? '' })).status).toBe(200)
  })

  it('happens once for each request, also by a key, and twice if two come at once', async () => {
    const world = await makeUniverse()
    const resetsOf = () =>
      runInDurableObject(world.stub, (_, { storage }) => {
        const [row] = storage.sql.exec<{ record: string }>('select record from universe_record').toArray()
        return JSON.parse(row?.record ?? '{}').resets
      })
    const { key } = await bodyOf(await world.own('POST', '/me/api-keys', { scopes: ['write:account'] }))
    const byKey = { method: 'POST', headers: { 'X-API-Key': key } }
    expect((await world.send('/universe/reset', byKey)).status).toBe(204)
    expect(await resetsOf()).toBe(1)
    const both = await Promise.all([resetOf(world), world.send('/universe/reset', byKey), resetOf(world)])
    expect(both.map(({ status }) => status)).toEqual([204, 204, 204])
    expect(await resetsOf()).toBe(4)
  })

  it('does not happen with another method', async () => {
    const world = await makeUniverse()
    await world.own('POST', '/planets', { name: 'Kept' })
    for (const method of ['OPTIONS', 'GET', 'PUT']) await world.send('/universe/reset', { method })
    expect((await bodyOf(await world.send('/planets'))).data).toMatchObject([{ name: 'Kept' }])
  })
})

describe('a request beside a reset', () => {
  it('stores nothing if it began before, and may be sent again', async () => {
    const world = await makeUniverse()
    const { body, finish } = slowBody('{"name":"Late"}')
    const late = world.send('/planets', {
      method: 'POST',
      body,
      headers: { ...bearer(world.token), 'Content-Type': 'application/json' },
    })
    await scheduler.wait(50)
    expect((await resetOf(world)).status).toBe(204)
    await finish()
    const response = await late
    expect(response.status).toBe(503)
    expect(response.headers.get('Retry-After')).toBe('1')
    expect((await bodyOf(response)).detail).toContain('reset')
    expect((await bodyOf(await world.send('/planets'))).data).toEqual([])
  })

  it('happens wholly before or after it, whatever it requests', async () => {
    const world = await makeUniverse()
    const others = Array.from({ length: 30 }, (_, index) => world.own('POST', '/planets', { name: `Planet ${index}` }))
    const reads = Array.from({ length: 10 }, () => world.send('/planets'))
    const reset = resetOf(world)
    const more = Array.from({ length: 30 }, (_, index) => world.own('POST', '/planets', { name: `After ${index}` }))
    expect((await reset).status).toBe(204)
    const answers = await Promise.all([...others, ...more])
    expect(answers.filter(({ status }) => status !== 201 && status !== 503)).toEqual([])
    for (const read of await Promise.all(reads)) expect(read.status).toBe(200)
    const { data } = await bodyOf(await world.send('/planets?limit=100'))
    const stored = data.map(({ name }: { name: string }) => name)
    const promised = await Promise.all(answers.filter(({ status }) => status === 201).map(bodyOf))
    // What is there was promised, and each id was given away once since the reset.
    expect(promised.map(({ name }) => name)).toEqual(expect.arrayContaining(stored))
    expect(data.map(({ id }: { id: number }) => id)).toEqual(data.map((_: unknown, index: number) => index + 1))
  })

  it('leaves no image of an upload that was under way', async () => {
    const world = await makeUniverse()
    const { id } = await bodyOf(await world.own('POST', '/planets', { name: 'Mine' }))
    const { bucket, goOn } = stalledBucket()
    replaceServices({ bucket })
    const upload = uploadTo(world, id, world.token)
    while ((await keysOf(world.id)).length === 0) await scheduler.wait(1)
    expect((await resetOf(world)).status).toBe(204)
    goOn()
    expect((await upload).status).toBe(503)
    await finishDeferred()
    expect(await keysOf(world.id)).toEqual([])
    expect(await queryInside(world, 'select * from images')).toEqual([])
  })

  it('prevents a call that was under way from writing anything', async () => {
    const world = await makeUniverse()
    const make = () => world.own('POST', '/planets', { name: 'Mine', successCallbackUrl: RECEIVER })
    await make()
    await finishDeferred()
    const [sent] = queue.held
    let [isCalled, isReset] = [false, false]
    const network = new FakeNetwork(async () => {
      isCalled = true
      while (!isReset) await scheduler.wait(1)
      return new Response('Thank you')
    })
    replaceServices({ fetch: network.fetch })
    if (!sent) throw new Error('nothing was queued')
    expect(sent.message).toMatchObject({ universe: world.id })
    const call = universes.handleMessage(sent.message, async () => {})
    while (!isCalled) await scheduler.wait(1)
    expect((await resetOf(world)).status).toBe(204)
    // The same ids again.
    await make()
    const before = await queryInside(world, 'select * from deliveries')
    expect(before).toMatchObject([{ id: 1, status: 'pending', retries: 0, leased_until: null }])
    isReset = true
    await call
    await finishDeferred()
    expect(await queryInside(world, 'select * from deliveries')).toEqual(before)
    expect(await queryInside(world, 'select * from attempts')).toEqual([])
  })
})

describe('the owner', () => {
  it('cannot delete their account, only the universe', async () => {
    const world = await makeUniverse()
    const refused = await world.own('DELETE', '/me', { password: world.owner.password })
    expect(refused.status).toBe(403)
    expect((await world.own('GET', '/me')).status).toBe(200)
  })
})
