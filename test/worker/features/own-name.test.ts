import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { openD1 } from '../../../src/db/port.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
} from '../../support/app.ts'
import { rowOf } from '../../support/callbacks.ts'
import { getTokens, registerClient } from '../../support/oauth.ts'
import { letRivalWriteFirst } from '../../support/rival-writers.ts'

// PATCH /me, and every place that shows the name of a user.

let now: number
let client: Client
let account: Account

beforeEach(async () => {
  now = Date.now()
  client = createClient({ now: () => new Date(now), config: { signupsPerHour: 1000 } })
  account = await createAccount(client)
})

const get = (path: string, headers: Record<string, string> = {}) => client.get(path, headers)
const me = (headers: Record<string, string> = {}) => get('/me', { ...authorization(account), ...headers })

function patch(body: unknown, headers: Record<string, string> = {}, method = 'PATCH'): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const all = { 'Content-Type': 'application/json', ...authorization(account), ...headers }
  return client.send('/me', { method, body: text, headers: all })
}

async function rename(name: string | null): Promise<void> {
  expect((await patch({ name })).status).toBe(200)
}

/** The headers by which a reader distinguishes versions. */
function validatorsOf({ headers }: Response) {
  return { etag: headers.get('ETag') ?? '', modified: headers.get('Last-Modified') ?? '' }
}

describe('PATCH /me', () => {
  it('changes the name, and returns the user and the validators that GET has', async () => {
    const response = await patch({ name: 'Grace' })
    expect(response.status).toBe(200)
    const read = await me()
    expect(validatorsOf(response)).toEqual(validatorsOf(read))
    expect(await bodyOf(response)).toEqual({ id: account.id, name: 'Grace' })
    expect(await bodyOf(read)).toEqual({ id: account.id, name: 'Grace' })
  })

  it('removes the name with null, and adds one again', async () => {
    expect(await bodyOf(await patch({ name: null }))).toEqual({ id: account.id })
    expect(await bodyOf(await me())).toEqual({ id: account.id })
    expect(await bodyOf(await patch({ name: 'Ada again' }))).toEqual({ id: account.id, name: 'Ada again' })
  })

  it.each([{}, { id: 7, role: 'admin' }, { name: 'Ada' }])('changes nothing with %j', async (body) => {
    const before = validatorsOf(await me())
    now += 5_000
    const response = await patch(body)
    expect(response.status).toBe(200)
    expect(await bodyOf(response)).toEqual({ id: account.id, name: 'Ada' })
    expect(validatorsOf(await me())).toEqual(before)
  })

  it('without a name keeps the name that another request has set in between', async () => {
    const { database } = letRivalWriteFirst(openD1(env.DB), 'users', () => rename('Grace'))
    const response = await createClient({ database }).sendJson('PATCH', '/me', {}, account)
    expect([response.status, await bodyOf(response)]).toEqual([200, { id: account.id, name: 'Grace' }])
  })

  it('accepts and returns XML, where null is xsi:nil', async () => {
    const xml = { 'Content-Type': 'application/xml', Accept: 'application/xml' }
    const named = await patch('<user><name>Grace</name></user>', xml)
    expect(await named.text()).toContain('<name>Grace</name>')
    const nil = '<user xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><name xsi:nil="true"/></user>'
    const unnamed = await patch(nil, xml)
    expect([unnamed.status, await unnamed.text()]).toEqual([200, expect.not.stringContaining('<name')])
  })

  it.each([
    ['1 character', 'x', 200],
    ['200 characters beyond the basic plane', '🪐'.repeat(200), 200],
    ['201 characters', '🪐'.repeat(201), 400],
    ['no character', '', 400],
    ['a number', 7, 400],
  ])('checks a name of %s as sign-up does', async (_, name, status) => {
    const response = await patch({ name })
    expect(response.status).toBe(status)
    if (status === 400) expect((await bodyOf(response)).errors[0].pointer).toBe('/name')
  })

  it('requires write:account', async () => {
    const { access_token } = await getTokens(client.send, account, await registerClient(client.send), 'read:account')
    expect((await patch({ name: 'Grace' }, { Authorization: `Bearer ${access_token}` })).status).toBe(403)
  })

  it('with If-Match changes only the name that the caller has seen, in either format', async () => {
    const json = validatorsOf(await me())
    const xml = validatorsOf(await me({ Accept: 'application/xml' }))
    expect((await patch({ name: 'One' }, { 'If-Match': json.etag })).status).toBe(200)
    expect((await patch({ name: 'Two' }, { 'If-Match': json.etag })).status).toBe(412)
    expect((await patch({ name: 'Two' }, { 'If-Match': xml.etag })).status).toBe(412)
    const seen = validatorsOf(await me({ Accept: 'application/xml' }))
    expect((await patch({ name: 'Three' }, { 'If-Match': seen.etag })).status).toBe(200)
  })

  it('succeeds for one of twenty requests that have seen the same name', async () => {
    const { etag } = validatorsOf(await me())
    const all = Array.from({ length: 20 }, (_, index) => patch({ name: `Name ${index}` }, { 'If-Match': etag }))
    const statuses = (await Promise.all(all)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, ...Array(19).fill(412)])
  })

  it('keeps what OpenID Connect reports about the user up to date', async () => {
    const registered = await registerClient(client.send)
    const { access_token } = await getTokens(client.send, account, registered, 'openid profile')
    await rename('Grace')
    const info = await bodyOf(await get('/oauth/userinfo', { Authorization: `Bearer ${access_token}` }))
    expect(info.name).toBe('Grace')
  })
})

describe('after a rename no reader gets a stale 304', () => {
  it.each(['/me', 'planet', 'star'])(
    '%s: not even within the second in which it was created and read',
    async (kind) => {
      const path = kind === '/me' ? kind : await makeBody(kind)
      const read = (headers: Record<string, string> = {}) => get(path, { ...authorization(account), ...headers })
      let { modified } = validatorsOf(await read())
      for (const name of ['One', 'Two']) {
        await rename(name)
        const response = await read({ 'If-Modified-Since': modified })
        const { creator, ...user } = await bodyOf(response)
        expect([response.status, (creator ?? user).name]).toEqual([200, name])
        modified = validatorsOf(response).modified
        expect(Date.parse(modified)).toBeLessThanOrEqual(now)
      }
      now += 1_000
      modified = validatorsOf(await read()).modified
      expect((await read({ 'If-Modified-Since': modified })).status).toBe(304)
    },
  )

  it('GET /me: neither by the tag nor by the date', async () => {
    const before = validatorsOf(await me())
    now += 2_000
    await rename('Grace')
    const byDate = await me({ 'If-Modified-Since': before.modified })
    expect([byDate.status, (await bodyOf(byDate)).name]).toEqual([200, 'Grace'])
    expect((await me({ 'If-None-Match': before.etag })).status).toBe(200)
    now += 1_000
    const after = validatorsOf(await me())
    expect((await me({ 'If-Modified-Since': after.modified })).status).toBe(304)
    expect((await me({ 'If-Unmodified-Since': before.modified })).status).toBe(412)
  })

  it.each(['planet', 'star'])('GET of a %s: neither by the tag nor by the date', async (kind) => {
    const path = await makeBody(kind)
    const before = validatorsOf(await get(path))
    now += 2_000
    await rename('Grace')
    const byDate = await get(path, { 'If-Modified-Since': before.modified })
    expect([byDate.status, (await bodyOf(byDate)).creator.name]).toEqual([200, 'Grace'])
    const byTag = await get(path, { 'If-None-Match': before.etag })
    expect([byTag.status, (await bodyOf(byTag)).creator.name]).toEqual([200, 'Grace'])
    now += 1_000
    const after = validatorsOf(await get(path))
    expect((await get(path, { 'If-None-Match': after.etag })).status).toBe(304)
    expect((await get(path, { 'If-Modified-Since': after.modified })).status).toBe(304)
    expect((await get(path, { 'If-Match': before.etag })).status).toBe(412)
    expect((await get(path, { 'If-Unmodified-Since': before.modified })).status).toBe(412)
  })

  it('GET /celestial-bodies/{id} of a planet: the date as well', async () => {
    const { id } = await createPlanet(client, account, { name: 'Both' })
    const before = validatorsOf(await get(`/celestial-bodies/${id}`))
    now += 2_000
    await rename('Grace')
    const response = await get(`/celestial-bodies/${id}`, { 'If-Modified-Since': before.modified })
    expect([response.status, (await bodyOf(response)).creator.name]).toEqual([200, 'Grace'])
  })

  it('each of several renames in one millisecond has its own tag', async () => {
    const path = await makeBody('planet')
    const tags = new Set<string>()
    for (const name of ['One', 'Two', 'Three', null]) {
      await rename(name)
      tags.add(validatorsOf(await get(path)).etag)
    }
    expect(tags.size).toBe(4)
  })

  it('the date never goes back: if the clock is behind, the time still increases', async () => {
    await rename('One')
    now -= 60_000
    await rename('Two')
    const times = 'select renamed_at > ? as is_later from users where id = ?'
    expect(await rowOf(times, now + 60_000, account.id)).toEqual({ is_later: 1 })
  })
})

describe('the tag of a planet', () => {
  it('keeps its form if its creator was never renamed', async () => {
    const path = await makeBody('planet')
    expect(validatorsOf(await get(path)).etag).toBe('"1-json"')
    expect(validatorsOf(await get(path, { Accept: 'application/xml' })).etag).toBe('"1-xml"')
  })

  it('is the same in the response to POST and to GET, before and after a rename', async () => {
    for (const name of [undefined, 'Grace']) {
      if (name) await rename(name)
      const created = await client.sendJson('POST', '/planets', { name: 'New' }, account)
      const { id, creator } = await bodyOf(created.clone())
      expect(creator.name).toBe(name ?? 'Ada')
      const read = await get(`/planets/${id}`)
      expect(validatorsOf(read)).toEqual(validatorsOf(created))
      expect(await read.text()).toBe(await created.text())
    }
  })

  it('guards writes: the tag from before the rename is rejected, the current one is accepted', async () => {
    const path = await makeBody('planet')
    const before = validatorsOf(await get(path))
    await rename('Grace')
    const put = (etag: string) =>
      client.send(path, {
        method: 'PUT',
        body: '{"name":"Written"}',
        headers: { 'Content-Type': 'application/json', 'If-Match': etag, ...authorization(account) },
      })
    expect((await put(before.etag)).status).toBe(412)
    expect((await put(validatorsOf(await get(path)).etag)).status).toBe(200)
  })

  it('does not change with the name of another user', async () => {
    const path = await makeBody('planet')
    const before = validatorsOf(await get(path))
    const other = await createAccount(client)
    await client.sendJson('PATCH', '/me', { name: 'Somebody' }, other)
    expect((await get(path, { 'If-None-Match': before.etag })).status).toBe(304)
  })
})

it('callbacks carry the planet byte for byte as GET sends it, also under the new name', async () => {
  await rename('Grace')
  const created = await createPlanet(client, account, {
    name: 'Told',
    successCallbackUrl: 'https://receiver.example/planets',
  })
  const event = await rowOf<{ body: string }>('select body from events where planet_id = ?', created.id)
  expect(event?.body).toBe(await (await get(`/planets/${created.id}`)).text())
  expect(created.creator.name).toBe('Grace')
})

/** Creates a resource that shows its creator. @returns Its path */
async function makeBody(kind: string): Promise<string> {
  if (kind === 'planet') return `/planets/${(await createPlanet(client, account, { name: 'Shown' })).id}`
  const response = await client.sendJson('POST', '/celestial-bodies', { name: 'Sun', type: 'star' }, account)
  return `/celestial-bodies/${(await bodyOf(response)).id}`
}
