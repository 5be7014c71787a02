import { readFileSync } from 'node:fs'
import { get, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import { isCompressed } from '../../src/http/compression.ts'
import { eachRow } from '../support/each-row.ts'
import { HOSTS, IN_NO_HOST, NO_HOSTS } from '../support/hosts.ts'
import { bodyOf } from './galaxy.ts'
import { ownAddress } from './own-address.ts'
import { shareGalaxy } from './prepared-state.ts'
import { readRaw } from './raw-answer.ts'

// What leaves the runtime: the app sets headers, the runtime compresses, and both worlds have their own way out.

const galaxy = shareGalaxy()

const WORLDS = ['common', 'universe'] as const
const bases = { common: galaxy.url, universe: '' }

beforeAll(async () => {
  const made = await bodyOf(await fetch(`${galaxy.url}/universes`, { method: 'POST', headers: ownAddress() }))
  bases.universe = made.url
})

const HTML = { Accept: 'text/html' }
const XML = { Accept: 'application/xml' }
const SOCKET = { Connection: 'Upgrade', Upgrade: 'websocket' }
const OPENING = { ...SOCKET, 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' }

type Request = [method: string, path: string, headers?: Record<string, string>]

const REQUESTS: Request[] = [
  ['GET', '/'],
  ['GET', '/', HTML],
  ['GET', '/planets/4'],
  ['GET', '/planets/4', XML],
  ['GET', '/planets/4', { Accept: 'text/xml' }],
  ['HEAD', '/planets/4'],
  ['GET', '/planets'],
  ['GET', '/catalogue'],
  ['GET', '/explore/planets/4', HTML],
  ['GET', '/docs', HTML],
  ['GET', '/problems/not-found', HTML],
  ['GET', '/openapi.json'],
  ['GET', '/openapi.yaml'],
  ['GET', '/asyncapi.json'],
  ['GET', '/.well-known/openid-configuration'],
  ['GET', '/nothing'],
  ['GET', '/nothing', XML],
  ['GET', '/nothing', HTML],
  ['GET', '/me'],
  ['PUT', '/planets'],
  ['POST', '/oauth/token'],
  ['GET', '/oauth/authorize', HTML],
  ['OPTIONS', '/planets'],
  ['OPTIONS', '/planets', { Origin: 'https://a.test', 'Access-Control-Request-Method': 'POST' }],
  ['GET', '/echo'],
  ['GET', '/echo', HTML],
  ['GET', '/echo/xml'],
  ['DELETE', '/echo/status/204'],
  ['GET', '/echo/status/302'],
  ['GET', '/echo/stream?count=1&interval=0'],
  ['HEAD', '/planets/events'],
  ['GET', '/planets/events'],
  ['GET', '/ws/v1/planets'],
  ['GET', '/ws/v1/nothing', OPENING],
  ['GET', '/ws/v1/planets', OPENING],
  ['GET', '/echo', OPENING],
]

describe.each(WORLDS)('%s world', (world) => {
  it('a Host that is none, which would change the path or the links, is 400', async () => {
    for (const host of [...NO_HOSTS, ...IN_NO_HOST.map((character) => `a${character}b`), 'fü.example', 'a, b']) {
      const { status, text } = await readRaw(`${bases[world]}/planets/1`, { Host: host })
      expect(status, host).toBe(400)
      expect(text).not.toMatch(/evil|Venus/)
    }
    for (const host of HOSTS)
      expect((await readRaw(`${bases[world]}/planets/1`, { Host: host })).status, host).toBe(200)
  })

  it('every response has exactly one Date', () =>
    eachRow(REQUESTS, async ([method, path, headers]) => {
      const response = await open(world, method, path, headers)
      const [date, ...more] = valuesOf(response, 'Date')
      expect(more).toEqual([])
      expect(date).toMatch(/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/)
    }))

  it('every response tells caches if it is compressed', () =>
    eachRow(REQUESTS, async ([method, path, headers]) => {
      const response = await open(world, method, path, { ...headers, 'Accept-Encoding': 'gzip' })
      const varies = namesIn(response, 'Vary').filter((name) => name === 'accept-encoding')
      const type = response.headers['content-type']
      expect(varies).toHaveLength(type !== undefined && isCompressed(type) ? 1 : 0)
      const coding = type === undefined ? undefined : response.headers['content-encoding']
      expect(coding === undefined || varies.length === 1).toBe(true)
    }))

  it.each<[path: string, varies: boolean, headers?: Record<string, string>]>([
    ['/planets/4', true],
    ['/planets/4', true, XML],
    ['/celestial-bodies/4', true],
    ['/openapi.json', true],
    ['/openapi.yaml', false],
    ['/catalogue', true],
  ])('the 304 of %s has the Vary and the entity tag of its 200', async (path, varies, headers) => {
    const accepting = { ...headers, 'Accept-Encoding': 'gzip' }
    const fresh = await open(world, 'GET', path, accepting)
    const etag = fresh.headers.etag ?? ''
    const plain = await open(world, 'GET', path, { ...headers, 'Accept-Encoding': 'identity' })
    expect(plain.headers.etag).toBe(etag)
    for (const condition of [etag, `W/${etag}`]) {
      const unchanged = await open(world, 'GET', path, { ...accepting, 'If-None-Match': condition })
      expect([unchanged.statusCode, unchanged.headers.etag]).toEqual([304, etag])
      expect(namesIn(unchanged, 'Vary')).toEqual(namesIn(fresh, 'Vary'))
      expect(namesIn(unchanged, 'Vary').includes('accept-encoding')).toBe(varies)
    }
  })

  it('has an API catalogue below its base URL, with links that work', async () => {
    const base = bases[world]
    const response = await fetch(`${base}/.well-known/api-catalog`)
    const { linkset } = await bodyOf(response)
    expect(linkset[0].anchor).toBe(`${base}/`)
    expect(linkset[0]['service-desc'][0].href).toBe(`${base}/openapi.json`)
    const links = (await open(world, 'HEAD', '/')).headers.link
    expect(links).toBe(response.headers.get('Link'))
    expect((await fetch(linkset[0]['service-desc'][0].href)).status).toBe(200)
  })

  it('a file that pages load has the same Vary when it is unchanged', async () => {
    const page = await (await fetch(`${bases[world]}/`, { headers: HTML })).text()
    for (const type of ['css', 'js']) {
      const path = new RegExp(`"[^"]*(/assets/[^"]+\\.${type})"`).exec(page)?.[1] ?? ''
      const fresh = await open(world, 'GET', path, { 'Accept-Encoding': 'gzip' })
      expect([fresh.statusCode, fresh.headers['content-encoding']]).toEqual([200, 'gzip'])
      const unchanged = await open(world, 'GET', path, { 'If-None-Match': fresh.headers.etag ?? '' })
      expect(unchanged.statusCode).toBe(304)
      for (const response of [fresh, unchanged]) expect(namesIn(response, 'Vary')).toContain('accept-encoding')
    }
  })
})

it('the types that the platform compresses are those of the runtime, as far as the service sends them', () => {
  const runtime = readFileSync(join(ROOT, 'node_modules/miniflare/dist/src/index.js'), 'utf8')
  const list = /compressedByCloudflareFL = .*?new Set\(\[(.*?)\]\)/s.exec(runtime)?.[1] ?? ''
  const compressed = new Set([...list.matchAll(/^\s*"([^"]+)"/gm)].map(([, type]) => type))
  expect(compressed.size).toBeGreaterThan(40)
  const sent = sentTypes()
  expect(sent).toContain('application/problem+json')
  expect(sent.filter((type) => isCompressed(type) !== compressed.has(type))).toEqual([])
})

/** The media types that the OpenAPI document names in responses, and those of files and of the echo. */
function sentTypes(): string[] {
  const document = readFileSync(join(ROOT, 'documents/out/openapi.json'), 'utf8')
  const documented = [...document.matchAll(/"([a-z]+\/[a-z0-9.+-]+)": ?\{/g)].map(([, type = '']) => type)
  return [...new Set([...documented, 'text/css', 'text/javascript', 'image/svg+xml', 'text/xml', 'text/event-stream'])]
}

/** Sends a request, and returns the head of its response. The body is not read. */
async function open(
  world: (typeof WORLDS)[number],
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    const send = method === 'GET' ? get : request
    const sent = send(bases[world] + path, {
      method,
      headers: { ...headers, Connection: headers.Connection ?? 'close' },
    })
    const take = (response: IncomingMessage) => {
      resolve(response)
      response.destroy()
    }
    sent.on('response', take)
    sent.on('upgrade', (response, socket) => {
      resolve(response)
      socket.destroy()
    })
    sent.on('error', reject).end()
  })
}

/** The values of a header, one for each line that was sent. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  const isName = (index: number) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name.toLowerCase()
  return rawHeaders.filter((_, index) => isName(index))
}

/** The names in a header that lists names, in lower case. */
function namesIn(response: IncomingMessage, header: string): string[] {
  const names = valuesOf(response, header).flatMap((value) => value.split(','))
  return names.map((name) => name.trim().toLowerCase())
}
