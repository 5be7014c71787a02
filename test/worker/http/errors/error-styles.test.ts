import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Route } from '../../../../src/http/pipeline/route.ts'
import { bodyOf, type Client, createAccount, createClient, ROUTES } from '../../../support/app.ts'
import { expectRefusal } from '../../../support/error-styles.ts'
import { failingDatabase } from '../../../support/failing-database.ts'
import { type GoodRequest, makeGoodRequest, sendGood } from '../../../support/good-requests.ts'
import { oneOfEach, turnOf } from '../../../support/one-of-each.ts'

// What OAuth's endpoints and the pages for users do in their own way: formats, forms, and how they say what went wrong.

const FORM = 'application/x-www-form-urlencoded'
const FORM_MAX_BYTES = 64 * 1024
const ACCEPTED = ['application/xml', 'text/html', 'image/png', 'application/json;q=0', '*/*', 'application/json']
const OPERATIONS = ROUTES.map((route) => ({ name: `${route.method.toUpperCase()} ${route.path}`, route }))
const OAUTH = OPERATIONS.filter(({ route }) => route.errorStyle === 'oauth')
const PAGES = OPERATIONS.filter(({ route }) => route.errorStyle === 'page')
const FORMS = OPERATIONS.filter(({ route }) => route.body?.kind === 'form')
const STYLED = [...OAUTH, ...PAGES]

/** The pages that run a script. Their errors run none. */
const WITH_SCRIPT = ['/explore/planets/{planetId}']

type Operation = (typeof OPERATIONS)[number]

/** One function decides what an answer is written in: these are asked for every media type, the others take turns. */
const MODELS = oneOfEach(STYLED, ({ route }) => {
  const [{ schema, files } = {}] = Object.values(route.responses)
  return [route.errorStyle, schema !== undefined, files !== undefined]
})

function acceptedFor(operation: Operation): readonly string[] {
  return MODELS.includes(operation) ? ACCEPTED : turnOf(ACCEPTED, STYLED.indexOf(operation))
}

let client: Client

beforeAll(() => {
  client = createClient({ config: { signupsPerHour: 1000, passwordAttempts: 1000 } })
})

afterEach(() => {
  vi.restoreAllMocks()
})

async function prepare(route: Route): Promise<GoodRequest> {
  return await makeGoodRequest(client, route, await createAccount(client))
}

describe.each(OAUTH)('$name', (operation) => {
  const { route } = operation

  it('refuses in JSON whatever is accepted, as OAuth knows no other', async () => {
    const request = await prepare(route)
    for (const accept of ACCEPTED) {
      const refused = await sendGood(client, request, { Accept: accept, 'API-Version': '3.0.0' })
      await expectRefusal(route, refused, 400, 'bad-request')
      expect(refused.headers.get('Vary')).toBe('Accept-Encoding')
    }
  })

  it.each(acceptedFor(operation))('answers JSON to who accepts %s', async (accept) => {
    const request = await prepare(route)
    const response = await sendGood(client, request, { Accept: accept })
    expect(response.status).toBe(request.status)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    const hasBody = route.responses[request.status]?.schema !== undefined
    expect(response.headers.get('Vary')).toBe(hasBody ? 'Accept-Encoding' : null)
    expect(response.headers.get('Content-Type')).toBe(hasBody ? 'application/json' : null)
  })

  it('says what is wrong in the characters that OAuth allows', async () => {
    const refused = await sendGood(client, await prepare(route), { 'Content-Type': 'text/"\\caf\xe9' })
    expect(await expectRefusal(route, refused, 415, 'unsupported-media-type')).toMatch(
      /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/,
    )
  })
})

describe.each(PAGES)('$name', (operation) => {
  const { route } = operation

  it('refuses with a page whatever is accepted', async () => {
    const request = await prepare(route)
    for (const accept of ACCEPTED) {
      const refused = await sendGood(client, request, { Accept: accept, 'API-Version': '3.0.0' })
      await expectRefusal(route, refused, 400, 'bad-request')
    }
  })

  it.each(acceptedFor(operation))('answers a page to who accepts %s', async (accept) => {
    const request = await prepare(route)
    const response = await sendGood(client, request, { Accept: accept })
    expect(response.status).toBe(request.status)
    const isPage = route.responses[request.status]?.files !== undefined
    expect(response.headers.get('Content-Type')).toBe(isPage ? 'text/html; charset=utf-8' : null)
  })

  it('runs nothing but files of this service and stands in no frame, whatever it says', async () => {
    const request = await prepare(route)
    const responses = [
      await sendGood(client, request, { 'API-Version': '3.0.0' }),
      await sendGood(client, request),
      ...(route.body ? [await sendGood(client, request, { 'Content-Type': 'text/plain' })] : []),
    ]
    for (const { status, headers } of responses) {
      expect(headers.get('X-Frame-Options')).toBe('DENY')
      if (status === 303) continue
      const policy = headers.get('Content-Security-Policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      const [, scripts] = /script-src ([^;]*)/.exec(policy) ?? []
      expect(scripts).toBe(status === 200 && WITH_SCRIPT.includes(route.path) ? "'self'" : undefined)
    }
  })
})

describe.each(FORMS)('$name takes a form', ({ route }) => {
  it('and nothing else, and none in another coding than gzip or deflate', async () => {
    const request = await prepare(route)
    for (const type of [undefined, 'application/json', 'text/plain', 'multipart/form-data; boundary=x', `${FORM}x`]) {
      const response = await sendGood(client, request, { 'Content-Type': type })
      expect(await expectRefusal(route, response, 415, 'unsupported-media-type')).toContain(FORM)
    }
    const response = await sendGood(client, request, { 'Content-Encoding': 'br' })
    await expectRefusal(route, response, 415, 'unsupported-media-type')
  })

  it('of 64 KiB with fields that nobody knows, and not of one byte more', async () => {
    const request = await prepare(route)
    const fits = `${request.body}&unknown=`.padEnd(FORM_MAX_BYTES, 'x')
    const response = await sendGood(client, { ...request, body: `${fits}x` })
    await expectRefusal(route, response, 413, 'content-too-large')
    expect((await sendGood(client, { ...request, body: fits })).status).toBe(request.status)
  })
})

// POST /oauth/authorize passes its form on to GET, which reports the errors, most of them to the client.
const READ_HERE = FORMS.filter(({ route }) => route.operationId !== 'authorizeByForm')

describe.each(READ_HERE)('$name takes a form', ({ route }) => {
  // Apache HttpClient 4 says ISO-8859-1 unless it is told otherwise. The media type has no such parameter.
  it.each(['ISO-8859-1', '"UTF-8"', 'us-ascii', 'utf-16', 'windows-1252', '', 'nonsense'])(
    'whose charset is said to be %s',
    async (charset) => {
      const request = await prepare(route)
      const type = `${FORM.toUpperCase()}; charset=${charset}`
      expect((await sendGood(client, request, { 'Content-Type': type })).status).toBe(request.status)
    },
  )

  it.each(['', '; charset=ISO-8859-1'])('in UTF-8, also if it says %j', async (parameter) => {
    const request = await prepare(route)
    const headers = { 'Content-Type': FORM + parameter }
    const bytes = new Uint8Array([...new TextEncoder().encode(`${request.body}&x=`), 0xff])
    await expectRefusal(route, await sendGood(client, { ...request, body: bytes }, headers), 400, 'malformed-body')
    // The same character in ISO-8859-1, and in UTF-8.
    const latin = await sendGood(client, { ...request, body: `${request.body}&x=%FC` }, headers)
    await expectRefusal(route, latin, 400, 'malformed-body')
    const utf8 = await sendGood(client, { ...request, body: `${request.body}&x=%C3%BC&y=100%` }, headers)
    expect(utf8.status).toBe(request.status)
  })

  it('that has no field twice', async () => {
    const request = await prepare(route)
    const [name = ''] = new URLSearchParams(String(request.body)).keys()
    const response = await sendGood(client, { ...request, body: `${request.body}&${name}=again` })
    expect(await expectRefusal(route, response, 400, 'invalid-body')).toContain(name)
  })
})

describe('a page of the provider', () => {
  it('has no request id where the client is at fault', async () => {
    const response = await client.get('/oauth/authorize?client_id=a&client_id=b')
    expect(await response.text()).not.toContain(response.headers.get('X-Request-ID') ?? 'no id')
  })

  it('shows what was sent as text', async () => {
    const headers = { 'Content-Type': 'text/<script>alert(1)</script>' }
    const response = await client.send('/oauth/authorize', { method: 'POST', body: 'a=b', headers })
    expect(response.status).toBe(415)
    const page = await response.text()
    expect(page).toContain('text/&lt;script&gt;')
    expect(page).not.toContain('<script')
  })

  it('refuses a parameter that is there twice', async () => {
    const response = await client.get('/oauth/authorize?client_id=a&client_id=b')
    expect(response.status).toBe(400)
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(await response.text()).toContain('client_id')
  })
})

describe('where several things are wrong with a request of an OAuth client, the first of them is told', () => {
  const large = 'x'.repeat(FORM_MAX_BYTES + 1)
  const typed = { 'Content-Type': FORM }
  const apiVersion = { 'API-Version': '3.0.0' }

  it.each([
    { refusal: 'the method', status: 405, method: 'PUT', headers: apiVersion, body: large },
    { refusal: 'Content-Type', status: 415, headers: { ...apiVersion, 'Content-Type': 'text/plain' }, body: large },
    { refusal: 'the size', status: 413, headers: { ...apiVersion, ...typed }, body: large },
    {
      refusal: 'the API version',
      status: 400,
      headers: { ...apiVersion, ...typed },
      body: 'a=1&a=2',
      detail: 'API-Version',
    },
    { refusal: 'the syntax', status: 400, headers: typed, body: 'grant_type=x&grant_type=y', detail: 'repeated' },
    { refusal: 'the client', status: 401, headers: typed, body: 'grant_type=x&client_id=nobody', detail: 'client_id' },
  ])('$refusal: $status', async ({ status, method = 'POST', headers, body, detail = '' }) => {
    const response = await client.send('/oauth/token', { method, headers, body })
    expect(response.status).toBe(status)
    expect((await bodyOf(response)).error_description ?? '').toContain(detail)
  })
})

it('a fault of the whole body is told as a sentence about the body', async () => {
  const tooManyMembers = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`member${index}`, 1]))
  const response = await client.sendJson('POST', '/oauth/register', tooManyMembers)
  expect(response.status).toBe(400)
  expect((await bodyOf(response)).error_description).toBe(
    'The body has members that the service cannot accept. The body must have at most 1000 members.',
  )
})

/** One redirects and reads nothing, the other reads a file. */
const WITHOUT_DATABASE = ['authorizeByForm', 'getLabScoreboardClient']

describe('a failure of ours is told in the same style, and nothing of our insides', () => {
  it.each(STYLED.filter(({ route }) => !WITHOUT_DATABASE.includes(route.operationId)))('$name', async ({ route }) => {
    const request = await prepare(route)
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const failing = (message: string) => createClient({ database: failingDatabase(message) })
    const broken = await sendGood(failing('near "selec": syntax error'), request)
    const overloaded = await sendGood(failing('D1_ERROR: D1 DB is overloaded.'), request)
    expect([broken.status, overloaded.status]).toEqual([500, 503])
    expect(Number(overloaded.headers.get('Retry-After'))).toBeGreaterThan(0)
    for (const [response, error] of [
      [broken, 'server_error'],
      [overloaded, 'temporarily_unavailable'],
    ] as const) {
      const text = await response.text()
      expect(text).not.toMatch(/selec|syntax|overloaded|D1/)
      if (route.errorStyle === 'oauth') expect(JSON.parse(text)).toMatchObject({ error })
      else {
        expect(text).toMatch(/^<!doctype html>.*<p class="fault" role="alert">/s)
        expect(text).toContain(`<code>${response.headers.get('X-Request-ID')}</code>`)
      }
    }
    expect(log).toHaveBeenCalledTimes(2)
  })
})
