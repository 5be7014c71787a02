import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  NO_METHOD,
  ROUTES,
} from '../../support/app.ts'
import { eachRow } from '../../support/each-row.ts'
import { expectRefusal } from '../../support/error-styles.ts'
import { isEndless, makeGoodRequest, sendGood } from '../../support/good-requests.ts'
import { makePicture } from '../../support/pictures.ts'

const MISSING = '/planets/9007199254740991'
const API_VERSIONS = ['2.0.0', '1.0.0']
const UNKNOWN = [
  '',
  '1',
  '2',
  '1.0',
  '2.0',
  'v1',
  'v2',
  'v2.0.0',
  '2.0.1',
  '3.0.0',
  '02.0.0',
  '2.0.0-beta',
  '^2.0.0',
  '*',
]
const OPERATIONS = ROUTES.map((route) => ({ name: `${route.method.toUpperCase()} ${route.path}`, route }))

let client: Client
let account: Account
/** Path of a planet of `account`. */
let own: string
/** Path of its image. */
let picture: string

beforeAll(async () => {
  client = createClient({ config: { passwordAttempts: 1000, signupsPerHour: 1000 } })
  account = await createAccount(client)
  const { id } = await createPlanet(client, account, { name: 'Terra' })
  own = `/planets/${id}`
  const { imageUrl } = await bodyOf(await client.upload(`${own}/image`, makePicture(), account))
  picture = new URL(imageUrl).pathname
})

describe('the API version of a response', () => {
  it('is 2.0.0 if the caller requests none', async () => {
    expect((await client.get(own)).headers.get('API-Version')).toBe('2.0.0')
  })

  it.each(API_VERSIONS)('is %s if the caller requests it', async (apiVersion) => {
    const response = await client.get(own, { 'API-Version': apiVersion })
    expect(response.status).toBe(200)
    expect(response.headers.get('API-Version')).toBe(apiVersion)
  })

  it('can be requested in any case of the header’s name, with spaces around the value', async () => {
    expect((await client.get(own, { 'api-version': ' 1.0.0 ' })).headers.get('API-Version')).toBe('1.0.0')
  })

  it.each(OPERATIONS)('is 400 if it does not exist: $name', async ({ route }) => {
    const request = await makeGoodRequest(client, route, await createAccount(client))
    const response = await sendGood(client, request, { 'API-Version': '3.0.0' })
    expect(response.headers.get('API-Version')).toBe('2.0.0')
    expect(await expectRefusal(route, response, 400, 'bad-request')).toMatch(/API-Version.*2\.0\.0.*1\.0\.0/)
    expect((await sendGood(client, request, { 'API-Version': '1.0.0' })).status).toBe(request.status)
  })

  it('is 400 if it does not exist, however it is written', () =>
    eachRow(UNKNOWN, async (apiVersion) => {
      const response = await client.get(own, { 'API-Version': apiVersion })
      expect(response.status).toBe(400)
      expect(response.headers.get('API-Version')).toBe('2.0.0')
    }))

  it.each([
    ['1.0.0', '2.0.0'],
    ['2.0.0', '2.0.0'],
  ])('is 400 for two at once: %s and %s', async (first, second) => {
    const headers = new Headers([
      ['API-Version', first],
      ['API-Version', second],
    ])
    expect((await client.get(own, headers)).status).toBe(400)
  })

  it('changes nothing if it is rejected', async () => {
    const before = await total()
    const headers = { 'API-Version': '3.0.0', 'Content-Type': 'application/json', ...authorization(account) }
    const response = await client.send('/planets', { method: 'POST', body: '{"name":"Terra"}', headers })
    expect(response.status).toBe(400)
    expect(await total()).toBe(before)
  })
})

describe('the API version is named in every kind of response', () => {
  const kinds: readonly (readonly [number, string, (headers: Record<string, string>) => Promise<Response>])[] = [
    [200, 'a list', (headers) => client.get('/planets', headers)],
    [200, 'XML', (headers) => client.get(own, { ...headers, Accept: 'application/xml' })],
    [200, 'a page', (headers) => client.get('/', { ...headers, Accept: 'text/html' })],
    [200, 'a picture', (headers) => client.get(picture, headers)],
    [200, 'HEAD', (headers) => client.send(own, { method: 'HEAD', headers })],
    [206, 'a part', (headers) => client.get(picture, { ...headers, Range: 'bytes=0-1' })],
    [304, 'nothing new', (headers) => client.get(own, { ...headers, 'If-None-Match': '*' })],
    [204, 'OPTIONS', (headers) => client.send(own, { method: 'OPTIONS', headers })],
    [204, 'a preflight', (headers) => preflight(headers)],
    [400, 'a wrong query', (headers) => client.get('/planets?limit=0', headers)],
    [401, 'no credential', (headers) => client.get('/me', headers)],
    [404, 'no such path', (headers) => client.get('/nowhere', headers)],
    [404, 'no such id', (headers) => client.get('/planets/abc', headers)],
    [404, 'no such planet', (headers) => client.get(MISSING, headers)],
    [405, 'no such method', (headers) => client.send(own, { method: NO_METHOD, headers })],
    [406, 'nothing that the caller takes', (headers) => client.get(own, { ...headers, Accept: 'image/png' })],
    [412, 'another version', (headers) => client.get(own, { ...headers, 'If-Match': '"other"' })],
    [429, 'a forced answer', (headers) => client.send('/auth/token', forced(429, headers))],
    [503, 'a forced answer', (headers) => client.get('/planets', { ...headers, Prefer: 'code=503' })],
  ]
  it.each(API_VERSIONS)('%s', (apiVersion) =>
    eachRow(kinds, async ([status, , send]) => {
      const response = await send({ 'API-Version': apiVersion })
      expect(response.status).toBe(status)
      expect(response.headers.get('API-Version')).toBe(apiVersion)
    }),
  )
})

describe('API version 1.0.0 behaves as 2.0.0 does', () => {
  it.each(
    OPERATIONS.filter(({ route }) => route.method === 'get' && !route.path.startsWith('/openapi') && !isEndless(route)),
  )('$name', async ({ route }) => {
    const request = await makeGoodRequest(client, route, account)
    // What a response says about the time is the same in both.
    const now = new Date()
    const atOneTime = createClient({ now: () => now })
    const [second, first] = await Promise.all(
      API_VERSIONS.map((apiVersion) => sendGood(atOneTime, request, { 'API-Version': apiVersion })),
    )
    expect([first?.status, second?.status]).toEqual([request.status, request.status])
    expect(await first?.bytes()).toEqual(await second?.bytes())
  })

  it('from sign-up to deletion', async () => {
    const [second, first] = [await journey('2.0.0'), await journey('1.0.0')]
    expect(first).toEqual(second)
    expect(first.map(({ status }) => status)).toEqual([201, 201, 200, 201, 200, 200, 200, 400, 204, 404])
  })
})

describe('the OpenAPI document', () => {
  it('of API version 1.0.0 is the same by its path and by the header', async () => {
    const byPath = await client.get('/openapi/1.0.0.json')
    const byHeader = await client.get('/openapi.json', { 'API-Version': '1.0.0' })
    expect(byHeader.headers.get('ETag')).toBe(byPath.headers.get('ETag'))
    expect(await byHeader.text()).toBe(await byPath.text())
  })

  it.each(API_VERSIONS)('says which API version it describes: %s', async (apiVersion) => {
    const headers = { 'API-Version': apiVersion }
    expect((await bodyOf(await client.get('/openapi.json', headers))).info.version).toBe(apiVersion)
    expect(await (await client.get('/openapi.yaml', headers)).text()).toContain(`version: ${apiVersion}`)
  })

  it('of API version 1.0.0 is at its path whatever the header says', async () => {
    for (const apiVersion of API_VERSIONS) {
      const { info } = await bodyOf(await client.get('/openapi/1.0.0.json', { 'API-Version': apiVersion }))
      expect(info.version).toBe('1.0.0')
    }
  })

  it('is not confused by a cache with that of another API version', async () => {
    const [second, first] = await Promise.all(
      API_VERSIONS.map((apiVersion) => client.get('/openapi.json', { 'API-Version': apiVersion })),
    )
    expect(first?.headers.get('ETag')).not.toBe(second?.headers.get('ETag'))
    expect(first?.headers.get('Vary')).toMatch(/\bAPI-Version\b/)
    expect(second?.headers.get('Vary')).toMatch(/\bAPI-Version\b/)
  })

  it.each(['/openapi/2.0.0.json', '/openapi/1.0.0.yaml', '/openapi/3.0.0.json'])(
    'does not exist at %s',
    async (path) => {
      expect((await client.get(path)).status).toBe(404)
    },
  )
})

describe('if more is wrong than the API version', () => {
  const wrong = { 'API-Version': '3.0.0' }

  it.each<[number, string, () => Promise<Response>]>([
    [404, 'an unknown path comes first', () => client.get('/nowhere', wrong)],
    [404, 'an id that is none comes first', () => client.get('/planets/abc', wrong)],
    [405, 'the method comes first', () => client.send('/planets', { method: NO_METHOD, headers: wrong })],
    [204, 'OPTIONS does not mind', () => client.send('/planets', { method: 'OPTIONS', headers: wrong })],
    [401, 'the credential comes first', () => client.get('/me', wrong)],
    [406, 'Accept comes first', () => client.get('/planets', { ...wrong, Accept: 'image/png' })],
    [415, 'Content-Type comes first', () => post('{', { ...wrong, 'Content-Type': 'text/plain' })],
    [413, 'the size comes first', () => post('x'.repeat(256 * 1024 + 1), wrong)],
    [400, 'the API version comes before the query', () => client.get('/planets?limit=0', wrong)],
    [400, 'the API version comes before the body', () => post('{', wrong)],
    [400, 'the API version comes before what is there', () => client.get(MISSING, wrong)],
    [400, 'the API version comes before conditions', () => client.get(own, { ...wrong, 'If-None-Match': '*' })],
  ])('%i: %s', async (status, _, send) => {
    const response = await send()
    expect(response.status).toBe(status)
    if (status === 400) expect((await bodyOf(response)).detail).toContain('API-Version')
  })
})

function post(body: string, headers: Record<string, string>): Promise<Response> {
  const all = { 'Content-Type': 'application/json', ...authorization(account), ...headers }
  return client.send('/planets', { method: 'POST', body, headers: all })
}

function forced(status: number, headers: Record<string, string>): RequestInit {
  return { method: 'POST', headers: { ...headers, Prefer: `code=${status}` } }
}

function preflight(headers: Record<string, string>): Promise<Response> {
  const asked = { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'PUT' }
  return client.send(own, { method: 'OPTIONS', headers: { ...headers, ...asked } })
}

function pictureForm(): FormData {
  const form = new FormData()
  form.set('image', new File([makePicture()], 'a.png'))
  return form
}

async function total(): Promise<number> {
  return (await bodyOf(await client.get('/planets?limit=1'))).meta.total
}

interface Step {
  status: number
  /** The headers, and the members of the body, that are present. */
  names: string[]
}

/** The responses to a new user's calls, without what depends on the user or the time. */
async function journey(apiVersion: string): Promise<Step[]> {
  const email = `traveller-${crypto.randomUUID()}@galaxy.test`
  const credentials = { email, password: 'secret words' }
  const steps: Step[] = []
  let token = ''
  const take = async (method: string, path: string, body?: object | FormData) => {
    const response = await client.send(path, {
      method,
      ...(body && { body: body instanceof FormData ? body : JSON.stringify(body) }),
      headers: {
        'API-Version': apiVersion,
        ...(!(body instanceof FormData) && { 'Content-Type': 'application/json' }),
        ...(token && { Authorization: `Bearer ${token}` }),
      },
    })
    const text = await response.text()
    const members = text && JSON.parse(text)
    steps.push({ status: response.status, names: [...response.headers.keys(), ...Object.keys(members)] })
    return members
  }
  await take('POST', '/user/signup', credentials)
  token = (await take('POST', '/auth/token', credentials)).token
  await take('GET', '/me')
  const { id } = await take('POST', '/planets', { name: 'Arrakis', satellites: [{ name: 'Krelln' }] })
  await take('GET', `/planets/${id}`)
  await take('PUT', `/planets/${id}`, { name: 'Dune' })
  await take('POST', `/planets/${id}/image`, pictureForm())
  await take('PUT', `/planets/${id}`, {})
  await take('DELETE', `/planets/${id}`)
  await take('GET', `/planets/${id}`)
  return steps
}
