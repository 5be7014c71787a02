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
import { failingDatabase } from '../../support/failing-database.ts'
import { makeGoodRequest, sendGood } from '../../support/good-requests.ts'
import { readLog } from '../../support/log-lines.ts'
import { makePicture } from '../../support/pictures.ts'
import { askForSocket } from '../../support/sockets.ts'
import { UNIVERSE_ID, UNIVERSE_WORLD } from '../../support/world.ts'

// The line of the log about a request.

const WORLD = UNIVERSE_WORLD ? UNIVERSE_ID : 'common'
const REQUEST_ID = 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6'
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const config = { logsRequests: true }

const log = readLog()
let client: Client
let account: Account
let planetId: number

beforeAll(async () => {
  client = createClient({ config })
  account = await createAccount(client)
  planetId = (await createPlanet(client, account, { name: 'Logged' })).id
})

describe('a request', () => {
  it('has one line, with everything that an operator needs', async () => {
    await client.get('/me', {
      ...authorization(account),
      'X-Request-ID': REQUEST_ID,
      traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01`,
    })
    expect(log.of('request')).toEqual([
      {
        event: 'request',
        requestId: REQUEST_ID,
        traceId: TRACE_ID,
        method: 'GET',
        route: '/me',
        status: 200,
        durationMs: expect.any(Number),
        scheme: 'bearerAuth',
        roundTrips: 1,
        rowsRead: 1,
        rowsWritten: 0,
        databaseMs: expect.any(Number),
        world: WORLD,
      },
    ])
  })

  it('that writes says how many rows it has written', async () => {
    await client.sendJson('POST', '/planets', { name: 'Written' }, account)
    const [line] = log.of('request')
    expect(line).toMatchObject({ method: 'POST', route: '/planets', status: 201, roundTrips: 2 })
    expect(line?.rowsWritten).toBeGreaterThanOrEqual(10)
  })

  it('has the id of its response, and no trace if it belongs to none', async () => {
    const response = await client.get('/planets', { traceparent: 'none' })
    const [line] = log.of('request')
    expect(line?.requestId).toBe(response.headers.get('X-Request-ID'))
    expect(line).not.toHaveProperty('traceId')
  })

  it.each([
    ['GET', '/planets?limit=1', '/planets', 200],
    ['HEAD', '/planets', '/planets', 200],
    ['GET', '/planets/none', '/planets/{planetId}', 404],
    ['GET', '/planets/999999999', '/planets/{planetId}', 404],
    ['GET', '/planets/events/none', 'unknown', 404],
    ['GET', '/nothing/here', 'unknown', 404],
    ['PATCH', '/planets', 'unknown', 405],
    ['OPTIONS', '/planets', '/planets', 204],
    ['POST', '/planets', '/planets', 401],
    ['QUERY', '/planets', '/planets', 400],
    ['POST', '/echo/any/path', '/echo', 200],
    ['POST', '/inboxes/6f1b3f0e-8f5c-4f0e-9d0a-3c1f0b6f2a11/any', '/inboxes/{inboxId}/*', 404],
    ['GET', '/oauth/authorize', '/oauth/authorize', 400],
    ['POST', '/oauth/token', '/oauth/token', 415],
  ])('%s %s names the route %s', async (method, path, route, status) => {
    await client.sendRaw(path, { method })
    expect(log.of('request')).toMatchObject([{ method, route, status, scheme: 'none' }])
  })

  it('with a method that no operation has does not name it', async () => {
    await client.sendRaw('/planets', { method: NO_METHOD })
    expect(log.of('request')).toMatchObject([{ method: 'other', status: 405 }])
  })

  it('names the scheme that was accepted', async () => {
    const { key } = await bodyOf(await client.sendJson('POST', '/me/api-keys', {}, account))
    const basic = `Basic ${btoa(`${account.email}:${account.password}`)}`
    log.clear()
    await client.get('/webhooks', { Authorization: basic })
    await client.get('/webhooks', { 'X-API-Key': key })
    await client.get('/webhooks', { Cookie: `api_key=${key}` })
    await client.get(`/webhooks?api_key=${key}`)
    await client.get('/webhooks', { Authorization: 'Bearer wrong', 'X-API-Key': key })
    expect(log.of('request').map(({ scheme }) => scheme)).toEqual([
      'basicAuth',
      'apiKeyHeader',
      'apiKeyCookie',
      'apiKeyQuery',
      'apiKeyHeader',
    ])
  })

  it('that opens a socket has one, too', async () => {
    const { webSocket } = await askForSocket(client, `planets/${planetId}/events`)
    webSocket?.accept()
    webSocket?.close()
    expect(log.of('request')).toMatchObject([{ method: 'GET', status: 101, world: WORLD }])
    expect(log.of('request')[0]?.route).toMatch(/^\/ws\/v1\/.*\{planetId\}/)
  })

  it('that fails has one beside the error, with the same id', async () => {
    const broken = createClient({ config, database: failingDatabase('boom') })
    await broken.get('/planets', { 'X-Request-ID': REQUEST_ID })
    expect(log.of('request')).toMatchObject([{ route: '/planets', status: 500, requestId: REQUEST_ID, roundTrips: 1 }])
    expect(log.of('request-failed')).toMatchObject([{ requestId: REQUEST_ID }])
  })

  it('has none if the operator does not want it', async () => {
    await createClient({ config: { logsRequests: false } }).get('/planets')
    expect(log.of('request')).toEqual([])
  })
})

describe('secrets', () => {
  /** A text that nothing else contains. */
  const secretOf = (place: string) => `s3cr3t${place}${crypto.randomUUID().replaceAll('-', '')}`

  const PLACES = [
    'path',
    'query',
    'key',
    'bearer',
    'password',
    'email',
    'cookie',
    'agent',
    'referer',
    'id',
    'trace',
    'state',
    'header',
    'bookmark',
    'accept',
    'type',
    'body',
  ]
  const secrets = Object.fromEntries(PLACES.map((place) => [place, secretOf(place)]))

  /** A request with a secret wherever a caller can put one. */
  const headersWithSecrets = (authorizationHeader: string) => ({
    Authorization: authorizationHeader,
    'X-API-Key': `glx_${secrets.key}`,
    Cookie: `api_key=glx_${secrets.cookie}; session=${secrets.cookie}`,
    'User-Agent': `agent ${secrets.agent}`,
    Referer: `https://a.example/?token=${secrets.referer}`,
    'X-Request-ID': `${secrets.id}`,
    traceparent: `00-${secrets.trace}`,
    tracestate: `vendor=${secrets.state}`,
    'X-Anything': `${secrets.header}`,
    'X-D1-Bookmark': `${secrets.bookmark}`,
    Accept: `application/${secrets.accept}, */*`,
  })

  const AUTHORIZATIONS = [`Bearer ${secrets.bearer}`, `Basic ${btoa(`${secrets.email}@a.example:${secrets.password}`)}`]

  const SEARCH = `?api_key=glx_${secrets.query}&code=${secrets.query}&limit=${secrets.query}`

  const BODIES: readonly (readonly [type: string, body: string])[] = [
    [
      'application/json',
      JSON.stringify({ email: `${secrets.body}@a.example`, password: secrets.body, name: secrets.body }),
    ],
    ['application/json', `{"${secrets.body}`],
    [
      'application/x-www-form-urlencoded',
      `grant_type=refresh_token&refresh_token=${secrets.body}&password=${secrets.body}`,
    ],
    [`text/${secrets.type}`, `${secrets.body}`],
  ]

  function expectNoSecret(): void {
    const text = log.text()
    const encoded = AUTHORIZATIONS.map((value) => value.split(' ')[1] ?? '')
    for (const secret of [...Object.values(secrets), ...encoded]) expect(text).not.toContain(secret)
  }

  it.each(['working', 'failing'])('are in no line, wherever a caller puts them (%s database)', async (state) => {
    const database = state === 'failing' && { database: failingDatabase('D1_ERROR: boom') }
    const caller = createClient({
      config: { ...config, signupsPerHour: 100_000, passwordAttempts: 100_000 },
      ...database,
    })
    let count = 0
    for (const { method, path } of ROUTES) {
      const filled = path.replaceAll(/\{\w+\}/g, secrets.path ?? '')
      for (const [index, value] of AUTHORIZATIONS.entries()) {
        const [type, body] = BODIES[(count + index) % BODIES.length] ?? ['', '']
        const hasBody = method !== 'get'
        await caller.sendRaw(filled + SEARCH, {
          method: method.toUpperCase(),
          headers: { ...headersWithSecrets(value), ...(hasBody && { 'Content-Type': type }) },
          ...(hasBody && { body }),
        })
        count++
      }
    }
    await caller.sendRaw(`/unknown/${secrets.path}${SEARCH}`, {
      headers: headersWithSecrets(`Bearer ${secrets.bearer}`),
    })
    expect(log.of('request')).toHaveLength(count + 1)
    expectNoSecret()
  })

  it('of requests that succeed are in no line either', async () => {
    const { key } = await bodyOf(await client.sendJson('POST', '/me/api-keys', {}, account))
    const tried = ROUTES.filter(
      ({ security, operationId }) => security.length > 0 && !/^(?:delete|set)/.test(operationId),
    )
    for (const route of tried) {
      const response = await sendGood(client, await makeGoodRequest(client, route, account))
      await response.body?.cancel()
    }
    await client.get(`/me?api_key=${key}`)
    await client.upload(`/planets/${planetId}/image`, makePicture(), account)
    await client.sendJson('POST', '/auth/token', { email: account.email, password: account.password })
    await client.get('/me', { Authorization: `Basic ${btoa(`${account.email}:${account.password}`)}` })
    expect(log.of('request').length).toBeGreaterThan(tried.length)
    const text = log.text()
    for (const secret of [key, account.token, account.email, account.password]) expect(text).not.toContain(secret)
  })
})
