import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeCompletely } from '../../../../documents/documents.ts'
import { openD1 } from '../../../../src/db/port.ts'
import { KEPT_REPLIES_BYTES_MAX, KEPT_REPLIES_MAX } from '../../../../src/domain/limits.ts'
import { CURRENT_API_VERSION } from '../../../../src/http/api-versions.ts'
import type { Route } from '../../../../src/http/pipeline/route.ts'
import { formatsOf, takesIdempotencyKey } from '../../../../src/http/pipeline/route-facts.ts'
import {
  type Account,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  ROUTES,
  stableHeaders,
} from '../../../support/app.ts'
import { basic } from '../../../support/credentials.ts'
import { type GoodRequest, makeGoodRequest, sendGood } from '../../../support/good-requests.ts'
import { readLog } from '../../../support/log-lines.ts'
import { interruptKeeping } from '../../../support/lost-answers.ts'

// Retries with an Idempotency-Key, of every operation that creates something.

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const CREATING = ROUTES.filter(takesIdempotencyKey).map((route) => ({ name: route.operationId, route }))
/** The tables with what these operations create. */
const TABLES = ['planets', 'bodies', 'images', 'api_keys', 'webhooks', 'clients', 'log']

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

const newKey = () => crypto.randomUUID()

/** How many rows each table has. */
async function countRows(): Promise<unknown> {
  const counts = TABLES.map((table) => `(select count(*) from ${table}) as ${table}`)
  return await env.DB.prepare(`select ${counts.join(', ')}`).first()
}

/** What a caller sees of a response. */
async function seen(response: Response): Promise<{ status: number; headers: object; text: string }> {
  const { 'idempotency-replayed': _replayed, ...headers } = stableHeaders(response)
  return { status: response.status, headers, text: await response.text() }
}

const isReplayed = ({ headers }: Response) => headers.get('Idempotency-Replayed') === 'true'

async function goodRequest(route: Route): Promise<GoodRequest> {
  return await makeGoodRequest(client, route, account)
}

/** Creates a planet with a key. The password is the credential, because a token is valid for an hour only. */
function createPlanet(key: string | undefined, body: unknown = { name: 'Once' }, via = client, by = account) {
  const headers = {
    ...basic(by.email, by.password).headers,
    'Content-Type': 'application/json',
    ...(key !== undefined && { 'Idempotency-Key': key }),
  }
  return via.send('/planets', { method: 'POST', body: JSON.stringify(body), headers })
}

/** The service at another time. */
function clientAt(ms: number): Client {
  return createClient({ now: () => new Date(Date.now() + ms) })
}

/** The operations that create something, or change it once more each time, and are no POST with a response 201. */
const OTHERS = ['uploadImage', 'uploadObservations', 'patchPlanet', 'copyPlanet', 'testWebhook', 'checkWebhook']

it('the operations that create something for a user take a key, and so do the PATCH and the COPY of a planet', () => {
  const { paths } = describeCompletely('common', CURRENT_API_VERSION)
  const answering201 = Object.values(paths).flatMap(({ post }) => {
    const takesCredentials = post?.security.some((all) => Object.keys(all).length > 0)
    return post && !post.servers && takesCredentials && post.responses[201] ? [post.operationId] : []
  })
  expect(answering201).toContain('createPlanet')
  const creating = CREATING.map(({ name }) => name)
  expect(creating.toSorted()).toEqual([...answering201, ...OTHERS].toSorted())
})

describe.each(CREATING)('$name', ({ route }) => {
  const formats = formatsOf(route)

  it.each(formats)('a retry gets the same response in %s, and creates nothing', async (format) => {
    const request = await goodRequest(route)
    const own = { ...ownerOf(route, account), Accept: `application/${format}`, 'Idempotency-Key': newKey() }
    const first = await sendGood(client, request, own)
    expect(isReplayed(first)).toBe(false)
    const rows = await countRows()
    const second = await sendGood(client, request, own)
    expect(isReplayed(second)).toBe(true)
    const response = await seen(first)
    expect(response.status).toBe(request.status)
    expect(await seen(second)).toEqual(response)
    expect(await countRows()).toEqual(rows)
  })

  it('a retry after a response that was lost gets it', async () => {
    const request = await goodRequest(route)
    const own = { ...ownerOf(route, account), 'Idempotency-Key': newKey() }
    const broken = createClient({ database: interruptKeeping(openD1(env.DB), 'after') })
    expect((await sendGood(broken, request, own)).status).toBe(503)
    const rows = await countRows()
    const retry = await sendGood(client, request, own)
    expect([retry.status, isReplayed(retry)]).toEqual([request.status, true])
    const { id, eventId, client_id: clientId, imageUrl, batchId } = await bodyOf(retry)
    // No mark is left in place of an id.
    expect(String(id ?? eventId ?? clientId ?? imageUrl ?? batchId)).not.toMatch(/^\d{16}$/)
    expect(await countRows()).toEqual(rows)
  })

  it('if nothing was stored, a retry does the work', async () => {
    const request = await goodRequest(route)
    const own = { ...ownerOf(route, account), 'Idempotency-Key': newKey() }
    const broken = createClient({ database: interruptKeeping(openD1(env.DB), 'before') })
    expect((await sendGood(broken, request, own)).status).toBe(503)
    // The claim could not be released, so it ends by itself.
    expect((await sendGood(client, request, own)).status).toBe(409)
    const later = clientAt(MINUTE_MS)
    const retry = await sendGood(later, request, own)
    expect([retry.status, isReplayed(retry)]).toEqual([request.status, false])
  })
})

/** `registerClient` needs no credentials, but keeps no reply without them. */
function ownerOf({ allowsAnonymous }: Route, by: Account): Record<string, string> {
  return allowsAnonymous ? { Authorization: `Bearer ${by.token}` } : {}
}

describe('the ids in a kept response', () => {
  it.each([
    { path: '/planets', body: { name: 'Host', satellites: [{ name: 'One', orbit: {} }, { name: 'Two' }] } },
    { path: '/celestial-bodies', body: { name: 'Host', type: 'star', satellites: [{ name: 'A' }, { name: 'B' }] } },
    { path: '/celestial-bodies', body: { name: 'Host', satellites: [{ name: 'A' }], orbit: { eccentricity: 0.5 } } },
  ])('of POST $path are those of what it created, with its satellites', async ({ path, body }) => {
    const headers = {
      'Idempotency-Key': newKey(),
      'Content-Type': 'application/json',
      Authorization: `Bearer ${account.token}`,
    }
    const send = () => client.send(path, { method: 'POST', body: JSON.stringify(body), headers })
    const first = await bodyOf(await send())
    const second = await bodyOf(await send())
    expect(second).toEqual(first)
    expect(await bodyOf(await client.get(`${path}/${first.id}`))).toEqual(first)
  })

  it('of a satellite of a planet', async () => {
    const planet = await bodyOf(await createPlanet(undefined))
    const headers = {
      'Idempotency-Key': newKey(),
      'Content-Type': 'application/json',
      Authorization: `Bearer ${account.token}`,
    }
    const body = JSON.stringify({ name: 'Moon', type: 'moon', orbit: { planet: { id: planet.id } } })
    const send = () => client.send('/celestial-bodies', { method: 'POST', body, headers })
    const first = await bodyOf(await send())
    expect(await bodyOf(await send())).toEqual(first)
    expect(first.orbit.planet).toEqual({ id: planet.id, name: 'Once' })
  })
})

describe('a key belongs to one request of one user', () => {
  it('another body is 422, and is not stored', async () => {
    const key = newKey()
    expect((await createPlanet(key)).status).toBe(201)
    const rows = await countRows()
    const other = await createPlanet(key, { name: 'Other' })
    expect(other.status).toBe(422)
    expect((await bodyOf(other)).type).toMatch(/\/idempotency-key-reused$/)
    expect(await countRows()).toEqual(rows)
  })

  const json = { 'Content-Type': 'application/json' }
  it.each([
    { what: 'another path', path: '/celestial-bodies', headers: json },
    { what: 'another query', path: '/planets?a=1', headers: json },
    { what: 'another media type', path: '/planets', headers: { 'Content-Type': 'application/vnd.planet+json' } },
    { what: 'another format of the response', path: '/planets', headers: { ...json, Accept: 'application/xml' } },
  ])('$what is 422', async ({ path, headers }) => {
    const key = newKey()
    expect((await createPlanet(key)).status).toBe(201)
    const own = { ...headers, Authorization: `Bearer ${account.token}`, 'Idempotency-Key': key }
    const body = JSON.stringify({ name: 'Once' })
    expect((await client.send(path, { method: 'POST', body, headers: own })).status).toBe(422)
  })

  it('another credential of the same user gets the reply', async () => {
    const key = newKey()
    const first = await createPlanet(key)
    const { key: apiKey } = await bodyOf(await client.sendJson('POST', '/me/api-keys', {}, account))
    const retry = await client.send(`/planets?api_key=${apiKey}`, {
      method: 'POST',
      body: JSON.stringify({ name: 'Once' }),
      headers: { 'Content-Type': 'application/json; charset=utf-8', 'Idempotency-Key': `"${key}"` },
    })
    expect(isReplayed(retry)).toBe(true)
    expect(await retry.text()).toBe(await first.text())
  })

  it('another user can have the same key', async () => {
    const key = newKey()
    const first = await bodyOf(await createPlanet(key))
    const response = await createPlanet(key, { name: 'Once' }, client, await createAccount(client))
    expect([response.status, isReplayed(response)]).toEqual([201, false])
    expect((await bodyOf(response)).id).not.toBe(first.id)
  })

  it('a request without a key is never a retry', async () => {
    const ids = [await createPlanet(undefined), await createPlanet(undefined)].map(async (r) => (await bodyOf(r)).id)
    expect(new Set(await Promise.all(ids)).size).toBe(2)
  })

  it('without credentials, nothing is kept', async () => {
    const { path, method, body, headers, status } = await goodRequest(routeOf('registerClient'))
    const { Authorization: _owner, ...anonymous } = headers
    const own = { ...anonymous, 'Idempotency-Key': newKey() }
    const send = () => client.send(path, { method, body: body ?? null, headers: own })
    const [first, second] = [await send(), await send()]
    expect([first.status, second.status, isReplayed(second)]).toEqual([status, status, false])
    expect((await bodyOf(first)).client_id).not.toBe((await bodyOf(second)).client_id)
  })
})

function routeOf(operationId: string): Route {
  const route = ROUTES.find((route) => route.operationId === operationId)
  if (!route) throw new Error(`there is no operation ${operationId}`)
  return route
}

describe('the PATCH of a planet', () => {
  const JSON_PATCH = 'application/json-patch+json'
  const APPEND = JSON.stringify([{ op: 'add', path: '/tags/-', value: 'spice' }])

  /** Sends a patch that appends a tag. */
  function append(id: number, headers: Record<string, string>, body = APPEND, via = client) {
    const own = { 'Content-Type': JSON_PATCH, ...basic(account.email, account.password).headers, ...headers }
    return via.send(`/planets/${id}`, { method: 'PATCH', body, headers: own })
  }

  const tagsOf = async (id: number) => (await bodyOf(await client.get(`/planets/${id}`))).tags
  const make = async () => (await bodyOf(await createPlanet(undefined, { name: 'Arrakis', tags: ['sand'] }))).id

  it('appends once with a key, and each time without one', async () => {
    const [id, headers] = [await make(), { 'Idempotency-Key': newKey() }]
    const [first, second] = [await append(id, headers), await append(id, headers)]
    expect([first.status, second.status, isReplayed(first), isReplayed(second)]).toEqual([200, 200, false, true])
    expect(await second.text()).toBe(await first.text())
    expect(await tagsOf(id)).toEqual(['sand', 'spice'])
    await append(id, {})
    await append(id, {})
    expect(await tagsOf(id)).toEqual(['sand', 'spice', 'spice', 'spice'])
  })

  it('is replayed before If-Match, before a test that no longer holds, and after the planet was deleted', async () => {
    const id = await make()
    const ETag = (await client.get(`/planets/${id}`)).headers.get('ETag') ?? ''
    const headers = { 'Idempotency-Key': newKey(), 'If-Match': ETag }
    const body = JSON.stringify([
      { op: 'test', path: '/name', value: 'Arrakis' },
      { op: 'replace', path: '/name', value: 'Dune' },
    ])
    const first = await (await append(id, headers, body)).text()
    expect((await append(id, { 'If-Match': ETag }, body)).status).toBe(412)
    expect((await append(id, {}, body)).status).toBe(409)
    const replayed = await append(id, headers, body)
    expect([replayed.status, isReplayed(replayed), await replayed.text()]).toEqual([200, true, first])
    expect((await client.sendJson('DELETE', `/planets/${id}`, '', account)).status).toBe(204)
    expect(isReplayed(await append(id, headers, body))).toBe(true)
  })

  it('of another planet, in another media type or format, or with other bytes is 422', async () => {
    const [id, key] = [await make(), newKey()]
    const merge = { 'Content-Type': 'application/merge-patch+json' }
    // One text is a patch of both media types.
    const empty = '[]'
    expect((await append(id, { 'Idempotency-Key': key }, empty)).status).toBe(200)
    const others = [
      await append(await make(), { 'Idempotency-Key': key }, empty),
      await append(id, { 'Idempotency-Key': key, ...merge }, empty),
      await append(id, { 'Idempotency-Key': key, Accept: 'application/xml' }, empty),
      await append(id, { 'Idempotency-Key': key }, '[ ]'),
    ]
    expect(others.map(({ status }) => status)).toEqual([422, 422, 422, 422])
    expect((await bodyOf(others[0] as Response)).type).toMatch(/\/idempotency-key-reused$/)
  })

  it('that is refused is not kept, and is tried again', async () => {
    const [id, headers] = [await make(), { 'Idempotency-Key': newKey() }]
    const moved = JSON.stringify([{ op: 'add', path: '/satellites/-', value: { name: 'Krelln' } }])
    expect((await append(id, headers, moved)).status).toBe(409)
    const [merge] = [{ 'Content-Type': 'application/merge-patch+json' }]
    expect((await append(id, merge, '{"satellites":[]}')).status).toBe(200)
    const retry = await append(id, headers, moved)
    expect([retry.status, isReplayed(retry)]).toEqual([200, false])
  })

  it('comes once if ten requests with one key meet, also with writers of the same planet', async () => {
    const [id, headers] = [await make(), { 'Idempotency-Key': newKey() }]
    const responses = await Promise.all(Array.from({ length: 10 }, () => append(id, headers)))
    for (const { status } of responses) expect([200, 409]).toContain(status)
    expect(responses.filter((response) => response.status === 200 && !isReplayed(response))).toHaveLength(1)
    expect(await tagsOf(id)).toEqual(['sand', 'spice'])
  })

  it.each(['a'.repeat(256), 'é', 'a b'])('with the key %j is 400', async (key) => {
    const response = await append(await make(), { 'Idempotency-Key': key })
    expect([response.status, (await bodyOf(response)).type]).toEqual([
      400,
      expect.stringMatching(/invalid-idempotency-key$/),
    ])
  })

  it('counts with all kept replies of the user', async () => {
    const own = await createAccount(client)
    const { id } = await bodyOf(await createPlanet(undefined, { name: 'Full' }, client, own))
    await storeReplies(own, { rows: KEPT_REPLIES_MAX, bytes: 1 })
    const headers = { ...basic(own.email, own.password).headers, 'Idempotency-Key': newKey() }
    expect((await append(id, headers)).status).toBe(429)
  })
})

it('the other PATCH operations set values, and ignore a key', async () => {
  const own = await createAccount(client)
  const rename = (name: string) =>
    client.send('/me', {
      method: 'PATCH',
      body: JSON.stringify({ name }),
      headers: {
        'Content-Type': 'application/json',
        'Idempotency-Key': 'one-key',
        Authorization: `Bearer ${own.token}`,
      },
    })
  for (const name of ['Paul', 'Paul', 'Muad Dib']) {
    const response = await rename(name)
    expect([response.status, isReplayed(response), (await bodyOf(response)).name]).toEqual([200, false, name])
  }
  const patches = ROUTES.filter(({ method }) => method === 'patch').map((route) => [
    route.path,
    takesIdempotencyKey(route),
  ])
  expect(patches.filter(([, takesKey]) => takesKey)).toEqual([['/planets/{planetId}', true]])
  expect(patches.length).toBeGreaterThan(3)
})

it('of ten requests at the same time, one creates', async () => {
  const key = newKey()
  const name = `Race ${key}`
  const responses = await Promise.all(Array.from({ length: 10 }, () => createPlanet(key, { name })))
  const created = responses.filter((response) => response.status === 201 && !isReplayed(response))
  expect(created).toHaveLength(1)
  for (const response of responses) expect([201, 409]).toContain(response.status)
  const count = env.DB.prepare("select count(*) as n from planets where properties ->> '$.name' = ?").bind(name)
  expect((await count.first<{ n: number }>())?.n).toBe(1)
})

describe('a request that is refused is not kept', () => {
  it('because of its body', async () => {
    const key = newKey()
    expect((await createPlanet(key, { name: '' })).status).toBe(400)
    const response = await createPlanet(key)
    expect([response.status, isReplayed(response)]).toEqual([201, false])
  })

  it('because of what is stored', async () => {
    const url = `https://receiver.example/${newKey()}`
    // With room for another subscription.
    const { token } = await createAccount(client)
    const headers = {
      'Idempotency-Key': newKey(),
      'Content-Type': 'application/json',
      Authorization: `Bearer ${token}`,
    }
    const body = JSON.stringify({ url, events: ['newPlanet'] })
    const subscribe = (more: object = {}) =>
      client.send('/webhooks', { method: 'POST', body, headers: { ...headers, ...more } })
    const { id } = await bodyOf(await subscribe({ 'Idempotency-Key': newKey() }))
    expect((await subscribe()).status).toBe(409)
    expect((await client.send(`/webhooks/${id}`, { method: 'DELETE', headers })).status).toBe(204)
    const response = await subscribe()
    expect([response.status, isReplayed(response)]).toEqual([201, false])
  })
})

it('a reply is kept for 24 hours and not longer, also before the sweep', async () => {
  const key = newKey()
  expect((await createPlanet(key)).status).toBe(201)
  expect(isReplayed(await createPlanet(key, { name: 'Once' }, clientAt(24 * HOUR_MS - MINUTE_MS)))).toBe(true)
  const later = await createPlanet(key, { name: 'Other' }, clientAt(24 * HOUR_MS))
  expect([later.status, isReplayed(later)]).toEqual([201, false])
})

describe('what is stored', () => {
  it('does not show a secret', async () => {
    const headers = {
      'Idempotency-Key': newKey(),
      'Content-Type': 'application/json',
      Authorization: `Bearer ${account.token}`,
    }
    const response = await client.send('/me/api-keys', { method: 'POST', body: '{}', headers })
    const { key } = await bodyOf(response)
    const { results } = await env.DB.prepare('select * from kept_replies').all()
    expect(results.length).toBeGreaterThan(0)
    expect(JSON.stringify(results)).not.toContain(key)
  })

  it.each([
    { rows: KEPT_REPLIES_MAX - 1, bytes: 1, status: 201 },
    { rows: KEPT_REPLIES_MAX, bytes: 1, status: 429 },
    { rows: 1, bytes: KEPT_REPLIES_BYTES_MAX - 1, status: 201 },
    { rows: 1, bytes: KEPT_REPLIES_BYTES_MAX, status: 429 },
  ])('is limited for a user: with $rows replies of $bytes bytes, another one is $status', async (stored) => {
    const own = await createAccount(client)
    await storeReplies(own, stored)
    const response = await createPlanet(newKey(), { name: 'Once' }, client, own)
    expect(response.status).toBe(stored.status)
    if (stored.status === 429) expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(23 * 60 * 60)
    // What is kept already can be replayed, and requests without a key are served.
    expect((await createPlanet(undefined, { name: 'Once' }, client, own)).status).toBe(201)
  })

  it('in a full account, a retry still gets its reply', async () => {
    const own = await createAccount(client)
    const key = newKey()
    const first = await createPlanet(key, { name: 'Once' }, client, own)
    await storeReplies(own, { rows: KEPT_REPLIES_MAX, bytes: 1 })
    const retry = await createPlanet(key, { name: 'Once' }, client, own)
    expect(isReplayed(retry)).toBe(true)
    expect(await retry.text()).toBe(await first.text())
  })
})

/** A reply is one value, which may have at most 2 MB, so many bytes are several rows. */
const ROW_MAX_BYTES = 1024 * 1024

async function storeReplies({ id }: Account, { rows, bytes }: { rows: number; bytes: number }): Promise<void> {
  const sizes = bytes > 1 ? splitBytes(bytes) : Array.from({ length: rows }, () => 1)
  await env.DB.prepare(`
    insert into kept_replies (user_id, key, fingerprint, created_at, reply, maker)
    select ?, 'stored-' || key, 'stored', ?, substr(hex(zeroblob(value / 2 + 1)), 1, value), '{}' from json_each(?)`)
    .bind(id, Date.now(), JSON.stringify(sizes))
    .run()
}

function splitBytes(bytes: number): number[] {
  const whole = Math.floor(bytes / ROW_MAX_BYTES)
  return [...Array.from({ length: whole }, () => ROW_MAX_BYTES), bytes % ROW_MAX_BYTES].filter((size) => size > 0)
}

describe('the log', () => {
  const log = readLog()

  it('says that a claim was not released, and shows neither its key nor its request', async () => {
    const key = newKey()
    const broken = createClient({ database: interruptKeeping(openD1(env.DB), 'before') })
    expect((await createPlanet(key, { name: 'Nameless' }, broken)).status).toBe(503)
    const lines = log.of('claim-not-released')
    expect(lines).toEqual([{ event: 'claim-not-released', error: 'Network connection lost.' }])
    for (const secret of [key, 'Nameless', account.email, account.password]) expect(log.text()).not.toContain(secret)
  })
})

describe('the header', () => {
  it('can be empty, which means no key', async () => {
    expect(await createPlanet('').then(bodyOf)).not.toEqual(await createPlanet('').then(bodyOf))
    expect((await createPlanet('', { name: 'Other' })).status).toBe(201)
  })

  it('can be a placeholder of an importer, which means no key', async () => {
    expect(await createPlanet('<string>').then(bodyOf)).not.toEqual(await createPlanet('<string>').then(bodyOf))
    expect((await createPlanet('<string>', { name: 'Other' })).status).toBe(201)
  })

  const tooLong = 'k'.repeat(256)
  it.each(['k', 'k'.repeat(255), `"${'k'.repeat(255)}"`, '"a b, c; \\"d\\" \\\\"', 'abc+/=', newKey()])(
    'can be %s',
    async (key) => {
      const by = await createAccount(client)
      expect((await createPlanet(key, { name: 'Once' }, client, by)).status).toBe(201)
      expect(isReplayed(await createPlanet(key, { name: 'Once' }, client, by))).toBe(true)
    },
  )

  it.each([
    '""',
    tooLong,
    `"${tooLong}"`,
    'a b',
    'a, b',
    '"a", "b"',
    '"a',
    'a"b',
    '"a\\b"',
    '"a";q=1',
    '"ä"',
    ':YQ==:;a',
  ])('cannot be %s', async (key) => {
    const response = await createPlanet(key)
    expect(response.status).toBe(400)
    expect((await bodyOf(response)).type).toMatch(/\/invalid-idempotency-key$/)
  })
})
