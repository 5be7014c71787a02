import type { Route } from '../../src/http/route.ts'
import { type Account, authorization, bodyOf, type Client, createPlanet } from './app.ts'
import {
  allow,
  authorizationPath,
  getTokens,
  PKCE,
  REDIRECT_URI,
  registerClient,
  type Send,
  UserAgent,
} from './oauth.ts'
import { makePicture } from './pictures.ts'

// For what holds of every operation: a request to each that does the operation's work. A new one is in here as soon as
// it is in ROUTES, unless it needs more than a planet, a key or a body.

/** A request, ready to be sent, and the status that it is answered with. */
export interface GoodRequest {
  path: string
  method: string
  body: BodyInit | undefined
  /** Its credential included. */
  headers: Record<string, string>
  status: number
}

/** What an operation needs besides what all of them get. */
type Part = Partial<Omit<GoodRequest, 'method'>>

/** @param account Who makes the request, and whom what it is about belongs to */
export async function makeGoodRequest(client: Client, route: Route, account: Account): Promise<GoodRequest> {
  const { path, headers, ...part } = (await PARTS[route.operationId]?.(client, account)) ?? {}
  return {
    path: path ?? (await fillPath(client, route, account)),
    method: route.method.toUpperCase(),
    body: undefined,
    headers: { ...(route.security.length > 0 && authorization(account)), ...headers },
    status: Number(Object.keys(route.responses)[0]),
    ...part,
  }
}

/** Sends a request with headers of one's own; undefined takes one away. */
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

/** The path of a route, with something of the account's own for each parameter. */
export async function fillPath(client: Client, { path }: Route, account: Account): Promise<string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  let filled = path
  for (const name of names) filled = filled.replace(`{${name}}`, await makeParameter(client, name, account))
  return filled
}

async function makeParameter(client: Client, name: string, account: Account): Promise<string> {
  const make = PARAMETERS[name]
  if (!make) throw new Error(`no test knows what the parameter ${name} can be`)
  return await make(client, account)
}

const PARAMETERS: Readonly<Record<string, (client: Client, account: Account) => Promise<string>>> = {
  planetId: async (client, account) => String((await createPlanet(client, account, { name: 'Own' })).id),
  keyId: async (client, account) => String((await createKey(client, account)).id),
  async key(client, account) {
    const { id } = await createPlanet(client, account, { name: 'Shown' })
    const { imageUrl } = await bodyOf(await client.upload(`/planets/${id}/image`, makePicture(), account))
    return imageUrl.split('/').at(-1)
  },
  script: async () => 'setup.js',
  code: async () => 'not-found',
}

/** An API key, as POST answers it. */
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects by asserting on it
async function createKey(client: Client, account: Account): Promise<any> {
  return await bodyOf(await client.sendJson('POST', '/me/api-keys', {}, account))
}

const PARTS: Readonly<Record<string, (client: Client, account: Account) => Promise<Part>>> = {
  createPlanet: async () => json({ name: 'Changed' }),
  updatePlanet: async () => json({ name: 'Changed' }),
  uploadImage: async () => ({ body: pictureForm() }),
  createUser: async () => json({ email: `new-${crypto.randomUUID()}@galaxy.test`, password: 'correct horse' }),
  getToken: async (_, { email, password }) => json({ email, password }),
  setPassword: async (_, { password }) => json({ currentPassword: password, newPassword: 'another horse' }),
  createApiKey: async () => json({ name: 'Mine' }),
  registerClient: async () => json({ redirect_uris: [REDIRECT_URI] }),

  async authorize({ send }) {
    const { id } = await registerClient(send)
    return await heldRequest(send, async (browser, hold) => {
      await browser.open(authorizationPath(id))
      hold()
      await browser.open(authorizationPath(id))
    })
  },
  async authorizeByForm({ send }) {
    const { id } = await registerClient(send)
    const [path = '', query = ''] = authorizationPath(id).split('?')
    return { path, ...form(new URLSearchParams(query)) }
  },
  async signIn({ send }, { email, password }) {
    const { id } = await registerClient(send)
    const request = await heldRequest(send, async (browser, hold) => {
      await browser.open(authorizationPath(id))
      hold()
      await browser.submit({ email, password })
    })
    return { ...request, status: 303 }
  },
  async consent({ send }, account) {
    const { id } = await registerClient(send)
    const request = await heldRequest(send, async (browser, hold) => {
      await signIn(browser, id, account)
      hold()
      await browser.submit({ decision: 'allow' })
    })
    return { ...request, status: 303 }
  },
  async endSession({ send }, account) {
    const registered = await registerClient(send)
    const { id_token = '' } = await getTokens(send, account, registered, 'openid')
    return await heldRequest(send, async (browser, hold) => {
      await signIn(browser, registered.id, account)
      hold()
      await browser.open(`/oauth/end-session?${new URLSearchParams({ id_token_hint: id_token })}`)
    })
  },
  async endSessionByForm({ send }, account) {
    const { id } = await registerClient(send)
    return await heldRequest(send, async (browser, hold) => {
      await signIn(browser, id, account)
      await browser.open('/oauth/end-session')
      hold()
      await browser.submit({})
    })
  },

  async issueTokens({ send }, account) {
    const { id } = await registerClient(send)
    const redirect = await allow(send, account, id, { scope: 'read:account offline_access' })
    return form({
      grant_type: 'authorization_code',
      client_id: id,
      code: redirect.searchParams.get('code') ?? '',
      redirect_uri: REDIRECT_URI,
      code_verifier: PKCE.verifier,
    })
  },
  async revokeToken({ send }, account) {
    const registered = await registerClient(send)
    const { access_token } = await getTokens(send, account, registered)
    return form({ client_id: registered.id, token: access_token })
  },
  async introspectToken({ send }, account) {
    const registered = await registerClient(send, {}, authorization(account).Authorization)
    const { access_token } = await getTokens(send, account, registered)
    return form({ client_id: registered.id, client_secret: registered.secret ?? '', token: access_token })
  },
  getUserInfo: ({ send }, account) => userInfo(send, account),
  postUserInfo: ({ send }, account) => userInfo(send, account),
}

function json(value: object): Part {
  return { body: JSON.stringify(value), headers: { 'Content-Type': 'application/json' } }
}

function form(parameters: URLSearchParams | Record<string, string>): Part {
  return {
    body: new URLSearchParams(parameters).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  }
}

function pictureForm(): FormData {
  const whole = new FormData()
  whole.set('image', new File([makePicture()], 'a.png'))
  return whole
}

/** It takes no other credential than this. */
async function userInfo(send: Send, account: Account): Promise<Part> {
  const { access_token } = await getTokens(send, account, await registerClient(send), 'openid')
  return { headers: { Authorization: `Bearer ${access_token}` } }
}

async function signIn(browser: UserAgent, clientId: string, { email, password }: Account): Promise<void> {
  await browser.open(authorizationPath(clientId))
  await browser.submit({ email, password })
}

/** The request that a user's browser comes to once it is held back, with its cookie and all fields of the form. */
async function heldRequest(send: Send, use: (browser: UserAgent, hold: () => void) => Promise<void>): Promise<Part> {
  let isHeld = false
  let held: Part = {}
  const browser = new UserAgent(async (path, init = {}) => {
    if (!isHeld) return await send(path, init)
    const cookie = new Headers(init.headers).get('Cookie')
    const sent: Part = init.body instanceof URLSearchParams ? form(init.body) : {}
    held = { path, ...sent, headers: { ...sent.headers, ...(cookie !== null && { Cookie: cookie }) } }
    return new Response(null)
  })
  await use(browser, () => {
    isHeld = true
  })
  return held
}
