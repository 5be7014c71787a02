import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { COMMON_ROUTES, createApp } from '../../../src/app.ts'
import {
  type Account,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  ORIGIN,
} from '../../support/app.ts'
import { FakeNetwork, HeldQueue } from '../../support/callbacks.ts'
import { makePicture } from '../../support/pictures.ts'

// Uploaded images at a host of their own (IMAGE_HOST), and what nobody else should find of them.

const HOST = 'images.test:8080'
const AT_HOST = `http://${HOST}`

let client: Client
let account: Account
let planetId: number
let url: string

beforeAll(async () => {
  client = createClient({ config: { imageHost: HOST } })
  account = await createAccount(client)
  planetId = (await createPlanet(client, account, { name: 'Pictured' })).id
  url = (await bodyOf(await client.upload(`/planets/${planetId}/image`, makePicture(), account))).imageUrl
})

/** Sends a request as it is. The OpenAPI document says nothing of this host but the images. */
async function sendThere(path: string, method = 'GET', by = client): Promise<Response> {
  const request = new Request(`${AT_HOST}${path}`, { method })
  return await createApp(COMMON_ROUTES).fetch(request, { services: by.services }, createExecutionContext())
}

const pathOfImage = () => new URL(url).pathname

it('the URL of an image begins with the host, wherever the service shows it', async () => {
  expect(url).toMatch(new RegExp(`^${AT_HOST}/images/[0-9a-f-]{36}\\.png$`))
  const planet = await bodyOf(await client.get(`/planets/${planetId}`))
  const body = await bodyOf(await client.get(`/celestial-bodies/${planetId}`))
  const planets = await bodyOf(await client.get('/planets'))
  const bodies = await bodyOf(await client.get('/celestial-bodies'))
  const page = await (await client.get(`/explore/planets/${planetId}`, { Accept: 'text/html' })).text()
  expect([planet.image, body.image, planets.data[0].image, bodies.data[0].image]).toEqual([url, url, url, url])
  expect(page).toContain(url)
  const same = await bodyOf(await client.sendJson('PUT', `/planets/${planetId}`, planet, account))
  expect(same.image).toBe(url)
})

it('has the scheme of PUBLIC_URL', async () => {
  const secure = createClient({ config: { imageHost: HOST, publicUrl: 'https://galaxy.example' } })
  expect((await bodyOf(await secure.get(`/planets/${planetId}`))).image).toBe(`https://${HOST}${pathOfImage()}`)
})

describe('at the host', () => {
  it('images are found as at the service, which keeps older URLs', async () => {
    for (const address of [url, `${ORIGIN}${pathOfImage()}`, url.replace('images.test', 'IMAGES.test.')]) {
      const response = await client.get(address)
      expect(response.status).toBe(200)
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(makePicture())
      expect((await client.send(address, { method: 'HEAD' })).status).toBe(200)
      const options = await client.send(address, { method: 'OPTIONS' })
      expect([options.status, options.headers.get('Allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
    }
    expect((await client.get(url, { Range: 'bytes=0-3' })).status).toBe(206)
  })

  it.each([
    '/',
    '/planets',
    '/planets/1',
    '/images',
    '/images/',
    '/echo',
    '/u/x',
    '/openapi.json',
    '/docs',
    '/inboxes/x/y',
  ])('nothing else is: %s', async (path) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE']) {
      expect((await sendThere(path, method)).status).toBe(404)
    }
  })

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('an image cannot be changed: %s', async (method) => {
    expect((await client.send(url, { method })).status).toBe(404)
  })

  it.each(['/planets', '/images/6f1b3f0e-8f5c-4f0e-9d0a-3c1f0b6f2a11.png'])(
    'a problem has a type that opens, or none: %s',
    async (path) => {
      expect(await bodyOf(await sendThere(path))).toMatchObject({ type: 'about:blank', status: 404 })
      const known = createClient({ config: { imageHost: HOST, publicUrl: ORIGIN } })
      expect(await bodyOf(await sendThere(path, 'GET', known))).toMatchObject({ type: `${ORIGIN}/problems/not-found` })
    },
  )

  it.each(['http://images.test:8081', 'http://other.images.test:8080', 'http://images.test'])(
    'another host is not it: %s',
    async (origin) => expect((await client.get(`${origin}/planets`)).status).toBe(200),
  )
})

it('search engines are told not to list an image, but nothing is said of other responses', async () => {
  for (const headers of [{}, { Range: 'bytes=0-3' }, { 'If-None-Match': '*' }]) {
    expect((await client.get(url, headers)).headers.get('X-Robots-Tag')).toBe('noindex')
  }
  for (const path of ['/', '/planets', `/planets/${planetId}`, '/images/none.png']) {
    expect((await client.get(path)).headers.has('X-Robots-Tag')).toBe(false)
  }
})

it('the callback of a planet that explodes has the URL too', async () => {
  const network = new FakeNetwork()
  const queue = new HeldQueue()
  const calling = createClient({ config: { imageHost: HOST }, fetch: network.fetch, callbackQueue: queue })
  const own = await createPlanet(calling, account, { name: 'Told', successCallbackUrl: 'https://receiver.example/' })
  const { imageUrl } = await bodyOf(await calling.upload(`/planets/${own.id}/image`, makePicture(), account))
  const exploded = await bodyOf(await calling.sendJson('POST', `/planets/${own.id}/explode`, '', account))
  expect(exploded.image).toBe(imageUrl)
  const event = await env.DB.prepare("select body from events where type = 'planetExploded' and planet_id = ?")
    .bind(own.id)
    .first<{ body: string }>()
  expect(event?.body).toContain(imageUrl)
})
