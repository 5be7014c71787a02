import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeCompletely } from '../../../documents/documents.ts'
import { identifierOf } from '../../../documents/openapi/references.ts'
import type { Document, Example, MediaType, Reference } from '../../../documents/openapi/types.ts'
import { atOrigin } from '../../../src/domain/example-origin.ts'
import { PROBLEMS, type ProblemCode } from '../../../src/domain/problems.ts'
import { CURRENT_API_VERSION } from '../../../src/http/api-versions.ts'
import { forceableStatuses } from '../../../src/http/examples.ts'
import type { HeaderExamples, HeaderName } from '../../../src/http/headers.ts'
import type { Route } from '../../../src/http/pipeline/route.ts'
import { EXAMPLE_PROBLEM_HEADERS, PROBLEM_HEADERS, problemsByStatus } from '../../../src/http/pipeline/route-facts.ts'
import { decodeXml } from '../../../src/xml/decode.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  NO_METHOD,
  ORIGIN,
  ROUTES,
  stableHeaders,
} from '../../support/app.ts'
import { eachRow } from '../../support/each-row.ts'
import { expectRefusal } from '../../support/error-styles.ts'
import { makeGoodRequest, sendGood } from '../../support/good-requests.ts'
import { oneOfEach, turnOf } from '../../support/one-of-each.ts'
import { BASE_PATH, BASE_URL, OTHER_URL, WORLD } from '../../support/world.ts'
import { readProblem } from '../../support/xml.ts'

const OPERATIONS = ROUTES.map((route) => ({ name: nameOf(route), route }))
const FORCED = OPERATIONS.flatMap(({ name, route }) =>
  forceableStatuses(route).map((status) => ({ name, status, route })),
)
/** What an example depends on, beyond its operation. */
const MODELS = oneOfEach(OPERATIONS, ({ route: { method, errorStyle, security } }) => [
  method,
  errorStyle,
  security.length > 0,
])
/** Each status of a kind of error, and each success of an operation, because that is its own. */
const EXAMPLES = new Set(
  oneOfEach(FORCED, ({ name, status, route }) => (status < 400 ? [name, status] : [status, route.errorStyle])),
)

/** The statuses that are forced: those whose examples are the first, all of a model, and one error of any other. */
function statusesFor(operation: (typeof OPERATIONS)[number]): readonly number[] {
  const { name, route } = operation
  const own = FORCED.filter((forced) => forced.name === name)
  if (MODELS.includes(operation)) return own.map(({ status }) => status)
  const errors = own.filter(({ status }) => status >= 400)
  const inTurn = turnOf(errors, ROUTES.indexOf(route))
  return own.filter((forced) => EXAMPLES.has(forced) || inTurn.includes(forced)).map(({ status }) => status)
}

const UNSAFE = OPERATIONS.filter(({ route }) => route.method !== 'get')
/** Operations that use another method than GET but only read. */
const ASKING = ['authorizeByForm', 'introspectToken', 'postUserInfo', 'queryPlanets', 'verifyWebhook']

let client: Client
let account: Account
let document: Document
/** Milliseconds of each wait that the service requested. */
let waits: number[]

beforeAll(async () => {
  const wait = async (milliseconds: number) => void waits.push(milliseconds)
  client = createClient({ wait, config: { passwordAttempts: 1000, signupsPerHour: 1000 } })
  account = await createAccount(client)
  document = JSON.parse(
    atOrigin(
      JSON.stringify(describeCompletely(WORLD === 'common' ? 'common' : 'universe', CURRENT_API_VERSION)),
      BASE_URL,
    ),
  )
})

beforeEach(() => {
  waits = []
})

describe('Prefer: code returns the documented example of that status', () => {
  const withExamples = OPERATIONS.filter(({ route }) => forceableStatuses(route).length > 0)
  it.each(withExamples)('$name', (operation) =>
    eachRow(statusesFor(operation), async (status) => {
      const { route } = operation
      const response = await force(route, `code=${status}`)
      expect(response.status).toBe(status)
      expect(response.headers.get('Preference-Applied')).toBe(`code=${status}`)
      expect(response.headers.get('Cache-Control')).toBe('no-store')
      expect(response.headers.get('X-Cache-Control')).toBe('no-store')
      const text = await response.text()
      const { mediaType, body, headers } = expectedOf(route, status, text)
      expect(response.headers.get('Content-Type')).toBe(mediaType)
      expect(text && JSON.parse(text)).toEqual(body)
      expect(Object.fromEntries(response.headers)).toMatchObject(headers)
    }),
  )

  // All operations share the errors, so each error is written for one of them, and each success for its own.
  const withXml = FORCED.filter(({ route, status }) => takesXml(route, status) && hasBody(route, status))
  const inXml = oneOfEach(withXml, ({ name, status }) => (status < 400 ? [name, status] : status))
  it.each([...Map.groupBy(inXml, ({ status }) => status)])('%i, the same in XML', (status, forced) =>
    eachRow(forced, async ({ route }) => {
      const inJson = await bodyOf(await force(route, `code=${status}`))
      const response = await force(route, `code=${status}`, { Accept: 'application/xml' })
      expect(response.status).toBe(status)
      expect(response.headers.get('Content-Type')).toBe(status < 400 ? 'application/xml' : 'application/problem+xml')
      expect(response.headers.get('Vary')).toMatch(/\bAccept\b/)
      const text = await response.text()
      const schema = route.responses[status]?.schema
      expect(schema ? decodeXml(text, schema) : { value: readProblem(text), faults: [] }).toEqual({
        value: inJson,
        faults: [],
      })
    }),
  )

  it('without the documented cookie, because it would have an effect', () =>
    eachRow(
      FORCED.filter(({ route }) => route.errorStyle === 'page'),
      async ({ route, status }) => {
        expect((await force(route, `code=${status}`)).headers.getSetCookie()).toEqual([])
      },
      nameOfForced,
    ))

  const ofOAuth = FORCED.filter(({ route, status }) => route.errorStyle === 'oauth' && hasBody(route, status))
  it('in JSON whatever the client accepts, as OAuth requires', () =>
    eachRow(
      ofOAuth.filter((forced) => EXAMPLES.has(forced)),
      async ({ route, status }) => {
        const [usual, ...others] = await Promise.all(
          ['application/json', 'application/xml', 'text/html', 'image/png'].map(async (accept) => {
            const response = await force(route, `code=${status}`, { Accept: accept })
            expect(response.status).toBe(status)
            expect(response.headers.get('Content-Type')).toBe('application/json')
            expect(response.headers.get('Vary')).toBe('Accept-Encoding')
            return await bodyOf(response)
          }),
        )
        for (const body of others) expect(body).toEqual(usual)
      },
      nameOfForced,
    ))

  it('every documented status of a document can be forced', () =>
    eachRow(
      OPERATIONS,
      ({ route }) => {
        const responses = document.paths[route.path]?.[route.method]?.responses ?? {}
        const documented = Object.keys(responses).filter((status) => !isFile(route, Number(status)))
        expect(forceableStatuses(route)).toEqual(expect.arrayContaining(documented.map(Number)))
      },
      ({ name }) => name,
    ))

  it('a success in a format that the caller does not accept is 406', async () => {
    const response = await client.get('/planets', { Prefer: 'code=200', Accept: 'image/png' })
    expect(response.status).toBe(406)
    expect(response.headers.get('Preference-Applied')).toBeNull()
  })

  it('an error is sent even if the caller accepts no available format', async () => {
    const response = await client.get('/planets', { Prefer: 'code=503', Accept: 'image/png' })
    expect(response.status).toBe(503)
  })

  it('whatever else is wrong with the request', async () => {
    const response = await client.send('/planets', {
      method: 'POST',
      body: '<',
      headers: { Prefer: 'code=410, code=201', 'Content-Type': 'text/plain', 'API-Version': '9' },
    })
    expect(response.status).toBe(400)
    const forced = await client.send('/planets', {
      method: 'POST',
      body: '<',
      headers: { Prefer: 'code=201', 'Content-Type': 'text/plain', 'API-Version': '9', Authorization: 'Bearer x' },
    })
    expect(forced.status).toBe(201)
  })

  it.each([
    ['code=404', 404],
    ['CODE=404', 404],
    ['Code = 404', 404],
    ['code="404"', 404],
    ['  code=404  ', 404],
    ['code=404,', 404],
    ['code=404, code=503', 404],
    ['return=minimal, code=404', 404],
    ['respond-async, wait=5, code=404, handling=strict', 404],
    ['foo="a, b", code=404', 404],
    ['foo="a; b"; c="d, e", code=404', 404],
  ])('%s asks for %i', async (prefer, status) => {
    const response = await client.get('/planets/1', { Prefer: prefer })
    expect(response.status).toBe(status)
    expect(response.headers.get('Preference-Applied')).toBe(`code=${status}`)
  })

  it.each([
    'foo="code=404"',
    'foo="a, code=404"',
    'foo="a; code=404"',
    'foo="a\\", code=404"',
    'postcode=404',
    'code-x=404',
    'xcode=404',
  ])('%s asks for nothing', async (prefer) => {
    const response = await client.get('/me', { Prefer: prefer, ...authorization(account) })
    expect(response.status).toBe(200)
    expect(response.headers.get('Preference-Applied')).toBeNull()
  })

  it('it has no effect on an unknown path or with an unsupported method', async () => {
    expect((await client.get('/nowhere', { Prefer: 'code=200' })).status).toBe(404)
    expect((await client.get('/planets/abc', { Prefer: 'code=200' })).status).toBe(404)
    expect((await client.send('/planets', { method: NO_METHOD, headers: { Prefer: 'code=200' } })).status).toBe(405)
    expect((await client.send('/planets', { method: 'OPTIONS', headers: { Prefer: 'code=503' } })).status).toBe(204)
  })

  it('HEAD has the status and the headers of GET, and no body', async () => {
    for (const code of [200, 304, 404, 503]) {
      const headers = { Prefer: `code=${code}` }
      const head = await client.send('/planets/1', { method: 'HEAD', headers })
      const get = await client.get('/planets/1', headers)
      expect(head.status).toBe(code)
      expect(stableHeaders(head)).toEqual(stableHeaders(get))
      expect(head.headers.get('Preference-Applied')).toBe(`code=${code}`)
      expect(await head.text()).toBe('')
    }
  })

  it('its URLs are at the origin of the request', async () => {
    const headers = { Prefer: 'code=201' }
    const response = await client.send(`${OTHER_URL}/planets`, { method: 'POST', headers })
    const { image } = await bodyOf(response)
    expect(image).toContain(`${OTHER_URL}/images/`)
    const [, path = ''] = response.headers.get('Location')?.split(OTHER_URL) ?? []
    expect(path).toMatch(/^\/planets\/\d+$/)
  })

  it('the Location of a new user is that of the example', async () => {
    const response = await client.send('/user/signup', { method: 'POST', headers: { Prefer: 'code=201' } })
    expect(response.headers.get('Location')).toBe(`${ORIGIN}/me`)
  })

  it.each([
    ['DELETE', '/planets/1', 204],
    ['GET', '/openapi.yaml', 304],
    ['GET', '/images/6f1b3f0e-8f5c-4f0e-9d0a-3c1f0b6f2a11.png', 304],
  ])('%s %s has no body, so Accept does not matter', async (method, path, status) => {
    const response = await client.send(path, { method, headers: { Prefer: `code=${status}`, Accept: 'text/csv' } })
    expect(response.status).toBe(status)
  })

  it('confirms an example only if there is a choice', async () => {
    const applied = async (prefer: string) =>
      (await client.get('/planets', { Prefer: prefer })).headers.get('Preference-Applied')
    expect(await applied('code=200, example=foo')).toBe('code=200')
    expect(await applied('code=400, example=invalid-query')).toBe('code=400, example=invalid-query')
  })

  it('the Location of a new planet is that of the example', async () => {
    const response = await client.send('/planets', { method: 'POST', headers: { Prefer: 'code=201' } })
    expect(response.headers.get('Location')).toBe(`${ORIGIN}/planets/${(await bodyOf(response)).id}`)
  })

  it('a page is the same in its body and in its headers', async () => {
    const response = await client.get('/planets', { Prefer: 'code=200' })
    const { meta } = await bodyOf(response)
    expect(response.headers.get('X-Pagination-Per-Page')).toBe(String(meta.limit))
    expect(response.headers.get('X-Pagination-Total')).toBe(String(meta.total))
    expect(response.headers.get('Link')).toContain(`<${meta.next}>; rel="next"`)
  })

  it('has the entity tag of its format', async () => {
    const tagIn = async (accept: string) =>
      (await client.get('/planets/1', { Prefer: 'code=200', Accept: accept })).headers.get('ETag')
    expect(await tagIn('application/json')).toBe('"1-json"')
    expect(await tagIn('application/xml')).toBe('"1-xml"')
  })

  it('if a status has several problems, the most informative is sent, or the one requested', async () => {
    const typeOf = async (prefer: string) => {
      const response = await client.send('/planets', { method: 'POST', headers: { Prefer: prefer } })
      return { status: response.status, type: (await bodyOf(response)).type.split('/').at(-1) }
    }
    expect(await typeOf('code=400')).toEqual({ status: 400, type: 'invalid-body' })
    expect(await typeOf('code=400; a="b;c", example="malformed\\-body"; d')).toEqual({
      status: 400,
      type: 'malformed-body',
    })
    expect(await typeOf('x="a; code=403, code=403", code=400, example="malformed-body"')).toEqual({
      status: 400,
      type: 'malformed-body',
    })
    expect(await typeOf('code=400, example=malformed-body')).toEqual({ status: 400, type: 'malformed-body' })
    expect(await typeOf('code=403, example=account-suspended')).toEqual({ status: 403, type: 'account-suspended' })
    expect(await typeOf('code=403, example=conflict')).toEqual({ status: 400, type: 'bad-request' })
  })

  it.each([
    ['spaces before a quote', `a=${' '.repeat(60_000)}"x"y`],
    ['quotes that are escaped', `"${'\\"'.repeat(30_000)}`],
    ['quotes', '"'.repeat(60_000)],
    ['commas', ','.repeat(60_000)],
  ])('a header of %s does no harm', async (_, prefer) => {
    expect((await client.get('/me', { Prefer: prefer })).status).toBe(401)
  })

  it('reports no attempts left for a reached limit', async () => {
    const response = await client.send('/auth/token', { method: 'POST', headers: { Prefer: 'code=429' } })
    expect(response.headers.get('X-RateLimit-Remaining')).toBe('0')
  })
})

describe.each(UNSAFE)('$name', (operation) => {
  const { route } = operation

  it('changes nothing if a response is forced, and runs once if only a delay is requested', async () => {
    const request = await makeGoodRequest(client, route, await createAccount(client))
    const sendWith = (prefer: string) => sendGood(client, request, { Prefer: prefer })
    const before = await state()
    for (const status of statusesFor(operation)) expect((await sendWith(`code=${status}`)).status).toBe(status)
    for (const code of ['418', '999', 'abc', '']) expect((await sendWith(`code=${code}`)).status).toBe(400)
    expect((await sendWith('delay=soon')).status).toBe(400)
    expect(await state()).toEqual(before)
    const response = await sendWith('delay=1')
    expect(response.status).toBe(request.status)
    expect(response.headers.get('Preference-Applied')).toBe('delay=1')
    expect(waits).toEqual([1000])
    const after = await state()
    const most = Math.max(...Object.keys(after).map((name) => Math.abs((after[name] ?? 0) - (before[name] ?? 0))))
    expect(most).toBe(ASKING.includes(route.operationId) ? 0 : 1)
  })
})

describe('a code that cannot be sent is 400', () => {
  it('a status that an operation does not document', () =>
    eachRow(
      OPERATIONS,
      async (operation) => {
        const { route } = operation
        const statuses = forceableStatuses(route)
        const codes = [100, 101, 199, 202, 203, 299, 300, 405, 418, 501, 599].filter((code) => !statuses.includes(code))
        for (const code of MODELS.includes(operation) ? codes : turnOf(codes, ROUTES.indexOf(route))) {
          const response = await force(route, `code=${code}`)
          expect(response.headers.get('Preference-Applied')).toBeNull()
          const detail = await expectRefusal(route, response, 400, 'bad-request')
          expect(detail).toContain(String(code))
          expect(detail).toContain(statuses.join(', '))
        }
      },
      ({ name }) => name,
    ))

  it.each(['code', 'code=', 'code=""', 'code=abc', 'code=20', 'code=2000', 'code=099', 'code=600', 'code=999'])(
    '%s',
    async (prefer) => {
      await expectRefused(prefer)
    },
  )

  it.each(['code=4e2', 'code=404.0', 'code=-404', 'code=+404', 'code=0x194', 'code=٤٠٤', 'code=4 04', 'code=NaN'])(
    '%s',
    async (prefer) => {
      await expectRefused(prefer)
    },
  )

  it('the refusal comes in the format that the caller accepts', async () => {
    const response = await client.get('/planets', { Prefer: 'code=418', Accept: 'application/xml' })
    expect(response.headers.get('Content-Type')).toBe('application/problem+xml')
  })
})

describe('Prefer: delay', () => {
  it.each([
    ['delay=2', 2000, 'delay=2'],
    ['delay=10', 10_000, 'delay=10'],
    ['delay=11', 10_000, 'delay=10'],
    ['delay=10.001', 10_000, 'delay=10'],
    ['delay=999999999', 10_000, 'delay=10'],
    ['delay=0.5', 500, 'delay=0.5'],
    ['delay=1.25', 1250, 'delay=1.25'],
    ['delay=0.001', 1, 'delay=0.001'],
    ['delay="3"', 3000, 'delay=3'],
    ['DELAY=1', 1000, 'delay=1'],
    ['delay = 1', 1000, 'delay=1'],
    ['delay=1, delay=5', 1000, 'delay=1'],
    ['delay=1; source=client', 1000, 'delay=1'],
    ['return=minimal, delay=1', 1000, 'delay=1'],
    ['respond-async, wait=30, delay=1', 1000, 'delay=1'],
    ['note="later, delay=5", delay=1', 1000, 'delay=1'],
  ])('%s waits %i ms and says %s', async (prefer, waited, applied) => {
    const response = await client.get('/planets', { Prefer: prefer })
    expect(response.status).toBe(200)
    expect(waits).toEqual([waited])
    expect(response.headers.get('Preference-Applied')).toBe(applied)
  })

  it('delay=0 does not wait, and is confirmed all the same', async () => {
    const response = await client.get('/planets', { Prefer: 'delay=0' })
    expect(waits).toEqual([])
    expect(response.headers.get('Preference-Applied')).toBe('delay=0')
  })

  it.each(['delay', 'delay=', 'delay=""', 'delay=soon', 'delay=-1', 'delay=+1', 'delay=1e3', 'delay=1.', 'delay=.5'])(
    '%s is 400',
    async (prefer) => {
      await expectRefused(prefer)
      expect(waits).toEqual([])
    },
  )

  it.each(['delay=1s', 'delay=1 2', 'delay=0x10', 'delay=Infinity', 'delay=NaN', 'delay=1:30', 'delay=1.2.3'])(
    '%s is 400',
    async (prefer) => {
      await expectRefused(prefer)
      expect(waits).toEqual([])
    },
  )

  it.each([
    ['an unknown planet', '/planets/9007199254740991', 404],
    ['no credential', '/me', 401],
    ['a wrong query', '/planets?limit=0', 400],
  ])('an error comes as late: %s', async (_, path, status) => {
    const response = await client.get(path, { Prefer: 'delay=2' })
    expect(response.status).toBe(status)
    expect(response.headers.get('Preference-Applied')).toBe('delay=2')
    expect(waits).toEqual([2000])
  })

  it('really waits, if time is not replaced', async () => {
    const started = Date.now()
    await createClient().get('/planets', { Prefer: 'delay=0.2' })
    expect(Date.now() - started).toBeGreaterThanOrEqual(195)
  })

  it('HEAD waits as GET does', async () => {
    const response = await client.send('/planets', { method: 'HEAD', headers: { Prefer: 'delay=2' } })
    expect(waits).toEqual([2000])
    expect(response.headers.get('Preference-Applied')).toBe('delay=2')
  })
})

describe('code and delay together', () => {
  const inSeveralHeaders = new Headers([
    ['Prefer', 'delay=2'],
    ['Prefer', 'respond-async'],
    ['Prefer', 'code=503'],
  ])

  it.each<[string, HeadersInit]>([
    ['in one header', { Prefer: 'code=503, delay=2' }],
    ['in one header, the other way round', { Prefer: 'delay=2,code=503' }],
    ['in several headers', inSeveralHeaders],
  ])('%s', async (_, headers) => {
    const response = await client.get('/planets', headers)
    expect(response.status).toBe(503)
    expect(waits).toEqual([2000])
    const applied = response.headers.get('Preference-Applied')?.split(', ').sort()
    expect(applied).toEqual(['code=503', 'delay=2'])
  })

  it.each(['code=418, delay=2', 'code=503, delay=soon'])('%s is 400, at once', async (prefer) => {
    await expectRefused(prefer)
    expect(waits).toEqual([])
  })
})

describe('other preferences are ignored, and not confirmed', () => {
  it.each([
    'return=minimal',
    'return=representation',
    'respond-async',
    'wait=5',
    'handling=lenient',
    '',
    ',',
    ';',
    '=',
  ])('Prefer: %s', async (prefer) => {
    const response = await client.send('/planets', {
      method: 'POST',
      body: '{"name":"Terra"}',
      headers: { Prefer: prefer, 'Content-Type': 'application/json', ...authorization(account) },
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('Preference-Applied')).toBeNull()
    expect(await bodyOf(response)).toMatchObject({ name: 'Terra', creator: { id: account.id } })
  })
})

describe('Prefer: drop=response loses the response', () => {
  const create = (name: string, prefer: Record<string, string>) =>
    client.sendRaw('/planets', {
      method: 'POST',
      body: JSON.stringify({ name }),
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': name, ...authorization(account), ...prefer },
    })

  it('the request does its work, nothing of the response arrives, and a retry gets it', async () => {
    const lost = await create('Lost', { Prefer: 'drop=response' })
    expect(lost.status).toBe(502)
    for (const name of ['Location', 'ETag', 'Last-Modified', 'Content-Type', 'Preference-Applied']) {
      expect(lost.headers.get(name)).toBeNull()
    }
    await expect(lost.text()).rejects.toThrow()
    const after = await state()
    const retry = await create('Lost', {})
    expect([retry.status, retry.headers.get('Idempotency-Replayed')]).toEqual([201, 'true'])
    expect((await bodyOf(await client.get(`/planets/${(await bodyOf(retry)).id}`))).name).toBe('Lost')
    expect(await state()).toEqual(after)
  })

  it('so is a refusal', async () => {
    const lost = await create('', { Prefer: 'drop=response' })
    expect(lost.status).toBe(502)
    await expect(lost.text()).rejects.toThrow()
  })

  it('drop=request loses the request: it does no work', async () => {
    const before = await state()
    const lost = await create('Never', { Prefer: 'drop=request' })
    expect(lost.status).toBe(502)
    await expect(lost.text()).rejects.toThrow()
    expect(await state()).toEqual(before)
  })

  it.each(['drop', 'drop=', 'drop=requests', 'drop=responses'])('%s is 400', async (prefer) => {
    await expectRefused(prefer)
  })
})

describe('Prefer: slow, cut, label and violate change the answer', () => {
  it.each(['slow=11', 'slow=10'])('%s is applied as ten seconds', async (prefer) => {
    const response = await client.sendRaw('/planets', { headers: { Prefer: prefer } })
    expect(response.headers.get('Preference-Applied')).toBe('slow=10')
    const whole = await (await client.get('/planets')).text()
    expect(await response.text()).toBe(whole)
    // Nine waits between ten parts.
    expect(waits.length).toBe(9)
    expect(Math.round(waits.reduce((sum, one) => sum + one, 0))).toBe(10_000)
  })

  it.each([
    'slow',
    'slow=soon',
    'slow=-1',
    'cut',
    'cut=-1',
    'cut=1.5',
    'cut=1000001',
    'label',
    'label=xml',
    'violate',
    'violate=maximum',
    'violate=type, at=name',
    `violate=type, at="/${'x'.repeat(200)}"`,
    'slow=1, cut=5',
    'label=html, violate=type',
  ])('%s is 400', async (prefer) => {
    await expectRefused(prefer)
  })

  it('cut=1000000 and a pointer of 200 characters are possible', async () => {
    const send = (prefer: string) => client.get('/planets', { Prefer: prefer })
    expect((await send('cut=1000000')).status).toBe(200)
    expect((await send(`violate=type, at="/${'x'.repeat(199)}"`)).status).toBe(200)
  })

  it.each([
    ['HEAD', '/planets', {}],
    ['GET', '/planets', { Accept: 'application/xml' }],
    ['GET', '/openapi.yaml', {}],
  ])('%s %s %o: where there is no JSON, the true answer goes out', async (method, path, headers) => {
    for (const prefer of ['label=html', 'violate=syntax', 'violate=header', 'violate=status']) {
      const response = await client.send(path, { method, headers: { ...headers, Prefer: prefer } })
      expect([response.status, response.headers.get('Preference-Applied')]).toEqual([200, null])
    }
  })

  it('label=html has no markup, and no browser runs anything in it', async () => {
    const { id } = await createPlanet(client, account, { name: '<script>alert(1)</script>&amp;' })
    const response = await client.sendRaw(`/planets/${id}`, { headers: { Prefer: 'label=html' } })
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('Content-Security-Policy')).toBe("default-src 'none'; sandbox")
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
    const text = await response.text()
    expect(text).not.toMatch(/[<>&]/)
    expect(JSON.parse(text).name).toBe('<script>alert(1)</script>&amp;')
  })
})

/** A universe belongs to one visitor, so an address can have all of its places. */
const IN_UNIVERSE = WORLD !== 'common'

describe('requests that are held', () => {
  /** A client whose requests are held until `goOn`. */
  function makeBusy() {
    const { promise, resolve: goOn } = Promise.withResolvers<void>()
    const busy = createClient({ wait: () => promise })
    const ask = (address: string, prefer = 'slow=10', init: RequestInit = {}, path = '/planets?limit=1') =>
      busy.sendRaw(path, { ...init, headers: { ...init.headers, 'CF-Connecting-IP': address, Prefer: prefer } })
    return { ask, goOn }
  }

  /** Whether a request is under way after a moment. */
  async function waits(response: Promise<Response>): Promise<boolean> {
    return (await Promise.race([response.then(() => 'answered'), scheduler.wait(50)])) === undefined
  }

  it('are 50 slow answers at the same time, and a further one does nothing', async () => {
    const { ask, goOn } = makeBusy()
    const held = await Promise.all(Array.from({ length: 50 }, (_, n) => ask(`192.0.2.${Math.floor(n / 5)}`)))
    expect(new Set(held.map(({ status }) => status))).toEqual(new Set([200]))
    const texts = held.map((response) => response.text())
    const headers = { 'Content-Type': 'application/json', ...authorization(account) }
    const refused = await ask('192.0.2.99', 'slow=10', { method: 'POST', body: '{"name":"Held"}', headers }, '/planets')
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '1'])
    expect((await bodyOf(await client.get('/planets?name=Held'))).meta.total).toBe(0)
    goOn()
    await Promise.all(texts)
    expect((await ask('192.0.2.99')).status).toBe(200)
  })

  it.skipIf(IN_UNIVERSE)('are five of one address, slow or delayed, and others still get a place', async () => {
    const { ask, goOn } = makeBusy()
    const slow = await Promise.all(Array.from({ length: 3 }, () => ask('198.51.100.7')))
    const delayed = Array.from({ length: 2 }, () => ask('198.51.100.7', 'delay=5'))
    expect(await Promise.all(delayed.map(waits))).toEqual([true, true])
    for (const prefer of ['slow=1', 'delay=1', 'delay=1, slow=1', 'delay=1, code=400']) {
      const refused = await ask('198.51.100.7', prefer)
      expect([prefer, refused.status, refused.headers.get('Retry-After')]).toEqual([prefer, 503, '1'])
      expect((await bodyOf(refused)).detail).toContain('At most 5 requests of one address')
    }
    // What is not held takes no place.
    for (const prefer of ['delay=0', 'code=400', 'cut=5', 'label=html'])
      expect((await ask('198.51.100.7', prefer)).status, prefer).not.toBe(503)
    const other = await ask('198.51.100.8')
    expect(other.status).toBe(200)
    const ofNetwork = await Promise.all([0, 1, 2, 3, 4].map((n) => ask(`2001:db8::${n}`)))
    expect((await ask('2001:db8::ffff')).status).toBe(503)
    expect((await ask('2001:db8:0:1::')).status).toBe(200)
    goOn()
    await Promise.all([...slow, other, ...ofNetwork].map((response) => response.text()))
    await Promise.all(delayed)
    expect((await ask('198.51.100.7')).status).toBe(200)
  })

  it('stop counting after their time, although their client has left', async () => {
    let ahead = 0
    const now = () => new Date(Date.now() + ahead)
    const left = createClient({ now, wait: () => new Promise(() => {}) })
    const ask = () =>
      left.sendRaw('/planets?limit=1', { headers: { 'CF-Connecting-IP': '198.51.100.9', Prefer: 'slow=10' } })
    for (let n = 0; n < 5; n++) await ask()
    if (!IN_UNIVERSE) expect((await ask()).status).toBe(503)
    ahead = 10_000
    expect((await ask()).status).toBe(200)
  })
})

describe('if the demo controls are off, Prefer has no effect', () => {
  const off = () => createClient({ wait: client.services.wait, config: { demoControls: false } })

  it.each([
    'code=503',
    'code=418',
    'code=abc',
    'delay=5',
    'delay=soon',
    'code=503, delay=5',
    'drop=response',
    'label=html',
    'cut=1',
  ])('%s', async (prefer) => {
    const response = await off().get('/planets', { Prefer: prefer })
    expect(response.status).toBe(200)
    expect(response.headers.get('Preference-Applied')).toBeNull()
    expect(waits).toEqual([])
  })

  it('a write takes effect', async () => {
    const response = await off().send('/planets', {
      method: 'POST',
      body: '{"name":"Terra"}',
      headers: { Prefer: 'code=503', 'Content-Type': 'application/json', ...authorization(account) },
    })
    expect(response.status).toBe(201)
    const { id } = await bodyOf(response)
    expect((await client.get(`/planets/${id}`)).status).toBe(200)
  })
})

function nameOf({ method, path }: Route): string {
  return `${method.toUpperCase()} ${path}`
}

function nameOfForced({ name, status }: (typeof FORCED)[number]): string {
  return `${name}: ${status}`
}

/** The path with the document's examples for its parameters; an id needs none. */
function examplePath({ path }: Route): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const { examples } = document.components.parameters[name]?.schema ?? {}
    return String(Array.isArray(examples) ? examples[0] : 1)
  })
}

/** A request without credentials or body. */
function force(route: Route, prefer: string, headers: Record<string, string> = {}): Promise<Response> {
  return client.send(examplePath(route), {
    method: route.method.toUpperCase(),
    headers: { Prefer: prefer, ...headers },
  })
}

/** Whether a response is never a document, so that it has no example. */
function isFile({ responses }: Route, status: number): boolean {
  return responses[status]?.files !== undefined && !responses[status].schema
}

function takesXml({ formats, errorStyle }: Route, status: number): boolean {
  if (errorStyle === 'oauth') return false
  return status >= 400 || !formats || formats.includes('xml')
}

function hasBody({ responses }: Route, status: number): boolean {
  const own = responses[status]
  return own ? own.schema !== undefined : status >= 400
}

interface Expected {
  mediaType: string | null
  body: unknown
  headers: Record<string, string>
}

/** The type that the document gives a response; the type of a problem tells which of several it is. */
function expectedOf(route: Route, status: number, text: string): Expected {
  const content = contentOf(route, status)
  const own = route.responses[status]
  if (own) {
    const [example] = Object.values(content['application/json']?.examples ?? {})
    const mediaType = content['application/json'] ? 'application/json' : null
    return {
      mediaType,
      body: exampleValue(example) ?? '',
      headers: exampleHeaders(own.headers ?? [], own.exampleHeaders),
    }
  }
  const code = codeOf(JSON.parse(text).type)
  expect(problemsByStatus(route).get(status)).toContain(code)
  const mediaType = 'application/problem+json'
  const body = exampleValue(content[mediaType]?.examples?.[code])
  return { mediaType, body, headers: exampleHeaders(PROBLEM_HEADERS[code] ?? [], EXAMPLE_PROBLEM_HEADERS[code]) }
}

/** The value of an example, which may be defined in the components. */
function exampleValue(example: Example | Reference | undefined): unknown {
  if (!example) return undefined
  if (!('$ref' in example)) return example.value
  return document.components.examples[example.$ref.split('/').at(-1) ?? '']?.value
}

/** The documented bodies for a status of an operation, by media type. */
function contentOf({ path, method }: Route, status: number): Record<string, MediaType> {
  const response = document.paths[path]?.[method]?.responses[status]
  if (!response) throw new Error(`${method} ${path} does not document ${status}`)
  if ('content' in response) return response.content ?? {}
  const name = '$ref' in response ? response.$ref.split('/').at(-1) : undefined
  return document.components.responses[name ?? '']?.content ?? {}
}

function codeOf(type: string): ProblemCode {
  const last = type.split('/').at(-1)
  const code = Object.keys(PROBLEMS).find((name) => name === last)
  if (!code) throw new Error(`${type} is no problem`)
  return code as ProblemCode
}

/** Headers with the document's example values, except those that follow from the rest of the response. */
function exampleHeaders(names: readonly HeaderName[], own: HeaderExamples = {}): Record<string, string> {
  // A cookie would have an effect.
  const entries = names
    .filter((name) => name !== 'Set-Cookie')
    .map((name) => {
      const schema = document.components.headers[identifierOf(name)]?.schema as { examples: unknown[] }
      // The document is at the base URL already.
      const example = own[name] === undefined ? String(schema.examples[0]) : atOrigin(own[name], ORIGIN)
      // A root-relative Location has no base path in the document.
      return [name.toLowerCase(), example.replace(/^\/(?=\w)/, `${BASE_PATH}/`)]
    })
  return Object.fromEntries(entries)
}

async function expectRefused(prefer: string): Promise<void> {
  const before = await state()
  // Headers of requests contain bytes: a character beyond ASCII is sent as its UTF-8 bytes.
  const sent = String.fromCharCode(...new TextEncoder().encode(prefer))
  const response = await client.send('/planets', {
    method: 'POST',
    body: '{"name":"Terra"}',
    headers: { Prefer: sent, 'Content-Type': 'application/json', ...authorization(account) },
  })
  expect(response.status).toBe(400)
  expect(response.headers.get('Preference-Applied')).toBeNull()
  expect((await bodyOf(response)).detail).toContain('Prefer: ')
  expect(await state()).toEqual(before)
}

/** Counts everything that a request could change. */
async function state(): Promise<Record<string, number>> {
  const counts = {
    planets: 'count(*) from planets',
    users: 'count(*) from users',
    satellites: 'count(*) from bodies',
    images: 'count(*) from images',
    versions: 'coalesce(sum(version - 1), 0) from planets',
    attempts: 'coalesce(sum(attempts), 0) from rate_limits',
    renamed: 'count(renamed_at) from users',
    keys: 'count(*) from api_keys',
    batches: 'count(*) from observation_batches',
    clients: 'count(*) from clients',
    grants: 'count(*) from grants',
    endedGrants: 'count(ended_at) from grants',
    codes: 'count(*) from codes',
    usedCodes: 'count(used_at) from codes',
    refreshTokens: 'count(*) from refresh_tokens',
    usedRefreshTokens: 'count(used_at) from refresh_tokens',
    usedAssertions: 'count(*) from used_assertions',
    signIns: 'count(*) from sign_ins',
    secrets: 'count(*) from signing_secrets',
    webhooks: 'count(*) from webhooks',
    paused: "count(*) from webhooks where status = 'paused'",
    events: 'count(*) from events',
    log: "count(*) from log where kind <> 'credential_ended'",
    deliveries: 'count(*) from deliveries',
    ended: 'count(ended_at) from deliveries',
    inboxes: 'count(*) from inboxes',
    labRuns: 'count(*) from lab_runs',
    labResults: 'count(*) from lab_results',
    expecting: "count(*) from lab_runs where expect <> '{}'",
    unwilling: 'count(*) from inboxes where status = 503',
  }
  const columns = Object.entries(counts).map(([name, query]) => `(select ${query}) as ${name}`)
  const row = await env.DB.prepare(`select ${columns.join(', ')}`).first<Record<string, number>>()
  const { objects } = await env.IMAGES.list()
  return { ...row, objects: objects.length, passwords: await countNewPasswords() }
}

/** The password generation that each user had when it was first read. It begins at a random number. */
const firstGenerations = new Map<number, number>()

/** Counts the changes of passwords since then. */
async function countNewPasswords(): Promise<number> {
  const query = env.DB.prepare('select id, password_generation as generation from users')
  const { results } = await query.all<{ id: number; generation: number }>()
  const changes = results.map(({ id, generation }) => {
    const first = firstGenerations.get(id) ?? generation
    firstGenerations.set(id, first)
    return generation - first
  })
  return changes.reduce((sum, count) => sum + count, 0)
}
