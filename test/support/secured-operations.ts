import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { describeCompletely } from '../../documents/documents.ts'
import type { Document, Operation } from '../../documents/openapi/types.ts'
import { PURPOSES } from '../../src/auth/purposes.ts'
import { makeEventId, makeSalt, parseEventId } from '../../src/domain/event-id.ts'
import type { Scope } from '../../src/domain/scopes.ts'
import { CURRENT_API_VERSION } from '../../src/http/api-versions.ts'
import type { QueueMessage } from '../../src/schemas/queue-message.ts'
import { bodyOf, ORIGIN } from './app.ts'
import { HeldQueue } from './callbacks.ts'
import { type Bench, type Carried, CLIENT_METADATA, type Holder, keyInHeader, sendWith } from './credentials.ts'
import { batchOf, MIXED, writeMixed } from './mixed.ts'
import { makePicture } from './pictures.ts'

// The operations that require credentials, as the complete OpenAPI document lists them, and a request to each that
// would succeed. A new operation joins by itself; if it needs data that cannot be guessed, a test fails and says so.

const DOCUMENT = describeCompletely('common', CURRENT_API_VERSION)
const UPLOAD = 'multipart/form-data'
const PARTS = 'multipart/mixed'

/** The schemes in the document. */
export const DOCUMENTED_SCHEMES = Object.keys(DOCUMENT.components.securitySchemes)

export interface SecuredOperation {
  id: string
  method: string
  path: string
  /** Any one of these suffices. */
  schemes: readonly string[]
  /** The scope that a credential with scopes needs. */
  scope: Scope | undefined
  /** Whether it also works without credentials. */
  isAnonymous: boolean
  /** Whether it belongs to a user: the creator's planet, the owner's key. */
  isOwned: boolean
  isUpload: boolean
  /** The headers that it requires, with their examples. */
  headers: Readonly<Record<string, string>>
  /** The media type in which the example is sent. */
  mediaType: string
  example: unknown
}

/** The media types that a body is sent in, best first. */
const SENDABLE = ['application/json', 'application/merge-patch+json', PARTS]

/** Every operation of the common world that lists a scheme. */
export const SECURED = securedOperationsOf(DOCUMENT)

/** Every operation of a document that lists a scheme and is found at the servers of the document. */
export function securedOperationsOf({ paths, components }: Document): readonly SecuredOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { security, servers }]) => !servers && security.some((all) => Object.keys(all).length > 0))
      .map(([method, { operationId, security, requestBody, parameters }]) => ({
        id: operationId,
        method: method.toUpperCase(),
        path,
        schemes: security.filter((all) => Object.keys(all).length === 1).flatMap((one) => Object.keys(one)),
        scope: security.flatMap((requirement) => Object.values(requirement).flat())[0] as Scope | undefined,
        isAnonymous: security.some((requirement) => Object.keys(requirement).length === 0),
        // What the path names can belong to a user, unless it is there for everybody. Everybody may copy a planet, and
        // observe it.
        isOwned:
          path.includes('{') &&
          method !== 'copy' &&
          !path.endsWith('/observations') &&
          !security.some((requirement) => Object.keys(requirement).length === 0),
        isUpload: requestBody?.content[UPLOAD] !== undefined,
        headers: requiredHeadersOf(parameters, components),
        ...exampleIn(requestBody?.content),
      })),
  )
}

function requiredHeadersOf(
  parameters: Operation['parameters'] = [],
  components: Document['components'],
): Record<string, string> {
  const required = parameters
    .map((one) => ('$ref' in one ? components.parameters[one.$ref.split('/').at(-1) ?? ''] : one))
    .filter((parameter) => parameter !== undefined)
    .filter((parameter) => parameter.in === 'header' && parameter.required)
  return Object.fromEntries(required.map(({ name, example }) => [name, String(example)]))
}

function exampleIn(content: Readonly<Record<string, { examples?: object }>> = {}) {
  const mediaType = SENDABLE.find((type) => type in content) ?? 'application/json'
  return { mediaType, example: firstExample(content[mediaType]?.examples) }
}

function firstExample(examples: object | undefined): unknown {
  const [example] = Object.values(examples ?? {})
  const name = example?.$ref?.split('/').at(-1)
  return (name === undefined ? example : DOCUMENT.components.examples[name])?.value
}

/** A resource of a user for each path parameter. */
export interface Target {
  planetId: number
  keyId: number
  clientId: string
  grantId: string
  webhookId: number
  /** The delivery has failed. */
  deliveryId: number
  /** The batch belongs to the planet. */
  batchId: string
  /** The check of the subscription has ended. */
  checkId: string
  /** Anybody may see the event. */
  eventId: string
}

const RECEIVER = 'https://receiver.example/planets'
const PLANET = `insert into planets (creator_id, last_updated, properties, lists_satellites)
  values (?, 0, '{"name":"Own","successCallbackUrl":"${RECEIVER}"}', 0) returning id`
const WEBHOOK = `insert into webhooks (user_id, url, events, status, origin, secret, created_at, active_since, canonical_url, host)
  values (?, '${RECEIVER}', '["newPlanet"]', 'paused', '${ORIGIN}', 'sealed', 0, 0, '${RECEIVER}', 'receiver.example') returning id`
const EVENT = `insert into events (type, planet_id, body, created_at) values ('planetCreated', 1, '{}', 0)`
const DELIVERY = `insert into deliveries (user_id, event_id, event, planet_id, message_id, url, origin, status, created_at, ended_at, host)
  values (?, last_insert_rowid(), 'planetCreated', 1, ?, '${RECEIVER}', '${ORIGIN}', 'failed', 0, 1, 'receiver.example') returning id`
const KEY = `insert into api_keys (user_id, password_generation, hash, preview, scopes, created_at)
  values (?1, (select password_generation from users where id = ?1), ?2, 'glx_', '[]', 0) returning id`
const CLIENT = `insert into clients (id, owner_id, password_generation, metadata, created_at, last_used_at)
  values (?1, ?2, (select password_generation from users where id = ?2), '${JSON.stringify(CLIENT_METADATA)}', 0, 0)`
const GRANT = `insert into grants (id, client_id, user_id, password_generation, scopes, created_at, expires_at)
  values (?1, ?2, ?3, (select password_generation from users where id = ?3), '["read:planets"]', 0, ?4)`
const CONSENT = `insert into consents (user_id, client_id, password_generation, scopes, created_at)
  values (?1, ?2, (select password_generation from users where id = ?1), '["read:planets"]', 0)`

const LOG = `insert into log (kind, event_count, created_at, salt, bytes_until, public_until, private_until, body, details)
  values ('planet_exploded', 1, ?, ?, coalesce((select max(bytes_until) from log), 0),
    coalesce((select max(public_until) from log), 0) + 1, 0, '{"id":1,"name":"Told"}', '{}')
  returning place as id`

const BATCH = `insert into observation_batches (id, user_id, planet_id, observer, accepted, observations, created_at, completed_at)
  values (?1, ?2, (select max(id) from planets), 'Own', 0, '[]', ?3, ?3)`

const CHECK = `insert into webhook_checks (id, webhook_id, event, results, created_at, ended_at)
  values (?1, (select max(id) from webhooks), 'newPlanet', '[]', ?2, ?2)`

const newId = () => crypto.randomUUID()

/** Rows for each parameter, in one round trip: nobody calls with this key, nor under this grant. */
export async function makeTarget(userId: number): Promise<Target> {
  const [clientId, stranger, grantId, hash, batchId, checkId] = [newId(), newId(), newId(), newId(), newId(), newId()]
  const time = Date.now()
  const salt = makeSalt()
  const [planetId = 0, webhookId = 0, , deliveryId = 0, keyId = 0] = await store([
    [PLANET, userId],
    [WEBHOOK, userId],
    [EVENT],
    [DELIVERY, userId, `msg_${newId()}`],
    [KEY, userId, hash],
    [LOG, time, salt],
    [CLIENT, clientId, userId],
    [CLIENT, stranger, null],
    [GRANT, grantId, stranger, userId, Date.now() + 7_200_000],
    [CONSENT, userId, clientId],
    [BATCH, batchId, userId, time],
    [CHECK, checkId, time],
  ])
  const eventId = makeEventId({ time, index: 0, salt })
  return { planetId, webhookId, deliveryId, keyId, clientId, grantId, batchId, checkId, eventId }
}

/** Stores rows in one transaction. @returns Their ids */
async function store(insertions: readonly [string, ...(string | number | null)[]][]): Promise<(number | undefined)[]> {
  const statements = insertions.map(([query, ...values]) => env.DB.prepare(query).bind(...values))
  return (await env.DB.batch<{ id: number }>(statements)).map(({ results: [row] }) => row?.id)
}

/** Sends a request that would succeed with a valid credential. */
export function callOperation(
  bench: Bench,
  operation: SecuredOperation,
  { target, carried, holder }: { target: Target; carried: Carried; holder: Holder },
): Promise<Response> {
  return sendWith(bench, fillPath(operation, target), carried, {
    method: operation.method,
    ...contentOf(operation, holder, carried),
  })
}

function fillPath({ id, path }: SecuredOperation, target: Target): string {
  const known: Record<string, string | number> = { ...target }
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = known[name]
    if (value === undefined) throw new Error(`${id} has the parameter ${name}: let makeTarget() make one`)
    return String(value)
  })
}

/** Bodies of operations for which the first example of the document does not work. */
const BODIES: Readonly<Record<string, (holder: Holder, carried: Carried) => unknown>> = {
  // A credential that itself proves that the user is present needs no password, and some users have none.
  deleteMe: ({ account }, { headers }) => (headers.Authorization ? undefined : { password: account.password }),
  // The example requests more scopes than the minimum needed to create a key.
  createApiKey: () => ({ name: 'Made' }),
  setPassword: ({ account }) => ({ currentPassword: account.password, newPassword: 'another horse' }),
}

function contentOf(
  { id, isUpload, headers, mediaType, example }: SecuredOperation,
  holder: Holder,
  carried: Carried,
): RequestInit {
  if (isUpload) {
    const form = new FormData()
    form.set('image', new File([makePicture()], 'picture'))
    return { body: form }
  }
  if (mediaType === PARTS) return { body: writeMixed(batchOf(1)), headers: MIXED }
  const make = BODIES[id]
  const body = make ? make(holder, carried) : example
  if (body === undefined) return { headers }
  return { body: JSON.stringify(body), headers: { ...headers, 'Content-Type': mediaType } }
}

/** The outcome of a call with a valid credential. */
interface Done {
  response: Response
  /** The user of the credential; undefined if there was none. */
  userId: number | undefined
  target: Target
  holder: Holder
  bench: Bench
}

/** How to see that an operation has done its work, and for which user. */
const PROOFS: Readonly<Record<string, (done: Done) => Promise<void>>> = {
  updatePlanet: proveNewVersion,
  patchPlanet: proveNewVersion,
  async deletePlanet({ target }) {
    expect(await row('select id from planets where id = ?', target.planetId)).toBeNull()
  },
  async uploadImage({ response, target, bench }) {
    const { imageUrl } = await bodyOf(response)
    expect((await bodyOf(await bench.client.get(`/planets/${target.planetId}`))).image).toBe(imageUrl)
    expect((await bench.client.get(imageUrl)).status).toBe(200)
  },
  async uploadObservations({ response, userId, target, bench }) {
    const { accepted, batchId } = await bodyOf(response)
    expect(accepted).toBe(1)
    const batch = await row('select user_id, planet_id, completed_at from observation_batches where id = ?', batchId)
    expect(batch).toEqual({ user_id: userId, planet_id: target.planetId, completed_at: null })
    expectMessage(bench, { observations: batchId })
  },
  async listObservationBatches({ response, target }) {
    const { data } = await bodyOf(response)
    expect(data.map(({ batchId }: { batchId: string }) => batchId)).toContain(target.batchId)
  },
  async getObservationBatch({ response, target }) {
    expect((await bodyOf(response)).batchId).toBe(target.batchId)
  },
  async deleteObservationBatch({ target }) {
    expect(await row('select id from observation_batches where id = ?', target.batchId)).toBeNull()
  },
  async explodePlanet({ response, userId, target, bench }) {
    expect(await bodyOf(response)).toMatchObject({ id: target.planetId, creator: { id: userId } })
    expect(await row('select id from planets where id = ?', target.planetId)).toBeNull()
    const told = "select id from events where type = 'planetExploded' and planet_id = ?"
    const { id } = Object(await row(told, target.planetId))
    const delivery = Object(await row('select * from deliveries where event_id = ?', id))
    expect(delivery).toMatchObject({ user_id: userId, url: RECEIVER, status: 'pending' })
    expectQueued(bench, delivery.id)
  },
  async getMe({ response, userId }) {
    expect((await bodyOf(response)).id).toBe(userId)
  },
  async updateMe({ response, userId }) {
    expect(await bodyOf(response)).toEqual({ id: userId, name: 'Grace' })
    expect(await row('select name from users where id = ?', userId)).toEqual({ name: 'Grace' })
  },
  async deleteMe({ userId }) {
    expect(await row('select id from users where id = ?', userId)).toBeNull()
  },
  async setPassword({ bench, holder: { account } }) {
    const credentials = { email: account.email, password: 'another horse' }
    expect((await bench.client.sendJson('POST', '/auth/token', credentials)).status).toBe(201)
  },
  async createApiKey({ response, userId, bench }) {
    const { id, key } = await bodyOf(response)
    expect(await row('select user_id from api_keys where id = ?', id)).toEqual({ user_id: userId })
    // The key is valid, whatever its scopes.
    expect((await sendWith(bench, '/me', keyInHeader(key))).status).not.toBe(401)
  },
  async getSigningSecret({ response, userId, bench }) {
    expect((await bodyOf(response)).secret).toBe(await signingSecretOf(bench, userId))
  },
  async rotateSigningSecret({ response, userId, bench }) {
    expect((await bodyOf(response)).secret).toBe(await signingSecretOf(bench, userId))
  },
  async createWebhook({ response, userId }) {
    expect(await row('select user_id, status from webhooks where id = ?', (await bodyOf(response)).id)).toEqual({
      user_id: userId,
      status: 'active',
    })
  },
  listWebhooks: ({ response, target }) => proveListed(response, target.webhookId),
  async getWebhook({ response, target }) {
    expect((await bodyOf(response)).id).toBe(target.webhookId)
  },
  async updateWebhook({ response, target }) {
    expect(await bodyOf(response)).toMatchObject({ id: target.webhookId, status: 'active' })
    expect(await row('select status from webhooks where id = ?', target.webhookId)).toEqual({ status: 'active' })
  },
  async deleteWebhook({ target }) {
    expect(await row('select id from webhooks where id = ?', target.webhookId)).toBeNull()
  },
  async pingWebhook({ response, userId, target, bench }) {
    const id = Number(response.headers.get('Location')?.split('/').at(-1))
    expect(await row('select user_id, webhook_id, status from deliveries where id = ?', id)).toEqual({
      user_id: userId,
      webhook_id: target.webhookId,
      status: 'pending',
    })
    expectQueued(bench, id)
  },
  async testWebhook({ response, userId, target, bench }) {
    const { id } = await bodyOf(response)
    const stored = await row('select user_id, webhook_id, status from deliveries where id = ?', id)
    expect(stored).toEqual({ user_id: userId, webhook_id: target.webhookId, status: 'pending' })
    expectQueued(bench, id)
  },
  async checkWebhook({ response, target, bench }) {
    const { id } = await bodyOf(response)
    const stored = await row('select webhook_id, ended_at from webhook_checks where id = ?', id)
    expect(stored).toEqual({ webhook_id: target.webhookId, ended_at: null })
    const first = Object(await row('select min(delivery_id) as id from webhook_tests where check_id = ?', id))
    expectQueued(bench, first.id)
  },
  async getWebhookCheck({ response, target }) {
    expect((await bodyOf(response)).id).toBe(target.checkId)
  },
  async getWebhookCheckJUnit({ response, target }) {
    expect(await response.text()).toContain(`webhooks.${target.webhookId}`)
  },
  listDeliveries: ({ response, target }) => proveListed(response, target.deliveryId),
  async getDelivery({ response, target }) {
    expect((await bodyOf(response)).id).toBe(target.deliveryId)
  },
  async redeliver({ response, target, bench }) {
    expect(await bodyOf(response)).toMatchObject({ id: target.deliveryId, status: 'pending' })
    expect(await row('select status from deliveries where id = ?', target.deliveryId)).toEqual({ status: 'pending' })
    expectQueued(bench, target.deliveryId)
  },
  async listEvents({ response }) {
    const { data } = await bodyOf(response)
    expect(data.length).toBeGreaterThan(0)
  },
  async getEvent({ response, target }) {
    expect((await bodyOf(response)).eventId).toBe(target.eventId)
  },
  async triggerEvent({ response, userId }) {
    const { eventId } = await bodyOf(response)
    const { salt } = parseEventId(eventId) ?? {}
    expect(await row('select kind, user_id from log where salt = ?', salt)).toEqual({
      kind: 'triggered',
      user_id: userId,
    })
  },
  listApiKeys: ({ response, target }) => proveListed(response, target.keyId),
  async getApiKey({ response, target }) {
    expect((await bodyOf(response)).id).toBe(target.keyId)
  },
  async deleteApiKey({ target }) {
    expect(await row('select id from api_keys where id = ?', target.keyId)).toBeNull()
  },
  async registerClient({ response, userId }) {
    expect(await row('select owner_id from clients where id = ?', (await bodyOf(response)).client_id)).toEqual({
      owner_id: userId ?? null,
    })
  },
  listClients: ({ response, target }) => proveListed(response, target.clientId),
  async deleteClient({ target }) {
    expect(await row('select id from clients where id = ?', target.clientId)).toBeNull()
  },
  listGrants: ({ response, target }) => proveListed(response, target.grantId),
  async endGrant({ target }) {
    const { ended_at } = Object(await row('select ended_at from grants where id = ?', target.grantId))
    expect(ended_at).toBeGreaterThan(0)
  },
  async listConsents({ response, target }) {
    const { data } = await bodyOf(response)
    expect(data.map(({ clientId }: { clientId: string }) => clientId)).toContain(target.clientId)
  },
  async endConsent({ target }) {
    expect(await row('select scopes from consents where client_id = ?', target.clientId)).toBeNull()
  },
  getUserInfo: proveSubject,
  postUserInfo: proveSubject,
}

async function proveListed(response: Response, id: unknown): Promise<void> {
  const { data } = await bodyOf(response)
  expect(data.map((item: { id: unknown }) => item.id)).toContain(id)
}

/** The decrypted secret that signs the callbacks of a user's planets. */
async function signingSecretOf({ client }: Bench, userId: number | undefined): Promise<string> {
  const { secret } = Object(await row('select secret from signing_secrets where user_id = ?', userId))
  return await client.services.vault.open(secret, PURPOSES.user(Number(userId)))
}

/** Fails the test if the consumer gets no message about a delivery. */
function expectQueued(bench: Bench, delivery: number): void {
  expectMessage(bench, { delivery })
}

/** Fails the test if the consumer does not get this message. */
function expectMessage({ client: { services } }: Bench, message: QueueMessage): void {
  if (!(services.callbackQueue instanceof HeldQueue)) throw new Error('this client has another queue')
  expect(services.callbackQueue.held).toContainEqual({ message, delaySeconds: 0 })
}

async function proveNewVersion({ response, target }: Done): Promise<void> {
  expect(await bodyOf(response)).toMatchObject({ id: target.planetId })
  expect(await row('select version from planets where id = ?', target.planetId)).toEqual({ version: 2 })
}

async function proveSubject({ response, userId }: Done): Promise<void> {
  expect((await bodyOf(response)).sub).toBe(String(userId))
}

/** What an operation has created is at its Location, and belongs to the user. */
async function proveCreated({ response, userId, bench }: Done): Promise<void> {
  const created = await bodyOf(response)
  const found = await bench.client.get(response.headers.get('Location') ?? '')
  expect(found.status).toBe(200)
  expect(await bodyOf(found)).toMatchObject({ id: created.id, creator: { id: userId } })
}

/**
 * Fails the test if an operation has not done its work, or if no proof is known for it. One that creates something
 * which has a creator needs no proof of its own.
 */
export async function expectDone({ id }: SecuredOperation, done: Done): Promise<void> {
  const prove = PROOFS[id] ?? (done.response.headers.has('Location') ? proveCreated : undefined)
  if (!prove) throw new Error(`${id} is new: add a check of its effect to PROOFS (test/support/secured-operations.ts)`)
  await prove(done)
}

async function row(query: string, id: unknown): Promise<unknown> {
  return await env.DB.prepare(query).bind(id).first()
}
