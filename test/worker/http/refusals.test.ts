import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { ENTITY_MAX_BYTES } from '../../../src/domain/limits.ts'
import { PROBLEMS, type ProblemCode } from '../../../src/domain/problems.ts'
import { problemTypeUri } from '../../../src/http/errors/problem.ts'
import {
  type Account,
  authorization,
  BASIC_CHALLENGE,
  bodyOf,
  CHALLENGE,
  type Client,
  createAccount,
  createClient,
  NO_METHOD,
  ORIGIN,
  ROUTES,
} from '../../support/app.ts'
import { expectRefusal } from '../../support/error-styles.ts'
import { fillPath, makeGoodRequest, sendGood } from '../../support/good-requests.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const MISSING_ID = 9007199254740991
const PLANET = JSON.stringify({ name: 'Terra' })

let client: Client
let account: Account
/** A planet of `account`. */
let own: number
/** A planet of someone else. */
let foreign: number

beforeAll(async () => {
  client = createClient({ config: { signupsPerHour: 1000, passwordAttempts: 1000 } })
  account = await createAccount(client)
  own = await createPlanet(account)
  foreign = await createPlanet(await createAccount(client, 'Bob'))
})

afterEach(() => {
  vi.restoreAllMocks()
})

describe('if several things are wrong, the first of them is reported', () => {
  // Each step leaves wrong everything that the steps after it correct, one by one.
  const wrong = { Accept: 'image/png', 'Content-Type': 'text/plain' }
  const accepting = { ...wrong, Accept: 'application/json' }
  const typed = { ...accepting, 'Content-Type': 'application/json' }
  const oversized = 'x'.repeat(ENTITY_MAX_BYTES + 1)
  const unsigned = { authorized: false, headers: wrong, body: oversized }

  it.each<Step>([
    { refusal: 'the path', status: 404, ...unsigned, method: NO_METHOD, path: () => '/nowhere' },
    { refusal: 'the id', status: 404, ...unsigned, method: NO_METHOD, path: () => '/planets/abc' },
    { refusal: 'the method', status: 405, ...unsigned, method: NO_METHOD },
    { refusal: 'the credential', status: 401, ...unsigned },
    { refusal: 'Accept', status: 406, ...unsigned, authorized: true },
    { refusal: 'Content-Type', status: 415, authorized: true, headers: accepting, body: oversized },
    { refusal: 'the size', status: 413, authorized: true, headers: typed, body: oversized },
    { refusal: 'the syntax', status: 400, code: 'malformed-body', authorized: true, headers: typed, body: '{"name":' },
    { refusal: 'the schema', status: 400, code: 'invalid-body', authorized: true, headers: typed, body: '{}' },
    { refusal: 'the planet', status: 404, authorized: true, headers: typed, body: PLANET },
    {
      refusal: 'the creator',
      status: 403,
      authorized: true,
      headers: typed,
      body: PLANET,
      path: () => `/planets/${foreign}`,
    },
    {
      refusal: 'nothing',
      status: 200,
      authorized: true,
      headers: typed,
      body: PLANET,
      path: () => `/planets/${own}`,
    },
  ])(
    '$refusal: $status',
    async ({ status, code, method = 'PUT', path = () => `/planets/${MISSING_ID}`, authorized, headers, body }) => {
      const response = await client.send(path(), {
        method,
        body,
        headers: { ...headers, ...(authorized && authorization(account)) },
      })
      expect(response.status).toBe(status)
      if (code) expect((await bodyOf(response)).type).toBe(problemTypeUri(ORIGIN, code))
    },
  )

  it('an announced size is rejected before the syntax of the body is checked', async () => {
    const response = await post(bytesOf('{"name":'), { 'Content-Length': String(ENTITY_MAX_BYTES + 1) })
    expect(response.status).toBe(413)
  })

  it('DELETE of an unknown resource is 404, of another user’s 403', async () => {
    expect((await client.send(`/planets/${foreign}`, { method: 'DELETE' })).status).toBe(401)
    expect((await remove(MISSING_ID)).status).toBe(404)
    expect((await remove(foreign)).status).toBe(403)
  })

  it('PATCH of an unknown resource: 401, 406, 415, 413, 400 twice, then 404', async () => {
    const signed = { ...accepting, ...authorization(account) }
    const steps = [
      { status: 401, headers: wrong, body: oversized },
      { status: 406, headers: { ...wrong, ...authorization(account) }, body: oversized },
      { status: 415, headers: signed, body: oversized },
      { status: 413, headers: { ...signed, ...typed }, body: oversized },
      { status: 400, headers: { ...signed, ...typed }, body: '{"status":' },
      { status: 400, headers: { ...signed, ...typed }, body: '{"status":"disabled"}' },
      { status: 404, headers: { ...signed, ...typed }, body: '{"status":"paused"}' },
    ]
    for (const { status, headers, body } of steps) {
      const response = await client.send(`/webhooks/${MISSING_ID}`, { method: 'PATCH', headers, body })
      expect(response.status).toBe(status)
    }
  })

  it('a patch of a planet: 401, 406, 415, 413, 404 or 403, 412, then what is wrong with the patch', async () => {
    const patch = 'application/json-patch+json'
    const signed = { ...accepting, ...authorization(account) }
    const patching = { ...signed, 'Content-Type': patch }
    const stale = { ...patching, 'If-Match': '"other"' }
    const steps = [
      { status: 401, headers: { ...wrong, 'If-Match': '"other"' }, body: oversized },
      { status: 406, headers: { ...stale, ...wrong }, body: oversized },
      { status: 415, headers: { ...stale, ...accepting }, body: oversized },
      { status: 413, headers: stale, body: oversized },
      { status: 404, headers: stale, body: '[', id: MISSING_ID },
      { status: 403, headers: stale, body: '[', id: foreign },
      { status: 412, headers: stale, body: '[' },
      { status: 400, headers: patching, body: '[' },
      { status: 400, headers: patching, body: '[{"op":"remove"}]' },
      { status: 409, headers: patching, body: '[{"op":"remove","path":"/name"},{"op":"remove","path":"/nothing"}]' },
      { status: 422, headers: patching, body: '[{"op":"remove","path":"/name"}]' },
      { status: 200, headers: patching, body: '[{"op":"replace","path":"/name","value":"Terra"}]' },
    ]
    for (const { status, headers, body, id = own } of steps) {
      const response = await client.send(`/planets/${id}`, { method: 'PATCH', headers, body })
      expect([body.slice(0, 100), response.status]).toEqual([body.slice(0, 100), status])
    }
  })

  it('an upload: 415, then 400, then 404 or 403', async () => {
    const picture = bytesOf('\x89PNG\r\n\x1A\n')
    const path = `/planets/${MISSING_ID}/image`
    expect((await client.sendJson('POST', path, {}, account)).status).toBe(415)
    expect((await client.upload(path, picture, account)).status).toBe(400)
    expect((await client.upload(path, gif(), account)).status).toBe(404)
    expect((await client.upload(`/planets/${foreign}/image`, gif(), account)).status).toBe(403)
  })

  it('a list: 406, then 400', async () => {
    expect((await client.get('/planets?limit=0', { Accept: 'image/png' })).status).toBe(406)
    expect((await client.get('/planets?limit=0')).status).toBe(400)
  })
})

describe('Accept: JSON is sent to everyone who accepts it', () => {
  it.each([
    undefined,
    '*/*',
    'application/*',
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;q=0.001',
    'application/json;q=1.000',
    'image/png, application/json;q=0.5',
    'image/png;q=1, */*;q=0.1',
    'application/json, */*;q=0',
    'garbage, application/json',
    'text/html',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
    'text/html;q=0, application/json',
  ])('%s', async (accept) => {
    const response = await client.get(`/planets/${own}`, accept === undefined ? {} : { Accept: accept })
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toMatch(/^application\/json\b/)
    expect(response.headers.get('Vary')).toMatch(/\bAccept\b/)
  })
})

describe('Accept: a caller who accepts no available format gets 406, in JSON', () => {
  it.each([
    'image/png',
    'image/*',
    'text/plain',
    'text/*',
    'application/pdf, image/*;q=0.5',
    'application/json;q=0',
    'application/json;q=0.000',
    'application/*;q=0',
    '*/*;q=0',
    'text/html;q=0',
    'application/jsonp',
    'json',
    'garbage',
    '/',
  ])('%s', async (accept) => {
    await expectProblem(await client.get(`/planets/${own}`, { Accept: accept }), 'not-acceptable')
  })

  it.each(['', ' ', ',', ',,,', ';q=1'])('%j names nothing and counts as missing', async (accept) => {
    expect((await client.get(`/planets/${own}`, { Accept: accept })).headers.get('Content-Type')).toBe(
      'application/json',
    )
  })

  it('JSON is not sent to a caller who excludes JSON', async () => {
    const response = await client.get(`/planets/${own}`, { Accept: 'application/json;q=0, */*' })
    expect(response.headers.get('Content-Type')).not.toBe('application/json')
  })

  it.each(['application/json;q=abc', 'application/json;q=2', 'application/json;q=-1', 'application/json;;', ',,,', ''])(
    'a malformed Accept does not make the service fail: %j',
    async (accept) => {
      expect([200, 406]).toContain((await client.get(`/planets/${own}`, { Accept: accept })).status)
    },
  )

  it('nothing is stored for a caller who accepts no available format', async () => {
    const before = await total()
    expect((await post(bytesOf(PLANET), { Accept: 'image/png' })).status).toBe(406)
    expect(await total()).toBe(before)
  })
})

describe('Content-Type: JSON is accepted under each of its names', () => {
  it.each<Record<string, string>>([
    {},
    { 'Content-Type': 'application/json' },
    { 'Content-Type': 'Application/JSON' },
    { 'Content-Type': 'application/json; charset=utf-8' },
    { 'Content-Type': 'application/json;charset="UTF-8"' },
    { 'Content-Type': 'application/json; profile="https://galaxy.example"' },
    { 'Content-Type': 'application/merge-patch+json' },
    { 'Content-Type': 'application/vnd.galaxy.planet+json; version=2' },
    { 'Content-Encoding': 'identity' },
  ])('%j', async (headers) => {
    expect((await post(bytesOf(PLANET), headers)).status).toBe(201)
  })
})

describe('Content-Type: anything else is 415', () => {
  it.each<Record<string, string>>([
    { 'Content-Type': 'text/plain' },
    { 'Content-Type': 'text/json' },
    { 'Content-Type': 'text/html' },
    { 'Content-Type': 'application/x-www-form-urlencoded' },
    { 'Content-Type': 'multipart/form-data; boundary=x' },
    { 'Content-Type': 'application/octet-stream' },
    { 'Content-Type': 'application/jsonp' },
    { 'Content-Type': 'application/json-seq' },
    { 'Content-Type': 'json' },
    { 'Content-Type': '+json' },
    { 'Content-Type': 'garbage' },
  ])('%j', async (headers) => {
    await expectProblem(await post(bytesOf(PLANET), headers), 'unsupported-media-type')
  })

  const text = { 'Content-Type': 'text/plain' }
  const compressed = { 'Content-Type': 'application/json', 'Content-Encoding': 'br' }
  const codings = { 'Accept-Encoding': 'gzip, deflate' }

  it.each([
    ['a document in JSON or XML', 'POST', () => '/planets', text, { Accept: 'application/json, application/xml' }],
    ['a document in JSON', 'POST', () => '/celestial-bodies', text, { Accept: 'application/json' }],
    ['a form', 'POST', () => '/oauth/token', text, { Accept: 'application/x-www-form-urlencoded' }],
    ['a form without a type', 'POST', () => '/oauth/token', {}, { Accept: 'application/x-www-form-urlencoded' }],
    ['an upload', 'POST', () => `/planets/${foreign}/image`, text, { Accept: 'multipart/form-data' }],
    ['a document in another coding', 'POST', () => '/planets', compressed, codings],
    [
      'a form in another coding',
      'POST',
      () => '/oauth/token',
      { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Encoding': 'br' },
      codings,
    ],
    [
      'a document that is a patch',
      'PATCH',
      () => '/me',
      text,
      { Accept: 'application/json, application/xml', 'Accept-Patch': 'application/json, application/xml' },
    ],
    [
      'a patch in another coding',
      'PATCH',
      () => '/me',
      compressed,
      { ...codings, 'Accept-Patch': 'application/json, application/xml' },
    ],
  ])('for %s, the response has a header that says what is accepted', async (_, method, path, sent, accepted) => {
    const headers = { ...authorization(account), ...sent }
    const response = await client.send(path(), { method, headers, body: bytesOf('x') })
    expect(response.status).toBe(415)
    const told = ['Accept', 'Accept-Patch', 'Accept-Encoding'].flatMap((name) => {
      const value = response.headers.get(name)
      return value === null ? [] : [[name, value]]
    })
    expect(Object.fromEntries(told)).toEqual(accepted)
  })

  it.each(ROUTES.filter(({ method }) => method === 'patch').map((route) => ({ path: route.path, route })))(
    'a PATCH of $path is told which patches OPTIONS names',
    async ({ route }) => {
      const path = await fillPath(client, route, account)
      const options = await client.send(path, { method: 'OPTIONS' })
      const headers = { ...authorization(account), ...text }
      const response = await client.send(path, { method: 'PATCH', headers, body: bytesOf('x') })
      expect(response.status).toBe(415)
      expect(response.headers.get('Accept-Patch')).toBe(options.headers.get('Accept-Patch'))
      expect(response.headers.get('Accept-Patch')).toContain('json')
    },
  )

  it.each(['utf-16', 'iso-8859-1', '"utf-32"', ''])('a body declared as %j is 400', async (charset) => {
    const headers = { 'Content-Type': `application/json; charset=${charset}` }
    await expectProblem(await post(bytesOf(PLANET), headers), 'malformed-body')
  })

  it('the error names a form as unsupported, and JSON as supported', async () => {
    const response = await post(bytesOf('name=Terra'), { 'Content-Type': 'application/x-www-form-urlencoded' })
    const { detail } = await bodyOf(response)
    expect(detail).toContain('application/x-www-form-urlencoded')
    expect(detail).toContain('application/json')
  })
})

describe('a body of 256 KiB is accepted, one byte more is 413', () => {
  const fits = PLANET.padEnd(256 * 1024)
  const tooLarge = PLANET.padEnd(256 * 1024 + 1)

  it('with a Content-Length', async () => {
    expect((await post(bytesOf(fits), { 'Content-Length': String(fits.length) })).status).toBe(201)
    const response = await post(bytesOf(tooLarge), { 'Content-Length': String(tooLarge.length) })
    await expectProblem(response, 'content-too-large')
  })

  it('in one piece without a Content-Length', async () => {
    expect((await post(bytesOf(fits))).status).toBe(201)
    await expectProblem(await post(bytesOf(tooLarge)), 'content-too-large')
  })

  it('in chunks without a Content-Length', async () => {
    expect((await post(streamOf(bytesOf(fits)))).status).toBe(201)
    await expectProblem(await post(streamOf(bytesOf(tooLarge))), 'content-too-large')
  })

  it('the limit counts bytes, not characters', async () => {
    const planet = JSON.stringify({ name: 'Terra', atmosphere: [{ compound: '🪐'.repeat(64 * 1024) }] })
    expect(planet.length).toBeLessThan(256 * 1024)
    await expectProblem(await post(bytesOf(planet)), 'content-too-large')
  })

  const taking = ROUTES.filter(({ body }) => body?.kind === 'entity' || body?.kind === 'patch')
  it.each(taking)('$method $path has the limit too', async (route) => {
    const request = await makeGoodRequest(client, route, await createAccount(client))
    const fitting = String(request.body).padEnd(ENTITY_MAX_BYTES)
    const response = await sendGood(client, { ...request, body: `${fitting} ` })
    await expectRefusal(route, response, 413, 'content-too-large')
    expect((await sendGood(client, { ...request, body: fitting })).status).toBe(request.status)
  })
})

describe('an invalid id makes the path unknown, whatever the method', () => {
  const ids = [
    '0',
    '01',
    '-1',
    '+1',
    '1.5',
    '1.0',
    '1e3',
    '0x1',
    '9007199254740992',
    '99999999999999999999',
    'abc',
    '1a',
    '%20',
    '1%20',
    '1%00',
    '%D9%A1',
    'NaN',
  ]

  it.each(ids)('%s', async (id) => {
    for (const headers of [{}, authorization(account)]) {
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'POST']) {
        const body = method === 'PUT' ? PLANET : null
        const response = await client.send(`/planets/${id}`, { method, headers, body })
        expect([method, response.status]).toEqual([method, 404])
      }
      const upload = await client.send(`/planets/${id}/image`, { method: 'POST', headers })
      expect(upload.status).toBe(404)
      for (const method of ['GET', 'DELETE', 'PATCH']) {
        expect((await client.send(`/me/api-keys/${id}`, { method, headers })).status).toBe(404)
      }
    }
  })

  it('the greatest possible id is 404', async () => {
    const path = `/planets/${MISSING_ID}`
    await expectProblem(await client.get(path), 'not-found')
    await expectProblem(await client.send(path, { method: NO_METHOD }), 'method-not-allowed')
    await expectProblem(await client.send(path, { method: 'DELETE' }), 'unauthorized')
    await expectProblem(await remove(MISSING_ID), 'not-found')
  })
})

describe('an unknown path is 404', () => {
  it.each([
    '/nowhere',
    '/planets/1/no-such-thing',
    '/planets/1/image/2',
    '/Planets',
    '/me/too',
    '/me/api-keys/1/scopes',
    '/oauth',
    '/oauth/nothing',
    '/.well-known/nothing',
    '/images/1',
    '/problems/nothing',
    '/planets/1/explode/2',
    '/webhooks/abc',
    '/webhooks/0',
    '/deliveries/01',
    '/deliveries/1/attempts',
    '/inboxes/1',
    '/inboxes/4b1d7a3c-9b0e-1f62-8d1c-7b5a3e9f0d24',
  ])('%s', async (path) => {
    await expectProblem(await client.get(path), 'not-found')
  })
})

describe('an unsupported method is 405, and Allow lists the supported ones', () => {
  it.each([
    ['PUT', '/planets', ['GET', 'HEAD', 'POST', 'QUERY']],
    [NO_METHOD, '/planets', ['GET', 'HEAD', 'POST', 'QUERY']],
    ['PROPFIND', '/planets', ['GET', 'HEAD', 'POST', 'QUERY']],
    ['POST', '/planets/1', ['COPY', 'DELETE', 'GET', 'HEAD', 'PATCH', 'PUT']],
    ['GET', '/planets/1/image', ['POST']],
    ['GET', '/user/signup', ['POST']],
    ['DELETE', '/auth/token', ['POST']],
    ['POST', '/me', ['DELETE', 'GET', 'HEAD', 'PATCH']],
    ['GET', '/me/password', ['PUT']],
    ['DELETE', '/me/api-keys', ['GET', 'HEAD', 'POST']],
    ['PUT', '/me/api-keys/1', ['DELETE', 'GET', 'HEAD']],
    ['GET', '/planets/1/explode', ['POST']],
    ['GET', '/me/signing-secret/rotate', ['POST']],
    [NO_METHOD, '/webhooks', ['GET', 'HEAD', 'POST']],
    ['PUT', '/webhooks/1', ['DELETE', 'GET', 'HEAD', 'PATCH']],
    ['GET', '/webhooks/1/ping', ['POST']],
    ['DELETE', '/deliveries/1', ['GET', 'HEAD']],
    ['GET', '/deliveries/1/redeliver', ['POST']],
    [NO_METHOD, '/inboxes/4b1d7a3c-9b0e-4f62-8d1c-7b5a3e9f0d24', ['DELETE', 'GET', 'HEAD', 'PUT']],
    ['GET', '/oauth/token', ['POST']],
    ['GET', '/oauth/sign-in', ['POST']],
    ['PUT', '/oauth/authorize', ['GET', 'HEAD', 'POST']],
    ['POST', '/problems/not-found', ['GET', 'HEAD']],
  ])('%s %s', async (method, path, allowed) => {
    const response = await client.send(path, { method })
    const allow = response.headers.get('Allow')?.split(', ') ?? []
    expect(allow.filter((name) => name !== 'OPTIONS').sort()).toEqual(allowed)
    await expectProblem(response, 'method-not-allowed')
  })
})

describe('every error is a problem document, except those of OAuth and of pages', () => {
  it.each<[ProblemCode, () => Promise<Response>]>([
    ['malformed-body', () => post(bytesOf('{'))],
    ['invalid-body', () => post(bytesOf('{}'))],
    ['invalid-query', () => client.get('/planets?limit=0')],
    ['invalid-image', () => client.upload(`/planets/${own}/image`, bytesOf('<svg/>'), account)],
    ['bad-request', () => client.get('/planets', { 'X-D1-Bookmark': 'page 7' })],
    ['unauthorized', () => client.get('/me')],
    ['unauthorized', () => client.get('/me', { Authorization: 'Bearer forged' })],
    ['forbidden', () => remove(foreign)],
    ['not-found', () => client.get('/nowhere')],
    ['not-found', () => client.get(`/planets/${MISSING_ID}`)],
    ['method-not-allowed', () => client.send('/me', { method: 'PUT' })],
    ['not-acceptable', () => client.get('/planets', { Accept: 'image/png' })],
    ['content-too-large', () => post(new Uint8Array(ENTITY_MAX_BYTES + 1))],
    ['unsupported-media-type', () => post(bytesOf(PLANET), { 'Content-Type': 'text/plain' })],
  ])('%s', async (code, request) => {
    await expectProblem(await request(), code)
  })

  it('401 lists the schemes to authenticate with, and where to get a token', async () => {
    const { headers } = await client.get('/me')
    expect(headers.get('WWW-Authenticate')).toBe(`${BASIC_CHALLENGE}, ${CHALLENGE}`)
    const [, url = ''] = /resource_metadata="([^"]+)"/.exec(headers.get('WWW-Authenticate') ?? '') ?? []
    expect(await bodyOf(await client.get(url))).toMatchObject({ resource: ORIGIN, authorization_servers: [ORIGIN] })
  })

  it('HEAD has the status and the headers of GET, and no body', async () => {
    const response = await client.send(`/planets/${MISSING_ID}`, { method: 'HEAD' })
    expect(response.status).toBe(404)
    expect(response.headers.get('Content-Type')).toBe('application/problem+json')
    expect(await response.text()).toBe('')
  })

  it('an error can be read by a page of another origin', async () => {
    const response = await client.get('/nowhere', { Origin: 'https://elsewhere.example' })
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(response.headers.get('Access-Control-Expose-Headers')).toContain('X-Request-ID')
  })
})

describe('X-Request-ID', () => {
  const id = '0f8fad5b-d9cb-469f-a165-70867728950e'

  it.each(['/planets', '/nowhere'])('a UUID of the caller is kept: %s', async (path) => {
    const response = await client.get(path, { 'X-Request-ID': id })
    expect(response.headers.get('X-Request-ID')).toBe(id)
  })

  it('the instance of a problem is the id', async () => {
    const response = await client.get('/nowhere', { 'X-Request-ID': id })
    expect((await bodyOf(response)).instance).toBe(`urn:uuid:${id}`)
  })

  it.each(['', 'abc', '42', `${id}0`, `{${id}}`, `urn:uuid:${id}`, id.replaceAll('-', ''), id.replace('0', 'g')])(
    'anything else is replaced: %j',
    async (sent) => {
      const received = (await client.get('/planets', { 'X-Request-ID': sent })).headers.get('X-Request-ID')
      expect(received).toMatch(UUID)
      expect(received).not.toBe(sent)
    },
  )

  it('no two requests have the same', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await client.get('/nowhere')).headers.get('X-Request-ID')),
    )
    expect(new Set(ids).size).toBe(20)
  })

  it('a success has it too, and the processing time', async () => {
    const { headers } = await post(bytesOf(PLANET))
    expect(headers.get('X-Request-ID')).toMatch(UUID)
    expect(headers.get('X-Processing-Time')).toMatch(/^\d+$/)
  })
})

describe('the type of a problem opens a page that explains it', () => {
  it.each(Object.keys(PROBLEMS) as ProblemCode[])('%s', async (code) => {
    const response = await client.get(problemTypeUri(ORIGIN, code), { Accept: 'text/html' })
    const page = await response.text()
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toMatch(/^text\/html\b/)
    expect(page).toContain(PROBLEMS[code].title)
    expect(page).toContain(String(PROBLEMS[code].status))
    expect(page).not.toMatch(/undefined|\[object/)
  })

  it('the URL in an actual error is such a page', async () => {
    const { type } = await bodyOf(await client.get('/nowhere'))
    expect((await client.get(type)).status).toBe(200)
  })

  it.each(['nothing', 'constructor', '__proto__', 'toString', '%3Cscript%3E'])('%s is 404', async (code) => {
    await expectProblem(await client.get(`/problems/${code}`), 'not-found')
  })
})

interface Step {
  refusal: string
  status: number
  code?: ProblemCode
  method?: string
  path?: () => string
  authorized: boolean
  headers: Record<string, string>
  body: string
}

/** Asserts what every error has in common. @returns Its text. */
async function expectProblem(response: Response, code: ProblemCode): Promise<string> {
  const { status, title } = PROBLEMS[code]
  const text = await response.text()
  expect({ status: response.status, ...JSON.parse(text) }).toMatchObject({
    type: problemTypeUri(ORIGIN, code),
    title,
    status,
    // A sentence.
    detail: expect.stringMatching(/^[A-Z].* .*\.$/s),
    instance: `urn:uuid:${response.headers.get('X-Request-ID')}`,
  })
  expect(response.status).toBe(status)
  expect(response.headers.get('Content-Type')).toBe('application/problem+json')
  expect(response.headers.get('X-Request-ID')).toMatch(UUID)
  expect(response.headers.get('X-Processing-Time')).toMatch(/^\d+$/)
  expect(response.headers.get('Vary')).toMatch(/\bAccept\b/)
  expect(text).not.toMatch(/\.[tj]s\b|\bat \w+ \(|stack|node_modules|SQLITE|D1_ERROR|select .* from/i)
  return text
}

/** Sends a planet with only the given headers. */
function post(body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
  return client.send('/planets', { method: 'POST', body, headers: { ...authorization(account), ...headers } })
}

function remove(id: number): Promise<Response> {
  return client.send(`/planets/${id}`, { method: 'DELETE', headers: authorization(account) })
}

async function createPlanet(creator: Account): Promise<number> {
  return (await bodyOf(await client.sendJson('POST', '/planets', PLANET, creator))).id
}

async function total(): Promise<number> {
  return (await bodyOf(await client.get('/planets?limit=1'))).meta.total
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text))
}

/** The bytes in chunks, without a known length. */
function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const chunkBytes = 10_000
  let offset = 0
  return new ReadableStream({
    pull(controller) {
      if (offset >= bytes.byteLength) return controller.close()
      controller.enqueue(bytes.slice(offset, offset + chunkBytes))
      offset += chunkBytes
    },
  })
}

function gif(): Uint8Array<ArrayBuffer> {
  return bytesOf('GIF89a\x01\0\x01\0\0\0\0;')
}
