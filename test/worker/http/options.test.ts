import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { forceableStatuses } from '../../../src/http/examples.ts'
import type { Route } from '../../../src/http/pipeline/route.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  NO_METHOD,
  ROUTES,
  stableHeaders,
} from '../../support/app.ts'
import { eachRow } from '../../support/each-row.ts'
import { fillPath, makeGoodRequest, sendGood } from '../../support/good-requests.ts'
import { oneOfEach, turnOf } from '../../support/one-of-each.ts'

// Nothing here depends on what a path is for. So one path or operation of each kind is tried with everything, and each of
// the others once.

const PAGE = 'https://elsewhere.example'

/** Every path of the service with its methods, and whether it is one of the service's own pages. */
const PATHS = [...Map.groupBy(ROUTES, ({ path }) => path)].map(([path, routes]) => ({
  path,
  methods: routes
    .flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
    .concat('OPTIONS'),
  isOwn: routes.some(isOwnPage),
}))
const SHARED = PATHS.filter(({ isOwn }) => !isOwn)
const OWN = PATHS.filter(({ isOwn }) => isOwn)
const READABLE = ROUTES.filter(({ method }) => method === 'get')
/** One of each kind of operation. */
const MODELS = oneOfEach(ROUTES, ({ method, errorStyle, security }) => [method, errorStyle, security.length > 0])
/** One path of each set of methods. */
const MODEL_PATHS = oneOfEach(PATHS, ({ methods, isOwn }) => [methods, isOwn])
const UNKNOWN = [
  '/nowhere',
  '/planets/abc',
  '/planets/0',
  '/planets/01/image',
  '/problems/nothing',
  '/planets/1/no-such-thing',
  '/me/api-keys/abc',
  '/me/api-keys/0',
  '/webhooks/abc',
  '/deliveries/0/redeliver',
  '/inboxes/1',
  '/oauth',
  '/.well-known/nothing',
]
const METHODS = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'patch',
  'QUERY',
  'COPY',
  'TRACE',
  'PROPFIND',
  'LOCK',
  'PURGE',
]

let client: Client
let account: Account
/** The path of each route, with a resource of the account for each parameter. */
let filled: ReadonlyMap<string, string>

beforeAll(async () => {
  client = createClient({ config: { signupsPerHour: 1000 } })
  account = await createAccount(client)
  const entries = ROUTES.map(async (route) => [route.path, await fillPath(client, route, account)] as const)
  filled = new Map(await Promise.all(entries))
})

afterEach(() => {
  vi.restoreAllMocks()
})

describe('OPTIONS', () => {
  it('204 with the methods of each path, and the media types of patches if it has PATCH', () =>
    eachRow(PATHS, async ({ path, methods }) => {
      const response = await client.send(fill(path), { method: 'OPTIONS' })
      expect(response.status).toBe(204)
      expect(listOf(response, 'Allow').sort()).toEqual([...methods].sort())
      expect(response.headers.has('Accept-Patch')).toBe(methods.includes('PATCH'))
      expect(await response.text()).toBe('')
      const forPreflights = /^access-control-(?:allow-(?:methods|headers)|max-age)$/
      expect(namesOf(response).filter((name) => forPreflights.test(name))).toEqual([])
    }))

  it('of a planet names both kinds of patches', async () => {
    const { headers } = await client.send(fill('/planets/{planetId}'), { method: 'OPTIONS' })
    expect(headers.get('Accept-Patch')).toBe('application/merge-patch+json, application/json-patch+json')
  })

  it('404 at an unknown path', () =>
    eachRow(UNKNOWN, async (path) => {
      expect((await client.send(path, { method: 'OPTIONS' })).status).toBe(404)
    }))

  it('requires no credential, and ignores any that is sent', async () => {
    const headers = { Authorization: 'Bearer forged' }
    expect((await client.send('/me', { method: 'OPTIONS', headers })).status).toBe(204)
  })

  it('accepts a body, and any Accept and Content-Type', async () => {
    const headers = { Accept: 'image/png', 'Content-Type': 'text/plain' }
    const response = await client.send('/planets', { method: 'OPTIONS', body: 'x', headers })
    expect(response.status).toBe(204)
  })

  it('has a request id, and must not be stored', async () => {
    const id = '0f8fad5b-d9cb-469f-a165-70867728950e'
    const { headers } = await client.send('/planets', { method: 'OPTIONS', headers: { 'X-Request-ID': id } })
    expect(headers.get('X-Request-ID')).toBe(id)
    expect(headers.get('Cache-Control')).toBe('no-store')
  })
})

/** The headers of a preflight that a page sends with fetch. */
const SENDABLE = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'COPY']
const OTHERS = ['SEARCH', 'PROPFIND', 'patch', 'M-SEARCH', "a!#$%&'*+.^_`|~9"]

describe('a preflight', () => {
  it('of each path allows every page its methods and any header, and can be cached for a day', () =>
    eachRow(SHARED, async ({ path, methods }) => {
      const [method = ''] = methods
      const response = await preflight(path, method, 'authorization,content-type,prefer,api-version,x-request-id')
      expect(response.status).toBe(204)
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
      expect(listOf(response, 'Access-Control-Allow-Methods')).toEqual(expect.arrayContaining(SENDABLE))
      expect(listOf(response, 'Access-Control-Allow-Headers')).toEqual([
        'authorization',
        'content-type',
        'prefer',
        'api-version',
        'x-request-id',
      ])
      expect(response.headers.get('Access-Control-Max-Age')).toBe('86400')
      expect(response.headers.get('Access-Control-Allow-Credentials')).toBeNull()
      expect(await response.text()).toBe('')
    }))

  it('of a page of the service gets an ordinary OPTIONS response, so that no other page may send', () =>
    eachRow(OWN, async (page) => {
      for (const method of ['GET', 'POST']) {
        const response = await preflight(page.path, method, 'content-type')
        expect(response.status).toBe(204)
        expect(listOf(response, 'Allow').sort()).toEqual([...page.methods].sort())
        expect(sharingOf(response)).toEqual([])
      }
    }))

  it('allows a method which another path may take, so that a page can read the response', () =>
    eachRow(SHARED, async (shared) => {
      const { path } = shared
      for (const method of MODEL_PATHS.includes(shared) ? OTHERS : turnOf(OTHERS, SHARED.indexOf(shared))) {
        const response = await preflight(path, method, 'content-type')
        expect(response.status).toBe(204)
        expect(listOf(response, 'Access-Control-Allow-Methods')).toEqual([...SENDABLE, method])
      }
    }))

  it.each(['/echo', '/echo/a/b', '/nowhere', '/inboxes/6f1b3f0e-8f5c-4f0e-9d0a-3c1f0b6f2a11/any/path'])(
    '%s: allows each method that is asked for, once',
    async (path) => {
      for (const method of [...SENDABLE, 'OPTIONS', 'SEARCH']) {
        const allowed = listOf(await preflight(path, method), 'Access-Control-Allow-Methods')
        expect(allowed.filter((name) => name === method)).toEqual([method])
      }
    },
  )

  it.each(['', 'GET, QUERY', 'GET,QUERY', '"GET"', 'G ET', '*,'])(
    'for %j, which is no method, allows only the usual ones',
    async (method) => {
      const response = await preflight('/planets', method)
      expect(listOf(response, 'Access-Control-Allow-Methods')).toEqual(SENDABLE)
    },
  )

  it('that names no headers gets no allowed headers', async () => {
    const response = await preflight('/planets', 'POST')
    expect(response.status).toBe(204)
    expect(response.headers.get('Access-Control-Allow-Headers')).toBeNull()
  })

  it('for an unknown path is answered too, so that a page can read its 404', () =>
    eachRow(UNKNOWN, async (path) => {
      const response = await preflight(path, 'PUT', 'authorization')
      expect(response.status).toBe(204)
      expect(listOf(response, 'Access-Control-Allow-Methods')).toEqual(expect.arrayContaining(SENDABLE))
    }))
})

describe('a page of another origin', () => {
  it.each(ROUTES.filter((route) => !isOwnPage(route)))(
    'can read every response of $method $path, with every header that is not for the browser alone',
    async (route) => {
      for (const response of await Promise.all(answersOf(route))) expectReadable(response)
    },
  )

  it('can also read the responses sent before any operation runs', async () => {
    for (const response of await otherAnswers()) expectReadable(response)
  })

  it.each(OWN)('cannot read the service’s own page $path, whatever the response', async ({ path, methods }) => {
    const responses = await Promise.all(ROUTES.filter((route) => route.path === path).flatMap(answersOf))
    const refused = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !methods.includes(method))
    const others = refused.map((method) => client.send(path, { method, headers: { Origin: PAGE } }))
    for (const response of [...responses, ...(await Promise.all(others))]) expect(sharingOf(response)).toEqual([])
  })

  it('cannot read a page of the service that fails with 500', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    const response = await brokenClient().get('/oauth/authorize?client_id=client', { Origin: PAGE })
    expect(response.status).toBe(500)
    expect(sharingOf(response)).toEqual([])
  })

  const exposed = [
    'X-Request-ID',
    'X-Processing-Time',
    'X-Pagination-Total',
    'X-Pagination-Page',
    'X-Pagination-Per-Page',
    'X-Cache-Control',
    'Location',
    'ETag',
    'Last-Modified',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'RateLimit-Policy',
    'RateLimit',
    'Idempotency-Replayed',
    'Link',
    'Deprecation',
    'API-Version',
    'Retry-After',
    'WWW-Authenticate',
    'Content-Range',
    'Preference-Applied',
    'X-D1-Bookmark',
    'Pragma',
    'Accept-Patch',
  ]
  it('can read every header that a response may have', async () => {
    const names = listOf(await client.get('/planets'), 'Access-Control-Expose-Headers')
    expect(names).toEqual(expect.arrayContaining(exposed))
  })

  it('can read a 500', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    const response = await brokenClient().get('/planets', { Origin: PAGE })
    expect(response.status).toBe(500)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
  })
})

describe('HEAD', () => {
  it.each(READABLE)('$path: has the status and the headers of GET, and no body', async (route) => {
    const request = await makeGoodRequest(client, route, account)
    // What a header says about the time is the same in both.
    const now = new Date()
    const atOneTime = createClient({ now: () => now })
    const conditions = [{ Authorization: undefined }, { 'If-Match': '"other"' }, { Range: 'bytes=0-1' }]
    const own = MODELS.includes(route) ? conditions : turnOf(conditions, READABLE.indexOf(route))
    for (const headers of [{}, ...own]) {
      const head = await sendGood(atOneTime, { ...request, method: 'HEAD' }, headers)
      const get = await sendGood(atOneTime, request, headers)
      // HEAD of a whole image has no ranges (RFC 9110, section 14.2).
      if (get.status !== 206) {
        expect(head.status).toBe(get.status)
        expect(stableHeaders(head)).toEqual(stableHeaders(get))
      }
      await get.body?.cancel()
      expect(await head.text()).toBe('')
    }
  })
})

describe('a method that the path does not support', () => {
  it('405 with the methods that each path supports', () =>
    eachRow(PATHS, async (shared) => {
      const { path, methods } = shared
      // The runtime converts a method to capitals, however it was sent.
      const refused = ['HEAD', ...METHODS].filter((name) => !methods.includes(name.toUpperCase()))
      for (const method of MODEL_PATHS.includes(shared) ? refused : turnOf(refused, PATHS.indexOf(shared))) {
        const response = await client.send(fill(path), { method })
        expect(response.status).toBe(405)
        expect(listOf(response, 'Allow').sort()).toEqual([...methods].sort())
        if (method !== 'HEAD') expect((await bodyOf(response)).detail).toContain(response.headers.get('Allow'))
      }
    }))

  it('is rejected with the methods in the same order as in OPTIONS', async () => {
    const refused = await client.send('/planets', { method: NO_METHOD })
    const asked = await client.send('/planets', { method: 'OPTIONS' })
    expect(refused.headers.get('Allow')).toBe(asked.headers.get('Allow'))
  })

  it('404 at an unknown path, with every method', () =>
    eachRow(UNKNOWN, async (path) => {
      for (const method of METHODS) {
        const response = await client.send(path, { method })
        expect(response.status).toBe(404)
        expect(response.headers.get('Allow')).toBeNull()
      }
    }))

  it('is rejected without a body if it is HEAD', async () => {
    const response = await client.send('/auth/token', { method: 'HEAD' })
    expect(response.status).toBe(405)
    expect(await response.text()).toBe('')
  })
})

/** Other origins cannot read pages that are for the user alone. */
function isOwnPage({ errorStyle }: Route): boolean {
  return errorStyle === 'page'
}

function fill(path: string): string {
  return filled.get(path) ?? path
}

function brokenClient(): Client {
  const gone = () => {
    throw new Error('gone')
  }
  return createClient({ database: { open: gone } })
}

function preflight(path: string, method: string, requested?: string): Promise<Response> {
  return client.send(fill(path), {
    method: 'OPTIONS',
    headers: {
      Origin: PAGE,
      'Access-Control-Request-Method': method,
      ...(requested && { 'Access-Control-Request-Headers': requested }),
    },
  })
}

/** The usual responses of an operation, and responses that can be forced, to a page of another origin. */
function answersOf(route: Route): Promise<Response>[] {
  const from = { Origin: PAGE }
  const all = forceableStatuses(route)
  const statuses = MODELS.includes(route) ? all : turnOf(all, ROUTES.indexOf(route))
  const forced = statuses.map((status) => ({ ...from, Prefer: `code=${status}` }))
  const method = route.method.toUpperCase()
  return [
    ...[from, ...forced].map((headers) => client.send(fill(route.path), { method, headers })),
    createAccount(client)
      .then((owner) => makeGoodRequest(client, route, owner))
      .then((request) => sendGood(client, request, from)),
  ]
}

const READABLE_HEADERS = /^(?:cache-control|content-language|content-length|content-type|expires|last-modified|pragma)$/
const BROWSERS_HEADERS =
  /^(?:access-control-.*|cross-origin-.*|content-security-policy|referrer-policy|strict-transport-security|x-content-type-options|x-frame-options)$/

/** Fails the test if a page of another origin cannot read a response or one of its headers. */
function expectReadable(response: Response): void {
  const { headers } = response
  expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(headers.get('Access-Control-Allow-Credentials')).toBeNull()
  const exposed = listOf(response, 'Access-Control-Expose-Headers').map((name) => name.toLowerCase())
  expect(exposed).toContain('x-request-id')
  const hidden = namesOf(response).filter((name) => !exposed.includes(name))
  expect(hidden.filter((name) => !READABLE_HEADERS.test(name) && !BROWSERS_HEADERS.test(name))).toEqual([])
}

/** Responses in which no operation takes part, or only some of its steps. */
async function otherAnswers(): Promise<Response[]> {
  const from = { Origin: PAGE }
  const picture = fill('/images/{key}')
  return await Promise.all([
    client.get(picture, { ...from, Range: 'bytes=0-1' }),
    client.get(picture, { ...from, Range: 'bytes=999-' }),
    client.get('/', { ...from, Accept: 'text/html' }),
    client.get('/nowhere', from),
    client.get('/planets/abc', from),
    client.get('/planets?limit=0', from),
    client.get('/planets', { ...from, Prefer: 'delay=0' }),
    client.get('/planets', { ...from, 'API-Version': '3' }),
    client.send('/planets', { method: NO_METHOD, headers: from }),
    client.send('/planets', { method: 'OPTIONS', headers: from }),
    client.send('/nowhere', { method: 'OPTIONS', headers: from }),
    client.send('/planets', {
      method: 'POST',
      body: 'x'.repeat(256 * 1024 + 1),
      headers: { ...from, 'Content-Type': 'application/json', ...authorization(account) },
    }),
    preflight('/planets', 'POST', 'prefer'),
  ])
}

function namesOf({ headers }: Response): string[] {
  return [...headers.keys()]
}

/** The headers that let pages of other origins in. */
function sharingOf(response: Response): string[] {
  return namesOf(response).filter((name) => name.startsWith('access-control-'))
}

function listOf({ headers }: Response, name: string): string[] {
  return (headers.get(name) ?? '').split(',').map((item) => item.trim())
}
