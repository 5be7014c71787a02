import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { issueUserToken } from '../../../../src/auth/bearer.ts'
import { type Account, authorization, bodyOf, type Client, createPlanet, ORIGIN } from '../../../support/app.ts'
import { storeKey } from '../../../support/credentials.ts'
import { makePicture } from '../../../support/pictures.ts'
import {
  BASE_PATH,
  BASE_URL,
  createInhabitant,
  createWorld,
  follow,
  readAt,
  textOf,
} from '../../../support/world-below-path.ts'

// What a world below a path says of itself, and how it compares addresses.

let world: Client
let account: Account

beforeAll(async () => {
  world = createWorld()
  account = await createInhabitant(world)
})

describe('a list', () => {
  it.each(['application/json', 'application/xml'])('leads to its other pages in %s', async (Accept) => {
    for (const name of ['One', 'Two', 'Three']) await createPlanet(world, account, { name })
    const first = await world.get('/planets?limit=1', { Accept })
    const text = await first.text()
    const next = /(?:"next":"|<next>)([^"<]*)/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(next).toBe(`${BASE_PATH}/planets?limit=1&offset=1`)
    expect((await follow(world)(next)).status).toBe(200)
    expect(first.headers.get('Link')).toContain(`<${next}>; rel="next"`)
    expect(first.headers.get('Link')).toContain(`<${BASE_PATH}/planets?limit=1&offset=0>; rel="first"`)
  })

  it('of filtered deliveries keeps its filter', async () => {
    const { headers } = await world.get('/deliveries?status=failed&limit=3', authorization(account))
    expect(headers.get('Link')).toContain(`<${BASE_PATH}/deliveries?limit=3&offset=0&status=failed>; rel="first"`)
  })
})

describe('what was created', () => {
  it.each([
    ['/planets', { name: 'New' }],
    ['/me/api-keys', {}],
    ['/inboxes', {}],
  ])('at %s is at its Location', async (path, body) => {
    const response = await world.sendJson('POST', path, body, account)
    expect(response.status).toBe(201)
    const location = response.headers.get('Location') ?? ''
    expect(location).toMatch(new RegExp(`^${BASE_URL}${path}/`))
    await readAt(world, location, account)
  })
})

it('an uploaded image is below the base URL, and is kept by a PUT of the planet as it was read', async () => {
  const { id } = await createPlanet(world, account, { name: 'Shown' })
  const { imageUrl } = await bodyOf(await world.upload(`/planets/${id}/image`, makePicture(), account))
  expect(imageUrl).toMatch(new RegExp(`^${BASE_URL}/images/`))
  const image = await follow(world)(imageUrl.slice(ORIGIN.length))
  expect([image.status, image.headers.get('Content-Type')]).toEqual([200, 'image/png'])
  const { id: _, creator, ...planet } = await bodyOf(await world.get(`/planets/${id}`))
  const replaced = await bodyOf(await world.sendJson('PUT', `/planets/${id}`, planet, account))
  expect(replaced.image).toBe(imageUrl)
  expect((await follow(world)(imageUrl.slice(ORIGIN.length))).status).toBe(200)
})

describe('the challenge of a 401', () => {
  it('names the metadata where RFC 9728 puts it', async () => {
    const { headers } = await world.get('/me')
    const url = `${ORIGIN}/.well-known/oauth-protected-resource${BASE_PATH}`
    expect(headers.get('WWW-Authenticate')).toContain(`Bearer realm="Galaxy", resource_metadata="${url}"`)
  })

  it('names it in an example too', async () => {
    const { headers } = await world.get('/me', { ...authorization(account), Prefer: 'code=401' })
    const url = `${ORIGIN}/.well-known/oauth-protected-resource${BASE_PATH}`
    expect(headers.get('WWW-Authenticate')).toContain(`resource_metadata="${url}"`)
  })
})

describe('the OpenAPI document', () => {
  it.each([
    ['/openapi.json', (text: string) => JSON.parse(text)],
    ['/openapi.yaml', (text: string) => parse(text)],
  ])('at %s has the servers and the examples of its world', async (path, read) => {
    const { servers, components } = read(await textOf(await world.get(path)))
    expect(servers[0].url).toBe(BASE_URL)
    expect(servers[1].url).toBe(`{protocol}://galaxy.test${BASE_PATH}/echo/{path}`)
    expect(components.examples.PlanetPage_example1.value.meta.next).toBe(`${BASE_PATH}/planets?limit=1&offset=1`)
    expect(components.headers.Link.schema.examples[0]).toContain(`<${BASE_PATH}/planets?limit=10&offset=0>`)
    expect(components.headers.Location.schema.examples[0]).toBe(`${BASE_URL}/planets/1`)
    expect(components.examples.InboxPage_example1.value.data[0].path).toBe('/callbacks')
    expect(components.securitySchemes.openIdConnect.openIdConnectUrl).toBe(
      `${BASE_URL}/.well-known/openid-configuration`,
    )
  })
})

it('an example of a list leads to pages of its world', async () => {
  const response = await world.get('/planets', { Prefer: 'code=200' })
  const { meta } = await bodyOf(response)
  expect(meta.next).toBe(`${BASE_PATH}/planets?limit=1&offset=1`)
  expect(response.headers.get('Link')).toContain(`<${BASE_PATH}/planets?`)
})

it('a redirect of the echo leads to its own world', async () => {
  expect((await world.get('/echo/302')).headers.get('Location')).toBe(`${BASE_URL}/echo`)
})

describe('an API key in a cookie', () => {
  const create = (headers: Record<string, string>) =>
    world.send('/planets', {
      method: 'POST',
      body: '{"name":"By cookie"}',
      headers: { 'Content-Type': 'application/json', ...headers },
    })

  it('works from a page of the same origin, because an origin has no path', async () => {
    const Cookie = `api_key=${(await storeKey(world, account.id)).key}`
    expect((await create({ Cookie, Origin: ORIGIN })).status).toBe(201)
    expect((await create({ Cookie, Origin: BASE_URL })).status).toBe(403)
    expect((await create({ Cookie, Origin: 'http://evil.test' })).status).toBe(403)
  })

  it('is the first one, because browsers send that of the longest path first', async () => {
    const { key } = await storeKey(world, account.id)
    const foreign = `${key.slice(0, 10)}x`
    expect((await create({ Cookie: `api_key=${key}; api_key=${foreign}` })).status).toBe(201)
    expect((await create({ Cookie: `api_key=${foreign}; api_key=${key}` })).status).toBe(401)
  })
})

it('a token of the origin is not valid in a world below it', async () => {
  const claims = { userId: account.id, passwordGeneration: 0 }
  const token = await issueUserToken(world.services.tokens, claims, ORIGIN, new Date())
  expect((await world.get('/me', { Authorization: `Bearer ${token}` })).status).toBe(401)
})
