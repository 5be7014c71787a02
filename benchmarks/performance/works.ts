import type { LoadRequest } from './autocannon.ts'
import type { ServerName } from './servers.ts'
import { IMAGE_KIB, PLANET, PLANET_XML, type World } from './world.ts'

/** What the ratios of Galaxy to the floor, or to a peer, must be. */
interface Targets {
  /** Requests per second, compared with the floor. */
  requestsAtLeast?: number
  /** Seconds of CPU for a request, compared with the floor. */
  cpuAtMost?: number
  /** Seconds of CPU for a request, compared with the limit. */
  cpuOverLimitAtMost?: number
  /** A server that answers fewer requests per second. */
  aheadOf?: ServerName
}

/** A kind of request. */
export interface Work {
  name: string
  title: string
  /** The status of every response. */
  status: number
  servers: readonly ServerName[]
  request(world: World): LoadRequest
  targets?: Targets
  /** How many requests are under way at the same time, if not as many as for other works. */
  connections?: number
  /** Whether each request leads to a call to the receiver. */
  hasCallback?: true
}

const GALAXY = ['galaxy'] as const
const WITH_FLOOR = ['galaxy', 'floor'] as const
const WITH_LIMIT = ['galaxy', 'floor', 'limit'] as const
const WITH_PEERS = ['galaxy', 'floor', 'mockServer', 'prism'] as const
const WITH_ALL = ['galaxy', 'floor', 'limit', 'mockServer', 'prism'] as const

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
const JSON_BODY = { 'Content-Type': 'application/json' }

/** Requests that only read. They come first, while all databases have the same size. */
const READS: readonly Work[] = [
  {
    name: 'shippedPlanet',
    title: 'A shipped planet',
    status: 200,
    servers: WITH_PEERS,
    request: () => ({ path: '/planets/4' }),
    targets: { requestsAtLeast: 0.7, aheadOf: 'mockServer' },
  },
  {
    name: 'planet',
    title: 'A planet of a user',
    status: 200,
    servers: WITH_LIMIT,
    request: ({ planetId }) => ({ path: `/planets/${planetId}` }),
    targets: { requestsAtLeast: 0.8, cpuAtMost: 1.3 },
  },
  {
    name: 'notModified',
    title: 'The same, not modified (304)',
    status: 304,
    servers: WITH_FLOOR,
    request: ({ planetId }) => ({ path: `/planets/${planetId}`, headers: { 'If-None-Match': '"1-json", "2-json"' } }),
    targets: { requestsAtLeast: 0.8, cpuAtMost: 1.3 },
  },
  {
    name: 'pageOfTen',
    title: 'A page of 10 planets',
    status: 200,
    servers: WITH_ALL,
    request: () => ({ path: '/planets?limit=10&offset=100' }),
    targets: { requestsAtLeast: 0.7, cpuAtMost: 1.3, cpuOverLimitAtMost: 1.55 },
  },
  {
    name: 'pageOfHundred',
    title: 'A page of 100 planets',
    status: 200,
    servers: GALAXY,
    request: () => ({ path: '/planets?limit=100&offset=100' }),
  },
  {
    name: 'image',
    title: `An image of ${IMAGE_KIB} KiB`,
    status: 200,
    servers: GALAXY,
    request: ({ imagePath }) => ({ path: imagePath }),
  },
]

/** `GET /me` with each kind of credential, and the sign-in. */
const CREDENTIALS: readonly Work[] = [
  ...(
    [
      ['Basic', ({ account }) => ({ Authorization: `Basic ${btoa(`${account.email}:${account.password}`)}` })],
      ['a bearer token', ({ token }) => bearer(token)],
      ['an API key', ({ apiKey }) => ({ 'X-API-Key': apiKey })],
      ['an OAuth access token', ({ accessToken }) => bearer(accessToken)],
    ] satisfies [string, (world: World) => Record<string, string>][]
  ).map(
    ([credential, headersOf]): Work => ({
      name: `me with ${credential}`,
      title: `\`GET /me\` with ${credential}`,
      status: 200,
      servers: GALAXY,
      request: (world) => ({ path: '/me', headers: headersOf(world) }),
    }),
  ),
  {
    name: 'signIn',
    title: 'A sign-in (`POST /auth/token`)',
    // Galaxy checks no more passwords at the same time. With more, the latency would be that of waiting.
    connections: 2,
    status: 201,
    servers: GALAXY,
    request: ({ account }) => ({
      path: '/auth/token',
      method: 'POST',
      headers: JSON_BODY,
      body: JSON.stringify(account),
    }),
  },
]

/** Requests that create planets. @param callbackUrl The URL of a receiver */
const listCreations = (callbackUrl: string): readonly Work[] => [
  {
    name: 'createJson',
    title: 'Create a planet, JSON',
    status: 201,
    servers: WITH_ALL,
    request: ({ token }) => create(token, JSON.stringify(PLANET)),
    targets: { requestsAtLeast: 0.8, cpuAtMost: 1.3, cpuOverLimitAtMost: 1.3 },
  },
  {
    name: 'createXml',
    title: 'Create a planet, XML',
    status: 201,
    servers: WITH_LIMIT,
    request: ({ token }) => create(token, PLANET_XML, 'application/xml'),
    targets: { requestsAtLeast: 0.7, cpuAtMost: 1.3, cpuOverLimitAtMost: 1.5 },
  },
  {
    name: 'createWithCallback',
    title: 'Create a planet with a callback',
    status: 201,
    servers: GALAXY,
    request: ({ token }) => create(token, JSON.stringify({ ...PLANET, successCallbackUrl: callbackUrl })),
    hasCallback: true,
  },
]

function create(token: string, body: string, type = 'application/json'): LoadRequest {
  const headers = { 'Content-Type': type, Accept: type, ...bearer(token) }
  return { path: '/planets', method: 'POST', headers, body }
}

/** Every kind of request, in the order of their measurement. @param callbackUrl The URL of a receiver */
export function listWorks(callbackUrl: string): readonly Work[] {
  return [...READS, ...CREDENTIALS, ...listCreations(callbackUrl)]
}

/**
 * The request of a work at a server. The floor needs the name of the work; the others get it to have the same bytes.
 */
export function requestOf({ name, request }: Work, world: World): LoadRequest {
  const { headers, ...rest } = request(world)
  return { ...rest, headers: { ...headers, 'X-Work': name } }
}

export function findWork(works: readonly Work[], name: string): Work {
  const found = works.find((work) => work.name === name)
  if (!found) throw new Error(`there is no work ${name}`)
  return found
}
