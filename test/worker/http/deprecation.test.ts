import { beforeAll, describe, expect, it } from 'vitest'
import type { Document } from '../../../documents/openapi/types.ts'
import { forceableStatuses } from '../../../src/http/examples.ts'
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
} from '../../support/app.ts'
import { makeGoodRequest, sendGood } from '../../support/good-requests.ts'
import { publishedAt } from '../../support/world.ts'

const DELETION = ROUTES.find(({ operationId }) => operationId === 'deletePlanet')
const OTHERS = ROUTES.filter((route) => route !== DELETION)
const MISSING = '/planets/9007199254740991'

let client: Client
let account: Account
/** Path of a planet of `account`. */
let own: string

beforeAll(async () => {
  client = createClient({ config: { signupsPerHour: 1000, passwordAttempts: 1000 } })
  account = await createAccount(client)
  own = await newPlanet()
})

describe('DELETE of a planet reports that it is deprecated', () => {
  it.each<[number, string, () => Promise<Response>]>([
    [204, 'the planet is gone', async () => remove(await newPlanet())],
    [401, 'there is no credential', () => client.send(own, { method: 'DELETE' })],
    [401, 'the credential is wrong', () => remove(own, { Authorization: 'Bearer forged' })],
    [403, 'the planet is somebody else’s', async () => remove(own, authorization(await createAccount(client)))],
    [404, 'there is no such planet', () => remove(MISSING)],
    [412, 'the planet has changed', () => remove(own, { 'If-Match': '"0-json"' })],
    [400, 'the API version is unknown', () => remove(own, { 'API-Version': '3.0.0' })],
    [400, 'no such answer can be forced', () => remove(own, { Prefer: 'code=418' })],
  ])('%i, if %s', async (status, _, send) => {
    expectDeprecated(await send(), status)
  })

  it.each(DELETION ? forceableStatuses(DELETION) : [])('%i, if that response is forced', async (status) => {
    expectDeprecated(await remove(own, { Prefer: `code=${status}` }), status)
  })

  it('in XML too', async () => {
    expectDeprecated(await remove(MISSING, { Accept: 'application/xml' }), 404)
  })

  it('in API version 1.0.0 too', async () => {
    expectDeprecated(await remove(MISSING, { 'API-Version': '1.0.0' }), 404)
  })

  it('since a date in the past', async () => {
    const seconds = Number((await remove(MISSING)).headers.get('Deprecation')?.slice(1))
    expect(new Date(seconds * 1000).toISOString()).toBe('2026-01-01T00:00:00.000Z')
  })

  it('with a link to a page that exists', async () => {
    const [, url = ''] = /^<([^>]+)>/.exec((await remove(MISSING)).headers.get('Link') ?? '') ?? []
    const page = await client.get(url, { Accept: 'text/html' })
    expect(page.status).toBe(200)
    expect(page.headers.get('Content-Type')).toMatch(/^text\/html\b/)
  })

  it('with a link to the public address of the service, if that differs', async () => {
    const publicUrl = 'https://api.example.org'
    const published = createClient({ config: { publicUrl } })
    const { headers } = await published.send(own, { method: 'DELETE' })
    expect(headers.get('Link')).toContain(`<${publishedAt(publicUrl)}/docs>; rel="deprecation"`)
  })

  it('and the document says so, of this operation only', async () => {
    const { paths }: Document = await bodyOf(await client.get('/openapi.json'))
    const operations = Object.values(paths).flatMap((item) => Object.values(item))
    const deprecated = operations.filter((operation) => operation.deprecated).map(({ operationId }) => operationId)
    expect(deprecated).toEqual(['deletePlanet'])
  })
})

describe('nothing else is deprecated', () => {
  it.each(OTHERS.map((route) => ({ name: `${route.method.toUpperCase()} ${route.path}`, route })))(
    '$name',
    async ({ route }) => {
      const request = await makeGoodRequest(client, route, await createAccount(client))
      for (const status of forceableStatuses(route)) {
        expectCurrent(await sendGood(client, request, { Prefer: `code=${status}` }))
      }
      const response = await sendGood(client, request)
      expect(response.status).toBe(request.status)
      expectCurrent(response)
      expectCurrent(await sendGood(client, request, { Authorization: 'Bearer forged' }))
    },
  )

  it.each(['OPTIONS', NO_METHOD, 'HEAD', 'GET'])('%s of a planet', async (method) => {
    expectCurrent(await client.send(own, { method }))
  })

  it('DELETE of a path that names no planet', async () => {
    expectCurrent(await remove('/planets'))
    expectCurrent(await remove('/planets/abc'))
    expectCurrent(await remove('/nowhere'))
  })
})

function expectDeprecated({ status, headers }: Response, expected: number): void {
  expect(status).toBe(expected)
  // A date of structured fields (RFC 9651, section 3.3.7), as RFC 9745, section 2.1 requires.
  expect(headers.get('Deprecation')).toMatch(/^@\d+$/)
  expect(headers.get('Link')).toBe(`<${ORIGIN}/docs>; rel="deprecation"; type="text/html"`)
}

function expectCurrent({ headers }: Response): void {
  expect(headers.get('Deprecation')).toBeNull()
  expect(headers.get('Link') ?? '').not.toContain('deprecation')
}

function remove(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return client.send(path, { method: 'DELETE', headers: { ...authorization(account), ...headers } })
}

async function newPlanet(): Promise<string> {
  return `/planets/${(await createPlanet(client, account, { name: 'Doomed' })).id}`
}
