import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describeCompletely } from '../../documents/documents.ts'
import { COMMON_ROUTES, createApp, UNIVERSE_ROUTES } from '../../src/app.ts'
import { issueUserToken } from '../../src/auth/bearer.ts'
import { hashPassword } from '../../src/auth/passwords.ts'
import { commit } from '../../src/changes/commit.ts'
import { openSession, type Session } from '../../src/db/port.ts'
import type { World } from '../../src/domain/universe.ts'
import { findUniverse } from '../../src/domain/universe-address.ts'
import { type Config, parseConfig } from '../../src/env.ts'
import { CURRENT_API_VERSION } from '../../src/http/api-versions.ts'
import type { App } from '../../src/http/pipeline/context.ts'
import { createServices, type Services } from '../../src/services.ts'
import { SuffixList } from '../../src/stores/suffix-list.ts'
import { insertUser, makeUser, type NewUser, type Owner } from '../../src/stores/users.ts'
import { HeldQueue, noNetwork } from './callbacks.ts'
import { Conformance } from './conformance.ts'
import { noteDeferred } from './deferred.ts'
import { FakeMaker } from './fake-universe.ts'
import { fromEdge } from './from-edge.ts'
import { findStrayLinks } from './own-links.ts'
import { REPLACED_HEADER } from './replaced-header.ts'
import type { SharedWorld } from './universe-worker.ts'
import { BASE_PATH, BASE_URL, UNIVERSE_HOST, UNIVERSE_ID, UNIVERSE_WORLD, wellKnownUrl } from './world.ts'

/** The base URL of the service in the tests: an origin, and in a universe by path also a path. */
export const ORIGIN = BASE_URL

/** A method that no operation has. */
export const NO_METHOD = 'PURGE'

/** The start of the WWW-Authenticate header of a 401: get a token, and where. */
export const CHALLENGE = `Bearer realm="Galaxy", resource_metadata="${wellKnownUrl('oauth-protected-resource')}"`

/** Comes before that if Basic is accepted, except for browsers. Some clients send Basic only after this challenge. */
export const BASIC_CHALLENGE = 'Basic realm="Galaxy", charset="UTF-8"'

export interface Overrides extends Partial<Omit<Services, 'config'>> {
  config?: Partial<Config>
  /** The world that the client talks to. By default the common one. */
  world?: World
}

/** A user with credentials. */
export interface Account {
  id: number
  email: string
  password: string
  token: string
}

/**
 * The app as a client sees it, over the real database and bucket, with the services and configuration that a test
 * replaces.
 */
export interface Client {
  services: Services
  /** Any request. A path is relative to `ORIGIN`. */
  send(path: string, init?: RequestInit): Promise<Response>
  /** A request whose response the OpenAPI document does not describe. */
  sendRaw(path: string, init?: RequestInit): Promise<Response>
  get(path: string, headers?: HeadersInit): Promise<Response>
  /** A request with a JSON body: a value, or a string that is sent unchanged. */
  sendJson(method: string, path: string, body: unknown, account?: Account): Promise<Response>
  /** A request with a form that has a file. */
  upload(path: string, bytes: Uint8Array<ArrayBuffer>, account?: Account): Promise<Response>
}

/** No limits, as on a developer's machine, because most tests are not about what an account may store. */
export const NO_LIMITS = {
  bodies: Number.MAX_SAFE_INTEGER,
  bodyBytes: Number.MAX_SAFE_INTEGER,
  images: Number.MAX_SAFE_INTEGER,
  imageBytes: Number.MAX_SAFE_INTEGER,
  deliveries: Number.MAX_SAFE_INTEGER,
}

/**
 * The configuration without limits, as on a developer's machine, because tests write faster than a person. With an
 * address for reports, so that every operation can succeed.
 */
const UNLIMITED = {
  limitsWrites: false,
  limitsSearches: false,
  targetLimits: undefined,
  accountLimits: NO_LIMITS,
  reportContact: 'mailto:abuse@galaxy.test',
}

/** One for all clients, as a Worker has one for all requests, because it takes longer to read than most tests. */
const suffixes = new SuffixList(env.ASSETS)

export function createClient({
  config,
  world = UNIVERSE_WORLD ? 'universe' : 'common',
  ...overrides
}: Overrides = {}): Client {
  const base = createServices(env, { ...parseConfig(env), ...UNLIMITED, ...config })
  const defer: Services['defer'] = (work) => {
    noteDeferred(work)
    base.defer(work)
  }
  // No call reaches a receiver that the test has not set up.
  const own = UNIVERSE_WORLD
    ? { worldId: UNIVERSE_ID, otherWorlds: UNIVERSE_WORLD.universes }
    : { universes: world === 'common' ? new FakeMaker() : undefined }
  const safe = { ...base, ...own, suffixes, callbackQueue: new HeldQueue(), fetch: noNetwork, defer }
  const services = { ...safe, ...overrides }
  const fetchApp = UNIVERSE_WORLD ? inUniverse(UNIVERSE_WORLD, services, overrides) : inProcess(world, services)
  const send = async (path: string, init?: RequestInit) => {
    const request = new Request(urlOf(path), init)
    const response = await fetchApp(request)
    await requireDocumented(request, response.clone(), world)
    return response
  }
  return {
    services,
    send,
    sendRaw: (path, init) => fetchApp(new Request(urlOf(path), init)),
    get: (path, headers = {}) => send(path, { headers }),
    sendJson(method, path, body, account) {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      return send(path, {
        method,
        body: text,
        headers: { 'Content-Type': 'application/json', ...authorization(account) },
      })
    },
    upload(path, bytes, account) {
      const form = new FormData()
      form.set('image', new File([bytes], 'picture', { type: 'application/octet-stream' }))
      return send(path, { method: 'POST', body: form, headers: authorization(account) })
    },
  }
}

/**
 * The URL of a path of the service, or of a link from a response, which has the base path of the world. A URL stays as
 * it is.
 */
export function urlOf(path: string): string {
  if (URL.canParse(path)) return path
  return BASE_PATH !== '' && path.startsWith(`${BASE_PATH}/`) ? new URL(path, ORIGIN).href : ORIGIN + path
}

/**
 * The app of each world. Like in a Worker, it is created once and serves with the services that each request brings.
 */
const apps = new Map<World, App>()

function appOf(world: World): App {
  const known = apps.get(world) ?? createApp(ROUTES_OF[world])
  apps.set(world, known)
  return known
}

/** Calls the app of a world directly. */
function inProcess(world: World, services: Services): (request: Request) => Promise<Response> {
  const app = appOf(world)
  return async (request) =>
    withSunset(await app.fetch(fromEdge(request), { services }, createExecutionContext()), services)
}

/** Services of which each world has its own. A universe keeps them, unless a test replaces them. */
const OWN_SERVICES: readonly (keyof Services)[] = [
  'database',
  'bucket',
  'catalogue',
  'writeLimiter',
  'sharedWriteLimiter',
  'searchLimiter',
  'baseUrlOf',
  'isOwnIssuer',
  'era',
  'hub',
  'universe',
  'universes',
  'worldId',
  'otherWorlds',
  'sharedCallTargets',
]

let clients = 0

/** Sends requests to the universe of the tests, through the entry of the Worker and the universe's object. */
function inUniverse(
  { replaced, entryWith }: SharedWorld,
  services: Services,
  overrides: Omit<Overrides, 'config'>,
): (request: Request) => Promise<Response> {
  const client = String(++clients)
  const shared = Object.entries(services).filter(([name]) => !OWN_SERVICES.includes(name as keyof Services))
  replaced.set(client, { ...Object.fromEntries(shared), ...overrides })
  const entry = entryWith({ wait: services.wait })
  return async (request) => {
    const headers = new Headers(request.headers)
    headers.set(REPLACED_HEADER, client)
    // As for requests that arrive over HTTP, the client follows redirects, not the runtime.
    const arrived = new Request(request, { headers, redirect: 'manual' })
    return await entry.fetch(fromEdge(arrived), createExecutionContext())
  }
}

const ROUTES_OF = { common: COMMON_ROUTES, universe: UNIVERSE_ROUTES }

/** The operations of the common world that the world of the tests has too. */
export const ROUTES = UNIVERSE_WORLD ? COMMON_ROUTES.filter((route) => route.world === undefined) : COMMON_ROUTES

/** The header that the object of a universe adds to every response. */
function withSunset(response: Response, { universe }: Services): Response {
  if (!universe) return response
  const dated = new Response(response.body, response)
  dated.headers.set('Sunset', universe.describe().expiresAt.toUTCString())
  return dated
}

/** Each is made when a response of its world is first compared, because that takes time. */
const conformances = new Map<World, Conformance>()

/** Compares the responses of a world with its document. */
export function conformanceOf(world: World): Conformance {
  const known = conformances.get(world) ?? new Conformance(describeCompletely(world, CURRENT_API_VERSION))
  conformances.set(world, known)
  return known
}

/** Fails the test if the OpenAPI document does not describe a response, or if the response leads out of its world. */
async function requireDocumented({ method, url }: Request, response: Response, world: World): Promise<void> {
  const { pathname } = new URL(url)
  const address = findUniverse(new URL(url), UNIVERSE_HOST)
  const own = address === 'no-universe' ? undefined : address
  const [served, path] = own ? (['universe', own.path] as const) : [world, pathname]
  const strays = own ? await findStrayLinks(response.clone(), own.basePath) : []
  if (strays.length > 0) throw new Error(`${method} ${pathname} leads to another world: ${strays.join(', ')}`)
  const faults = await conformanceOf(served).findFaults({ method, path }, response)
  if (faults.length > 0) throw new Error(`${method} ${pathname} is not as documented:\n${faults.join('\n')}`)
}

export function authorization(account: Account | undefined): Record<string, string> {
  return account ? { Authorization: `Bearer ${account.token}` } : {}
}

/** The database below the API. */
export function primaryOf({ services }: Client): Session {
  return openSession(services, 'first-primary')
}

let accounts = 0

/** An account with a token, created without the API, so that tests of other features do not depend on sign-up. */
export async function createAccount(client: Client, name: string | undefined = 'Ada'): Promise<Account> {
  const { config, tokens, now } = client.services
  const signedUpAt = now()
  const email = `user-${++accounts}-${crypto.randomUUID()}@galaxy.test`
  const password = 'correct horse'
  const passwordHash = await hashPassword(password, config.passwordIterations)
  const { id, passwordGeneration } = await storeUser(client, { email, name, passwordHash })
  const token = await issueUserToken(tokens, { userId: id, passwordGeneration }, ORIGIN, signedUpAt)
  return { id, email, password, token }
}

/** Stores an account, with its row of the log. @throws Error if its owner has one already */
export async function storeUser(client: Client, owner: Owner): Promise<NewUser> {
  const { services } = client
  const [session, now] = [primaryOf(client), services.now()]
  const ids = await services.ids.take(session, { users: 1 })
  const user = makeUser(ids.next('users'), owner, now)
  const happened = {
    kind: 'user_signed_up',
    body: { id: user.id },
    details: { registration: { method: 'email', source: 'api' } },
    userId: user.id,
  } as const
  await commit(
    { session, services, now },
    { ids, ...insertUser(user, new Error('the owner has an account')), happened },
  )
  return user
}

/** The password generation of a user, under which a test stores what belongs to the user. */
export async function generationOf(userId: number): Promise<number> {
  const query = env.DB.prepare('select password_generation as generation from users where id = ?').bind(userId)
  return (await query.first<{ generation: number }>())?.generation ?? 0
}

/** A planet of an account, as POST returns it. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
export async function createPlanet(client: Client, account: Account, planet: object): Promise<any> {
  const response = await client.sendJson('POST', '/planets', planet, account)
  if (response.status !== 201) throw new Error(`a test's planet was refused: ${await response.text()}`)
  return await bodyOf(response)
}

/** The JSON of a response. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
export async function bodyOf(response: Response): Promise<any> {
  return await response.json()
}

/** The headers that are the same in two responses to the same request. */
export function stableHeaders({ headers }: Response): Record<string, string> {
  const changing = ['x-request-id', 'x-processing-time', 'server-timing', 'x-d1-bookmark', 'content-length', 'date']
  return Object.fromEntries([...headers].filter(([name]) => !changing.includes(name)))
}
