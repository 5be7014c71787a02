import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { ROUTES } from '../../../src/app.ts'
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
  stableHeaders,
} from '../../support/app.ts'
import { fillPath, makeGoodRequest, sendGood } from '../../support/good-requests.ts'

const PAGE = 'https://elsewhere.example'

/** Every path of the service with the methods that it has, and whether it is one of our own pages. */
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
const UNKNOWN = [
  '/nowhere',
  '/planets/abc',
  '/planets/0',
  '/planets/01/image',
  '/problems/nothing',
  '/planets/1/moons',
  '/me/api-keys/abc',
  '/me/api-keys/0',
  '/webhooks/abc',
  '/deliveries/0/redeliver',
  '/inboxes/1',
  '/oauth',
  '/oauth/authorize/',
  '/.well-known/nothing',
]
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'patch', 'QUERY', 'TRACE', 'PROPFIND', 'LOCK', 'PURGE']

let client: Client
let account: Account
/** Each path of a route with something of the account's for its parameters. */
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
  it.each(PATHS)('$path: 204 with its methods, whoever asks', async ({ path, methods }) => {
    const response = await client.send(fill(path), { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(listOf(response, 'Allow').sort()).toEqual([...methods].sort())
    expect(await response.text()).toBe('')
    const forPreflights = /^access-control-(?:allow-(?:methods|headers)|max-age)$/
    expect(namesOf(response).filter((name) => forPreflights.test(name))).toEqual([])
  })

  it.each(UNKNOWN)('%s: 404', async (path) => {
    expect((await client.send(path, { method: 'OPTIONS' })).status).toBe(404)
  })

  it('asks for no credential, and heeds none', async () => {
    const headers = { Authorization: 'Bearer forged' }
    expect((await client.send('/me', { method: 'OPTIONS', headers })).status).toBe(204)
  })

  it('takes a body, an Accept and a Content-Type of any kind', async () => {
    const headers = { Accept: 'image/png', 'Content-Type': 'text/plain' }
    const response = await client.send('/planets', { method: 'OPTIONS', body: 'x', headers })
    expect(response.status).toBe(204)
  })

  it('has a request id, and may not be kept', async () => {
    const id = '0f8fad5b-d9cb-469f-a165-70867728950e'
    const { headers } = await client.send('/planets', { method: 'OPTIONS', headers: { 'X-Request-ID': id } })
    expect(headers.get('X-Request-ID')).toBe(id)
    expect(headers.get('Cache-Control')).toBe('no-store')
  })
})

/** What pages send with fetch. */
const SENDABLE = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

describe('a preflight', () => {
  it.each(SHARED)(
    '$path: lets every page use its methods and send any header, and is kept for a day',
    async ({ path, methods }) => {
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
    },
  )

  it.each(OWN)('$path, a page of ours: is answered as any OPTIONS is, so that no other page may send', async (page) => {
    for (const method of ['GET', 'POST']) {
      const response = await preflight(page.path, method, 'content-type')
      expect(response.status).toBe(204)
      expect(listOf(response, 'Allow').sort()).toEqual([...page.methods].sort())
      expect(sharingOf(response)).toEqual([])
    }
  })

  it('that names no headers is allowed none', async () => {
    const response = await preflight('/planets', 'POST')
    expect(response.status).toBe(204)
    expect(response.headers.get('Access-Control-Allow-Headers')).toBeNull()
  })

  it.each(UNKNOWN)('for %s is answered too, so that a page can read its 404', async (path) => {
    const response = await preflight(path, 'PUT', 'authorization')
    expect(response.status).toBe(204)
    expect(listOf(response, 'Access-Control-Allow-Methods')).toEqual(expect.arrayContaining(SENDABLE))
  })
})

describe('a page of another origin', () => {
  it.each(ROUTES.filter((route) => !isOwnPage(route)))(
    'can read every answer of $method $path, with every header that is not for the browser alone',
    async (route) => {
      for (const response of await Promise.all(answersOf(route))) expectReadable(response)
    },
  )

  it('can read what is answered before any operation, too', async () => {
    for (const response of await otherAnswers()) expectReadable(response)
  })

  it.each(OWN)('has no part in our own page $path, whatever it answers', async ({ path, methods }) => {
    const responses = await Promise.all(ROUTES.filter((route) => route.path === path).flatMap(answersOf))
    const refused = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !methods.includes(method))
    const others = refused.map((method) => client.send(path, { method, headers: { Origin: PAGE } }))
    for (const response of [...responses, ...(await Promise.all(others))]) expect(sharingOf(response)).toEqual([])
  })

  it('has no part in a page of ours that fails on our side', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    const response = await brokenClient().get('/oauth/authorize', { Origin: PAGE })
    expect(response.status).toBe(500)
    expect(sharingOf(response)).toEqual([])
  })

  it.each([
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
    'Link',
    'Deprecation',
    'API-Version',
    'Retry-After',
    'WWW-Authenticate',
    'Content-Range',
    'Preference-Applied',
    'X-D1-Bookmark',
    'Pragma',
  ])('can read %s', async (name) => {
    expect(listOf(await client.get('/planets'), 'Access-Control-Expose-Headers')).toContain(name)
  })

  it('is let in on an answer that fails on our side', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    const response = await brokenClient().get('/planets', { Origin: PAGE })
    expect(response.status).toBe(500)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
  })
})

describe('HEAD', () => {
  it.each(READABLE)('$path: the status and the headers of GET, and no body', async (route) => {
    const request = await makeGoodRequest(client, route, account)
    for (const headers of [{}, { Authorization: undefined }, { 'If-Match': '"other"' }, { Range: 'bytes=0-1' }]) {
      const head = await sendGood(client, { ...request, method: 'HEAD' }, headers)
      const get = await sendGood(client, request, headers)
      // A whole picture answers HEAD, which has no parts (RFC 9110, section 14.2).
      if (get.status !== 206) {
        expect(head.status).toBe(get.status)
        expect(stableHeaders(head)).toEqual(stableHeaders(get))
      }
      await get.body?.cancel()
      expect(await head.text()).toBe('')
    }
  })
})

describe('a method that a path has not', () => {
  it.each(PATHS)('$path: 405 with those that it has', async ({ path, methods }) => {
    // The runtime writes a method in capitals, however it was sent.
    for (const method of ['HEAD', ...METHODS].filter((name) => !methods.includes(name.toUpperCase()))) {
      const response = await client.send(fill(path), { method })
      expect(response.status).toBe(405)
      expect(listOf(response, 'Allow').sort()).toEqual([...methods].sort())
      if (method !== 'HEAD') expect((await bodyOf(response)).detail).toContain(response.headers.get('Allow'))
    }
  })

  it('is refused with the methods in the order in which OPTIONS tells them', async () => {
    const refused = await client.send('/planets', { method: NO_METHOD })
    const asked = await client.send('/planets', { method: 'OPTIONS' })
    expect(refused.headers.get('Allow')).toBe(asked.headers.get('Allow'))
  })

  it.each(UNKNOWN)('%s is an unknown path with every method: 404', async (path) => {
    for (const method of METHODS) {
      const response = await client.send(path, { method })
      expect(response.status).toBe(404)
      expect(response.headers.get('Allow')).toBeNull()
    }
  })

  it('is refused without a body in answer to HEAD', async () => {
    const response = await client.send('/auth/token', { method: 'HEAD' })
    expect(response.status).toBe(405)
    expect(await response.text()).toBe('')
  })
})

/** Other origins have no part in pages that are for the user alone. */
function isOwnPage({ errors }: Route): boolean {
  return errors === 'page'
}

function fill(path: string): string {
  return filled.get(path) ?? path
}

function brokenClient(): Client {
  const database = {
    withSession() {
      throw new Error('gone')
    },
  }
  return createClient({ database: database as unknown as D1Database })
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

/** The usual answers of an operation, and every one that can be forced, to a page of another origin. */
function answersOf(route: Route): Promise<Response>[] {
  const from = { Origin: PAGE }
  const forced = forceableStatuses(route).map((status) => ({ ...from, Prefer: `code=${status}` }))
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

/** Fails the test where a page of another origin can read an answer not at all, or not all that is said to it. */
function expectReadable(response: Response): void {
  const { headers } = response
  expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(headers.get('Access-Control-Allow-Credentials')).toBeNull()
  const exposed = listOf(response, 'Access-Control-Expose-Headers').map((name) => name.toLowerCase())
  expect(exposed).toContain('x-request-id')
  const hidden = namesOf(response).filter((name) => !exposed.includes(name))
  expect(hidden.filter((name) => !READABLE_HEADERS.test(name) && !BROWSERS_HEADERS.test(name))).toEqual([])
}

/** Answers in which no operation has a part, or only a part of what it has. */
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

/** The headers by which pages of other origins are let in. */
function sharingOf(response: Response): string[] {
  return namesOf(response).filter((name) => name.startsWith('access-control-'))
}

function listOf({ headers }: Response, name: string): string[] {
  return (headers.get(name) ?? '').split(',').map((item) => item.trim())
}
