import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { describeIn32, describeWorld } from '../../../documents/documents.ts'
import { operationsIn } from '../../../documents/openapi/path-item.ts'
import type { Document } from '../../../documents/openapi/types.ts'
import { COMMON_ROUTES, DOCUMENTED_ROUTES } from '../../../src/app.ts'
import { atOrigin } from '../../../src/domain/example-origin.ts'
import { atTime, EXAMPLE_AHEAD } from '../../../src/domain/example-times.ts'
import { API_VERSIONS } from '../../../src/http/api-versions.ts'
import { isForPeople, isIn31 } from '../../../src/http/pipeline/route-facts.ts'
import { Index } from '../../../src/schemas/service-index.ts'
import { decodeXml } from '../../../src/xml/decode.ts'
import { bodyOf, type Client, createAccount, createClient, createPlanet, ORIGIN } from '../../support/app.ts'
import { eachRow } from '../../support/each-row.ts'
import { codesOf, contentOf, linksOf, policyOf, requestOf } from '../../support/pages.ts'
import {
  ADDRESSES,
  OTHER_URL,
  pathWithin,
  publishedAt,
  SHARED,
  UNIVERSE_WORLD,
  wellKnownUrl,
} from '../../support/world.ts'

const CHROME =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7'
const FIREFOX = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const OPENAPI_32 = ['/openapi-3.2.json', '/openapi-3.2.yaml']
const OPENAPI = ['/openapi.json', '/openapi.yaml', '/openapi/1.0.0.json', ...OPENAPI_32]
const ASYNCAPI = ['/asyncapi.json', '/asyncapi.yaml']
const ARAZZO = ['/arazzo.json', '/arazzo.yaml', '/arazzo-1.1.json', '/arazzo-1.1.yaml']
/** The documents that a caller gets in the version of `API-Version`. */
const VERSIONED = ['/openapi.json', '/openapi.yaml']

/** What the interface of API version 1.0.0 contains. */
const FIRST_EDITION = [
  'DELETE /planets/{planetId}',
  'GET /me',
  'GET /planets',
  'GET /planets/{planetId}',
  'POST /auth/token',
  'POST /celestial-bodies',
  'POST /planets',
  'POST /planets/{planetId}/image',
  'POST /user/signup',
  'PUT /planets/{planetId}',
]

/** The kind of world that the tests run in. */
const KIND = UNIVERSE_WORLD ? 'universe' : 'common'

/** One time for all requests, because documents contain the day. */
const NOW = new Date()

let client: Client

beforeAll(async () => {
  client = createClient({ now: () => NOW })
  const account = await createAccount(client)
  // The index page shows how to read the fourth.
  for (const name of ['Mercury', 'Venus', 'Earth', 'Mars']) await createPlanet(client, account, { name })
})

describe('the index', () => {
  it('is a page for a client that prefers one', () =>
    eachRow(
      [
        'text/html',
        'text/*',
        'text/*, application/*;q=0.1',
        'TEXT/HTML',
        CHROME,
        FIREFOX,
        'text/html, */*;q=0.1',
        'text/html, application/json',
        'application/json, text/html',
        'text/html, application/json;q=0.9',
        'text/html, application/xml',
        'text/html;q=0.5, application/json;q=0.4',
        'application/json;q=0, text/html',
        'text/html, image/png;q=0.9',
      ],
      async (accept) => {
        const response = await client.get('/', { Accept: accept })
        expect(response.status).toBe(200)
        expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
        expect(response.headers.get('Vary')).toMatch(/\bAccept\b/)
        expect(await response.text()).toMatch(/^<!doctype html>/)
      },
    ))

  it('is JSON for every other client that accepts it', () =>
    eachRow(
      [
        undefined,
        '',
        '*/*',
        'application/*',
        'application/json',
        'application/json, */*;q=0.5',
        'application/json, text/html;q=0.9',
        'text/html;q=0.5, application/json',
        'text/html;q=0, */*',
        'text/html;q=0.1, */*',
        'application/json, application/xml',
        'application/xml;q=0.5, application/json;q=0.5',
      ],
      async (accept) => {
        const response = await client.get('/', accept === undefined ? {} : { Accept: accept })
        expect(response.status).toBe(200)
        expect(response.headers.get('Content-Type')).toBe('application/json')
        expect(response.headers.get('Vary')).toMatch(/\bAccept\b/)
        expect(response.headers.get('Content-Security-Policy')).toBeNull()
        expect(await bodyOf(response)).toEqual(indexAt(ORIGIN))
      },
    ))

  it('is XML for a client that prefers it', () =>
    eachRow(
      [
        'application/xml',
        'application/xml, application/json;q=0.9',
        'application/xml, */*;q=0.9',
        'application/xml, text/html;q=0.5',
        'application/json;q=0, application/*',
      ],
      async (accept) => {
        const response = await client.get('/', { Accept: accept })
        expect(response.headers.get('Content-Type')).toBe('application/xml')
        expect(decodeXml(await response.text(), Index)).toEqual({ value: indexAt(ORIGIN), faults: [] })
      },
    ))

  it('is 406 for a client that accepts none of them', () =>
    eachRow(['image/png', 'text/plain', 'application/pdf', 'text/html;q=0'], async (accept) => {
      expect((await client.get('/', { Accept: accept })).status).toBe(406)
    }))

  it('has the same headers for HEAD as for GET', async () => {
    for (const [accept, type] of [
      [CHROME, 'text/html; charset=utf-8'],
      ['*/*', 'application/json'],
    ] as const) {
      const response = await client.send('/', { method: 'HEAD', headers: { Accept: accept } })
      expect(response.headers.get('Content-Type')).toBe(type)
      expect(await response.text()).toBe('')
    }
  })

  it('has no dead links', () =>
    eachRow(Object.entries(indexAt(ORIGIN).links), async ([, url]) => {
      const methods = COMMON_ROUTES.filter(({ path }) => path === pathWithin(url)).map(({ method }) => method)
      expect(methods).not.toEqual([])
      for (const method of methods) expect([404, 405]).not.toContain((await client.send(url, { method })).status)
    }))

  it('has no dead links on its page', async () => {
    const page = await (await client.get('/', { Accept: CHROME })).text()
    const links = linksOf(contentOf(page))
    expect(links.length).toBeGreaterThan(3)
    for (const link of links) expect([link, (await client.get(link, { Accept: CHROME })).status]).toEqual([link, 200])
  })

  it('is a page for every query that its script writes or a person tries', () =>
    eachRow(['', '?offset=0', '?offset=9007199254740991', '?x=nothing&view=1,2&type=none&planet=-1'], async (query) => {
      expect((await client.get(`/${query}`, { Accept: CHROME })).status).toBe(200)
    }))

  it('shows commands on its page that work', async () => {
    const page = await (await client.get('/', { Accept: CHROME })).text()
    const commands = codesOf(page).filter((code) => code.startsWith('curl '))
    const answers = await Promise.all(
      commands.map(async (command) => {
        const { url, init } = requestOf(command)
        const { status, headers } = await client.send(url, init)
        return [status, headers.get('Content-Type'), headers.get('Preference-Applied')]
      }),
    )
    expect(answers).toEqual([
      [200, 'application/json', null],
      [200, 'application/xml', null],
      [503, 'application/problem+json', 'code=503'],
    ])
  })
})

describe('the OpenAPI document', () => {
  it.each([
    ['/openapi.json', 'application/json'],
    ['/openapi.yaml', 'application/yaml'],
    ['/openapi/1.0.0.json', 'application/json'],
    ['/openapi-3.2.json', 'application/json'],
    ['/openapi-3.2.yaml', 'application/yaml'],
  ])('%s is served as %s, whatever the client accepts', async (path, type) => {
    for (const accept of ['*/*', CHROME, 'application/xml', 'image/png']) {
      const response = await client.get(path, { Accept: accept })
      expect(response.status).toBe(200)
      expect(response.headers.get('Content-Type')).toBe(type)
    }
  })

  it.each(API_VERSIONS)('matches the code, API version %s', async (apiVersion) => {
    const sent = await textOf('/openapi.json', { 'API-Version': apiVersion })
    const described = atTime(atOrigin(JSON.stringify(describeWorld(KIND, apiVersion)), ORIGIN), NOW)
    expect(JSON.parse(sent)).toEqual(JSON.parse(described))
  })

  it('in OpenAPI 3.2 matches the code, whatever API version the client asks for', async () => {
    for (const apiVersion of API_VERSIONS) {
      const sent = await textOf('/openapi-3.2.json', { 'API-Version': apiVersion })
      const described = atTime(atOrigin(JSON.stringify(describeIn32(KIND, 'json')), ORIGIN), NOW)
      expect(JSON.parse(sent)).toEqual(JSON.parse(described))
    }
  })

  it.each(OPENAPI_32)('%s names its own address', async (path) => {
    // The addresses differ in their origins alone, so two of them suffice.
    for (const origin of ADDRESSES.slice(0, 2)) {
      const document = await documentAt(origin + path)
      expect(Object.keys(document).slice(0, 2)).toEqual(['openapi', '$self'])
      expect(document.$self).toBe(origin + path)
    }
  })

  it('in OpenAPI 3.2 is the same in YAML, except for its own address', async () => {
    const { $self: _json, ...json } = await documentAt('/openapi-3.2.json')
    const { $self: _yaml, ...yaml } = await documentAt('/openapi-3.2.yaml')
    expect(yaml).toEqual(json)
  })

  it('in OpenAPI 3.2 says where the metadata of OAuth is, at the place of RFC 8414', async () => {
    for (const origin of ADDRESSES) {
      const { components } = await documentAt(`${origin}/openapi-3.2.json`)
      const { oauth2MetadataUrl } = Object(components.securitySchemes.oAuth2)
      expect(oauth2MetadataUrl).toBe(wellKnownUrl('oauth-authorization-server', origin))
    }
  })

  it('has examples of times that lie ahead, at least half a day and less than two days', async () => {
    for (const time of ['2026-03-01T00:00:00.000Z', '2026-12-31T23:59:59.999Z']) {
      const document = await bodyOf(await createClient({ now: () => new Date(time) }).get('/openapi.json'))
      const { expiresAt } = document.components.examples.UniverseChange_example1.value
      const hours = (Date.parse(expiresAt) - Date.parse(time)) / 3_600_000
      expect(hours).toBeGreaterThanOrEqual(12)
      expect(hours).toBeLessThan(48)
      expect(JSON.stringify(document)).not.toContain(EXAMPLE_AHEAD)
    }
  })

  it.each(API_VERSIONS)('is the same in YAML, API version %s', async (apiVersion) => {
    // The addresses differ in their origins alone, so two of them suffice.
    for (const origin of ADDRESSES.slice(0, 2)) {
      const headers = { 'API-Version': apiVersion }
      const json = await textOf(`${origin}/openapi.json`, headers)
      expect(parse(await textOf(`${origin}/openapi.yaml`, headers))).toEqual(JSON.parse(json))
    }
  })

  it('has no anchors in YAML, because few tools support them', async () => {
    for (const path of ['/openapi.yaml', '/openapi-3.2.yaml']) {
      expect(await textOf(path)).not.toMatch(/: [&*][a-z]\w*$/m)
    }
  })

  it('describes every route but pages, those that only universes have, and nothing else', async () => {
    const forPrograms = DOCUMENTED_ROUTES[KIND].filter((route) => !isForPeople(route) && isIn31(route))
    const routes = forPrograms.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    expect(operationsOf(await documentAt('/openapi.json'))).toEqual(routes.sort())
  })

  it('of API version 1.0.0 has the endpoints that exist in the interface, and the same webhook', async () => {
    const [second, first] = [await documentAt('/openapi.json'), await documentAt('/openapi/1.0.0.json')]
    const existing = operationsOf(second).filter((name) => FIRST_EDITION.includes(name))
    expect(existing.length).toBeGreaterThanOrEqual(9)
    expect(operationsOf(first)).toEqual(existing)
    expect(first.info.version).toBe('1.0.0')
    expect(Object.keys(first.webhooks)).toEqual(['newPlanet'])
    expect(first.webhooks.newPlanet).toEqual(second.webhooks.newPlanet)
  })

  it('of API version 1.0.0 describes each of its endpoints as 2.0.0 does', async () => {
    const [second, first] = [await documentAt('/openapi.json'), await documentAt('/openapi/1.0.0.json')]
    // The list of planets has got filters and cursors since.
    const { '/planets': list, ...others } = first.paths
    const filters = second.paths['/planets']?.get?.parameters ?? []
    expect(filters).toEqual(expect.arrayContaining(list?.get?.parameters ?? []))
    expect(filters.length).toBeGreaterThan(list?.get?.parameters?.length ?? 0)
    for (const [path, item] of Object.entries(others)) expect(second.paths[path]).toMatchObject(item)
    const { PlanetPage: _page, PageMeta: _meta, ...schemas } = first.components.schemas
    // What several problems share is described by their titles, and newer ones are among them.
    const responses = Object.entries(first.components.responses).map(([name, response]) => [
      name,
      { ...Object(response), description: expect.any(String) },
    ])
    const { examples: _examples, ...components } = first.components
    expect(second.components).toMatchObject({ ...components, responses: Object.fromEntries(responses), schemas })
  })

  it.each(OPENAPI)('%s has no dead reference and no unused component', async (path) => {
    const document: Document = await documentAt(path)
    const text = JSON.stringify(document)
    const references = new Set([...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, name]) => name))
    const { securitySchemes: _, ...components } = document.components
    const names = Object.entries(components).flatMap(([kind, members]) =>
      Object.keys(members).map((name) => `${kind}/${name}`),
    )
    expect([...references].sort()).toEqual(names.sort())
  })

  it.each(OPENAPI)('%s has tags for its operations only, each with a description', async (path) => {
    const { tags, paths, webhooks } = await documentAt(path)
    const used = [...Object.values(paths), ...Object.values(webhooks)].flatMap((item) =>
      operationsIn(item).flatMap(([, operation]) => operation.tags),
    )
    expect(tags.map(({ name }) => name).sort()).toEqual([...new Set(used)].sort())
    // A sentence, and not a repetition of the name.
    for (const { description } of tags) expect(description).toMatch(/^[A-Z]\S*( \S+){2,}$/)
  })
})

describe.each([...OPENAPI, ...ASYNCAPI, ...ARAZZO])('%s for a client that has it already', (path) => {
  it('has a strong tag that does not change', async () => {
    const [first, second] = [await client.get(path), await client.get(path)]
    expect(first.headers.get('ETag')).toMatch(/^"[^"]+"$/)
    expect(second.headers.get('ETag')).toBe(first.headers.get('ETag'))
    expect((await client.send(path, { method: 'HEAD' })).headers.get('ETag')).toBe(first.headers.get('ETag'))
    expect(first.headers.get('Cache-Control')).toBe(`${SHARED}, max-age=0, must-revalidate`)
  })

  it('has another tag at another origin', async () => {
    const here = await client.get(path)
    const there = await client.get(OTHER_URL + path)
    expect(there.headers.get('ETag')).not.toBe(here.headers.get('ETag'))
  })

  it('is not sent again: 304', async () => {
    const etag = (await client.get(path)).headers.get('ETag') ?? ''
    for (const tags of [etag, `W/${etag}`, `"a", ${etag}`, '*']) {
      const response = await client.get(path, { 'If-None-Match': tags })
      expect(response.status).toBe(304)
      expect(response.headers.get('ETag')).toBe(etag)
      const names = response.headers.get('Vary')?.split(', ') ?? []
      // The platform compresses JSON, but not YAML.
      const compressed = path.endsWith('.json') ? ['Accept-Encoding'] : []
      expect(names).toEqual([...(VERSIONED.includes(path) ? ['API-Version'] : []), ...compressed])
      expect(await response.text()).toBe('')
    }
  })

  it('is sent if it has changed', async () => {
    expect((await client.get(path, { 'If-None-Match': '"other"' })).status).toBe(200)
    expect((await client.get(path, { 'If-Modified-Since': new Date().toUTCString() })).status).toBe(200)
  })

  it('is 412 if it is not the version that the caller requires', async () => {
    const etag = (await client.get(path)).headers.get('ETag') ?? ''
    expect((await client.get(path, { 'If-Match': etag })).status).toBe(200)
    expect((await client.get(path, { 'If-Match': '"other"' })).status).toBe(412)
  })
})

it('a file that only the Worker reads is no path of the service', () =>
  eachRow(
    ['/documents/openapi-common-2.0.0.json', '/documents/asyncapi.yaml', '/suffixes/public-suffixes.txt'],
    async (path) => {
      expect((await env.ASSETS.fetch(new URL(path, ORIGIN))).status).toBe(200)
      expect((await client.get(path)).status).toBe(404)
    },
  ))

describe('every URL begins with the origin that the caller sees', () => {
  const origins = ADDRESSES
  const metadata = [
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource',
  ]
  const paths = [...OPENAPI, ...ASYNCAPI, ...ARAZZO, ...metadata, '/', '/docs', '/problems/not-found', '/nowhere']

  it.each(origins)('at %s', async (origin) => {
    for (const path of paths) await expectOnly(origin, await client.get(origin + path))
    await expectOnly(origin, await client.get(`${origin}/`, { Accept: CHROME }))
    const forced = ['/planets/4', '/planets', '/me', '/nowhere'].map((path) =>
      client.get(origin + path, { Prefer: 'code=200' }),
    )
    for (const response of await Promise.all(forced)) await expectOnly(origin, response)
  })

  it.each(['https://api.example.org', 'https://galaxy.test', 'https://galaxy.test.example.org'])(
    'and with its public address, if it has one: %s',
    async (publicUrl) => {
      const published = createClient({ config: { publicUrl } })
      const told = publishedAt(publicUrl, OTHER_URL)
      for (const path of paths) await expectOnly(told, await published.get(OTHER_URL + path))
      await expectOnly(told, await published.get(`${OTHER_URL}/planets`, { Prefer: 'code=200' }))
      expect(await bodyOf(await published.get('/'))).toEqual(indexAt(publishedAt(publicUrl)))
    },
  )

  it('a missing credential gets a 401 that says where to get one at this origin', async () => {
    for (const origin of origins) {
      const challenge = (await client.get(`${origin}/me`)).headers.get('WWW-Authenticate')
      expect(challenge).toContain(`resource_metadata="${wellKnownUrl('oauth-protected-resource', origin)}"`)
      expect(await bodyOf(await client.get(`${origin}${metadata[2]}`))).toMatchObject({ resource: origin })
    }
  })

  it('the document names its origin as the first server', async () => {
    for (const origin of origins) {
      const { servers, components } = await documentAt(`${origin}/openapi.json`)
      expect(servers.map(({ url }) => url)).toEqual([origin, `{protocol}${origin.replace(/^https?/, '')}/echo/{path}`])
      const { flows, openIdConnectUrl } = Object.assign({}, ...Object.values(components.securitySchemes))
      expect(openIdConnectUrl).toBe(`${origin}/.well-known/openid-configuration`)
      expect(flows.authorizationCode.tokenUrl).toBe(`${origin}/oauth/token`)
    }
  })
})

it('no page contains a script of its own, and none is allowed to run one', async () => {
  const response = await client.get('/', { Accept: CHROME })
  expect(policyOf(response)).toMatchObject({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'frame-ancestors': "'none'",
  })
  const scripts = [...(await response.text()).matchAll(/<script([^>]*)>([^<]*)<\/script>/g)]
  for (const [, attributes, code] of scripts)
    expect([attributes, code]).toEqual([expect.stringMatching(/ src="\//), ''])
})

function indexAt(origin: string): Index {
  return {
    name: 'Galaxy',
    version: '2.0.0',
    links: {
      planets: `${origin}/planets`,
      catalogue: `${origin}/catalogue`,
      signUp: `${origin}/user/signup`,
      token: `${origin}/auth/token`,
      me: `${origin}/me`,
      reference: `${origin}/docs`,
      openapi: `${origin}/openapi.json`,
      openapiYaml: `${origin}/openapi.yaml`,
      asyncapi: `${origin}/asyncapi.json`,
      keys: `${origin}/.well-known/jwks.json`,
    },
  }
}

async function textOf(path: string, headers: Record<string, string> = {}): Promise<string> {
  return new TextDecoder().decode(await (await client.get(path, headers)).bytes())
}

/** The documents that were read, by path. They do not change, because the clock of the client stands still. */
const documents = new Map<string, Document>()

async function documentAt(path: string): Promise<Document> {
  const known = documents.get(path)
  if (known) return known
  const text = await textOf(path)
  const document: Document = path.endsWith('.yaml') ? parse(text) : JSON.parse(text)
  documents.set(path, document)
  return document
}

function operationsOf({ paths }: Document): string[] {
  return Object.entries(paths)
    .flatMap(([path, item]) => operationsIn(item).map(([method]) => `${method.toUpperCase()} ${path}`))
    .sort()
}

/** Asserts that every URL of the service in a response begins with a given base URL. */
async function expectOnly(baseUrl: string, response: Response): Promise<void> {
  const text = new TextDecoder().decode(await response.bytes())
  const { host } = new URL(baseUrl)
  const known = [
    baseUrl,
    `{protocol}${baseUrl.replace(/^https?/, '')}`,
    ...['oauth-authorization-server', 'oauth-protected-resource'].map((name) => wellKnownUrl(name, baseUrl)),
  ]
  const urls = [...text.matchAll(/([a-z]+|\{protocol\}):\/\/([^\s/"'`<>)?;]+)/g)]
  const ours = urls.filter(([, , found = '']) => found.includes('galaxy.test') || found.includes(host))
  for (const { index } of ours)
    expect(
      known.some((start) => text.startsWith(start, index)),
      text.slice(index, index + 80),
    ).toBe(true)
}
