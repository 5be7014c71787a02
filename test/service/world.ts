import { decodeJwt } from 'jose'
import { DEFECTS } from '../../src/domain/receiver-tests.ts'
import { DEVICE_GRANT, getTokens, registerClient, type Send } from '../support/oauth.ts'
import type { DocumentedOperation } from '../support/reference-page.ts'
import { bodyOf } from './galaxy.ts'
import { PASSWORD, PICTURE } from './in-browser.ts'
import { ownAddress } from './own-address.ts'

/** The values of the header Authorization, by what they are. */
type Credentials = Record<'bearer' | 'basic' | 'oauth2', string>

/** The scopes that a user allows the API tool. */
const SCOPES = 'openid read:account write:account read:planets write:planets read:events read:user:events write:events'

/**
 * A user of an API tool, with an account, resources of each kind, and everything that only this user can fill in. Each
 * resource is created when it is first needed.
 */
export class World {
  readonly #send: Send
  readonly account = { email: `${crypto.randomUUID()}@example.com`, password: PASSWORD }
  #token = ''

  constructor(url: string) {
    this.#send = (path, init = {}) =>
      fetch(new URL(path, url), { redirect: 'manual', ...init, headers: { ...init.headers, ...ownAddress() } })
  }

  /** Signs up. */
  static async open(url: string): Promise<World> {
    const world = new World(url)
    await world.#post('/user/signup', world.account)
    world.#token = (await world.#post('/auth/token', world.account)).token
    return world
  }

  get token(): string {
    return this.#token
  }

  /** The values of the header Authorization with which the user can call an operation. */
  async credentialsFor({ server }: DocumentedOperation): Promise<Credentials> {
    if (server === '') return await this.#credentials()
    const { owner, token } = await this.#universe()
    const bearer = `Bearer ${token}`
    return { bearer, basic: basicOf(owner), oauth2: bearer }
  }

  readonly #credentials = once(async () => {
    const oauth2 = await this.#accessToken()
    return { bearer: `Bearer ${this.#token}`, basic: basicOf(this.account), oauth2: `Bearer ${oauth2}` }
  })

  readonly #accessToken = once(() => this.#authorize())
  readonly #inbox = once(async (): Promise<string> => (await this.#post('/inboxes', {})).url)
  /** A universe that belongs to the user. */
  readonly #universe = once(() => this.#post('/universes', { seed: 'blank' }))
  readonly #deliveryId = once(() => this.#deliver())
  readonly #client = once(async () => {
    const metadata = {
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['client_credentials', DEVICE_GRANT],
    }
    const { client_id, client_secret } = await this.#post('/oauth/register', metadata)
    return { client_id, client_secret }
  })

  /** Existing ids for the path parameters of an operation, by their names. What can be deleted is created each time. */
  async parametersOf({ path, server }: DocumentedOperation): Promise<Record<string, string>> {
    const names = [...(server + path).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    // The list of cases has them.
    if (path.startsWith('/lab/cases/')) return { group: 'query', name: 'reserved' }
    // So has the list of guides.
    if (path === '/guides/{guide}') return { guide: 'callbacks' }
    // A check belongs to a subscription.
    if (path.includes('{checkId}')) return await this.#check()
    const idMakers = path.startsWith('/me/consents/') ? { ...this.#ids, clientId: () => this.#remember() } : this.#ids
    const values = names.map(async (name) => [name, await idMakers[name]?.()] as const)
    const known = (await Promise.all(values)).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return Object.fromEntries(known)
  }

  /** The body of an operation for which no example can be right. */
  bodyOf({ operationId }: DocumentedOperation): object | undefined {
    const bodies: Record<string, object> = {
      createUser: { email: `${crypto.randomUUID()}@example.com`, password: PASSWORD },
      getToken: this.account,
      deleteMe: { password: PASSWORD },
      // Some tools invent a payload that fits no type.
      triggerEvent: { type: 'user.profile_updated' },
      setPassword: { currentPassword: PASSWORD, newPassword: `${PASSWORD}-and-moons` },
      // The date of the example is that of the example.
      updateUniverse: { expiresAt: new Date(Date.now() + 2 * 24 * 3_600_000).toISOString() },
    }
    return bodies[operationId]
  }

  /** The fields of a form that only the caller knows. */
  async formOf({ operationId }: DocumentedOperation): Promise<Record<string, string>> {
    const forms: Record<string, () => Promise<Record<string, string>>> = {
      authorizeDevice: async () => ({ scope: 'read:planets' }),
      issueTokens: async () => ({ grant_type: 'client_credentials', scope: 'read:planets' }),
      introspectToken: async () => ({ token: await this.#accessToken() }),
      revokeToken: async () => ({ token: 'unknown' }),
    }
    const form = await forms[operationId]?.()
    return form ? { ...(await this.#client()), ...form } : {}
  }

  readonly #ids: Record<string, () => Promise<string>> = {
    planetId: () => this.#makePlanet(),
    celestialBodyId: () => this.#makePlanet(),
    keyId: async () => String((await this.#post('/me/api-keys', {})).id),
    clientId: async () => (await this.#post('/oauth/register', { redirect_uris: ['http://127.0.0.1/'] })).client_id,
    grantId: async () => String(decodeJwt(await this.#authorize()).grant_id),
    webhookId: async () =>
      String(
        (await this.#post('/webhooks', { url: `${await this.#inbox()}?${crypto.randomUUID()}`, events: ['newPlanet'] }))
          .id,
      ),
    deliveryId: () => this.#deliveryId(),
    universe: async () => (await this.#universe()).id,
    inboxId: async () => (await this.#post('/inboxes', {})).id,
    runId: async () => (await this.#post('/lab/runs', { tool: 'openapi-fetch', version: '0.15.0' })).id,
    eventId: () => this.#causeEvent(),
    key: async () => {
      const form = new FormData()
      form.set('image', new Blob([PICTURE]))
      const path = `/planets/${await this.#makePlanet()}/image`
      const response = await this.#send(path, { method: 'POST', body: form, headers: this.#authorization })
      return (await bodyOf(response)).imageUrl.split('/').at(-1)
    },
  }

  /** A check that has ended, because it skips everything, and its subscription. */
  async #check(): Promise<Record<string, string>> {
    const webhookId = (await this.#ids.webhookId?.()) ?? ''
    const skip = Object.fromEntries(DEFECTS.map((defect) => [defect, 'not sent']))
    return { webhookId, checkId: (await this.#post(`/webhooks/${webhookId}/checks`, { skip })).id }
  }

  /** Registers an application and allows it everything. @returns The access token of the application */
  async #authorize(): Promise<string> {
    const application = await registerClient(this.#send)
    return (await getTokens(this.#send, this.account, application, SCOPES)).access_token
  }

  /** Gives consent to a client that the user owns, so that the consent is remembered. @returns The id of the client */
  async #remember(): Promise<string> {
    const ownClient = await registerClient(this.#send, {}, `Bearer ${this.#token}`)
    await getTokens(this.#send, this.account, ownClient)
    return ownClient.id
  }

  /** Creates a planet. @returns The id of its event, which anybody may see */
  async #causeEvent(): Promise<string> {
    const { meta } = await this.#get('/events?limit=1')
    const planetId = Number(await this.#makePlanet())
    const { data } = await this.#get(`/events?limit=100&offset=${meta.total}`)
    return data.find(({ planet }: { planet?: { id: number } }) => planet?.id === planetId).eventId
  }

  async #makePlanet(more: object = {}): Promise<string> {
    return String((await this.#post('/planets', { name: 'Arrakis', ...more })).id)
  }

  /** Creates a planet whose callbacks go to the inbox. @returns The id of the delivery, after it has succeeded */
  async #deliver(): Promise<string> {
    const planetId = await this.#makePlanet({ successCallbackUrl: await this.#inbox() })
    for (;;) {
      const [delivery] = (await this.#get(`/deliveries?planetId=${planetId}`)).data
      if (delivery?.status === 'delivered') return String(delivery.id)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  get #authorization(): Record<string, string> {
    return this.#token ? { Authorization: `Bearer ${this.#token}` } : {}
  }

  // biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
  async #get(path: string): Promise<any> {
    return await bodyOf(await this.#send(path, { headers: this.#authorization }))
  }

  // biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
  async #post(path: string, body: object): Promise<any> {
    const headers = { ...this.#authorization, 'Content-Type': 'application/json' }
    const response = await this.#send(path, { method: 'POST', body: JSON.stringify(body), headers })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return await bodyOf(response)
  }
}

function basicOf({ email, password }: { email: string; password: string }): string {
  return `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`
}

/** Makes a value when it is first needed, and keeps it. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
