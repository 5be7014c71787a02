import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { createApp, ROUTES } from '../../src/app.ts'
import { issueUserToken } from '../../src/auth/bearer.ts'
import { hashPassword } from '../../src/auth/passwords.ts'
import { type Database, openSession } from '../../src/db/client.ts'
import type { Config } from '../../src/env.ts'
import { CURRENT_API_VERSION } from '../../src/http/api-versions.ts'
import { describeService } from '../../src/openapi/document.ts'
import { createServices, type Services } from '../../src/services.ts'
import { insertUser } from '../../src/stores/users.ts'
import { HeldQueue, noNetwork } from './callbacks.ts'
import { Conformance } from './conformance.ts'
import { noteDeferred } from './deferred.ts'

export const ORIGIN = 'http://galaxy.test'

/** A method that no operation has. */
export const NO_METHOD = 'PURGE'

/** The start of the WWW-Authenticate header of a 401: get a token, and where. */
export const CHALLENGE = `Bearer realm="Galaxy", resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource"`

/** Comes before that if Basic is accepted, except for browsers. Some clients send Basic only after this challenge. */
export const BASIC_CHALLENGE = 'Basic realm="Galaxy", charset="UTF-8"'

export interface Overrides extends Partial<Omit<Services, 'config'>> {
  config?: Partial<Config>
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

/** The configuration without limits, as on a developer's machine, because tests write faster than a person. */
const UNLIMITED = { limitsWrites: false, targetLimits: undefined, accountLimits: NO_LIMITS }

export function createClient({ config, ...overrides }: Overrides = {}): Client {
  const base = createServices(env)
  const defer: Services['defer'] = (work) => {
    noteDeferred(work)
    base.defer(work)
  }
  // No call reaches a receiver that the test has not set up.
  const safe = { ...base, callbackQueue: new HeldQueue(), fetch: noNetwork, defer }
  const services = { ...safe, ...overrides, config: { ...base.config, ...UNLIMITED, ...config } }
  const app = createApp()
  const send = async (path: string, init?: RequestInit) => {
    const request = new Request(new URL(path, ORIGIN), init)
    const response = await app.fetch(request, { services }, createExecutionContext())
    await requireDocumented(request, response.clone())
    return response
  }
  return {
    services,
    send,
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

const conformance = new Conformance(describeService(ROUTES, CURRENT_API_VERSION))

/** Fails the test if the OpenAPI document does not describe a response. */
async function requireDocumented({ method, url }: Request, response: Response): Promise<void> {
  const { pathname } = new URL(url)
  const faults = await conformance.findFaults({ method, path: pathname }, response)
  if (faults.length > 0) throw new Error(`${method} ${pathname} is not as documented:\n${faults.join('\n')}`)
}

export function authorization(account: Account | undefined): Record<string, string> {
  return account ? { Authorization: `Bearer ${account.token}` } : {}
}

const primaries = new WeakMap<D1Database, Database>()

/** The database below the API. It is opened once for each client, because opening it takes longer than most writes. */
export function primaryOf({ services: { database } }: Client): Database {
  const known = primaries.get(database) ?? openSession(database, 'first-primary').db
  primaries.set(database, known)
  return known
}

let accounts = 0

/** An account with a token, created without the API, so that tests of other features do not depend on sign-up. */
export async function createAccount(client: Client, name: string | undefined = 'Ada'): Promise<Account> {
  const { config, tokens } = client.services
  const email = `user-${++accounts}-${crypto.randomUUID()}@galaxy.test`
  const password = 'correct horse'
  const passwordHash = await hashPassword(password, config.passwordIterations)
  const user = await insertUser(primaryOf(client), { email, name, passwordHash }, new Date())
  if (!user) throw new Error('the e-mail of a test is taken')
  const token = await issueUserToken(tokens, { userId: user.id, passwordGeneration: 0 }, ORIGIN, new Date())
  return { id: user.id, email, password, token }
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
  const changing = ['x-request-id', 'x-processing-time', 'x-d1-bookmark', 'content-length']
  return Object.fromEntries([...headers].filter(([name]) => !changing.includes(name)))
}
