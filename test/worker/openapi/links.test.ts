import { beforeAll, describe, expect, it } from 'vitest'
import { describeIn32, describeWorld } from '../../../documents/documents.ts'
import { operationsIn } from '../../../documents/openapi/path-item.ts'
import type { Document } from '../../../documents/openapi/types.ts'
import { API_VERSIONS } from '../../../src/http/api-versions.ts'
import type { Route } from '../../../src/http/pipeline/route.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  ROUTES,
} from '../../support/app.ts'
import { makeGoodRequest, sendGood } from '../../support/good-requests.ts'
import { type DocumentedLink, type Exchange, linksIn, requestOf } from '../../support/links.ts'
import { UNIVERSE_WORLD } from '../../support/world.ts'

const KIND = UNIVERSE_WORLD ? 'universe' : 'common'
const DOCUMENTS = [
  { path: '/openapi.json', document: describeWorld(KIND, '2.0.0') },
  { path: '/openapi-3.2.json', document: describeIn32(KIND, 'json') },
].map(({ path, document }) => ({
  path,
  links: linksIn(document),
  operations: Object.values(document.paths).flatMap((item) =>
    operationsIn(item).map(([, { operationId }]) => operationId),
  ),
}))

/** The links of the public document (OpenAPI 3.2): operation, status, name. */
const PUBLIC = [
  ['getAllData', '200', 'GetFirstPlanet'],
  ['getAllData', '200', 'FirstPage'],
  ['createPlanet', '201', 'GetPlanet'],
  ['createPlanet', '201', 'UpdatePlanet'],
  ['getPlanet', '200', 'DeletePlanet'],
  ['updatePlanet', '200', 'GetPlanet'],
  ['copyPlanet', '201', 'GetPlanet'],
] as const

/** Responses with a Location from which no link leads there, and why. */
const WITHOUT_LINK: Readonly<Record<string, string>> = {
  createUniverse: 'the universe is at another base URL, where the document of this world does not describe it',
  pingWebhook: 'the response has no content from which a link could take the id',
}

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient({ config: { signupsPerHour: 1000, passwordAttempts: 1000 } })
  account = await createAccount(client)
  // So that a page has a first planet, whether it is filtered as in the example of a query or not.
  await createPlanet(client, account, { name: 'Kepler', type: 'terrestrial', habitabilityIndex: 1 })
})

it.each(PUBLIC)(
  '%s, %s: has the link %s of the public document in each document that has the operation',
  (id, status, name) => {
    for (const { path, links, operations } of DOCUMENTS) {
      const found = links.some((link) => link.operationId === id && link.status === status && link.name === name)
      expect([path, found]).toEqual([path, operations.includes(id)])
    }
    expect(DOCUMENTS.at(-1)?.operations).toContain(id)
  },
)

const located = ROUTES.flatMap((route) =>
  Object.entries(route.responses)
    .filter(([status, { headers }]) => ['201', '202'].includes(status) && headers?.includes('Location'))
    .map(([status]) => ({ route, operationId: route.operationId, status })),
)

it('every 201 and 202 with a Location has a link to what is there, unless it cannot', () => {
  expect(located.length).toBeGreaterThan(5)
  const leadsThere = (links: readonly DocumentedLink[], operationId: string, status: string) =>
    links.some((link) => link.operationId === operationId && link.status === status && link.target.method === 'get')
  for (const { path, links, operations } of DOCUMENTS) {
    for (const { operationId, status } of located.filter((one) => operations.includes(one.operationId))) {
      const hasLink = leadsThere(links, operationId, status)
      expect([path, operationId, hasLink]).toEqual([path, operationId, !(operationId in WITHOUT_LINK)])
    }
  }
})

it('a patch of a planet leads to the planet, as its replacement does', () => {
  for (const { links } of DOCUMENTS) {
    const targets = (id: string) => links.filter(({ operationId }) => operationId === id).map(({ link }) => link)
    expect(targets('patchPlanet')).toHaveLength(1)
    expect(targets('patchPlanet')).toEqual(targets('updatePlanet'))
  }
})

it('the document of version 1.0.0 has no links', () => {
  expect(API_VERSIONS.map((version) => linksIn(describeWorld(KIND, version)).length > 0)).toEqual(
    API_VERSIONS.map((version) => version === '2.0.0'),
  )
})

describe.each(DOCUMENTS)('a client that knows only $path', ({ path, links }) => {
  let document: Document

  beforeAll(async () => {
    document = await bodyOf(await client.get(path))
  })

  it('finds the links that the service declares', () => {
    expect(linksIn(document).map(nameOf)).toEqual(links.map(nameOf))
  })

  it.each(links.map((link) => ({ name: nameOf(link) })))(
    'follows $name to the documented success',
    async ({ name }) => {
      const link = linksIn(document).find((one) => nameOf(one) === name)
      if (!link) throw new Error(`the served document has no link ${name}`)
      const made = await makeExchange(link)
      const next = requestOf(document, link, made)
      const response = await client.send(next.path, {
        method: next.method,
        body: next.body === undefined ? null : JSON.stringify(next.body),
        headers: {
          ...(next.needsCredentials && made.credentials),
          ...(next.body !== undefined && { 'Content-Type': 'application/json' }),
        },
      })
      expect([next.path, response.status]).toEqual([next.path, next.status])
      // The Location of a QUERY is the same list by GET, and nothing that was created.
      const location = link.status === '200' ? null : made.response.headers.get('Location')
      if (location !== null && next.method === 'GET') expect(location).toMatch(new RegExp(`${next.path}$`))
      await response.body?.cancel()
    },
  )

  it('leaves out a parameter whose expression has no value, and keeps one that has', async () => {
    const link = linksIn(document).find(({ name }) => name === 'FirstPage')
    if (!link) throw new Error('no link FirstPage')
    const pathAfter = async (query: string) =>
      requestOf(document, link, await exchange(`/planets${query}`, await client.get(`/planets${query}`))).path
    expect(await pathAfter('')).toBe('/planets?offset=0')
    expect(await pathAfter('?limit=3&offset=2')).toBe('/planets?limit=3&offset=0')
  })
})

/** A real response that has the link, and the credentials of its requests. */
async function makeExchange({ operationId, status }: DocumentedLink): Promise<Exchange & { credentials: object }> {
  const route = ROUTES.find((one): one is Route => one.operationId === operationId)
  if (!route) throw new Error(`no route ${operationId}`)
  const request = await makeGoodRequest(client, route, account)
  const response = await sendGood(client, request)
  expect(response.status).toBe(Number(status))
  const { email, password } = operationId === 'createUser' ? JSON.parse(String(request.body)) : {}
  const credentials =
    email === undefined ? authorization(account) : { Authorization: `Basic ${btoa(`${email}:${password}`)}` }
  return { ...(await exchange(request.path, response)), credentials }
}

async function exchange(path: string, response: Response): Promise<Exchange> {
  return { path, method: 'GET', response, body: await bodyOf(response) }
}

function nameOf({ operationId, status, name }: DocumentedLink): string {
  return `${operationId} ${status} ${name}`
}
