import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { EVENT_HEADER } from '../../../../src/domain/webhook-signature.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  ROUTES,
} from '../../../support/app.ts'
import { eachRow } from '../../../support/each-row.ts'
import { fillPath, makeGoodRequest, sendGood } from '../../../support/good-requests.ts'
import { readDatabase } from '../../../support/stored.ts'

// The service rejects its own calls as client requests. Otherwise a callback that creates a planet would trigger itself
// for ever.

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

const PLANETS = 'select count(*) as n from planets'
const countPlanets = async () => (await env.DB.prepare(PLANETS).first<{ n: number }>())?.n

/** A call as the service sends it to receivers. */
function call(path: string, method = 'POST', event = 'planetCreated'): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', [EVENT_HEADER]: event, ...authorization(account) }
  const body = method === 'GET' ? undefined : '{"name":"Echo"}'
  return client.send(path, { method, headers, ...(body && { body }) })
}

/** The same call to an inbox. Its responses are set by its user, so no document describes them. */
async function callInbox(path: string, method: string): Promise<Response> {
  return await client.sendRaw(path, { method, headers: { [EVENT_HEADER]: 'planetCreated' } })
}

describe('a call of the service itself', () => {
  // Those that write are called below.
  it('is rejected by every operation that reads', () =>
    eachRow(
      ROUTES.filter(({ method }) => method === 'get'),
      async (route) => {
        const response = await call(await fillPath(client, route, account), 'GET')
        expect(response.status).toBe(400)
        expect(await response.text()).toContain('cannot call the service itself')
      },
      ({ path }) => path,
    ))

  it('creates no planet, for any event and in any format', async () => {
    const before = await countPlanets()
    for (const event of ['planetCreated', 'newPlanet', 'ping', 'anything', '']) {
      expect((await call('/planets', 'POST', event)).status).toBe(400)
    }
    const response = await client.send('/planets', {
      method: 'POST',
      body: '{"name":"Echo"}',
      headers: { 'X-GALAXY-EVENT': 'planetCreated', ...authorization(account) },
    })
    expect(response.status).toBe(400)
    expect(await countPlanets()).toBe(before)
    expect((await client.sendJson('POST', '/planets', { name: 'Echo' }, account)).status).toBe(201)
    expect(await countPlanets()).toBe((before ?? 0) + 1)
  })

  it('gets the reason in a problem document', async () => {
    const response = await call('/planets')
    expect(response.headers.get('Content-Type')).toMatch(/^application\/problem\+json/)
    expect(await bodyOf(response)).toMatchObject({
      status: 400,
      detail: 'Callbacks of this service cannot call the service itself, except for its echo and its inboxes.',
    })
  })

  it('is rejected before anything else is checked', async () => {
    const headers = { [EVENT_HEADER]: 'planetCreated' }
    for (const path of ['/planets', '/me/api-keys', '/inboxes']) {
      expect((await client.send(path, { method: 'POST', headers })).status).toBe(400)
    }
  })

  it('is 404 at an unknown path', async () => {
    expect((await call('/nowhere')).status).toBe(404)
  })

  it.each(['GET', 'POST', 'PUT', 'DELETE'])('is recorded by an inbox: %s', async (method) => {
    const { id } = await bodyOf(await client.sendJson('POST', '/inboxes', { status: 202 }))
    for (const path of ['callbacks', '', 'a/b?c=d']) {
      expect((await callInbox(`/inboxes/${id}/${path}`, method)).status).toBe(202)
    }
    expect((await bodyOf(await client.get(`/inboxes/${id}`))).meta.total).toBe(3)
  })

  it.each(['GET', 'PUT', 'DELETE'])(
    'is rejected at the address of the inbox itself, and changes nothing: %s',
    async (method) => {
      const { id } = await bodyOf(await client.sendJson('POST', '/inboxes', {}))
      expect((await call(`/inboxes/${id}`, method)).status).toBe(400)
      expect((await client.get(`/inboxes/${id}`)).status).toBe(200)
    },
  )

  it('is 404 for an unknown inbox', async () => {
    expect((await call('/inboxes/nobody/callbacks')).status).toBe(404)
  })
})

/** Operations that write. */
const WRITES = ROUTES.filter(({ method }) => method !== 'get').map((route) => [route.operationId, route] as const)

// A name of the service that the URL guard does not know leads here, with a body and a credential that are right.
describe('by a name that leads to the service, nothing is written', () => {
  it.each(WRITES)('by a callback, and by the request for a token before it: %s', async (_, route) => {
    const request = await makeGoodRequest(client, route, await createAccount(client))
    const before = await readDatabase()
    const called = await sendGood(client, request, { [EVENT_HEADER]: 'planetCreated' })
    expect(called.status).toBe(400)
    expect(await called.text()).toContain('cannot call the service itself')
    if (route.errorStyle !== 'oauth') {
      expect((await sendGood(client, request, { 'User-Agent': 'Galaxy-Callbacks/2.0.0' })).status).toBe(400)
    }
    expect(await readDatabase()).toEqual(before)
  })

  it('a token of another deployment can be asked for', async () => {
    const headers = { 'User-Agent': 'Galaxy-Callbacks/2.0.0' }
    expect((await client.get('/.well-known/openid-configuration', headers)).status).toBe(200)
    const route = ROUTES.find(({ path, method }) => path === '/oauth/token' && method === 'post')
    if (!route) throw new Error('there is no token endpoint')
    const request = await makeGoodRequest(client, route, account)
    expect((await sendGood(client, request, headers)).status).toBe(200)
  })
})
