import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Scope } from '../../../src/domain/scopes.ts'
import { socketRoutes } from '../../../src/features/live/socket-routes.ts'
import type { Route } from '../../../src/http/pipeline/route.ts'
import { checksCredentials, needsCredentials } from '../../../src/http/pipeline/route-facts.ts'
import { ROUTES } from '../../support/app.ts'
import {
  type Bench,
  type Carried,
  createBench,
  createHolder,
  type Holder,
  inHeader,
  KINDS,
  keyInCookie,
  NOTHING,
  scopesWithout,
  sendWith,
  storeKey,
  together,
} from '../../support/credentials.ts'
import { isEndless, makeGoodRequest } from '../../support/good-requests.ts'
import { oneOfEach, turnOf } from '../../support/one-of-each.ts'
import { askForSocket } from '../../support/sockets.ts'

// A credential that is valid gets at least what nobody gets, at every operation that is open to all.

/** Here the header Authorization belongs to a client of OAuth, not to a user. */
const OF_CLIENTS = ['issueTokens', 'revokeToken', 'introspectToken']

const OPEN = [...ROUTES, ...socketRoutes].filter(
  (route) => !needsCredentials(route) && !OF_CLIENTS.includes(route.operationId),
)
const CHECKING = OPEN.filter(checksCredentials)
/** One of each kind is called with every kind of credential. The others share the kinds. */
const MODELS = oneOfEach(CHECKING, ({ security, method, opensSocket, responses }) => [
  security,
  method,
  opensSocket,
  isEndless({ responses }),
])

let bench: Bench
let holder: Holder

beforeAll(async () => {
  const unlimited = { signupsPerHour: 100_000, universesPerHour: 100_000, passwordAttempts: 100_000 }
  bench = await createBench({ config: unlimited })
  holder = await createHolder(bench)
})

/** A request that succeeds without credentials. */
async function callAs(route: Route, carried: Carried): Promise<Response> {
  const { path, method, body, headers } = await makeGoodRequest(bench.client, route, holder.account)
  const { Authorization: _own, Cookie: cookie, ...rest } = headers
  // A browser sends the cookie of a page together with others.
  const cookies = [cookie, carried.headers.Cookie].filter((one) => one !== undefined).join('; ')
  const sent = { ...carried, headers: { ...carried.headers, ...(cookies !== '' && { Cookie: cookies }) } }
  if (route.opensSocket) return await callSocket(path, sent)
  const init = { method, body: body ?? null, headers: rest, redirect: 'manual' } as const
  const response = await sendWith(bench, path, sent, init)
  if (isEndless(route)) await response.body?.cancel()
  return response
}

async function callSocket(path: string, { headers, query }: Carried): Promise<Response> {
  const response = await askForSocket(bench.client, `${path}?${new URLSearchParams(query)}`, headers)
  response.webSocket?.accept()
  response.webSocket?.close()
  return response
}

/** The scopes that do not suffice: all others, or none. */
const narrowScopes = ({ scope }: Route): (readonly Scope[])[] => [
  scope === undefined ? ['openid'] : scopesWithout(scope),
  ['read:planets', 'openid'],
]

const faultOf = async (response: Response) => (response.status < 400 ? '' : await response.text())

async function expectAsNobody(route: Route, carried: Carried): Promise<void> {
  const [nobody, somebody] = [await callAs(route, NOTHING), await callAs(route, carried)]
  expect(nobody.status, await faultOf(nobody)).toBeLessThan(400)
  expect(somebody.status, await faultOf(somebody)).toBe(nobody.status)
}

it('the operations that are open, and check credentials, are known', () => {
  expect(CHECKING.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining(['createUser', 'registerClient', 'listEvents', 'getEvent', 'planetEvents-v1']),
  )
  expect(OPEN.length).toBeGreaterThan(30)
})

describe.each(CHECKING)('$method $path', (route) => {
  const kinds = MODELS.includes(route) ? KINDS : turnOf(KINDS, CHECKING.indexOf(route))
  it.each(kinds)('serves $name with the wrong scopes like nobody', async ({ make }) => {
    for (const scopes of narrowScopes(route)) await expectAsNobody(route, await make(bench, holder, scopes))
  })

  it('serves a cookie from a page of another origin like nobody', async () => {
    const { key } = await storeKey(bench.client, holder.account.id)
    await expectAsNobody(route, together(keyInCookie(key), inHeader('Origin', 'https://elsewhere.example')))
    await expectAsNobody(route, together(keyInCookie(key), inHeader('Sec-Fetch-Site', 'cross-site')))
  })

  it('serves the last key of a chain like nobody, or better', async () => {
    const { id, key } = await storeKey(bench.client, holder.account.id)
    await env.DB.prepare('update api_keys set depth = 2 where id = ?').bind(id).run()
    await expectAsNobody(route, inHeader('X-API-Key', key))
  })

  it('refuses a wrong one, also beside one with the wrong scopes that is suspended', async () => {
    expect((await callAs(route, inHeader('X-API-Key', 'glx_x'))).status).toBe(401)
    const other = await createHolder(bench)
    const { key } = await storeKey(bench.client, other.account.id, ['read:planets'])
    await env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(other.account.id).run()
    expect((await callAs(route, inHeader('X-API-Key', key))).status).toBe(403)
  })

  it('serves a narrow one like nobody, whatever the other credentials of the request are', async () => {
    const { key } = await storeKey(bench.client, holder.account.id, ['read:planets'])
    await expectAsNobody(route, together(inHeader('X-API-Key', key), inHeader('Authorization', 'Bearer nonsense')))
  })
})

describe.each(OPEN.filter((route) => !checksCredentials(route)))('$method $path', (route) => {
  it.each(turnOf(KINDS, OPEN.indexOf(route)))('serves $name like nobody', async ({ make }) => {
    await expectAsNobody(route, await make(bench, holder, ['openid']))
  })
})

it('somebody whose writes are used up can sign up, like nobody', async () => {
  const route = OPEN.find(({ operationId }) => operationId === 'createUser')
  if (!route) throw new Error('there is no sign-up')
  const writeLimiter = { limit: async () => ({ success: false }) }
  const limited = await createBench({ writeLimiter, config: { limitsWrites: true, signupsPerHour: 100_000 } })
  const { account } = await createHolder(limited)
  const { path, method, body, headers } = await makeGoodRequest(limited.client, route, account)
  const sent = inHeader('Authorization', `Bearer ${account.token}`)
  expect((await sendWith(limited, path, sent, { method, body: body ?? null, headers })).status).toBe(201)
})

it('a narrow key on the list of events sees what nobody sees', async () => {
  const { key } = await storeKey(bench.client, holder.account.id, ['read:user:events'])
  const [seen, public_] = await Promise.all(
    [inHeader('X-API-Key', key), NOTHING].map(async (carried) => {
      const response = await sendWith(bench, '/events?limit=100', carried)
      return await response.text()
    }),
  )
  expect(seen).toBe(public_)
})

it('a narrow key registers a client of nobody', async () => {
  const { key } = await storeKey(bench.client, holder.account.id, ['read:account'])
  const body = JSON.stringify({ redirect_uris: ['https://client.test/'] })
  const init = { method: 'POST', body, headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'narrow' } }
  const registered = async () => {
    const response = await sendWith(bench, '/oauth/register', inHeader('X-API-Key', key), init)
    expect([response.status, response.headers.get('Idempotency-Replayed')]).toEqual([201, null])
    return (await response.json<{ client_id: string }>()).client_id
  }
  // The key of the request is ignored, as without credentials.
  const ids = [await registered(), await registered()]
  expect(new Set(ids).size).toBe(2)
  const owners = await env.DB.prepare('select owner_id from clients where id in (?, ?)')
    .bind(...ids)
    .all()
  expect(owners.results).toEqual([{ owner_id: null }, { owner_id: null }])
})
