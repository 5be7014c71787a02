import { createExecutionContext } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeApiKey } from '../../src/auth/api-key.ts'
import { makeSecret } from '../../src/auth/secrets.ts'
import { fromEdge } from '../support/from-edge.ts'
import {
  bearer,
  bodyOf,
  COMMON,
  configure,
  makeUniverse,
  type OwnWorld,
  readTables,
  replaceServices,
  universes,
  useWorlds,
} from '../support/worlds.ts'

// Rules of faults in universes, on a clock that only the test moves.

useWorlds()

let now: number
let world: OwnWorld
/** Milliseconds of each wait that the service asked for. */
let waits: number[]

beforeEach(async () => {
  now = Math.floor(Date.now() / 1000) * 1000
  waits = []
  replaceServices({ now: () => new Date(now), wait: async (milliseconds) => void waits.push(milliseconds) })
  world = await makeUniverse()
})

/** A request whose answer no document has. */
async function ask(path: string, init: RequestInit = {}, to: OwnWorld = world): Promise<Response> {
  const request = fromEdge(new Request(to.url + path, init))
  return await universes.fetch(request, createExecutionContext())
}

type Rule = Record<string, unknown>

async function setRules(rules: Rule[], to: OwnWorld = world): Promise<void> {
  const response = await to.own('PUT', '/universe/faults', { rules })
  expect([response.status, await bodyOf(response)]).toEqual([200, { rules }])
}

const countsOf = async (to: OwnWorld = world) =>
  (await bodyOf(await to.own('GET', '/universe/faults'))).rules.map(
    ({ name, requests, keys, applied, early }: Record<string, unknown>) => ({ name, requests, keys, applied, early }),
  )
const attemptsOf = async (query = '', to: OwnWorld = world) =>
  (await bodyOf(await to.own('GET', `/universe/faults/attempts?limit=100${query}`))).data
const statusesOf = async (count: number, path = '/planets', init: RequestInit = {}) => {
  const statuses: number[] = []
  for (let n = 0; n < count; n++) statuses.push((await ask(path, init)).status)
  return statuses
}
const fieldOf = (response: Response) => response.headers.get('Galaxy-Fault')

describe('steps', () => {
  it('503, 503, then 200', async () => {
    await setRules([{ name: 'busy', steps: [{ times: 2, status: 503 }] }])
    expect(await statusesOf(4)).toEqual([503, 503, 200, 200])
    expect(await countsOf()).toEqual([{ name: 'busy', requests: 4, keys: 1, applied: 2, early: 3 }])
  })

  it.each([
    ['pass', [500, 502, 502, 200, 200, 200, 200]],
    ['last', [500, 502, 502, 502, 502, 502, 502]],
    ['repeat', [500, 502, 502, 500, 502, 502, 500]],
  ])('then: %s', async (after, statuses) => {
    // biome-ignore lint/suspicious/noThenProperty: the name of the member
    await setRules([{ name: 'r', steps: [{ status: 500 }, { times: 2, status: 502 }], then: after }])
    expect(await statusesOf(7)).toEqual(statuses)
  })

  it('a step without an action lets pass, and says so', async () => {
    await setRules([{ name: 'r', steps: [{}, { status: 503 }] }])
    const passed = await ask('/planets')
    expect([passed.status, fieldOf(passed)]).toEqual([200, 'rule="r", attempt=1'])
    const failed = await ask('/planets')
    expect([failed.status, fieldOf(failed)]).toEqual([503, 'rule="r", attempt=2, action="status", applied'])
    expect(failed.headers.get('Access-Control-Expose-Headers')).toMatch(/,Galaxy-Fault$/)
    expect(failed.headers.get('Cache-Control')).toBe('no-store')
    expect(failed.headers.get('Content-Security-Policy')).toBe("default-src 'none'; sandbox")
    for (const name of ['X-Request-ID', 'Sunset', 'Access-Control-Allow-Origin'])
      expect(failed.headers.has(name)).toBe(true)
  })

  it('announce: false leaves out the header', async () => {
    await setRules([{ name: 'r', steps: [{ status: 503 }], announce: false }])
    const response = await ask('/planets')
    expect([response.status, fieldOf(response)]).toEqual([503, null])
    expect(response.headers.get('Access-Control-Expose-Headers')).not.toContain('Galaxy-Fault')
  })

  it('a documented status has its example, and any other is the problem injected', async () => {
    await setRules([{ name: 'r', steps: [{ status: 429 }, { status: 418 }] }])
    const documented = await ask('/planets')
    expect((await bodyOf(documented)).type).toBe(`${world.url}/problems/too-many-requests`)
    expect(documented.headers.get('Retry-After')).toBe('60')
    const other = await ask('/planets', { headers: { Accept: 'application/xml' } })
    expect([other.status, other.headers.get('Content-Type')]).toEqual([418, 'application/problem+xml'])
    const id = crypto.randomUUID()
    await setRules([{ name: 'r', steps: [{ status: 418, retryAfter: { seconds: 7 } }] }])
    const third = await ask('/planets', { headers: { 'X-Request-ID': id } })
    expect(await bodyOf(third)).toMatchObject({
      type: `${world.url}/problems/injected`,
      title: 'Injected fault',
      status: 418,
      instance: `urn:uuid:${id}`,
    })
    expect(third.headers.get('Retry-After')).toBe('7')
  })

  it('nothing is read or done, not even the credential', async () => {
    await setRules([{ name: 'r', match: { method: 'POST', path: '/planets' }, steps: [{ status: 500 }] }])
    expect((await world.send('/planets?limit=1')).status).toBe(200)
    expect((await ask('/planets', { method: 'POST', body: '{' })).status).toBe(500)
    expect((await ask('/planets', { method: 'POST', body: '{' })).status).toBe(401)
  })

  it('delay comes before anything, alone or beside an action', async () => {
    await setRules([{ name: 'r', steps: [{ delay: 30 }, { delay: 0.5, status: 503 }, { delay: 0, status: 500 }] }])
    const delayed = await ask('/planets')
    expect([delayed.status, fieldOf(delayed)]).toEqual([200, 'rule="r", attempt=1, action="delay", applied'])
    expect((await ask('/planets')).status).toBe(503)
    expect((await ask('/planets')).status).toBe(500)
    expect(waits).toEqual([30_000, 500])
  })

  it('drop: the work is not done, or is', async () => {
    const create = () => world.own('POST', '/planets', { name: 'Dropped' }).catch(() => undefined)
    const total = async () => (await bodyOf(await ask('/planets?limit=1'))).meta.total
    const match = { method: 'POST' }
    await setRules([{ name: 'r', match, steps: [{ drop: 'request' }, { drop: 'response' }] }])
    await create()
    expect(await total()).toBe(0)
    await create()
    expect(await total()).toBe(1)
    expect((await attemptsOf()).map(({ action, applied, status }: Rule) => [action, applied, status])).toEqual([
      ['drop', true, null],
      ['drop', true, null],
    ])
  })

  it('violate: the work is done, the answer breaks the document, and what is stored stays right', async () => {
    await setRules([{ name: 'r', match: { method: 'POST' }, steps: [{ violate: 'type', at: '/name' }] }])
    const response = await ask('/planets', {
      method: 'POST',
      headers: { ...bearer(world.token), 'Content-Type': 'application/json' },
      body: '{"name":"Right"}',
    })
    const made = await bodyOf(response)
    expect([response.status, made.name]).toEqual([201, true])
    expect(fieldOf(response)).toBe('rule="r", attempt=1, action="violate", at="/name", applied')
    expect((await bodyOf(await ask(`/planets/${made.id}`))).name).toBe('Right')
  })

  it('where an action has no place, the true answer goes out', async () => {
    await setRules([{ name: 'r', steps: [{ times: 3, violate: 'enum' }, { cut: 1_000_000 }] }])
    for (const init of [{}, { headers: { Accept: 'application/xml' } }, { method: 'HEAD' }, {}]) {
      const response = await ask('/planets', init)
      expect([response.status, fieldOf(response)]).toEqual([200, expect.stringMatching(/action="\w+", applied=\?0$/)])
      expect(response.headers.get('Cache-Control')).not.toBe('no-store')
    }
    expect(await countsOf()).toEqual([{ name: 'r', requests: 4, keys: 1, applied: 0, early: 0 }])
  })

  it('Prefer counts where the rule lets pass, and only there', async () => {
    await setRules([{ name: 'r', steps: [{ status: 500 }, {}] }])
    const headers = { Prefer: 'code=429' }
    expect(await statusesOf(3, '/planets', { headers })).toEqual([500, 429, 429])
    await setRules([{ name: 'r', steps: [{ status: 500 }] }])
    expect(await statusesOf(2, '/planets', { headers: { Prefer: 'code=abc' } })).toEqual([500, 400])
  })
})

describe('which rule decides', () => {
  it('the first that matches, and no other counts the request', async () => {
    await setRules([
      { name: 'posts', match: { method: 'POST' }, steps: [{ status: 501 }] },
      { name: 'one', match: { path: '/planets/{planetId}' }, steps: [{ status: 502 }] },
      { name: 'header', match: { header: { 'x-client': 'a' } }, steps: [{ status: 504 }] },
      { name: 'below', match: { path: '/planets/*' }, steps: [{ status: 505 }] },
      { name: 'all', steps: [{ status: 506 }] },
    ])
    const statusOf = async (path: string, init: RequestInit = {}) => (await ask(path, init)).status
    expect(await statusOf('/planets', { method: 'POST' })).toBe(501)
    expect(await statusOf('/planets/1')).toBe(502)
    expect(await statusOf('/planets', { headers: { 'X-Client': 'a' } })).toBe(504)
    expect(await statusOf('/planets/1/explode', { method: 'POST' })).not.toBe(505)
    expect(await statusOf('/planets/search')).toBe(505)
    expect(await statusOf('/me', { headers: { 'X-Client': 'A' } })).toBe(506)
    expect((await countsOf()).map(({ requests }: { requests: number }) => requests)).toEqual([2, 1, 1, 1, 1])
  })

  it.each([
    '/universe',
    '/inboxes/1',
    '/openapi.json',
    '/asyncapi.json',
    '/',
    '/docs',
    '/problems',
    '/healthz',
    '/readyz',
  ])('%s is exempt', async (path) => {
    await setRules([
      { name: 'r', match: { path: '/*' }, steps: [{ status: 418 }], key: 'path' },
      { name: 'all', steps: [{ status: 418 }] },
    ])
    expect((await ask(path)).status).not.toBe(418)
    expect(await attemptsOf()).toEqual([])
  })

  it('faults come after 404, 405 and 410', async () => {
    await setRules([{ name: 'r', steps: [{ times: 5, status: 418 }] }])
    expect((await ask('/nowhere')).status).toBe(404)
    expect((await ask('/planets/abc')).status).toBe(404)
    expect((await ask('/planets', { method: 'PUT' })).status).toBe(405)
    expect((await ask('/planets', { method: 'OPTIONS' })).status).toBe(204)
    await world.own('DELETE', '/universe')
    expect((await ask('/planets')).status).toBe(410)
  })

  it('HEAD is a request to the operation of GET', async () => {
    await setRules([{ name: 'r', match: { method: 'GET', path: '/planets' }, steps: [{ status: 503 }] }])
    expect(await statusesOf(2, '/planets', { method: 'HEAD' })).toEqual([503, 200])
    expect((await attemptsOf())[0].method).toBe('HEAD')
  })
})

describe('keys', () => {
  it('path: below the world and without the query', async () => {
    await setRules([{ name: 'r', key: 'path', steps: [{ status: 503 }] }])
    expect(await statusesOf(2, '/planets?limit=1')).toEqual([503, 200])
    expect(await statusesOf(1, '/planets?limit=2')).toEqual([200])
    expect(await statusesOf(2, '/catalogue')).toEqual([503, 200])
    expect((await attemptsOf()).map(({ key, attempt }: Rule) => [key, attempt])).toEqual([
      ['/planets', 1],
      ['/planets', 2],
      ['/planets', 3],
      ['/catalogue', 1],
      ['/catalogue', 2],
    ])
    expect(await attemptsOf('&key=/catalogue')).toHaveLength(2)
    expect(await attemptsOf('&rule=other')).toEqual([])
    expect(await attemptsOf('&rule=r')).toHaveLength(5)
  })

  it('header: absent is empty, and 200 characters count', async () => {
    await setRules([{ name: 'r', key: 'header:X-Client', steps: [{ status: 503 }] }])
    const long = 'x'.repeat(200)
    for (const value of [undefined, 'a', long]) {
      const headers = value === undefined ? {} : { 'X-Client': value }
      expect(await statusesOf(2, '/planets', { headers })).toEqual([503, 200])
    }
    expect(await statusesOf(1, '/planets', { headers: { 'x-client': `${long}y` } })).toEqual([200])
    expect((await attemptsOf()).map(({ key }: Rule) => key)).toEqual(['', '', 'a', 'a', long, long, long])
  })

  it('credentials count as different keys, and are neither shown nor stored', async () => {
    await setRules([{ name: 'r', key: 'header:Idempotency-Key', steps: [{ status: 503 }] }])
    const credentials = [(await makeApiKey()).key, (await makeApiKey()).key, makeSecret()]
    for (const key of credentials) {
      const headers = { 'Idempotency-Key': key }
      expect(await statusesOf(2, '/planets', { headers })).toEqual([503, 200])
    }
    const [first = '', , other = ''] = credentials
    const long = `${'x'.repeat(180)} ${first}`
    expect(await statusesOf(1, '/planets', { headers: { 'Idempotency-Key': long } })).toEqual([503])
    const keyOf = (text: string) => '*'.repeat(text.length)
    const attempts = await attemptsOf()
    expect(attempts.map(({ key, attempt }: Rule) => [key, attempt])).toEqual([
      ...[1, 2, 1, 2].map((attempt) => [keyOf(first), attempt]),
      ...[1, 2].map((attempt) => [keyOf(other), attempt]),
      [`${'x'.repeat(180)} ${'*'.repeat(19)}`, 1],
    ])
    expect(await attemptsOf(`&key=${first}`)).toHaveLength(4)
    const stored = JSON.stringify([attempts, await readTables(world)])
    for (const key of credentials) expect(stored).not.toContain(key.slice(0, 12))
  })

  it('1,000 keys are remembered, and the oldest is forgotten', { timeout: 60_000 }, async () => {
    await setRules([{ name: 'r', key: 'header:X-Client', steps: [{ status: 503 }] }])
    const statusOf = async (client: number) =>
      (await ask('/planets', { headers: { 'X-Client': String(client) } })).status
    for (let client = 0; client < 1000; client++) await statusOf(client)
    expect(await statusOf(0)).toBe(200)
    expect(await countsOf()).toMatchObject([{ keys: 1000 }])
    expect(await statusOf(1000)).toBe(503)
    expect(await countsOf()).toMatchObject([{ keys: 1000, requests: 1002 }])
    expect(await statusOf(1)).toBe(200)
    expect(await statusOf(0)).toBe(503)
  })
})

describe('early', () => {
  it.each([
    [{ seconds: 2 }, 2000],
    // The clock stands on a whole second, and the date is more than two seconds ahead.
    [{ date: 2 }, 3000],
  ])('%o', async (retryAfter, milliseconds) => {
    await setRules([{ name: 'r', steps: [{ times: 3, status: 503, retryAfter }] }])
    const first = await ask('/planets')
    const expected = 'date' in retryAfter ? new Date(now + 3000).toUTCString() : '2'
    expect(first.headers.get('Retry-After')).toBe(expected)
    now += milliseconds - 1
    await ask('/planets')
    now += milliseconds
    await ask('/planets')
    now += milliseconds + 1
    await ask('/planets')
    now += 60_000
    await ask('/planets')
    const attempts = await attemptsOf()
    expect(attempts.map(({ early }: Rule) => early)).toEqual([false, true, false, false, false])
    expect(attempts.map(({ sincePrevious }: Rule) => sincePrevious)).toEqual([
      null,
      milliseconds - 1,
      milliseconds,
      milliseconds + 1,
      60_000,
    ])
    expect(await countsOf()).toMatchObject([{ early: 1 }])
  })

  it('counts from when the answer was sent', async () => {
    replaceServices({
      async wait(milliseconds) {
        now += milliseconds
      },
    })
    await setRules([{ name: 'r', steps: [{ delay: 10, status: 503, retryAfter: { seconds: 5 } }] }])
    await ask('/planets')
    now += 4999
    await ask('/planets')
    expect((await attemptsOf()).map(({ early, sincePrevious }: Rule) => [early, sincePrevious])).toEqual([
      [false, null],
      [true, 14_999],
    ])
  })
})

describe('chance', () => {
  it('is the same in every run, as the contract computes it', async () => {
    const rule = { name: 'r', chance: { probability: 0.4, seed: 's', step: { status: 503 } } }
    await setRules([rule])
    const expected = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const text = new TextEncoder().encode(`s/r//${index + 1}`)
        const hex = new Uint8Array(await crypto.subtle.digest('SHA-256', text)).toHex().slice(0, 8)
        return Number.parseInt(hex, 16) / 2 ** 32 < 0.4 ? 503 : 200
      }),
    )
    expect(new Set(expected).size).toBe(2)
    expect(await statusesOf(40)).toEqual(expected)
    expect((await world.own('DELETE', '/universe/faults/attempts')).status).toBe(204)
    expect(await statusesOf(40)).toEqual(expected)
  })

  it.each([
    [0, 200],
    [1, 503],
  ])('probability %d', async (probability, status) => {
    await setRules([{ name: 'r', chance: { probability, seed: 's', step: { status: 503 } } }])
    expect(await statusesOf(5)).toEqual([status, status, status, status, status])
  })
})

describe('limit', () => {
  it.each(['seconds', 'date'])('a window that refusals do not move, with Retry-After as %s', async (form) => {
    await setRules([{ name: 'r', limit: { requests: 2, seconds: 10, form } }])
    const first = await ask('/planets')
    expect(first.status).toBe(200)
    expect(first.headers.get('X-RateLimit-Limit')).toBe('2')
    expect(first.headers.get('X-RateLimit-Remaining')).toBe('1')
    expect(first.headers.get('RateLimit')).toBe('"fault";r=1;t=10')
    expect(first.headers.get('RateLimit-Policy')).toBe('"fault";q=2;w=10')
    now += 1500
    expect(await statusesOf(1)).toEqual([200])
    now += 1
    const refused = await ask('/planets')
    expect([refused.status, fieldOf(refused)]).toEqual([429, 'rule="r", attempt=3, action="limit", applied'])
    expect((await bodyOf(refused)).type).toBe(`${world.url}/problems/injected`)
    const retryAfter = form === 'seconds' ? '9' : new Date(now - 1501 + 11_000).toUTCString()
    expect(refused.headers.get('Retry-After')).toBe(retryAfter)
    expect(refused.headers.get('X-RateLimit-Reset')).toBe('9')
    now += 8498
    expect(await statusesOf(1)).toEqual([429])
    now += 1
    expect(await statusesOf(3)).toEqual([200, 200, 429])
  })

  it('beside a limit of the service, `RateLimit` has both, and `X-RateLimit-*` the nearer one', async () => {
    configure({ signupsPerHour: 2 })
    await setRules([{ name: 'r', match: { path: '/user/signup' }, limit: { requests: 3, seconds: 5 } }])
    const figures: unknown[] = []
    for (let n = 0; n < 4; n++) {
      const body = JSON.stringify({ email: `ada-${n}@example.com`, password: 'correct horse' })
      const { status, headers } = await ask('/user/signup', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      })
      const [limit, remaining] = ['Limit', 'Remaining'].map((name) => headers.get(`X-RateLimit-${name}`))
      figures.push([status, limit, remaining, headers.get('RateLimit')?.replaceAll(/;t=\d+/g, '')])
      expect(headers.get('RateLimit-Policy')?.split(', ').at(-1)).toBe('"fault";q=3;w=5')
    }
    expect(figures).toEqual([
      [201, '2', '1', '"sign-up";r=1, "fault";r=2'],
      [201, '2', '0', '"sign-up";r=0, "fault";r=1'],
      [429, '2', '0', '"sign-up";r=0, "fault";r=0'],
      [429, '3', '0', '"fault";r=0'],
    ])
  })

  it('Retry-After is always late enough', async () => {
    await setRules([{ name: 'r', limit: { requests: 1, seconds: 3 } }])
    await ask('/planets')
    now += 700
    const { headers } = await ask('/planets')
    now += Number(headers.get('Retry-After')) * 1000
    expect(await statusesOf(1)).toEqual([200])
    expect((await attemptsOf()).map(({ early }: Rule) => early)).toEqual([false, false, false])
  })
})

describe('attempts', () => {
  it('say what came and what was done', async () => {
    await setRules([{ name: 'r', steps: [{ status: 503 }] }])
    const id = crypto.randomUUID()
    await ask('/planets?limit=1', { headers: { 'X-Request-ID': id, 'Idempotency-Key': 'k1' } })
    now += 250
    await ask('/planets')
    expect(await attemptsOf()).toEqual([
      {
        rule: 'r',
        key: '',
        attempt: 1,
        at: new Date(now - 250).toISOString(),
        sincePrevious: null,
        method: 'GET',
        path: '/planets',
        requestId: id,
        idempotencyKey: 'k1',
        action: 'status',
        applied: true,
        status: 503,
        early: false,
      },
      {
        rule: 'r',
        key: '',
        attempt: 2,
        at: new Date(now).toISOString(),
        sincePrevious: 250,
        method: 'GET',
        path: '/planets',
        requestId: expect.any(String),
        idempotencyKey: null,
        action: null,
        applied: false,
        status: 200,
        early: true,
      },
    ])
  })

  it('stay when rules change, and DELETE empties them and begins every sequence anew', async () => {
    await setRules([{ name: 'r', steps: [{ status: 503 }] }])
    expect(await statusesOf(2)).toEqual([503, 200])
    await setRules([{ name: 'r', steps: [{ status: 503 }] }])
    expect(await countsOf()).toEqual([{ name: 'r', requests: 0, keys: 0, applied: 0, early: 0 }])
    expect(await attemptsOf()).toHaveLength(2)
    expect(await statusesOf(2)).toEqual([503, 200])
    expect((await world.own('DELETE', '/universe/faults')).status).toBe(204)
    expect(await countsOf()).toEqual([])
    expect(await attemptsOf()).toHaveLength(4)
    expect(await statusesOf(1)).toEqual([200])
    await setRules([{ name: 'r', steps: [{ status: 503 }] }])
    await statusesOf(2)
    await world.own('DELETE', '/universe/faults/attempts')
    expect([await attemptsOf(), await countsOf()]).toEqual([
      [],
      [{ name: 'r', requests: 0, keys: 0, applied: 0, early: 0 }],
    ])
    expect(await statusesOf(2)).toEqual([503, 200])
  })

  it('are pages of a list, oldest first, of which 10,000 are kept', { timeout: 60_000 }, async () => {
    await setRules([{ name: 'r', steps: [{ status: 503 }] }])
    await ask('/planets')
    // As if many more had come.
    const { runInDurableObject } = await import('cloudflare:test')
    await runInDurableObject(world.stub, (_, { storage }) => {
      storage.sql.exec(`with recursive n(i) as (select 2 union all select i + 1 from n where i < 10000)
        insert into fault_attempts (rule, key, attempt, at, method, path, request_id, early)
        select 'r', '', i, 0, 'GET', '/planets', '', 0 from n`)
    })
    const page = await bodyOf(await world.own('GET', '/universe/faults/attempts?limit=1&rule=r'))
    expect(page.meta).toMatchObject({ total: 10_000, next: expect.stringContaining('rule=r') })
    expect(page.data[0].attempt).toBe(1)
    await ask('/planets')
    const after = await bodyOf(await world.own('GET', '/universe/faults/attempts?limit=1'))
    expect([after.meta.total, after.data[0].attempt]).toEqual([10_000, 2])
  })
})

it('a reset clears rules, keys and attempts', async () => {
  await setRules([{ name: 'r', steps: [{ times: 5, status: 503 }] }])
  await ask('/planets')
  expect((await world.own('POST', '/universe/reset')).status).toBe(204)
  expect((await ask('/planets')).status).toBe(200)
  expect([await countsOf(), await attemptsOf()]).toEqual([[], []])
  const { fault_rules, fault_keys, fault_attempts } = await readTables(world)
  expect([fault_rules, fault_keys, fault_attempts]).toEqual([[], [], []])
  await setRules([{ name: 'r', steps: [{ status: 503 }] }])
  expect(await statusesOf(2)).toEqual([503, 200])
})

it('a request that is held while the universe is reset leaves nothing in the new one', async () => {
  let goOn = false
  replaceServices({
    wait: async () => {
      while (!goOn) await scheduler.wait(1)
    },
  })
  await setRules([{ name: 'r', steps: [{ delay: 5 }] }])
  const held = ask('/planets')
  await scheduler.wait(50)
  await world.own('POST', '/universe/reset')
  await setRules([{ name: 'new', steps: [{ times: 2, status: 418 }] }])
  goOn = true
  // It begins again in the new universe, as every request without a body.
  expect((await held).status).toBe(418)
  expect(await countsOf()).toEqual([{ name: 'new', requests: 1, keys: 1, applied: 1, early: 0 }])
})

it('at most 50 requests are held at once, and a further one gets 503', async () => {
  let goOn = false
  replaceServices({
    wait: async () => {
      while (!goOn) await scheduler.wait(1)
    },
  })
  await setRules([{ name: 'r', steps: [{ times: 60, delay: 30 }] }])
  const held = Array.from({ length: 50 }, () => ask('/planets'))
  await scheduler.wait(100)
  const refused = await ask('/planets')
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '1'])
  goOn = true
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual(held.map(() => 200))
  expect((await ask('/planets')).status).toBe(200)
  expect(fieldOf(refused)).toBe('rule="r", attempt=51')
  expect(refused.headers.get('Access-Control-Expose-Headers')).toContain('Galaxy-Fault')
  expect((await attemptsOf())[50]).toMatchObject({ attempt: 51, action: null, applied: false, status: 503 })
  // It came at once, though the refusal said to wait.
  expect((await attemptsOf())[51]).toMatchObject({ attempt: 52, early: true })
})

it('Prefer holds requests of its own universe, and dropped answers hold none', async () => {
  let goOn = false
  replaceServices({
    wait: async () => {
      while (!goOn) await scheduler.wait(1)
    },
  })
  const slow = (to: OwnWorld, prefer = 'slow=10') => ask('/catalogue', { headers: { Prefer: prefer } }, to)
  for (let n = 0; n < 50; n++) await slow(world, 'slow=10, drop=request')
  const held = await Promise.all(Array.from({ length: 50 }, () => slow(world)))
  expect(new Set(held.map(({ status }) => status))).toEqual(new Set([200]))
  expect((await slow(world)).status).toBe(503)
  const other = await slow(await makeUniverse())
  expect(other.status).toBe(200)
  goOn = true
  await Promise.all([other, ...held].map((response) => response.text()))
})

describe('WebSockets', () => {
  const open = () => ask('/ws/v1/system/events', { headers: { Upgrade: 'websocket', Connection: 'Upgrade' } })

  it('know status and delay, and only a prefix matches them', async () => {
    await setRules([{ name: 'all', steps: [{ times: 9, status: 418 }] }])
    expect((await open()).status).not.toBe(418)
    await setRules([{ name: 'r', match: { path: '/ws/*' }, steps: [{ status: 503 }, { delay: 1, cut: 5 }, {}] }])
    const refused = await open()
    expect([refused.status, fieldOf(refused)]).toEqual([503, 'rule="r", attempt=1, action="status", applied'])
    const cut = await open()
    expect(fieldOf(cut)).toBe('rule="r", attempt=2, action="cut", applied=?0')
    expect(waits).toContain(1000)
    cut.webSocket?.accept()
    cut.webSocket?.close()
  })
})

describe('refused rules', () => {
  const good = { name: 'r', steps: [{ status: 503 }] }
  const refuse = async (rules: unknown, pointer: string) => {
    const response = await world.own('PUT', '/universe/faults', { rules })
    const { status, errors = [] } = await bodyOf(response)
    expect([status, errors.map((error: { pointer: string }) => error.pointer)]).toEqual([400, [pointer]])
    expect(await countsOf()).toEqual([])
  }
  const rule = (more: Rule, steps: unknown = [{ status: 503 }]) => [{ name: 'r', steps, ...more }]

  it.each<[string, unknown, string]>([
    ['a name with a space', rule({ name: 'a b' }), '/rules/0/name'],
    ['a name of 61 characters', rule({ name: 'a'.repeat(61) }), '/rules/0/name'],
    ['an empty name', rule({ name: '' }), '/rules/0/name'],
    ['the same name twice', [good, good], '/rules/1/name'],
    ['an unknown member', rule({ extra: 1 }), '/rules/0/extra'],
    ['an unknown path', rule({ match: { path: '/planet' } }), '/rules/0/match/path'],
    ['an unknown prefix', rule({ match: { path: '/planet/*' } }), '/rules/0/match/path'],
    ['an exempt path', rule({ match: { path: '/universe' } }), '/rules/0/match/path'],
    ['a socket without a prefix', rule({ match: { path: '/ws/v1/system/events' } }), '/rules/0/match/path'],
    [
      'a header of credentials',
      rule({ match: { header: { authorization: 'x' } } }),
      '/rules/0/match/header/authorization',
    ],
    ['a key of credentials', rule({ key: 'header:Cookie' }), '/rules/0/key'],
    // It has the addresses of other callers.
    ['a key of the platform', rule({ key: 'header:CF-Connecting-IP' }), '/rules/0/key'],
    ['a key of a proxy', rule({ key: 'header:x-forwarded-for' }), '/rules/0/key'],
    [
      'a header of the platform',
      rule({ match: { header: { 'X-Real-IP': '192.0.2.1' } } }),
      '/rules/0/match/header/X-Real-IP',
    ],
    ['an unknown key', rule({ key: 'query' }), '/rules/0/key'],
    ['no steps', rule({}, []), '/rules/0/steps'],
    [
      '51 steps',
      rule(
        {},
        Array.from({ length: 51 }, () => ({ status: 503 })),
      ),
      '/rules/0/steps',
    ],
    ['neither steps, chance nor limit', [{ name: 'r' }], '/rules/0'],
    ['steps and a limit', rule({ limit: { requests: 1, seconds: 1 } }), '/rules/0/limit'],
    // biome-ignore lint/suspicious/noThenProperty: the name of the member
    ['then without steps', [{ name: 'r', limit: { requests: 1, seconds: 1 }, then: 'last' }], '/rules/0/then'],
    ['two actions', rule({}, [{ status: 503, cut: 1 }]), '/rules/0/steps/0/cut'],
    ['at without violate', rule({}, [{ status: 503, at: '/x' }]), '/rules/0/steps/0/at'],
    ['at with a kind without a place', rule({}, [{ violate: 'syntax', at: '/x' }]), '/rules/0/steps/0/at'],
    ['a pointer without a slash', rule({}, [{ violate: 'type', at: 'x' }]), '/rules/0/steps/0/at'],
    [
      'retryAfter without a status',
      rule({}, [{ delay: 1, retryAfter: { seconds: 1 } }]),
      '/rules/0/steps/0/retryAfter',
    ],
    ['both forms', rule({}, [{ status: 503, retryAfter: { seconds: 1, date: 1 } }]), '/rules/0/steps/0/retryAfter'],
    ['21 rules', Array.from({ length: 21 }, (_, index) => ({ ...good, name: String(index) })), '/rules'],
  ])('%s', async (_, rules, pointer) => {
    await refuse(rules, pointer)
  })

  it.each<[string, number, number]>([
    ['times', 1, 1000],
    ['delay', 0, 30],
    ['status', 400, 599],
    ['slow', 0, 30],
    ['cut', 0, 1_000_000],
  ])('%s is from %d to %d', async (name, least, most) => {
    for (const value of [least, most]) await setRules(rule({}, [{ [name]: value }]))
    await world.own('DELETE', '/universe/faults')
    for (const value of [least - 1, most + 1]) await refuse(rule({}, [{ [name]: value }]), `/rules/0/steps/0/${name}`)
  })

  it.each<[string, string, number, number]>([
    ['limit', 'requests', 1, 1_000_000],
    ['limit', 'seconds', 1, 3600],
    ['chance', 'probability', 0, 1],
  ])('%s.%s is from %d to %d', async (kind, name, least, most) => {
    const others = kind === 'limit' ? { requests: 1, seconds: 1 } : { probability: 0.5, seed: 's', step: {} }
    const made = (value: number) => [{ name: 'r', [kind]: { ...others, [name]: value } }]
    for (const value of [least, most]) await setRules(made(value))
    await world.own('DELETE', '/universe/faults')
    for (const value of [least - 1, most + 1]) await refuse(made(value), `/rules/0/${kind}/${name}`)
  })

  it('20 rules, 50 steps, a name of 60 characters and Retry-After of an hour are possible', async () => {
    const steps = Array.from({ length: 50 }, () => ({ status: 503, retryAfter: { date: 3600 } }))
    await setRules(Array.from({ length: 20 }, (_, index) => ({ name: String(index).padStart(60, 'x'), steps })))
    await world.own('DELETE', '/universe/faults')
    await refuse(rule({}, [{ status: 503, retryAfter: { seconds: 3601 } }]), '/rules/0/steps/0/retryAfter/seconds')
  })
})

describe('who may', () => {
  it('the owner alone; other users get 403', async () => {
    const account = { email: 'ada@example.com', password: 'correct horse' }
    expect((await world.sendJson('POST', '/user/signup', account)).status).toBe(201)
    const { token } = await bodyOf(await world.sendJson('POST', '/auth/token', account))
    for (const [method, path, body] of [
      ['GET', '/universe/faults', undefined],
      ['PUT', '/universe/faults', { rules: [] }],
      ['DELETE', '/universe/faults', undefined],
      ['GET', '/universe/faults/attempts', undefined],
      ['DELETE', '/universe/faults/attempts', undefined],
    ] as const) {
      expect((await world.sendJson(method, path, body, token)).status).toBe(403)
      expect((await world.sendJson(method, path, body)).status).toBe(401)
      // The common world has no such path.
      expect((await COMMON.sendJson(method, path, body)).status).toBe(404)
    }
  })

  it('nobody, if the operator has switched faults off', async () => {
    await setRules([{ name: 'r', steps: [{ times: 9, status: 503 }] }])
    configure({ demoControls: false })
    const other = await makeUniverse()
    for (const method of ['GET', 'PUT', 'DELETE', 'POST', 'OPTIONS']) {
      for (const path of ['/universe/faults', '/universe/faults/attempts']) {
        const response = await ask(path, { method, headers: bearer(other.token) }, other)
        expect([method, path, response.status]).toEqual([method, path, 404])
      }
    }
  })
})
