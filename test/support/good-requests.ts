import { env } from 'cloudflare:workers'
import * as z from 'zod'
import { write } from '../../src/db/port.ts'
import { DEFECTS } from '../../src/domain/receiver-tests.ts'
import { examplesOf } from '../../src/http/examples.ts'
import type { Route } from '../../src/http/pipeline/route.ts'
import { usualStatusOf } from '../../src/http/pipeline/route-facts.ts'
import { rememberConsent } from '../../src/stores/consents.ts'
import { type Account, authorization, bodyOf, type Client, createPlanet, generationOf, primaryOf } from './app.ts'
import { giveAccessToken, storeClient, storeGrant } from './credentials.ts'
import { batchOf, MIXED, writeMixed } from './mixed.ts'
import {
  authorizationPath,
  getCode,
  getDeviceCodes,
  getTokens,
  openDevice,
  PKCE,
  REDIRECT_URI,
  registerClient,
  registerDevice,
  type Send,
  signIn,
  signUpPath,
  UserAgent,
} from './oauth.ts'
import { makePicture } from './pictures.ts'

// A request to each operation that succeeds, for tests of all operations. A new operation joins as soon as it is in
// the list of routes, unless it has parameters or a body that no other has.

/** A request, ready to be sent, and the status of its response. */
export interface GoodRequest {
  path: string
  method: string
  body: BodyInit | undefined
  /** Including its credential. */
  headers: Record<string, string>
  status: number
}

/** What an operation needs in addition to the defaults. */
type Part = Partial<Omit<GoodRequest, 'method'>>

/** @param account Sends the request, and owns its resource */
export async function makeGoodRequest(client: Client, route: Route, account: Account): Promise<GoodRequest> {
  const { path, headers, ...part } = (await PARTS[route.operationId]?.(client, account)) ?? exampleBody(route)
  return {
    path: path ?? (await fillPath(client, route, account)),
    method: route.method.toUpperCase(),
    body: undefined,
    headers: { ...(route.security.length > 0 && authorization(account)), ...headers },
    status: usualStatusOf(route),
    ...part,
  }
}

/** Whether the response of a route has no end. */
export function isEndless({ responses }: Route): boolean {
  return responses[200]?.items !== undefined
}

/** Sends a request with further headers; undefined removes one. */
export function sendGood(
  client: Client,
  { path, method, body, headers }: GoodRequest,
  own: Readonly<Record<string, string | undefined>> = {},
): Promise<Response> {
  const given = Object.entries({ ...headers, ...own }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return client.send(path, { method, body: body ?? null, headers: given })
}

/** The path of a route, with a resource of the account for each parameter, or with its example. */
export async function fillPath(client: Client, { path, params }: Route, account: Account): Promise<string> {
  let filled = path
  for (const [placeholder, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    const value = (await PARAMETERS[name]?.(client, account)) ?? exampleOf(params, name)
    filled = filled.replace(placeholder, value)
  }
  return filled
}

/** The body of a route without a row in `PARTS`: the example of its schema. */
function exampleBody({ operationId, body }: Route): Part {
  if (!body?.documented.required) return {}
  if (body.kind === 'entity') return json(Object(examplesOf(body.documented.schema)[0]))
  throw new Error(`${operationId} has a ${body.kind} as its body: add it to PARTS (test/support/good-requests.ts)`)
}

function exampleOf(params: Route['params'], name: string): string {
  const examples = params instanceof z.ZodObject ? params.shape[name]?.meta()?.examples : undefined
  if (!Array.isArray(examples)) throw new Error(`the parameter ${name} has no examples`)
  return String(examples[0])
}

const GROUPS = ['query', 'header', 'cookie', 'form', 'multipart', 'body', 'xml', 'response', 'redirect', 'retry']
const PATH_CASES =
  'simple-array simple-array-explode simple-object simple-object-explode reserved utf8 unreserved comma-item date date-time two embedded'
/** So that a run passes its gate after one request. */
const ALL_BUT_ONE_CASE = Object.fromEntries(
  [...GROUPS.map((group) => `${group}/*`), ...PATH_CASES.split(' ').map((name) => `path/${name}`)].map((id) => [
    id,
    'not called',
  ]),
)

const PARAMETERS: Readonly<Record<string, (client: Client, account: Account) => Promise<string>>> = {
  planetId: async (client, account) => String((await createPlanet(client, account, { name: 'Own' })).id),
  celestialBodyId: async (client, account) => String((await createPlanet(client, account, { name: 'Own' })).id),
  keyId: async (client, account) => String((await createKey(client, account)).id),
  async clientId(client, { id: userId }) {
    const clientId = await storeClient(client, userId)
    // So that there is a consent too, and a grant under it.
    const scopes = ['read:account' as const]
    await storeGrant(client, userId, scopes, clientId)
    const passwordGeneration = await generationOf(userId)
    await write(primaryOf(client), [rememberConsent({ userId, clientId, passwordGeneration, scopes }, new Date())])
    return clientId
  },
  grantId: async (client, { id }) => (await storeGrant(client, id, ['read:account'])).grantId,
  async webhookId(client, account) {
    return String((await bodyOf(await client.sendJson('POST', '/webhooks', subscription(), account))).id)
  },
  async checkId(client, account) {
    const { data } = await bodyOf(await client.get('/webhooks?limit=100', authorization(account)))
    const webhookId = data.at(-1).id
    const check = await client.sendJson('POST', `/webhooks/${webhookId}/checks`, { skip: ALL_TESTS }, account)
    return (await bodyOf(check)).id
  },
  async deliveryId(client, account) {
    const { id } = await createPlanet(client, account, { name: 'Told', successCallbackUrl: RECEIVER })
    const { data } = await bodyOf(await client.get(`/deliveries?planetId=${id}`, authorization(account)))
    const [{ id: deliveryId }] = data
    await env.DB.prepare(FAIL).bind(deliveryId).run()
    return String(deliveryId)
  },
  inboxId: async ({ send }) => (await bodyOf(await send('/inboxes', { method: 'POST', headers: fromAnywhere() }))).id,
  async runId({ send }) {
    const { id } = await bodyOf(
      await send('/lab/runs', {
        method: 'POST',
        body: JSON.stringify({ tool: 'openapi-fetch', version: '0.15.0', skip: ALL_BUT_ONE_CASE }),
        headers: { ...fromAnywhere(), 'Content-Type': 'application/json' },
      }),
    )
    await send(`/lab/runs/${id}/path/simple-string/blue`)
    return id
  },
  async eventId(client, account) {
    const { id } = await createPlanet(client, account, { name: 'Told' })
    const { total } = (await bodyOf(await client.get('/events?limit=1'))).meta
    // Tests that fill several paths at once cause other events meanwhile.
    const { data } = await bodyOf(await client.get(`/events?limit=100&offset=${Math.max(total - 50, 0)}`))
    return data.find(({ planet }: { planet?: { id: number } }) => planet?.id === id).eventId
  },
  async key(client, account) {
    const { id } = await createPlanet(client, account, { name: 'Shown' })
    const { imageUrl } = await bodyOf(await client.upload(`/planets/${id}/image`, makePicture(), account))
    return imageUrl.split('/').at(-1)
  },
}

/** So that a check has ended at once. */
const ALL_TESTS = Object.fromEntries(DEFECTS.map((defect) => [defect, 'not sent']))
const RECEIVER = 'https://receiver.example/planets'
const FAIL = "update deliveries set status = 'failed', next_attempt_at = null, ended_at = 1 where id = ?"
/** Each uses a URL of its own, because an account has one subscription to a URL. */
const subscription = () => ({ url: `${RECEIVER}/${crypto.randomUUID()}`, events: ['newPlanet'] })

/** Requests from an address of their own, for which no limit has counted anything yet. */
export function fromAnywhere(): Record<string, string> {
  const groups = crypto.randomUUID().replaceAll('-', '').match(/.{4}/g) ?? []
  return { 'CF-Connecting-IP': groups.join(':') }
}

/** An API key, as POST returns it. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
async function createKey(client: Client, account: Account): Promise<any> {
  return await bodyOf(await client.sendJson('POST', '/me/api-keys', {}, account))
}

const PARTS: Readonly<Record<string, (client: Client, account: Account) => Promise<Part>>> = {
  createPlanet: async () => json({ name: 'Changed' }),
  createCelestialBody: async () => json({ name: 'Changed', type: 'star' }),
  updatePlanet: async () => json({ name: 'Changed' }),
  patchPlanet: async () => json({ name: 'Changed' }, { 'Content-Type': 'application/merge-patch+json' }),
  copyPlanet: async () => ({ headers: { Destination: '/planets' } }),
  uploadImage: async () => ({ body: pictureForm() }),
  async uploadObservations(_, account) {
    // So that the account has room for one more.
    await env.DB.prepare(COMPLETE).bind(account.id).run()
    return { body: writeMixed(batchOf(1)), headers: MIXED }
  },
  getObservationBatch: batchPath,
  deleteObservationBatch: batchPath,
  createUser: async () => json({ email: `new-${crypto.randomUUID()}@galaxy.test`, password: 'correct horse' }),
  getToken: async (_, { email, password }) => json({ email, password }),
  updateMe: async () => json({ name: 'Changed' }),
  deleteMe: async (_, { password }) => json({ password }),
  setPassword: async (_, { password }) => json({ currentPassword: password, newPassword: 'another horse' }),
  createApiKey: async () => json({ name: 'Mine' }),
  createWebhook: async () => json(subscription()),
  updateWebhook: async () => json({ status: 'paused' }),
  testWebhook: async () => json({ defect: 'none' }),
  // One call, so that it creates one thing of each kind.
  checkWebhook: async () => json({ skip: Object.fromEntries(DEFECTS.slice(1).map((defect) => [defect, 'not sent'])) }),
  createInbox: async () => json({ status: 503 }, fromAnywhere()),
  createLabRun: async () => json({ tool: 'openapi-fetch', version: '0.15.0' }, fromAnywhere()),
  triggerEvent: async () => json({ type: 'user.profile_updated' }),
  createUniverse: async () => json({}, fromAnywhere()),
  updateInbox: async () => json({ status: 503 }),
  registerClient: async () => json({ redirect_uris: [REDIRECT_URI] }),

  async authorize({ send }) {
    const { id } = await registerClient(send)
    return await heldRequest(send, async (held, hold) => {
      const browser = new UserAgent(held)
      await browser.open(authorizationPath(id))
      hold()
      await browser.open(authorizationPath(id))
    })
  },
  async authorizeByForm({ send }) {
    const { id } = await registerClient(send)
    const [path = '', query = ''] = authorizationPath(id).split('?')
    return { path, ...form(new URLSearchParams(query)), status: 303 }
  },
  async signIn({ send }, { email, password }) {
    const { id } = await registerClient(send)
    const request = await heldRequest(send, async (held, hold) => {
      const browser = new UserAgent(held)
      await browser.open(authorizationPath(id))
      hold()
      await browser.submit({ email, password })
    })
    return { ...request, status: 303 }
  },
  async openSignUp({ send }) {
    const { id } = await registerClient(send)
    return await heldRequest(send, async (held, hold) => {
      const browser = new UserAgent(held)
      await browser.open(signUpPath(id))
      hold()
      await browser.open(signUpPath(id))
    })
  },
  async signUp({ send }) {
    const { id } = await registerClient(send)
    const request = await heldRequest(send, async (held, hold) => {
      const browser = new UserAgent(held)
      await browser.open(signUpPath(id))
      hold()
      await browser.submit({ email: `${crypto.randomUUID()}@galaxy.test`, password: 'i-love-planets' })
    })
    return { ...request, status: 303 }
  },
  async consent({ send }, account) {
    const { id } = await registerClient(send)
    const request = await heldRequest(send, async (held, hold) => {
      const browser = await signIn(held, account, id)
      hold()
      await browser.submit({ decision: 'allow' })
    })
    return { ...request, status: 303 }
  },
  async endSession({ send }, account) {
    const registered = await registerClient(send)
    const { id_token = '' } = await getTokens(send, account, registered, 'openid')
    return await heldRequest(send, async (held, hold) => {
      const browser = await signIn(held, account, registered.id)
      hold()
      await browser.open(`/oauth/end-session?${new URLSearchParams({ id_token_hint: id_token })}`)
    })
  },
  async endSessionByForm({ send }, account) {
    const { id } = await registerClient(send)
    return await heldRequest(send, async (held, hold) => {
      const browser = await signIn(held, account, id)
      await browser.open('/oauth/end-session')
      hold()
      await browser.submit({})
    })
  },

  async authorizeDevice({ send }) {
    const { id } = await registerDevice(send)
    return form({ client_id: id })
  },
  async openDevicePage({ send }) {
    return await heldRequest(send, async (held, hold) => {
      const browser = new UserAgent(held)
      await browser.open('/device')
      hold()
      await browser.open('/device')
    })
  },
  async submitDevicePage({ send }, account) {
    const { user_code } = await getDeviceCodes(send, await registerDevice(send))
    return await heldRequest(send, async (held, hold) => {
      const browser = await openDevice(held, account, user_code)
      hold()
      await browser.submit({ decision: 'allow' })
    })
  },
  async issueTokens({ send }, account) {
    const { id } = await registerClient(send)
    return form({
      grant_type: 'authorization_code',
      client_id: id,
      code: await getCode(send, account, id, { scope: 'read:account offline_access' }),
      redirect_uri: REDIRECT_URI,
      code_verifier: PKCE.verifier,
    })
  },
  async revokeToken(client, { id }) {
    const { clientId, token } = await giveAccessToken(client, id, ['read:account'])
    return form({ client_id: clientId, token })
  },
  async introspectToken({ send }, account) {
    const registered = await registerClient(send, {}, authorization(account).Authorization)
    const { access_token } = await getTokens(send, account, registered)
    return form({ client_id: registered.id, client_secret: registered.secret ?? '', token: access_token })
  },
  getUserInfo: userInfo,
  postUserInfo: userInfo,
}

function json(value: object, more: Readonly<Record<string, string>> = {}): Part {
  return { body: JSON.stringify(value), headers: { 'Content-Type': 'application/json', ...more } }
}

function form(parameters: URLSearchParams | Record<string, string>): Part {
  return {
    body: new URLSearchParams(parameters).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  }
}

const COMPLETE = "update observation_batches set completed_at = created_at, observations = '[]' where user_id = ?"
const BATCH = `insert into observation_batches (id, user_id, planet_id, observer, accepted, observations, created_at, completed_at)
  values (?1, ?2, ?3, 'Own', 0, '[]', ?4, ?4)`

/** A batch of observations that is completed. */
async function batchPath(client: Client, account: Account): Promise<Part> {
  const { id: planetId } = await createPlanet(client, account, { name: 'Observed' })
  const batchId = crypto.randomUUID()
  await env.DB.prepare(BATCH).bind(batchId, account.id, planetId, Date.now()).run()
  return { path: `/planets/${planetId}/observations/${batchId}` }
}

function pictureForm(): FormData {
  const whole = new FormData()
  whole.set('image', new File([makePicture()], 'a.png'))
  return whole
}

/** It takes no other credential than this. */
async function userInfo(client: Client, { id }: Account): Promise<Part> {
  const { token } = await giveAccessToken(client, id, ['openid'])
  return { headers: { Authorization: `Bearer ${token}` } }
}

/** The request of a user's browser after the page, with its cookie and all fields of the form. */
async function heldRequest(send: Send, use: (send: Send, hold: () => void) => Promise<void>): Promise<Part> {
  let isHeld = false
  let held: Part = {}
  const sendOrHold: Send = async (path, init = {}) => {
    if (!isHeld) return await send(path, init)
    const cookie = new Headers(init.headers).get('Cookie')
    const sent: Part = init.body instanceof URLSearchParams ? form(init.body) : {}
    held = { path, ...sent, headers: { ...sent.headers, ...(cookie !== null && { Cookie: cookie }) } }
    return new Response(null)
  }
  await use(sendOrHold, () => {
    isHeld = true
  })
  return held
}
