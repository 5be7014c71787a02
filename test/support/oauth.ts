// An OAuth client and the browser of its user, both simulated with requests. A test passes what should differ from the
// defaults.

import { unescapeHtml } from './pages.ts'

export type Send = (path: string, init?: RequestInit) => Promise<Response>

export interface Registered {
  id: string
  /** Undefined for a public client. */
  secret: string | undefined
}

export const REDIRECT_URI = 'http://127.0.0.1/callback'

/** The verifier and the challenge of RFC 7636, appendix B. */
export const PKCE = {
  verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
}

/** Registers a client: a public one by default; with the Authorization header of a user, any. */
export async function registerClient(
  send: Send,
  metadata: object = {},
  authorization?: string,
): Promise<Registered & { metadata: Record<string, unknown> }> {
  const response = await send('/oauth/register', {
    method: 'POST',
    body: JSON.stringify({ redirect_uris: [REDIRECT_URI], ...metadata }),
    headers: { 'Content-Type': 'application/json', ...(authorization && { Authorization: authorization }) },
  })
  const registered = (await response.json()) as { client_id: string; client_secret?: string }
  if (response.status !== 201) throw new Error(`a test's client was refused: ${JSON.stringify(registered)}`)
  return { id: registered.client_id, secret: registered.client_secret, metadata: { ...registered } }
}

/** Sends a form. */
export function sendForm(
  send: Send,
  path: string,
  parameters: Readonly<Record<string, string | undefined>>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return send(path, { method: 'POST', body: new URLSearchParams(given), headers, redirect: 'manual' })
}

/** The form of a page: its target and its hidden fields. */
export function formOf(page: string): { action: string; fields: Record<string, string> } {
  const action = unescapeHtml(/<form[^>]* action="([^"]*)"/.exec(page)?.[1] ?? '')
  const hidden = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"\/>/g)]
  const fields = hidden.map(([, name = '', value = '']) => [unescapeHtml(name), unescapeHtml(value)])
  return { action, fields: Object.fromEntries(fields) }
}

/**
 * The browser of a user: it keeps the cookie, follows redirects within the service and fills in the forms of its pages.
 */
export class UserAgent {
  readonly #send: Send
  #cookie: string | undefined
  /** The current page. */
  page = ''
  /** The last response. */
  response: Response | undefined

  constructor(send: Send) {
    this.#send = send
  }

  /** The cookie as it is sent, name and value; undefined before there is one. */
  get cookie(): string | undefined {
    return this.#cookie
  }

  /** @returns The target of a redirect to another origin, or undefined if a page is shown */
  async open(path: string): Promise<URL | undefined> {
    return await this.#receive(await this.#send(path, { headers: this.#headers(), redirect: 'manual' }))
  }

  /** Sends the form of the page, with its hidden fields and the given ones. */
  async submit(fields: Readonly<Record<string, string>>): Promise<URL | undefined> {
    const form = formOf(this.page)
    return await this.#receive(await sendForm(this.#send, form.action, { ...form.fields, ...fields }, this.#headers()))
  }

  /** Sends a form of another site: the browser then sends no cookie that is SameSite=Lax. */
  async submitFromElsewhere(path: string, fields: Readonly<Record<string, string>>): Promise<URL | undefined> {
    return await this.#receive(await sendForm(this.#send, path, fields, { 'Sec-Fetch-Site': 'cross-site' }))
  }

  #headers(): Record<string, string> {
    return this.#cookie === undefined ? {} : { Cookie: this.#cookie }
  }

  async #receive(response: Response): Promise<URL | undefined> {
    this.response = response
    this.#cookie = response.headers.get('Set-Cookie')?.split(';')[0] ?? this.#cookie
    const location = response.headers.get('Location')
    if (location === null) {
      this.page = await response.text()
      return undefined
    }
    if (location.startsWith('/')) return await this.open(location)
    return new URL(location)
  }
}

/** The path of a valid authorization request with the given changes. Undefined removes a parameter. */
export function authorizationPath(
  clientId: string,
  parameters: Readonly<Record<string, string | undefined>> = {},
): string {
  const all: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    scope: 'read:account',
    state: 'here',
    code_challenge: PKCE.challenge,
    code_challenge_method: 'S256',
    ...parameters,
  }
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `/oauth/authorize?${new URLSearchParams(given)}`
}

/** The path of the sign-up page of the same request. */
export function signUpPath(...request: Parameters<typeof authorizationPath>): string {
  return authorizationPath(...request).replace('/oauth/authorize', '/oauth/sign-up')
}

/** A user follows a link of a client to the sign-in page, and signs in. @returns The browser, with the consent page */
export async function signIn(
  send: Send,
  { email, password }: { email: string; password: string },
  clientId: string,
  parameters: Readonly<Record<string, string | undefined>> = {},
): Promise<UserAgent> {
  const browser = new UserAgent(send)
  await browser.open(authorizationPath(clientId, parameters))
  await browser.submit({ email, password })
  return browser
}

/** A user signs in and allows what a client requests. @returns The redirect to the client */
export async function allow(
  send: Send,
  account: { email: string; password: string },
  clientId: string,
  parameters: Readonly<Record<string, string | undefined>> = {},
): Promise<URL> {
  const browser = new UserAgent(send)
  await browser.open(authorizationPath(clientId, parameters))
  // A user who has allowed it before is not asked again.
  const { email, password } = account
  const redirect = (await browser.submit({ email, password })) ?? (await browser.submit({ decision: 'allow' }))
  if (!redirect) throw new Error(`the consent of a test's user led to no redirect: ${browser.page}`)
  return redirect
}

/** Calls the token endpoint, with the client's secret in a Basic header if it has one. */
export function requestTokens(
  send: Send,
  client: Registered,
  parameters: Readonly<Record<string, string | undefined>>,
): Promise<Response> {
  return sendAsClient(send, '/oauth/token', client, parameters)
}

function sendAsClient(
  send: Send,
  path: string,
  client: Registered,
  parameters: Readonly<Record<string, string | undefined>>,
): Promise<Response> {
  const basic = client.secret === undefined ? {} : { Authorization: `Basic ${btoa(`${client.id}:${client.secret}`)}` }
  const named = client.secret === undefined ? { client_id: client.id } : {}
  return sendForm(send, path, { ...named, ...parameters }, basic)
}

export interface Tokens {
  access_token: string
  token_type: string
  expires_in: number
  scope: string
  refresh_token?: string
  id_token?: string
}

/** The code that a client gets after the consent of a user. */
export async function getCode(
  send: Send,
  account: { email: string; password: string },
  clientId: string,
  parameters: Readonly<Record<string, string | undefined>> = {},
): Promise<string> {
  const { searchParams } = await allow(send, account, clientId, parameters)
  const code = searchParams.get('code')
  if (code === null) throw new Error(`a test's user allowed it, and no code came: ${searchParams}`)
  return code
}

/** Exchanges a code for tokens, with a valid request except for the given changes. */
export function redeemCode(
  send: Send,
  client: Registered,
  code: string,
  parameters: Readonly<Record<string, string | undefined>> = {},
): Promise<Response> {
  return requestTokens(send, client, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: PKCE.verifier,
    ...parameters,
  })
}

/** The complete code flow: the tokens that a client gets after the consent of a user. */
export async function getTokens(
  send: Send,
  account: { email: string; password: string },
  client: Registered,
  scope = 'read:account',
): Promise<Tokens> {
  const response = await redeemCode(send, client, await getCode(send, account, client.id, { scope }))
  if (response.status !== 200) throw new Error(`a test's code was refused: ${await response.text()}`)
  return (await response.json()) as Tokens
}

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

export interface DeviceCodes {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  expires_in: number
  interval: number
}

/** Registers a client that may use the device flow, and can refresh tokens. */
export function registerDevice(send: Send, metadata: object = {}, authorization?: string): Promise<Registered> {
  const own = { redirect_uris: [], grant_types: [DEVICE_GRANT, 'refresh_token'] }
  return registerClient(send, { ...own, ...metadata }, authorization)
}

/** Calls the device authorization endpoint. */
export function authorizeDevice(
  send: Send,
  client: Registered,
  parameters: Readonly<Record<string, string | undefined>> = {},
): Promise<Response> {
  return sendAsClient(send, '/oauth/device', client, { scope: 'read:account', ...parameters })
}

export async function getDeviceCodes(
  send: Send,
  client: Registered,
  parameters: Readonly<Record<string, string | undefined>> = {},
): Promise<DeviceCodes> {
  const response = await authorizeDevice(send, client, parameters)
  if (response.status !== 200) throw new Error(`a test's device got no code: ${await response.text()}`)
  return (await response.json()) as DeviceCodes
}

/** Asks for the tokens of a device. */
export function pollTokens(send: Send, client: Registered, deviceCode: string): Promise<Response> {
  return requestTokens(send, client, { grant_type: DEVICE_GRANT, device_code: deviceCode })
}

/** A user types the code of a device, and signs in unless this browser has done so. @returns The browser */
export async function openDevice(
  send: Send,
  { email, password }: { email: string; password: string },
  userCode: string,
  browser = new UserAgent(send),
): Promise<UserAgent> {
  await browser.open('/device')
  await browser.submit({ user_code: userCode })
  if (browser.page.includes('name="password"')) await browser.submit({ email, password })
  return browser
}

/** A user allows a device what it requests. */
export async function allowDevice(
  send: Send,
  account: { email: string; password: string },
  userCode: string,
): Promise<UserAgent> {
  const browser = await openDevice(send, account, userCode)
  await browser.submit({ decision: 'allow' })
  if (browser.response?.status !== 200) throw new Error(`a test's user could not allow it: ${browser.page}`)
  return browser
}
